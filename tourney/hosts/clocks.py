"""The clocks of a match: one for each seat, which runs only while that seat is asked.

So no bot pays for time that another has used. A bot with a limit for its decisions (`move_ms`, `clock`, `cpu_ms`,
`cpu`) is charged for its own time alone. The time of all others is bounded together, by `match_s`: when it is up, the
seat that was asked longest is charged at its next decision, and its time no longer counts, so the others can continue.
No bot is charged before it has had its equal share of `match_s`.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

from tourney.contracts.bot import Clock
from tourney.hosts import awake
from tourney.hosts.faults import DECISION, ChargedError
from tourney.hosts.limits import Limits, TimeControl
from tourney.hosts.timing import DecisionTimes, Pace

WALL_FACTOR = 10  # how many times its limit of processor time a decision may take on the wall
LEAST_WALL_S = 1.0  # the least time on the wall of such a decision
SPARE_S = 1.0  # how much longer a worker is expected to be silent than a call may take
OVERLOAD = 1.5  # threads that want to run for each processor, on average, on an overloaded machine
TIMED_BLOCKS = 499
"""One block in this many is timed also where no clock is read otherwise, since that takes longer than a quick bot does.
It is a prime, so that these blocks are not always of the same group."""
PACED_BLOCKS = 17  # the same where two bots are compared,
FIRST_PACED = 200  # after this many blocks, all of which are timed
MATCH_TIME = "its match took too long"
BANK = "its clock ran out"
PROCESSOR_BANK = "its processor clock ran out"


class Timekeeper:
    """What a worker notes of time, over all its matches."""

    def __init__(
        self, announce: Callable[[float], None] | None = None, silent_s: float = 0.0, compared: Sequence[str] = ()
    ) -> None:
        """The times of the two entrants that are `compared` are compared block by block.

        `announce` is called with the seconds that the worker may be silent from now on, if more than `silent_s`.
        """
        self._announce = announce
        self._silent_s = silent_s
        self._announced = 0.0  # until when, by `awake.now`, the worker may be silent
        self.late_timeouts = 0  # how many timeouts were charged while the machine was overloaded
        self.matches_s = 0.0  # how long the matches with clocks took, in seconds,
        self.starts_s = 0.0  # and how long of it they waited for processes that were started for them alone
        self.times_all = False  # whether every decision is timed, also where no clock is read otherwise
        self._timed: set[str] = set()  # the entrants of whom a block was timed
        self._times: dict[str, list[int]] = {}
        self._compared = compared
        self._before = [0 for _ in compared]  # how many times of theirs were noted before the block
        self._pace = Pace()

    def choose(self, number: int, names: Sequence[str]) -> None:
        """Times every decision of the next block if it is an entrant's first, or one of the sample."""
        self._end_block()
        paced = self._compared and (number < FIRST_PACED or number % PACED_BLOCKS == 0)
        self.times_all = paced or number % TIMED_BLOCKS == 0 or not self._timed.issuperset(names)
        if self.times_all:
            self._timed.update(names)

    def times_of(self, name: str) -> list[int]:
        """Returns the list that takes an entrant's decision times, in nanoseconds, until the next `take`."""
        return self._times.setdefault(name, [])

    def _end_block(self) -> None:
        both = [self.times_of(name)[before:] for name, before in zip(self._compared, self._before, strict=True)]
        if both and all(both):
            self._pace.count(*both)
        self._before = [len(self.times_of(name)) for name in self._compared]

    def take(self) -> tuple[int, dict[str, DecisionTimes], Pace, float, float]:
        """Returns the fields of `journal.times.Times`, and resets them."""
        self._end_block()
        times: dict[str, DecisionTimes] = {}
        for name, times_ns in self._times.items():
            if times_ns:
                times[name] = DecisionTimes()
                times[name].count(times_ns)
        taken = self.late_timeouts, times, self._pace, self.matches_s, self.starts_s
        self.late_timeouts, self.matches_s, self.starts_s = 0, 0.0, 0.0
        self._times, self._pace = {}, Pace()
        self._before = [0 for _ in self._compared]
        return taken

    def note_sent(self) -> None:
        """Notes that the worker has just sent something."""
        self._announced = awake.now() + self._silent_s

    def expect(self, now: float, until: float) -> None:
        """Announces that a call may take until then, and somewhat longer to announce less often."""
        if until > self._announced and self._announce is not None:
            self._announced = max(until, now + self._silent_s) + SPARE_S
            self._announce(self._announced - now)


