"""Faults counted block by block in the order of the schedule: who is put out, and whether too many matches fault.

What it comes to rests on the records alone, so it is the same for every number of workers and after every resume.
"""

from collections.abc import Mapping, Sequence

import msgspec

from tourney.config import Tournament
from tourney.match import Record

FIRST_LOOK = 20
"""The share of matches that fault is looked at after so many, or after a tenth of the tournament if that is less."""
NAMED = 3
"""So many entrants are named, those that fault most."""


class Faults(msgspec.Struct):
    """The faults of one entrant."""

    total: int = 0
    row: int = 0
    """In its last matches, without one between them that went well."""
    longest: int = 0
    """The longest row so far."""

    def reasons(self) -> tuple[str, str]:
        """What can be said of an entrant that is put out now: for its faults in all, or for those in a row."""
        return f"after {_faults(self.total)}", f"after {_faults(self.longest)} in a row"


class FaultTally:
    """The faults of each entrant. A match before which it was put out counts neither as a fault nor as going well."""

    def __init__(self) -> None:
        """Starts without a match."""
        self._of: dict[str, Faults] = {}

    def add(self, record: Record) -> list[str]:
        """Counts in the next match; returns who was charged in it."""
        kinds = {fault.seat: fault.kind for fault in record.faults}
        charged = []
        for seat, name in enumerate(record.seats):
            kind = kinds.get(seat)
            if kind is None and name in self._of:
                self._of[name].row = 0
            elif kind is not None and kind != "out":
                faults = self._of.setdefault(name, Faults())
                faults.total += 1
                faults.row += 1
                faults.longest = max(faults.longest, faults.row)
                charged.append(name)
        return charged

    def of(self, name: str) -> Faults:
        """Those of one entrant."""
        return self._of.get(name, Faults())

    @property
    def in_a_row(self) -> bool:
        """Whether somebody faulted in its last match."""
        return any([faults.row for faults in self._of.values()])


class FaultCount:
    """Counts the faults of a run, and holds them against the limits of its tournament."""

    def __init__(self, tournament: Tournament, matches: int) -> None:
        """Starts without a match; `matches` is how many the whole tournament has."""
        self.out: Mapping[str, str] = {}
        """Who is put out, and why. It is replaced when it grows, and never changed."""
        self.stop: str | None = None
        """What is to be said where too many matches faulted. Counting on from there, the share is of later matches."""
        self._tournament = tournament
        self._tally = FaultTally()
        self._first_look = min(FIRST_LOOK, -(-matches // 10))
        self._from_start = True
        self._restart()

    def _restart(self) -> None:
        """Begins to count the share anew."""
        self._matches = self._faulted = 0
        self._charged: dict[str, int] = {}

    def add(self, records: Sequence[Record]) -> None:
        """Counts in the records of the next block."""
        if self.stop is not None:
            self.stop, self._from_start = None, False
            self._restart()
        for record in records:
            charged = self._tally.add(record)
            self._matches += 1
            self._faulted += bool(charged)
            for name in charged:
                self._charged[name] = self._charged.get(name, 0) + 1
        self._put_out({name: None for record in records for name in record.seats})
        self._look_at_share()

    def add_clean(self, matches: int) -> bool:
        """Counts in the next blocks, where nobody faulted, unless they must be looked at one by one."""
        first_look_is_past = self._tournament.max_fault_rate is None or self._matches >= self._first_look
        if self.stop is not None or self._tally.in_a_row or not first_look_is_past:
            return False
        self._matches += matches
        return True

    def _put_out(self, names: Mapping[str, None]) -> None:
        limits = self._tournament
        for name in names:
            faults = self._tally.of(name)
            in_all, in_row = faults.reasons()
            if name in self.out:
                continue
            if limits.max_faults is not None and faults.total >= limits.max_faults:
                self.out = {**self.out, name: in_all}
            elif limits.max_faults_in_row is not None and faults.longest >= limits.max_faults_in_row:
                self.out = {**self.out, name: in_row}

    def _look_at_share(self) -> None:
        rate = self._tournament.max_fault_rate
        if rate is None or self._matches < self._first_look or self._faulted / self._matches <= rate:
            return
        most = sorted(self._charged.items(), key=lambda charged: (-charged[1], charged[0]))
        named = [f"{name} ({_faults(count)})" for name, count in most[:NAMED]]
        more = f" and {len(most) - NAMED} more" if len(most) > NAMED else ""
        first = "the first" if self._from_start else "the last"
        self.stop = (
            f"{self._faulted} of {first} {self._matches} matches had faults, and max_fault_rate is {rate:g}: "
            f"{', '.join(named)}{more}"
        )


def _faults(count: int) -> str:
    return f"{count} fault{'' if count == 1 else 's'}"
