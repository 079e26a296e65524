"""What each seat of a game was worth: the mean points of whoever sat there."""

from collections import Counter
from dataclasses import dataclass
from math import fsum, inf, sqrt
from typing import TypeAlias

from tourney.match import Record
from tourney.stats.batches import Batches
from tourney.stats.points import full_units, units
from tourney.stats.resample import NORMAL, widening

Played: TypeAlias = tuple[str, int, int]
"""A game, its number of seats, and one of them; -1 stands for the matches."""


@dataclass(frozen=True, slots=True)
class SeatWorth:
    """A seat's line in the balance of the seats. Points are in percent; 50 is a seat as good as the others."""

    game: str
    seats: int
    seat: int
    matches: int
    points: float
    low: float
    """The 95 % interval of the points: from here …"""
    high: float
    """… to here; endless where there is only one block."""


class SeatBalance:
    """Collects, for each game and number of seats, what every seat came to."""

    def __init__(self) -> None:
        """Starts without a match."""
        self._batches: Batches[Counter[Played]] = Batches(Counter, Counter.update)

    def add(self, record: Record) -> None:
        """Counts a match in."""
        seats = len(record.seats)
        count = self._batches.of(record.block)
        count[record.game, seats, -1] += 1
        for seat, won in enumerate(units(record.places)):
            count[record.game, seats, seat] += won

    def rows(self) -> list[SeatWorth]:
        """Every seat that was played, by game, number of seats, and seat.

        The intervals are Student's, with the standard error of a ratio of sums over blocks, which are independent while
        their matches are not (Cochran 1977, Sampling techniques, 6.3 and 9A.2).
        """
        games = sorted({(game, seats) for count in self._batches for game, seats, _ in count})
        return [self._row(game, seats, seat) for game, seats in games for seat in range(seats)]

    def _row(self, game: str, seats: int, seat: int) -> SeatWorth:
        pairs = [(count[game, seats, -1], count[game, seats, seat]) for count in self._batches]
        pairs = [(matches, won) for matches, won in pairs if matches]
        matches = sum([matches for matches, _ in pairs])
        mean = sum([won for _, won in pairs]) / matches
        half = inf
        if len(pairs) > 1:
            square = fsum([(won - mean * played) ** 2 for played, won in pairs])
            error = sqrt(square * len(pairs) / (len(pairs) - 1)) / matches
            half = NORMAL * widening(len(pairs) - 1) * error
        percent = 100 / full_units(seats)
        return SeatWorth(game, seats, seat, matches, percent * mean, percent * (mean - half), percent * (mean + half))
