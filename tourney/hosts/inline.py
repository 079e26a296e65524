"""The inline host: bots run in the worker's own process, for bots that you trust.

It is quick, and no secrecy boundary: Python code in one process can reach everything in it.
"""

import gc
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts.base import Act, BotHost, BotSpec, HostedBot, Limits
from tourney.hosts.fault_kinds import ChargedError
from tourney.plugins import load_bot


class InlineHost(BotHost):
    """Runs bots in the worker's own process.

    Where time is limited, a bot that takes too long is interrupted, where Python can interrupt it.
    """

    name = "inline"
    in_worker = True

    def __init__(self, spec: BotSpec, limits: Limits, log: Path | None) -> None:
        """Loads the bot; what it writes to stderr goes to that of this process."""
        self._make = _loaded(spec)[0]
        self._limits = limits
        if (limits.move_ms is not None or limits.start_ms is not None) and _pause not in gc.callbacks:
            gc.callbacks.append(_pause)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the games that the bot plays; it is loaded in this process."""
        return _loaded(spec)[1]

    def begin(self, facts: SeatFacts, rng_seed: int) -> HostedBot:
        """Makes a new bot; no clock is read where no time is limited."""
        limits = self._limits
        if limits.move_ms is None and limits.start_ms is None:
            return InlineBot(self._make, facts)
        return TimedBot(_within(limits.start_ms, "start_ms", InlineBot, self._make, facts), limits.move_ms)


class InlineBot:
    """One bot in this process, for one match."""

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
        """Does nothing: the bot goes when nothing refers to it any more."""


class TimedBot:
    """One bot in this process, for one match, interrupted when a decision takes too long."""

    def __init__(self, bot: InlineBot, move_ms: int | None) -> None:
        """Wraps a bot that was made; None for no limit."""
        self._bot = bot
        self._move_ms = move_ms
        self.close = bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        """Returns the bot's answer; raises what the bot raises, or a `ChargedError`."""
        return _within(self._move_ms, "move_ms", self._bot.act, view, legal)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what `act` raises."""
        _within(self._move_ms, "move_ms", self._bot.end, outcome)


def _loaded(spec: BotSpec) -> tuple[Callable[[], Any], tuple[str, ...] | None]:
    """Returns what makes the bot, and the games that it plays."""
    plugin = load_bot(spec.use, spec.folder)
    return plugin.maker(spec.options, f"bot {spec.name}: options"), plugin.games


class _Pause:
    """Stops the clock while garbage is collected: it may be another bot's, and run that bot's code."""

    def __init__(self) -> None:
        self._left_s = 0.0  # how much time the bot that is being asked has left; 0 for no bot

    def __call__(self, phase: str, _info: dict[str, int]) -> None:
        """Is called by the collector when it begins (`start`) and when it ends (`stop`)."""
        if threading.current_thread() is not threading.main_thread():  # the main one, whose clock it is, goes on
            return
        if phase == "start":
            self._left_s = signal.getitimer(signal.ITIMER_REAL)[0]
            if self._left_s:
                signal.setitimer(signal.ITIMER_REAL, 0)
        elif self._left_s:
            signal.setitimer(signal.ITIMER_REAL, self._left_s)


_pause = _Pause()


def _within(limit_ms: int | None, name: str, call: Callable[..., Any], *arguments: Any) -> Any:
    """Returns what the call returns, or raises what it raises.

    A signal interrupts the call, once; a bot that goes on all the same goes on until its worker is ended.

    Raises:
        ChargedError: The call took longer than the limit of that name.
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
    except BaseException:  # the bot may have turned the interruption into anything
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
