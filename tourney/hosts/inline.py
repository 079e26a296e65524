"""The inline host: a bot lives in the worker's own process, for bots that you trust.

It is quick, and no secrecy boundary: Python code in one process can reach everything in it.
"""

import signal
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts.base import Act, BotHost, Limits
from tourney.hosts.fault_kinds import ChargedError


class Inline:
    """One bot, for one match."""

    act: Act

    def __init__(self, make: Callable[[], Any], facts: SeatFacts) -> None:
        """Makes the bot and tells it the facts; raises what the bot raises."""
        bot = make()
        start = getattr(bot, "start", None)
        if start is not None:
            start(facts)
        self._bot = bot
        self.act = bot.act

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what the bot raises."""
        end = getattr(self._bot, "end", None)
        if end is not None:
            end(outcome)

    def close(self) -> None:
        """Nothing: the bot goes when nobody knows it any more."""


class Timed(BotHost):
    """The inline host with a clock: a bot that takes too long is interrupted, where Python can interrupt it."""

    def __init__(self, make: Callable[[], Any], limits: Limits) -> None:
        """`make` makes the bots."""
        self._make = make
        self._limits = limits

    def begin(self, facts: SeatFacts, rng_seed: int) -> "_TimedInline":
        """A new bot."""
        return _TimedInline(_within(self._limits.start_ms, "start_ms", Inline, self._make, facts), self._limits.move_ms)


class _TimedInline:
    def __init__(self, host: Inline, move_ms: int | None) -> None:
        self._host = host
        self._move_ms = move_ms
        self.close = host.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        return _within(self._move_ms, "move_ms", self._host.act, view, legal)

    def end(self, outcome: Outcome) -> None:
        _within(self._move_ms, "move_ms", self._host.end, outcome)


def _within(limit_ms: int | None, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """What the call returns or raises; a `ChargedError` if it takes longer than the limit of that name.

    A signal interrupts it, once; a bot that goes on all the same goes on until its worker is ended.
    """
    if limit_ms is None:
        return call(*arguments)
    late = ChargedError("timeout", f"took longer than {name}")
    running, up = True, False

    def ring(_number: int, _frame: FrameType | None) -> None:
        nonlocal up
        up = True
        if running:
            raise late

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit_ms / 1000)
        answer = call(*arguments)
    except BaseException:  # it may have turned the interruption into anything
        if up:
            raise late from None
        raise
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if up:
        raise late
    return answer
