"""Measures on real play how often the error bars of the standings hold the truth: `make coverage-bars`.

Plays round-robins between bots that are equally strong, or that differ in steps, puts many tournaments together from
their deals, and counts for each number of deals how often the error bars hold the truth. The numbers depend on nothing
but the program, however many processes play. Exits with 1 if a number lies outside of what is promised.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from math import isinf, sqrt
from operator import and_
from statistics import fmean, stdev
from typing import NamedTuple, TypeAlias

from tests.bench.options import at_least
from tests.standings.played_deals import Field, PlayedDeals, Standings, joined
from tourney.standings.ratings import MEAN

FIELDS = (
    Field("vole", 2, 6, 15, "random", "target = 11"),
    Field("voleur", 3, 6, 10, "random", "target = 10"),
    Field("leon", 4, 6, 9, "random", "max_cards = 3"),
    Field("cold-blooded", 6, 8, 4, "random"),
    Field("bang", 8, 12, 3, "random"),
    Field("leon", 10, 15, 3, "random", "max_cards = 2"),
    Field("voleur", 3, 6, 6, "hash", "target = 10"),
    Field("leon", 4, 6, 6, "hash", "max_cards = 3"),
    Field("leon", 4, 6, 15, "hash", "max_cards = 1"),  # all groups: blocks on a deal are as dependent as can be
    Field("vole", 2, 5, 10, "graded", "target = 11"),
    Field("voleur", 3, 6, 6, "graded", "target = 10"),
    Field("leon", 4, 6, 6, "graded", "max_cards = 3"),
    Field("leon", 6, 8, 4, "graded", "max_cards = 3"),
    Field("leon", 8, 12, 3, "graded", "max_cards = 2"),
    Field("leon", 10, 15, 3, "graded", "max_cards = 2"),
)
DEALS = (10, 20, 50)
"""The numbers of deals of a tournament."""
PART = max(DEALS)
"""How many deals are played at a time: a tournament of as many, or several shorter ones."""
TRUTH = 20 * PART
"""How many further deals say what is true."""
RUNS = 150
"""How many parts are played, each a tournament of the longest kind."""
SURE = 0.95
"""A bot is said to be above the next from this probability on."""
PROMISED = (0.92, 0.98)
"""What share of the intervals is to hold the truth, within twice the standard error of that share."""
MOST_FALSE = 0.06
"""In what share of equal neighbours one may at most be said to be above the other."""


Interval: TypeAlias = tuple[float | None, float | None, float]
"""The ends of an interval, and what it ought to hold."""


class Truth(NamedTuple):
    """What the error bars ought to hold."""

    ratings: dict[str, float]
    points: dict[str, float]
    """By entrant, in percent."""
    seats: list[float]
    """The points of each seat, in percent."""


class Share(NamedTuple):
    """The mean over all tournaments of a share within each."""

    mean: float
    error: float
    """Its standard error. The bots of one tournament are not independent, but tournaments are."""
    runs: int
    """The number of tournaments."""

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} ±{100 * self.error:.1f} ({self.runs})"

    @property
    def as_promised(self) -> bool:
        """Whether intervals hold the truth in the share of cases that is promised."""
        low, high = PROMISED
        return low - 2 * self.error <= self.mean <= high + 2 * self.error


class Row(NamedTuple):
    """What was measured with tournaments of one field and one number of deals."""

    field: Field
    deals: int
    ratings: Share
    points: Share
    seats: Share
    falsely_above: Share
    empty: int
    """How many intervals say nothing: they are unknown, or have no width. They count as intervals that miss."""

    @property
    def as_promised(self) -> bool:
        """Whether all numbers are as promised."""
        held = not self.empty and all([share.as_promised for share in (self.ratings, self.points, self.seats)])
        return held and (not self.field.equal or self.falsely_above.mean <= MOST_FALSE)

    def line(self) -> str:
        """Returns the row as a line of a Markdown table."""
        head = [self.field.title, str(self.field.entrants), self.field.bots, str(self.deals)]
        cells = [str(share) for share in (self.ratings, self.points, self.seats, self.falsely_above)]
        return f"| {' | '.join(head + cells)} |"


HEAD = """\
| game, seats | entrants | bots | deals | ratings held | points held | seats held | falsely above the next |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def truth(field: Field, long: Standings) -> Truth:
    """Returns what is true of a field, given the standings of many more deals."""
    rows = long.ranking.rows
    seats = [seat.points for seat in long.seats]
    if field.equal:
        return Truth({row.bot: MEAN for row in rows}, {row.bot: 50.0 for row in rows}, seats)
    ratings = {row.bot: row.rating for row in rows if row.rating is not None}
    return Truth(ratings, {row.bot: row.points_percent for row in rows if row.points_percent is not None}, seats)