class MatchTime:
    """How long a match's seats were asked."""

    def __init__(self, limits: Sequence[Limits], keeper: Timekeeper, names: Sequence[str] = ()) -> None:
        """Without the entrants' `names`, decision times are not noted."""
        self.keeper = keeper
        self._began = time.monotonic()
        self.total_s = 0.0  # how long the seats were asked whose time `match_s` bounds
        times: Iterable[list[int] | None] = map(keeper.times_of, names) if names else repeat(None, len(limits))
        self.clocks = [SeatClock(self, *each) for each in zip(limits, times, strict=True)]
        self._shared = [clock for clock in self.clocks if not clock.limits.bounds_decisions]
        self._least_s = min([clock.limits.match_s for clock in self._shared], default=0.0)

    def leave(self, clock: "SeatClock") -> None:
        """Stops counting the time of a seat."""
        if clock in self._shared:
            self._shared.remove(clock)
            self.total_s -= clock.used_s

    def end(self) -> None:
        """Notes how long the match took."""
        self.keeper.matches_s += time.monotonic() - self._began

    def spend(self, clock: "SeatClock", took_s: float) -> None:
        """Counts time that a seat has used; once `match_s` is over, the longest seat's time is up."""
        clock.used_s += took_s
        self.total_s += took_s
        while self._shared and self.total_s >= self._least_s:
            longest = max(self._shared, key=lambda each: (each.used_s, each is clock, -each.limits.match_s))
            if self.total_s < longest.limits.match_s:
                return
            longest.overdrawn = True
            self.leave(longest)

    def left_s(self, clock: "SeatClock") -> float:
        """Returns how long the seat may be asked: until `match_s` is over and no other seat has used more."""
        most_s = clock.limits.match_s
        if clock.overdrawn:
            return most_s  # it decides no more, but may receive the outcome
        if self.total_s * 2 < most_s:
            return most_s - self.total_s  # no other seat can have used more then
        others = [each.used_s for each in self._shared if each is not clock]
        return max(most_s - self.total_s, max(others, default=0.0) - clock.used_s)


