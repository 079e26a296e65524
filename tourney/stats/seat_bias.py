"""The advantage of each seat of a game: the mean points of the bots that sat there."""

from collections.abc import Sequence
from math import fsum, inf, sqrt

import msgspec

from tourney.match import GameSetup
from tourney.stats import student
from tourney.stats.outcome_counts import Batch, OutcomeCounts
from tourney.stats.points import full_units, units
from tourney.stats.share_interval import ratio_errors


class SeatPoints(msgspec.Struct, frozen=True):
    """The points won in one seat, in percent; 50 is a seat as good as the others, and more is better."""

    game: str
    """The game's name, with its seats and options where the tournament has the game more than once."""
    seats: int
    """The number of seats at the table."""
    seat: int
    """The seat, counted from 0."""
    matches: int
    points: float
    low: float
    """The lower end of the 95 % interval of the points, at least 0; `-inf` if there was only one deal."""
    high: float
    """The upper end of the interval, at most 100; `inf` if there was only one deal."""


def seat_points(counts: OutcomeCounts) -> list[SeatPoints]:
    """Returns the points of every seat that was played, by game, number of seats, and seat.

    The intervals are Student's. Their standard error is that of a ratio of sums over deals, which are independent of
    each other, while the matches on a deal are not (Cochran 1977, Sampling techniques, 9A.2).
    """
    found = []
    for game, batches in zip(_titles(counts.setups), counts.batches(), strict=True):
        for seats in sorted({len(finish.bots) for batch in batches for finish in batch}):
            found += _table_points(game, seats, batches)
    return found


def _titles(setups: Sequence[GameSetup]) -> list[str]:
    """Returns a distinct title for each game: its name, with seats and options if the name occurs more than once."""
    names = [setup.game for setup in setups]
    return [setup.game if names.count(setup.game) == 1 else ", ".join([setup.game, *_terms(setup)]) for setup in setups]


def _terms(setup: GameSetup) -> list[str]:
    return [f"{setup.seats} seats", *[f"{key} {value}" for key, value in setup.options.items()]]


def _table_points(game: str, seats: int, batches: Sequence[Batch]) -> list[SeatPoints]:
    """Returns the points of each seat at tables with that number of seats."""
    matches, won = [], []
    for batch in batches:
        of_size = [(finish.places, count) for finish, count in batch.items() if len(finish.bots) == seats]
        if of_size:
            matches.append(sum([count for _, count in of_size]))
            gained = [[count * unit for unit in units(places)] for places, count in of_size]
            won.append([sum(seat) for seat in zip(*gained, strict=True)])
    return [_seat_points(game, seats, seat, matches, [each[seat] for each in won]) for seat in range(seats)]


def _seat_points(game: str, seats: int, seat: int, matches: Sequence[int], won: Sequence[int]) -> SeatPoints:
    """Returns the points of one seat, given the matches and the units won there in each batch."""
    whole, batches = sum(matches), len(matches)
    mean = sum(won) / whole
    percent = 100 / full_units(seats)
    low, high = -inf, inf
    if batches > 1:
        error = sqrt(fsum([part**2 for part in ratio_errors(won, matches, batches - 1)]))
        half = student.quantile_975(batches - 1) * error
        low, high = max(percent * (mean - half), 0), min(percent * (mean + half), 100)
    return SeatPoints(game, seats, seat, whole, percent * mean, low, high)
