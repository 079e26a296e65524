"""A bot in a process of its own whose decisions have a limit of time.

Its processes are stopped while it is not asked. So they take no time from the others between its decisions, and the
processor time that they have used is all that of its own decisions.
"""

import time
from collections.abc import Sequence
from typing import Any

from tourney.bot import Outcome, SeatFacts
from tourney.hosts import protocol
from tourney.hosts.clocks import SeatClock
from tourney.hosts.external_bot import AnyProcess, BotOwner, ExternalBot, Poll
from tourney.hosts.spawner_client import CHECK_S

LEAST_S = 0.005
"""The shortest time, in seconds, after which it is looked again how much processor time a bot has used."""


class TimedExternalBot(ExternalBot):
    """One bot in a process of its own, for one match, that is told with each decision how much time is left."""

    def __init__(self, host: BotOwner, process: AnyProcess, facts: SeatFacts, clock: SeatClock) -> None:
        """Takes the process, which `host` takes back in the end."""
        super().__init__(host, process, facts, clock)
        self._processor_s = 0.0  # what its processes had used in all when it was asked last
        self._look_s = CHECK_S  # after how many seconds it is looked next what it is doing, while it is waited for

    def start(self, rng_seed: int) -> None:
        """Greets the bot, and tells it the facts; a `ChargedError` if it is at fault."""
        super().start(rng_seed)
        self._tree.suspend()
        if self._limits.bounds_processor:
            self._processor_s = self._tree.processor_s()

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the bot answers; a `ChargedError` if it is at fault."""
        line = self._question(view, legal)
        begun = time.monotonic()
        clock = self._clock
        until = clock.begin(self._limits.move_ms, "move_ms", decides=True)
        self._tree.resume()
        if clock.processor_left_s is not None:
            self._plan_look(clock.processor_left_s)
        answer = self._ask(line, until)
        took_s = time.monotonic() - begun
        self._tree.suspend()
        used_s = 0.0
        if clock.processor_left_s is not None:
            used_s = self._used_s()
            if used_s > clock.processor_left_s:
                clock.note_timeout()
                raise clock.processor_timeout()
            self._processor_s += used_s
        clock.finish(took_s, used_s)
        found = self._parsed(answer, "act")
        return protocol.parse_action(found, self._decisions, self._facts.game, self._process.python)

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; see `ExternalBot.end`."""
        self._tree.resume()
        self._look_s = CHECK_S
        super().end(outcome)

    def _traceback(self) -> str:
        """Returns the traceback of what the bot has raised; no processor time is counted any more."""
        self._clock.processor_left_s = None
        return super()._traceback()

    def _wait(self, poll: Poll, until: float) -> int | None:
        """Returns the end of the wire that is ready, or None when the time is up; looks meanwhile what the bot does."""
        while True:
            look_at = time.monotonic() + self._look_s
            ready = super()._wait(poll, min(until, look_at))
            if ready is not None or look_at >= until:
                return ready
            self._look()

    def _look(self) -> None:
        """Raises a `ChargedError` if the bot or its spawner was stopped, or has used all of its processor time."""
        self._look_for_stop()
        most_s = self._clock.processor_left_s
        if most_s is not None:
            left_s = most_s - self._used_s()
            if left_s < 0:
                self._clock.note_timeout()
                self._process.end(0)
                raise self._clock.processor_timeout()
            self._plan_look(left_s)

    def _plan_look(self, left_s: float) -> None:
        """Plans to look again when so much processor time can have been used."""
        self._look_s = min(CHECK_S, max(LEAST_S, left_s / self._tree.cores()))

    def _used_s(self) -> float:
        """Returns how much processor time the bot has used since it was asked, in seconds."""
        return max(0.0, self._tree.processor_s() - self._processor_s)