class SeatClock:
    """The time of one seat in one match."""

    def __init__(self, match: MatchTime, limits: Limits, times_ns: list[int] | None) -> None:
        self.limits = limits
        self.used_s = 0.0  # how long the seat was asked so far, in seconds
        self.overdrawn = False  # whether the time of the match is up, and this seat has used most of it
        self._match = match
        self._times_ns = times_ns
        self._control = None if limits.clock is None else TimeControl.parse(limits.clock, "clock")
        self._bank_s = 0.0 if self._control is None else self._control.bank_s
        self._processor = None if limits.cpu is None else TimeControl.parse(limits.cpu, "cpu")
        self._processor_s = 0.0 if self._processor is None else self._processor.bank_s
        self._shares = not limits.bounds_decisions
        self._begun = 0.0
        self._decides = False  # whether what is running now is a decision
        self._why = ""
        self._bound_s = 0.0
        self.until = 0.0  # when the time for the call that is running is up, by `awake.now`
        self.processor_left_s: float | None = None
        """How much processor time the decision that is running may take, in seconds; None for no limit."""

    def begin(self, most_ms: int | None, key: str, decides: bool) -> float:
        """Starts the clock for a call with a limit, `key`, and returns when its time is up, by `awake.now`.

        Raises a `ChargedError` if the time of the match is up, and the bot has used most of it.
        """
        if decides and self.overdrawn:
            self._why = MATCH_TIME
            raise self.timeout()
        bound_s, why = self._bound(most_ms, key, decides)
        self.processor_left_s = self._processor_left_s() if decides and self.limits.bounds_processor else None
        return self.begin_alone(bound_s, why, decides)

    def begin_alone(self, bound_s: float, why: str, decides: bool = False) -> float:
        """Starts the clock for a call that counts for neither the seat nor the match; returns when its time is up.

        `why` is the charge against a bot that takes longer than `bound_s`. `finish` is not called.
        """
        self._why, self._bound_s = why, bound_s
        self._decides = decides
        self._begun = now = awake.begin()
        self.until = until = now + bound_s
        self._match.keeper.expect(now, until)
        return until

    def expect(self, seconds: float) -> None:
        """Announces that a call or wait may take that long from now on, besides any clock."""
        now = awake.now()
        self._match.keeper.expect(now, now + seconds)

    def bound_s(self, most_ms: int | None, decides: bool) -> float:
        """Returns how long a call that starts now may take, in seconds; see `begin`."""
        return self._bound(most_ms, "", decides)[0]

    def _bound(self, most_ms: int | None, key: str, decides: bool) -> tuple[float, str]:
        """Returns how long a call may take, in seconds, and the charge against a bot that takes longer."""
        limits = self.limits
        bounds = [] if most_ms is None else [(most_ms / 1000, f"took longer than {key}")]
        if self._shares:
            bounds.append((self._match.left_s(self), MATCH_TIME))
        elif decides and self._control is not None:
            bounds.append((self._bank_s, BANK))
        if decides and limits.bounds_processor:
            wall_s = max(LEAST_WALL_S, WALL_FACTOR * self._processor_left_s())
            bounds.append((wall_s, f"took longer than {WALL_FACTOR} times its processor time"))
        return min(bounds, default=(limits.match_s, MATCH_TIME))

    def _processor_left_s(self) -> float:
        least = self._processor_s if self._processor is not None else float("inf")
        return least if self.limits.cpu_ms is None else min(least, self.limits.cpu_ms / 1000)

    def processor_timeout(self, used_s: float) -> ChargedError:
        """Returns the charge for a decision that has used this much processor time, more than it may."""
        by_bank = self._processor is not None and self._processor_left_s() == self._processor_s
        error = ChargedError("timeout", PROCESSOR_BANK if by_bank else "used more than cpu_ms")
        error.traceback = self._told(used_s, self.processor_left_s)
        return error

    def _told(self, used_s: float | None, allowed_s: float | None) -> str:
        """Returns the numbers of a timeout for the bot's log; a record has none, so that runs repeat."""
        if not self._begun:  # the time of its match was up before it was asked
            return ""
        asked = f" for {DECISION}" if self._decides else ""
        computed = "" if used_s is None else f", computed {used_s:.3g} s of it"
        return f"waited {self.gone_s():.3g} s{asked}{computed}; {allowed_s:.3g} s are allowed"

    def pause(self, seconds: float) -> None:
        """Takes back time that has just passed, and was not the bot's."""
        self._begun += seconds
        self.until += seconds

    def finish(self, took_s: float | None = None, processor_s: float = 0.0) -> None:
        """Stops the clock; `processor_s` is needed where processor time has a limit."""
        took = self.gone_s() if took_s is None else took_s
        self._note(took)
        if self._shares and not self.overdrawn:
            self._match.spend(self, took)
        else:
            self.used_s += took
        if self._decides and not self._shares:
            if self._control is not None:
                self._bank_s = max(0.0, self._bank_s - took) + self._control.increment_s
            if self._processor is not None:
                self._processor_s = max(0.0, self._processor_s - processor_s) + self._processor.increment_s
        self._begun = 0.0

    def note_timeout(self) -> None:
        """Notes the time of a decision that ran out of time, after which `finish` is not called."""
        self._note(self.gone_s())

    def _note(self, took_s: float) -> None:
        if self._decides and self._times_ns is not None:
            self._times_ns.append(int(took_s * 1e9))

    def gone_s(self) -> float:
        """Returns how long the call that is running has taken so far, in seconds."""
        return awake.now() - self._begun

    def note_start(self, began: float) -> None:
        """Notes that the match has waited since then, by the monotonic clock, for its own process."""
        self._match.keeper.starts_s += time.monotonic() - began

    def end_match(self) -> None:
        """Notes how long the match took."""
        self._match.end()

    def leave(self) -> None:
        """Stops counting the time of the seat: its bot is out."""
        self._match.leave(self)

    def timeout(self, used_s: float | None = None) -> ChargedError:
        """Returns the charge for a call that has taken longer than it may; `used_s` is its processor time."""
        error = ChargedError("timeout", self._why, _is_overloaded())
        error.traceback = self._told(used_s, self._bound_s)
        return error

    def left_s(self) -> float:
        """Returns the seconds left in the bank, or for the decision if there is no bank."""
        limits = self.limits
        if limits.clock is None and limits.move_ms is None:  # by the processor, which the host looks at
            return self._processor_s if self._processor is not None else (limits.cpu_ms or 0) / 1000
        gone = awake.now() - self._begun if self._begun and self._decides else 0.0
        return max(0.0, (self._bank_s if self._control is not None else (limits.move_ms or 0) / 1000) - gone)

    def reading(self) -> Clock | None:
        """Returns the clock that the bot itself can read; None if its decisions have no time limit."""
        limits = self.limits
        if not limits.bounds_decisions:
            return None
        by_clock = limits.clock is not None or limits.move_ms is not None
        control = self._control if by_clock else self._processor
        move_ms = limits.move_ms if by_clock else limits.cpu_ms
        bank_s, increment_s = (None, 0.0) if control is None else control
        move_s = None if move_ms is None else move_ms / 1000
        return Clock(self.left_s, bank_s, increment_s, move_s, not by_clock, limits.call_s)


def _is_overloaded() -> bool:
    """Whether far more threads want to run than there are processors, by the load of the last minute."""
    try:
        return os.getloadavg()[0] > OVERLOAD * (os.cpu_count() or 1)
    except OSError:
        return False
