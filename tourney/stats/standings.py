"""Who leads in a run that goes on: light enough to be kept up with every match, and sent between processes.

The standings of a run, with all that can be told of it, are made by `tourney.stats.ranking`.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum, nan

import msgspec

from tourney.match import Record
from tourney.stats.points import full_units, units


class Tally(msgspec.Struct):
    """What one entrant has come to so far. All numbers are whole, so that the order of the records does not matter."""

    units: dict[int, int] = {}
    """Points by the number of seats, in the units of `tourney.stats.points`."""
    matches: int = 0
    faults: int = 0
    out: int = 0
    """Matches that the house played for it from the start, since it had been put out of the tournament."""

    def add(self, other: "Tally") -> None:
        """Adds another tally of the same entrant to this one."""
        for seats, won in other.units.items():
            self.units[seats] = self.units.get(seats, 0) + won
        self.matches += other.matches
        self.faults += other.faults
        self.out += other.out

    @property
    def percent(self) -> float:
        """The share of the points that it could have won; not a number without a match."""
        points = fsum([won / full_units(seats) for seats, won in sorted(self.units.items())])
        return 100 * points / self.matches if self.matches else nan


class Row(msgspec.Struct, frozen=True):
    """An entrant among those that lead."""

    bot: str
    points: float
    """The share of the points that it could have won, in percent."""
    matches: int
    faults: int


class Standings:
    """Adds up what matches came to."""

    def __init__(self, names: Iterable[str]) -> None:
        """Starts without a match; `names` are the entrants, in the order of the tournament file."""
        self._tallies = {name: Tally() for name in names}

    def add(self, records: Sequence[Record]) -> None:
        """Counts matches in."""
        endings = Counter([(record.seats, record.places) for record in records])
        for (seats, places), times in endings.items():
            count = len(places)
            for name, won in zip(seats, units(places), strict=True):
                tally = self._tallies[name]
                tally.matches += times
                tally.units[count] = tally.units.get(count, 0) + times * won
        for record in records:
            for fault in record.faults:
                tally = self._tallies[record.seats[fault.seat]]
                if fault.kind == "out":
                    tally.out += 1
                else:
                    tally.faults += 1

    def merge(self, other: "Standings") -> None:
        """Adds what other standings of the same entrants have counted."""
        for name, tally in other._tallies.items():
            self._tallies[name].add(tally)

    @property
    def faults(self) -> int:
        """All faults."""
        return sum([tally.faults for tally in self._tallies.values()])

    @property
    def out(self) -> dict[str, int]:
        """The entrants that were put out of the tournament, and how many matches the house played for each."""
        return {name: tally.out for name, tally in self._tallies.items() if tally.out}

    def rows(self) -> list[Row]:
        """The entrants by their share of the points, whoever has not played last; equal ones in the file's order."""
        rows = [Row(name, tally.percent, tally.matches, tally.faults) for name, tally in self._tallies.items()]
        return sorted(rows, key=lambda row: (not row.matches, -row.points if row.matches else 0))
