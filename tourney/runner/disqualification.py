"""Disqualification of entrants for their faults, and the end of a run in which too many matches have faults.

Faults are counted block by block in the order of the schedule, so the outcome depends on the records alone.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import msgspec

from tourney.config import Tournament
from tourney.contracts.match import Fault, Record
from tourney.standings.results import PlayedMatch

MIN_MATCHES = 20  # before the fault rate is judged; or a tenth of the tournament if that is fewer
NAMED = 3  # entrants in the message about too many faults


class EntrantFaults(msgspec.Struct):
    """The faults of one entrant: all, those in its last matches in a row, and the longest row so far."""

    total: int = 0
    in_row: int = 0
    longest_row: int = 0

    def reasons(self) -> tuple[str, str]:
        """The two reasons for a disqualification now: the total of its faults, and those in a row."""
        return f"after {_faults(self.total)}", f"after {_faults(self.longest_row)} in a row"


class FaultTally:
    """The faults of each entrant. A match that it was disqualified from neither counts as a fault nor ends a row."""

    def __init__(self) -> None:
        self.of: defaultdict[str, EntrantFaults] = defaultdict(EntrantFaults)

    def add(self, seats: Sequence[str], faults: Sequence[Fault]) -> list[str]:
        """Counts the faults of the next match, given who sat there, and returns the entrants that were charged."""
        kinds = {fault.seat: fault.kind for fault in faults}
        charged = []
        for seat, name in enumerate(seats):
            kind, its = kinds.get(seat), self.of[name]
            if kind is None:
                its.in_row = 0
            elif kind != "out":
                its.total += 1
                its.in_row += 1
                its.longest_row = max(its.longest_row, its.in_row)
                charged.append(name)
        return charged


class FaultMonitor:
    """Counts the faults of a run, and compares them with the limits of its tournament."""

    def __init__(self, tournament: Tournament, matches: int) -> None:
        """`matches` is the number of matches in the tournament."""
        self.out: Mapping[str, str] = {}  # who is disqualified, with the reason; replaced when it grows, never changed
        self.stop: str | None = None  # the reason to stop the run; the rate starts again with the next match
        self._limits = tournament.fault_limits
        self._tally = FaultTally()
        self._min_matches = min(MIN_MATCHES, -(-matches // 10))
        self._which = "the first"
        self._matches = self._faulted = 0
        self._charged: Counter[str] = Counter()

    def add(self, records: Sequence[Record | PlayedMatch]) -> None:
        """Counts the faults of the next block, given all its records."""
        if self.stop is not None:
            self.stop, self._which = None, "the last"
            self._matches = self._faulted = 0
            self._charged.clear()
        for record in records:
            charged = self._tally.add(record.seats, record.faults)
            self._matches += 1
            self._faulted += bool(charged)
            self._charged.update(charged)
        limits = self._limits
        for name in dict.fromkeys([name for record in records for name in record.seats]):
            faults = self._tally.of[name]
            in_all, in_row = faults.reasons()
            if name in self.out:
                continue
            if limits.max_faults is not None and faults.total >= limits.max_faults:
                self.out = {**self.out, name: in_all}
            elif limits.max_faults_in_row is not None and faults.longest_row >= limits.max_faults_in_row:
                self.out = {**self.out, name: in_row}
        rate = limits.max_fault_rate
        if rate is not None and self._matches >= self._min_matches and self._faulted / self._matches > rate:
            most = sorted(self._charged.items(), key=lambda charged: (-charged[1], charged[0]))
            named = ", ".join([f"{name} ({_faults(count)})" for name, count in most[:NAMED]])
            more = f" and {len(most) - NAMED} more" if len(most) > NAMED else ""
            those = f"{self._faulted} of {self._which} {self._matches} matches"
            self.stop = f"{those} had faults, and max_fault_rate is {rate:g}: {named}{more}"


def _faults(count: int) -> str:
    return f"{count} fault{'' if count == 1 else 's'}"
