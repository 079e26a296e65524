"""What each seat of a game was worth: the mean points of whoever sat there."""

from collections.abc import Sequence
from math import fsum, inf, sqrt

import msgspec

from tourney.match import GameSetup
from tourney.stats.bootstrap import Z_975, student_factor
from tourney.stats.outcome_counts import Batch, OutcomeCounts
from tourney.stats.points import full_units, units


class SeatPoints(msgspec.Struct, frozen=True):
    """A seat's line in the balance of the seats. Points are in percent; 50 is a seat as good as the others."""

    game: str
    """What the game is called among the others."""
    seats: int
    """How many there are."""
    seat: int
    matches: int
    points: float
    low: float
    """The 95 % interval of the points, as far as it lies between 0 and 100: from here …"""
    high: float
    """… to here; endless where there is only one block."""


def seat_points(counts: OutcomeCounts) -> list[SeatPoints]:
    """Every seat that was played, by game, number of seats, and seat.

    The intervals are Student's, with the standard error of a ratio of sums over blocks, which are independent while
    their matches are not (Cochran 1977, Sampling techniques, 6.3 and 9A.2).
    """
    found = []
    for game, batches in zip(_titles(counts.setups), counts.batches(), strict=True):
        for seats in sorted({len(outcome.bots) for part in batches for outcome in part}):
            found += _rows(game, seats, batches)
    return found


def _titles(setups: Sequence[GameSetup]) -> list[str]:
    """The names of the games; where one is there more than once, with its seats and options."""
    names = [setup.game for setup in setups]
    return [setup.game if names.count(setup.game) == 1 else ", ".join([setup.game, *_terms(setup)]) for setup in setups]


def _terms(setup: GameSetup) -> list[str]:
    return [f"{setup.seats} seats", *[f"{key} {value}" for key, value in setup.options.items()]]


def _rows(game: str, seats: int, batches: Sequence[Batch]) -> list[SeatPoints]:
    """The seats of the tables with so many."""
    matches, won = [], []
    for part in batches:
        of_size = [(outcome.places, count) for outcome, count in part.items() if len(outcome.bots) == seats]
        if of_size:
            matches.append(sum([count for _, count in of_size]))
            gained = [[count * unit for unit in units(places)] for places, count in of_size]
            won.append([sum(seat) for seat in zip(*gained, strict=True)])
    return [_row(game, seats, seat, matches, [each[seat] for each in won]) for seat in range(seats)]


def _row(game: str, seats: int, seat: int, matches: Sequence[int], won: Sequence[int]) -> SeatPoints:
    """A seat, by the matches of each batch and the units of points that were won there."""
    whole, batches = sum(matches), len(matches)
    mean = sum(won) / whole
    percent = 100 / full_units(seats)
    low, high = -inf, inf
    if batches > 1:
        square = fsum([(units - mean * count) ** 2 for units, count in zip(won, matches, strict=True)])
        error = sqrt(square * batches / (batches - 1)) / whole
        half = Z_975 * student_factor(batches - 1) * error
        low, high = max(percent * (mean - half), 0), min(percent * (mean + half), 100)
    return SeatPoints(game, seats, seat, whole, percent * mean, low, high)
