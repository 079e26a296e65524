"""Measures on real play how often the error bars of the standings hold the truth: `make coverage-bars`.

Plays round-robins between bots that are equally strong, or that differ in steps, puts many tournaments together from
their deals, and counts for each number of deals how often the error bars hold the truth. Deals are independent of each
other, so parts of a long tournament that share no deal are independent tournaments. The numbers depend on nothing but
the program, however many processes play. Exits with 1 if a number lies outside of what is promised.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from math import isinf, sqrt
from operator import and_
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.standings.simulate import counts_of, player
from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Block
from tourney.schedule.base import blocks_of_groups
from tourney.schedule.round_robin import RoundRobin
from tourney.standings.ranking import TIEBREAKS, Ranking, SeatPoints, ranking, seat_points
from tourney.standings.ratings import MEAN

EQUAL = {"random": "Salted", "hash": "Hashed"}
"""The kinds of bots that are equally strong, and their classes; the third kind is `graded`."""


class Standings(NamedTuple):
    ranking: Ranking
    seats: list[SeatPoints]


@dataclass(frozen=True)
class Field:
    """A round-robin of one game between entrants whose strengths are known."""

    game: str
    seats: int
    entrants: int
    groups: int  # how many groups meet on every deal
    bots: str  # the kind of bots: `random` or `hash`, which are equal, or `graded`
    options: str = ""  # the options of the game, in TOML

    @property
    def title(self) -> str:
        """The game and its seats, with the options in words."""
        return ", ".join([f"{self.game} {self.seats}", *self.options.replace(" = ", " ").split(", ")]).rstrip(", ")

    @property
    def equal(self) -> bool:
        return self.bots in EQUAL

    @cached_property
    def tournament(self) -> Tournament:
        use = f"coverage_bots.py:{EQUAL.get(self.bots, 'Mixture')}"
        steps = [f"salt = {i}" if self.equal else f"share = {i / (self.entrants - 1)}" for i in range(self.entrants)]
        bots = [f'{{name = "{i}", use = "{use}", options = {{{step}}}}}' for i, step in enumerate(steps)]
        text = (
            f'name = "coverage"\nseed = "{self.title}, {self.bots}"\ndeals = 1\ngroups = {self.groups}\n'
            f"bot = [{', '.join(bots)}]\n"
            f'[[game]]\nname = "{self.game}"\nseats = {self.seats}\noptions = {{{self.options}}}\n'
        )
        return config.parse(text, Path(__file__))

    def blocks(self, first: int, deals: int) -> Iterator[Block]:
        long = replace(self.tournament, deals=deals)
        plan = RoundRobin(long)
        return blocks_of_groups(long, lambda setup, _: plan.groups(setup), first * self.groups, first, long.deals)

    def play(self, first: int, deals: int) -> bytes:
        """Plays consecutive deals in this process, and returns the places: a byte for each seat of each match."""
        play = player(self.tournament)
        records = [record for block in self.blocks(first, deals) for record in play(block)]
        if any([record.faults for record in records]):
            raise AssertionError(f"{self.title}: a bot made a fault")
        return bytes([place for record in records for place in record.places])

    def standings(self, played: bytes, first: int, deals: int, skipped: int = 0) -> Standings:
        """Returns the standings of a tournament of consecutive deals, after the skipped ones of those played."""
        size = self.groups * self.seats * self.seats
        rest = iter(played[skipped * size : (skipped + deals) * size])
        results = [
            (block, [tuple([next(rest) for _ in seats]) for seats in block.seatings])
            for block in self.blocks(first + skipped, deals)
        ]
        counts = counts_of(self.tournament, results)
        return Standings(ranking(self.tournament, counts, TIEBREAKS["rating"]), seat_points(counts))


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
DEALS = (10, 20, 50)  # the numbers of deals of a tournament
PART = max(DEALS)  # how many deals are played at a time: a tournament of as many, or several shorter ones
TRUTH = 20 * PART  # how many further deals say what is true
RUNS = 150  # how many parts are played, each a tournament of the longest kind
SURE = 0.95  # a bot is said to be above the next from this probability on
PROMISED = (0.92, 0.98)
"""What share of the intervals is to hold the truth, within twice the standard error of that share."""
MOST_FALSE = 0.06  # in what share of equal neighbours one may at most be said to be above the other
HEAD = """\
| game, seats | entrants | bots | deals | ratings held | points held | seats held | falsely above the next |
| --- | --- | --- | --- | --- | --- | --- | --- |"""


def estimates(found: Standings) -> list[Mapping[Any, tuple[float | None, ...]]]:
    """Returns ratings and points, by entrant, and the points of seats, each with the ends of its interval, if known."""
    rows = found.ranking.rows
    return [
        {row.bot: (row.rating, row.rating_low, row.rating_high) for row in rows},
        {row.bot: (row.points_percent, row.points_low, row.points_high) for row in rows},
        {row.seat: (row.points, row.low, row.high) for row in found.seats},
    ]


class Share(NamedTuple):
    """The mean over all tournaments of a share within each."""

    mean: float
    error: float
    """Its standard error. The bots of one tournament are not independent, but tournaments are."""
    runs: int  # the number of tournaments

    @classmethod
    def of(cls, shares: Sequence[float]) -> "Share":
        return cls(fmean(shares), stdev(shares) / sqrt(len(shares)), len(shares))

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} ±{100 * self.error:.1f} ({self.runs})"


class Row(NamedTuple):
    field: Field
    deals: int
    held: list[Share]  # of ratings, points and seats
    falsely_above: Share
    empty: int
    """How many intervals say nothing: they are unknown, or have no width. They count as intervals that miss."""

    @property
    def as_promised(self) -> bool:
        low, high = PROMISED
        held = [low - 2 * share.error <= share.mean <= high + 2 * share.error for share in self.held]
        return not self.empty and all(held) and (not self.field.equal or self.falsely_above.mean <= MOST_FALSE)

    def line(self) -> str:
        cells = [self.field.title, self.field.entrants, self.field.bots, self.deals, *self.held, self.falsely_above]
        return f"| {' | '.join(map(str, cells))} |"


def measured(field: Field, deals: int, found: Sequence[Standings], long: Standings) -> Row:
    """Returns how often the error bars of tournaments held the truth, which is known or that of many more deals."""
    true = [{key: each[0] for key, each in kind.items()} for kind in estimates(long)]
    if field.equal:
        true[:2] = dict.fromkeys(true[0], MEAN), dict.fromkeys(true[1], 50.0)
    held: list[list[float]] = [[], [], []]
    above, empty = [], 0
    for each in found:
        for kind, (its, values) in enumerate(zip(estimates(each), true, strict=True)):
            known = [
                low <= values[key] <= high
                for key, (_, low, high) in its.items()
                if low is not None and high is not None and not isinf(low) and not isinf(high) and low < high
            ]
            held[kind].append(sum(known) / len(its))
            empty += len(its) - len(known)
        rows = each.ranking.rows
        sure = [(row.above_next or 0) >= SURE for row in rows[:-1]]
        wrong = [true[0][row.bot] <= true[0][after.bot] for row, after in pairwise(rows)]
        above.append(fmean(map(and_, sure, wrong)))
    return Row(field, deals, list(map(Share.of, held)), Share.of(above), empty)


def played_part(field: Field, number: int) -> bytes:
    return field.play(number * PART, PART)


def standings_of_part(field: Field, number: int) -> dict[int, list[Standings]]:
    """Returns the standings of all tournaments of a part, by their number of deals."""
    played, first = played_part(field, number), number * PART
    return {deals: [field.standings(played, first, deals, i * deals) for i in range(PART // deals)] for deals in DEALS}


def measure(field: Field, runs: int, pool: ProcessPoolExecutor) -> list[Row]:
    parts = list(pool.map(partial(standings_of_part, field), range(runs)))
    played = b"".join(pool.map(partial(played_part, field), range(runs, runs + TRUTH // PART)))
    long = field.standings(played, runs * PART, TRUTH)
    return [measured(field, deals, [each for found in parts for each in found[deals]], long) for deals in DEALS]


def main() -> None:
    """Measures with every field, and prints the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.standings.coverage", description=__doc__)
    parser.add_argument("--only", choices=sorted({field.game for field in FIELDS}), help="measure with one game")
    parser.add_argument("--bots", choices=sorted({field.bots for field in FIELDS}), help="measure with these bots")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"how many tournaments of {PART} deals (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes (%(default)s)")
    given = parser.parse_args()
    wrong = []
    print(HEAD, flush=True)
    with ProcessPoolExecutor(given.workers) as pool:
        for field in FIELDS:
            if given.only in (None, field.game) and given.bots in (None, field.bots):
                found = measure(field, given.runs, pool)
                print("\n".join([row.line() for row in found]), flush=True)
                wrong += [row for row in found if not row.as_promised]
    for row in wrong:
        print(f"not as promised, {row.empty} intervals unknown or without width: {row.line()}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
