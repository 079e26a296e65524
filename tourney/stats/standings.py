"""Records into standings: the table that ranks the entrants, and the cross-table."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import fsum, nan

from tourney.match import Record
from tourney.stats.points import full_units, units


@dataclass(slots=True)
class Tally:
    """What one entrant has come to so far. All numbers are whole, so that the order of the records does not matter."""

    units: dict[int, int] = field(default_factory=dict)
    """Points by the number of seats, in the units of `tourney.stats.points`."""
    matches: int = 0
    wins: int = 0
    """Matches with place 1 alone."""
    draws: int = 0
    """Matches with place 1 shared."""
    places: int = 0
    """The sum of its places."""
    faults: int = 0
    out: int = 0
    """Matches that the house played for it from the start, since it had been put out of the tournament."""

    def add(self, other: "Tally") -> None:
        """Adds another tally of the same entrant to this one."""
        for seats, won in other.units.items():
            self.units[seats] = self.units.get(seats, 0) + won
        self.matches += other.matches
        self.wins += other.wins
        self.draws += other.draws
        self.places += other.places
        self.faults += other.faults
        self.out += other.out

    @property
    def points(self) -> float:
        """The sum of its points."""
        return fsum([won / full_units(seats) for seats, won in sorted(self.units.items())])


@dataclass(frozen=True, slots=True)
class Row:
    """An entrant's line in the standings."""

    rank: int
    """1 the best; equal shares of the points share a rank."""
    bot: str
    points: float
    """The share of the points that it could have won, in percent."""
    wins: int
    draws: int
    losses: int
    place: float
    """The mean of its places."""
    matches: int
    faults: int


class Standings:
    """Adds up what matches came to."""

    def __init__(self, names: Iterable[str]) -> None:
        """Starts without a match; `names` are the entrants, in the order of the tournament file."""
        self._tallies = {name: Tally() for name in names}

    def add(self, record: Record) -> None:
        """Counts a match in."""
        count, gained = len(record.places), units(record.places)
        tied = record.places.count(1) > 1
        for name, place, won in zip(record.seats, record.places, gained, strict=True):
            tally = self._tallies[name]
            tally.matches += 1
            tally.units[count] = tally.units.get(count, 0) + won
            tally.places += place
            if place == 1:
                tally.wins += not tied
                tally.draws += tied
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
        """The entrants by their share of the points; entrants that are equal stand in the order of the file."""
        shares = {name: _percent(tally.points, tally.matches) for name, tally in self._tallies.items()}
        played = [name for name, tally in self._tallies.items() if tally.matches]
        idle = [name for name, tally in self._tallies.items() if not tally.matches]
        ranked = sorted(played, key=lambda name: -shares[name])
        ranks = {name: 1 + sum([shares[other] > shares[name] for other in played]) for name in ranked}
        return [self._row(ranks.get(name, len(played) + 1), name, shares[name]) for name in ranked + idle]

    def _row(self, rank: int, name: str, share: float) -> Row:
        tally = self._tallies[name]
        losses = tally.matches - tally.wins - tally.draws
        place = tally.places / tally.matches if tally.matches else nan
        return Row(rank, name, share, tally.wins, tally.draws, losses, place, tally.matches, tally.faults)


class CrossTable:
    """Who does how well against whom: of the matches that two entrants both sat in, how often each came before."""

    def __init__(self) -> None:
        """Starts without a match."""
        self._units: dict[tuple[str, str], int] = {}
        self._matches: dict[tuple[str, str], int] = {}

    def add(self, record: Record) -> None:
        """Counts a match in: 1 for the better place, half for the same place."""
        seated = list(zip(record.seats, record.places, strict=True))
        for i, (name, place) in enumerate(seated):
            for j, (other, against) in enumerate(seated):
                if i != j:
                    pair = name, other
                    self._units[pair] = self._units.get(pair, 0) + (place < against) + (place <= against)
                    self._matches[pair] = self._matches.get(pair, 0) + 1

    def percent(self, name: str, other: str) -> float:
        """How often the one came before the other, in percent; not a number if they never met."""
        pair = name, other
        return _percent(self._units.get(pair, 0) / 2, self._matches.get(pair, 0))

    def rows(self, names: Sequence[str]) -> list[list[float]]:
        """The percentages of each entrant (a row) against each (a column)."""
        return [[self.percent(name, other) for other in names] for name in names]


def _percent(part: float, whole: int) -> float:
    return 100 * part / whole if whole else nan