def measured(field: Field, deals: int, found: Sequence[Standings], true: Truth) -> Row:
    """Returns how often the error bars of tournaments of one kind held the truth."""
    intervals: list[list[list[Interval]]] = [[], [], []]
    above = []
    for ranking, seats in found:
        rows = ranking.rows
        intervals[0].append([(row.rating_low, row.rating_high, true.ratings[row.bot]) for row in rows])
        intervals[1].append([(row.points_low, row.points_high, true.points[row.bot]) for row in rows])
        intervals[2].append([(seat.low, seat.high, points) for seat, points in zip(seats, true.seats, strict=True)])
        sure = [(row.above_next or 0) >= SURE for row in rows[:-1]]
        wrong = [true.ratings[row.bot] <= true.ratings[after.bot] for row, after in pairwise(rows)]
        above.append(fmean(map(and_, sure, wrong)))
    held = [_share([fmean(map(_holds, each)) for each in kind]) for kind in intervals]
    empty = [_is_empty(each) for kind in intervals for run in kind for each in run].count(True)
    return Row(field, deals, *held, _share(above), empty)


def _is_empty(interval: Interval) -> bool:
    low, high, _ = interval
    return low is None or high is None or isinf(low) or isinf(high) or low >= high


def _holds(interval: Interval) -> bool:
    low, high, true = interval
    return not _is_empty(interval) and low <= true <= high


def _share(shares: Sequence[float]) -> Share:
    return Share(fmean(shares), stdev(shares) / sqrt(len(shares)), len(shares))


def part(field: Field, number: int) -> PlayedDeals:
    """Plays the deals of a part."""
    return PlayedDeals(field, number * PART, field.play(number * PART, PART))


def standings_of_part(field: Field, number: int) -> dict[int, list[Standings]]:
    """Returns the standings of all tournaments of a part, by their number of deals."""
    played = part(field, number)
    return {deals: [played.standings(played.first + i * deals, deals) for i in range(PART // deals)] for deals in DEALS}


def measure(field: Field, runs: int, mapped: Callable[..., Iterator]) -> list[Row]:
    """Returns what is measured with a field; `mapped` is `map`, or one that shares the work among processes."""
    parts = list(mapped(partial(standings_of_part, field), range(runs)))
    long = joined(list(mapped(partial(part, field), range(runs, runs + TRUTH // PART))))
    true = truth(field, long.standings(long.first, TRUTH))
    return [measured(field, deals, [each for found in parts for each in found[deals]], true) for deals in DEALS]


def main() -> None:
    """Measures with every field, and prints the table."""
    given = _arguments()
    rows: list[Row] = []
    print(HEAD, flush=True)
    with ProcessPoolExecutor(given.workers) as pool:
        for field in given.fields:
            found = measure(field, given.runs, map if given.workers == 1 else pool.map)
            print("\n".join([row.line() for row in found]), flush=True)
            rows += found
    wrong = [row for row in rows if not row.as_promised]
    for row in wrong:
        print(f"not as promised, {row.empty} intervals unknown or without width: {row.line()}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.standings.coverage", description=__doc__)
    parser.add_argument("--only", choices=sorted({field.game for field in FIELDS}), help="measure with one game")
    parser.add_argument("--bots", choices=sorted({field.bots for field in FIELDS}), help="measure with these bots")
    parser.add_argument(
        "--runs", type=at_least(2), default=RUNS, help=f"how many tournaments of {PART} deals (%(default)s)"
    )
    parser.add_argument("--workers", type=at_least(1), default=os.cpu_count(), help="processes (%(default)s)")
    given = parser.parse_args()
    given.fields = [field for field in FIELDS if given.only in (None, field.game) and given.bots in (None, field.bots)]
    return given


if __name__ == "__main__":
    main()
