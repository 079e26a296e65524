"""Ratings of the bots on the Elo scale, with error bars: docs/ratings.md says what they mean.

The strengths are those of `tourney.stats.luce` under which the records are the most likely; the error bars are from
`tourney.stats.resample`. Beyond `batches.LIMIT` blocks, batches of whole blocks are resampled instead of single ones,
so that the time and the memory which that takes grow no more; what is kept of a match is a few numbers. All that is
counted is whole, and is put in one order before anything is computed from it: the order of the records cannot change a
digit.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf, log
from typing import TypeAlias

from tourney.errors import ConfigError, did_you_mean
from tourney.match import Record
from tourney.rng import stream
from tourney.stats import luce, resample
from tourney.stats.batches import Batches
from tourney.stats.luce import Matrix, Order

Matches: TypeAlias = "array[int]"
"""Matches one after the other: of each the number of seats, the bots by number, and their places."""

ELO = 400 / log(10)
"""Points of the Elo scale for a unit of the natural logarithm of a strength: 400 points are 10 to 1."""
MEAN = 1500.0
"""The mean of all ratings, unless a bot is the anchor."""
PRIOR_SD = 1000.0
"""The standard deviation of a bot's rating before anything was played, in points of the Elo scale."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's line in the ratings."""

    bot: str
    rating: float
    low: float
    """The 95 % interval of the rating: from here …"""
    high: float
    """… to here. Endless for a bot that played in fewer than two blocks, but for the anchor."""
    above_next: float | None
    """How likely it is truly stronger than the next in the list, from 0 to 1; None for the last, or with one block."""


class RatingData:
    """Collects what ratings are made of."""

    def __init__(self) -> None:
        """Starts without a match."""
        self._numbers: dict[str, int] = {}
        self._batches: Batches[Matches] = Batches(_no_matches, array.extend)

    def add(self, record: Record) -> None:
        """Counts a match in; only its block, its seats and its places matter."""
        numbers = [self._numbers.setdefault(name, len(self._numbers)) for name in record.seats]
        matches = self._batches.of(record.block)
        matches.append(len(numbers))
        matches.extend(numbers)
        matches.extend(record.places)

    def rate(self, anchor: tuple[str, float] | None = None, seed: int = 0, resamples: int = 1000) -> list[Rating]:
        """The ratings of all bots that have played, the strongest first.

        Their mean is `MEAN`; or the anchor, a bot and its rating, is held fixed. The intervals are those of the
        difference to that mean, or to the anchor. `seed` is one of `tourney.rng`, for the resampling. Raises a
        `ConfigError` if the anchor has not played.
        """
        names = sorted(self._numbers)
        if not names and anchor is None:
            return []
        if anchor is not None and anchor[0] not in self._numbers:
            raise ConfigError(f'anchor: no bot "{anchor[0]}" has played; {did_you_mean(anchor[0], names)}')
        sorted_numbers = {name: i for i, name in enumerate(names)}
        bots = [sorted_numbers[name] for name in self._numbers]
        batches = [_orders(matches, bots) for matches in self._batches]
        sd = PRIOR_SD / ELO
        strengths, inverse = luce.fit(luce.total(batches), len(names), sd)
        moves = [[0.0] for _ in names]
        if len(batches) > 1:
            moves = resample.shifts(batches, strengths, inverse, sd, stream(seed, "ratings"), resamples)
        fixed = None if anchor is None else sorted_numbers[anchor[0]]
        strengths, moves = _relative(strengths, moves, fixed)
        met = Counter([bot for batch in batches for bot in resample.bots_of(batch)])
        level = MEAN if anchor is None else anchor[1]
        ranked = sorted(range(len(names)), key=lambda i: (-strengths[i], names[i]))
        rows = []
        for i, after in zip(ranked, [*ranked[1:], None], strict=True):
            low, high = _interval(moves[i], met[i] if fixed is None else min(met[i], met[fixed]))
            if i == fixed:
                low = high = 0.0
            above = None
            if after is not None and len(batches) > 1:
                above = _above(strengths[i] - strengths[after], moves[i], moves[after])
            at = level + ELO * strengths[i]
            rows.append(Rating(names[i], at, at + ELO * low, at + ELO * high, above))
        return rows


def _orders(matches: Matches, bots: Sequence[int]) -> dict[Order, int]:
    """How many matches had each finishing order, sorted; `bots` are the numbers to use instead of those stored."""
    found: Counter[Order] = Counter()
    at = 0
    while at < len(matches):
        seats = matches[at]
        places = matches[at + 1 + seats : at + 1 + 2 * seats]
        by_place: dict[int, list[int]] = {}
        for number, place in zip(matches[at + 1 : at + 1 + seats], places, strict=True):
            by_place.setdefault(place, []).append(bots[number])
        found[tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])] += 1
        at += 1 + 2 * seats
    return dict(sorted(found.items()))


def _relative(strengths: list[float], moves: Matrix, fixed: int | None) -> tuple[list[float], Matrix]:
    """Strengths and their moves, as differences to the bot that is fixed, or to the mean of all."""
    if fixed is not None:
        zero, bases = strengths[fixed], moves[fixed]
    else:
        zero = fsum(strengths) / len(strengths)
        bases = [fsum(column) / len(strengths) for column in zip(*moves, strict=True)]
    return [t - zero for t in strengths], [[a - b for a, b in zip(row, bases, strict=True)] for row in moves]


def _interval(moves: Sequence[float], blocks: int) -> tuple[float, float]:
    """The ends of the 95 % interval, from the moves of a bot that played in so many blocks."""
    if blocks < 2:
        return -inf, inf
    wider = resample.widening(blocks - 1)
    low, high = resample.ends(moves)
    return wider * low, wider * high


def _above(lead: float, ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The share of the resamples in which the one stays above the other; equal ones count half."""
    leads = [lead + a - b for a, b in zip(ours, theirs, strict=True)]
    return sum([(each > 0) + (each >= 0) for each in leads]) / (2 * len(leads))


def _no_matches() -> Matches:
    return array("I")
