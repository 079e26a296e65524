"""The inline host: bots run in the worker's own process, for bots that you trust.

It is quick, but not a secrecy boundary: Python code in one process can reach everything in it.
"""

import gc
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from tourney.base.errors import ServiceError
from tourney.contracts.bot import Outcome, SeatFacts, UnavailableError
from tourney.hosts import awake, prints
from tourney.hosts.base import Act, BotHost, BotSpec, HostedBot, WrappedBot
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import ChargedError, fault_of, outlined
from tourney.hosts.limits import ENFORCED
from tourney.plugins.bot_classes import loaded
from tourney.plugins.registry import BotPlugin

FORKED_END = 128 + signal.SIGALRM  # exit status of a bot's fork that received the signal for interrupting bots
LEAST_S = 1e-4  # the shortest time until an interruption; a timer of no time would never ring
EARLY_S = 1e-3  # how early the timer may ring, since it counts in whole microseconds


class InlineHost(BotHost):
    """Runs bots in the worker's own process.

    If time is limited, a bot that takes too long is interrupted, if Python can interrupt it.
    """

    name = "inline"
    in_worker = True
    enforces = ENFORCED - {"cpu_ms", "cpu"}  # a worker cannot tell whose time it is

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        self._make, self._plugin = _loaded(spec)
        self.limits = spec.limits

    @classmethod
    def create(cls, spec: BotSpec, log: Path | None) -> BotHost:
        host = cls(spec, log)
        make = host._make
        if not host._plugin.is_service:
            return host
        from tourney.hosts.service import ServiceHost  # noqa: PLC0415 - takes a tenth of a command's start

        def charged_bot(facts: SeatFacts, _rng_seed: int) -> HostedBot:
            return WrappedBot(_charged(InlineBot, make, facts), lambda call: partial(_charged, call))

        return ServiceHost(spec.name, spec.limits, charged_bot)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the games that the bot plays; it is loaded in this process, and made if it asks a service.

        Raises a `ServiceError` if the bot lacks something that it needs to ask.
        """
        make, plugin = _loaded(spec)
        if plugin.is_service:
            from tourney.hosts.service import naming  # noqa: PLC0415

            with naming(spec.name), suppress(ChargedError, UnavailableError):  # they come again in a match
                _charged(make)
        return plugin.games

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        return InlineBot(self._make, facts) if clock is None else TimedBot(self._make, facts, clock)


class InlineBot:
    """One bot in this process, for one match."""

    act: Act

    def __init__(self, make: Callable[[], Any], facts: SeatFacts) -> None:
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
        """Does nothing: the bot is freed with its last reference."""


class TimedBot:
    """One bot in this process, for one match, with a clock that runs while it is called, and interrupts it."""

    def __init__(self, make: Callable[[], Any], facts: SeatFacts, clock: SeatClock) -> None:
        """Makes the bot and tells it the facts; raises what the bot raises, or a `ChargedError`."""
        if _pause not in gc.callbacks:
            gc.callbacks.append(_pause)
        self._clock = clock
        clock.begin(clock.limits.start_ms, "start_ms", decides=False)
        self._bot = timed_call(clock, InlineBot, make, facts)
        self.close = self._bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        """Returns the bot's answer; raises what the bot raises, or a `ChargedError`."""
        self._clock.begin(self._clock.limits.move_ms, "move_ms", decides=True)
        return timed_call(self._clock, self._bot.act, view, legal)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what `act` raises."""
        self._clock.begin(self._clock.limits.move_ms, "move_ms", decides=False)
        timed_call(self._clock, self._bot.end, outcome)


def _loaded(spec: BotSpec) -> tuple[Callable[[], Any], BotPlugin]:
    with prints.labelled(spec.name):
        plugin = loaded(spec.use, spec.folder, spec.pickled)
    return plugin.maker(spec.options, f"bot {spec.name}: options"), plugin


def _charged(call: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a bot that asks a service; charges it for its exceptions, not for the service's absence."""
    try:
        return call(*arguments)
    except (ServiceError, UnavailableError):
        raise
    except BaseException as error:  # a bot may raise anything, even SystemExit
        charged = ChargedError(*fault_of(error))
        charged.traceback = outlined(error)
        raise charged from None


class _Pause:
    """Stops the clock while garbage is collected: it may be another bot's, and run that bot's code."""

    def __init__(self) -> None:
        self._left_s = 0.0  # until the next signal for the bot being asked; 0 for no bot
        self._began = 0.0
        self.clock: SeatClock  # the clock of the bot that was asked last

    def __call__(self, phase: str, _info: dict[str, int]) -> None:
        if threading.current_thread() is not threading.main_thread():  # the main thread, and its clock, continue
            return
        if phase == "start":
            self._left_s = signal.getitimer(signal.ITIMER_REAL)[0]
            if self._left_s:
                signal.setitimer(signal.ITIMER_REAL, 0)
                self._began = time.monotonic()
        elif self._left_s:
            self.clock.pause(time.monotonic() - self._began)
            signal.setitimer(signal.ITIMER_REAL, self._left_s)


_pause = _Pause()


def timed_call(clock: SeatClock, call: Callable[..., Any], *arguments: Any) -> Any:
    """Returns or raises the result of a call; the clock has been started, and is stopped.

    A signal interrupts the call once, when its time is up; a bot that catches it continues until its worker is killed.
    Raises a `ChargedError` if the call took longer than it may.
    """
    if threading.current_thread() is not threading.main_thread():
        return _measured(clock, call, *arguments)
    running, up, worker = True, False, os.getpid()

    def ring(_number: int, _frame: FrameType | None) -> None:
        nonlocal up
        if os.getpid() != worker:  # a process forked by the bot, which would continue as a second worker
            os._exit(FORKED_END)
        left_s = clock.until - awake.look(slice_s)
        if left_s > EARLY_S:  # or another process has sent the signal
            signal.setitimer(signal.ITIMER_REAL, min(left_s, slice_s))
            return
        up = True
        if running:
            raise clock.timeout()

    before = signal.signal(signal.SIGALRM, ring)
    slice_s = min(awake.SLICE_S, max(LEAST_S, clock.until - awake.now()))
    _pause.clock = clock
    try:
        signal.setitimer(signal.ITIMER_REAL, slice_s)
        answer = call(*arguments)
    except BaseException:  # the bot may have turned the interruption into anything
        if not up:
            raise
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        awake.look(slice_s)
        charged = clock.timeout() if up else None  # while the clock has the numbers
        clock.finish()
    if charged is not None:
        raise charged
    return answer


def _measured(clock: SeatClock, call: Callable[..., Any], *arguments: Any) -> Any:
    """Like `timed_call`, in a thread among others: no signal gets there, and the thread's own work counts."""
    started = time.thread_time()
    try:
        return call(*arguments)
    finally:
        clock.finish(time.thread_time() - started)
