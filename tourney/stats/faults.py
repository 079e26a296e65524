"""Faults counted block by block in the order of the schedule: who is put out, and whether too many matches fault.

What it comes to rests on the records alone, so it is the same for every number of workers and after every resume.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tourney.config import Tournament
from tourney.match import Record

FIRST_LOOK = 20
"""The share of matches that fault is looked at after so many, or after a tenth of the tournament if that is less."""
NAMED = 3
"""So many entrants are named, those that fault most."""


@dataclass(slots=True)
class _Faults:
    """Those of one entrant."""

    total: int = 0
    row: int = 0
    """In its last matches, without one between them that went well."""
    longest: int = 0
    """The longest row so far."""

    def reasons(self) -> list[str]:
        """What can be said of an entrant that is put out now, each with the number that a limit is held against."""
        return [f"after {_faults(self.total)}", f"after {_faults(self.longest)} in a row"]


class FaultCount:
    """Counts the faults of a run. Seats that were out before their match count neither as faults nor as going well."""

    def __init__(self, tournament: Tournament, matches: int) -> None:
        """Starts without a match; `matches` is how many the whole tournament has."""
        self.out: Mapping[str, str] = {}
        """Who is put out, and why. It is replaced when it grows, and never changed."""
        self.stop: str | None = None
        """What is to be said where too many matches faulted. Counting on from there, the share is of later matches."""
        self._tournament = tournament
        self._faults: dict[str, _Faults] = {}
        self._first_look = min(FIRST_LOOK, -(-matches // 10))
        self._from_start = True
        self._restart()

    def _restart(self) -> None:
        """Begins to count the share anew."""
        self._matches = self._faulted = 0
        self._charged: dict[str, int] = {}

    @property
    def limited(self) -> bool:
        """Whether anything can come of the faults."""
        limits = self._tournament
        return (limits.max_faults, limits.max_faults_in_row, limits.max_fault_rate) != (None, None, None)

    def add(self, records: Sequence[Record]) -> None:
        """Counts in the records of the next block."""
        if self.stop is not None:
            self.stop, self._from_start = None, False
            self._restart()
        for record in records:
            self._add(record)
        self._put_out()
        self._look_at_share()

    def add_clean(self, matches: int) -> bool:
        """Counts in the next blocks, where nobody faulted, unless they must be looked at one by one."""
        rate = self._tournament.max_fault_rate
        if self.stop is not None or any([faults.row for faults in self._faults.values()]):
            return False
        if rate is not None and self._matches < self._first_look:
            return False
        self._matches += matches
        return True

    def could_be_out(self, name: str) -> list[str]:
        """The reasons that can be given for its being out by now, whatever the limits are."""
        return self._faults.get(name, _Faults()).reasons()

    def _add(self, record: Record) -> None:
        out = {fault.seat for fault in record.faults if fault.kind == "out"}
        charged = {fault.seat for fault in record.faults} - out
        self._matches += 1
        self._faulted += bool(charged)
        for seat, name in enumerate(record.seats):
            if seat in charged:
                faults = self._faults.setdefault(name, _Faults())
                faults.total += 1
                faults.row += 1
                faults.longest = max(faults.longest, faults.row)
                self._charged[name] = self._charged.get(name, 0) + 1
            elif seat not in out and name in self._faults:
                self._faults[name].row = 0

    def _put_out(self) -> None:
        limits = self._tournament
        for name, faults in self._faults.items():
            if name in self.out:
                continue
            in_all, in_row = faults.reasons()
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
