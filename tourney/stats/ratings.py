"""Ratings of the bots on the Elo scale, with error bars; docs/ratings.md says what they mean.

The strengths are those of `tourney.stats.plackett_luce` under which the records are the most likely, and the error bars
come from `tourney.stats.bootstrap`. Beyond `block_batches.MAX_BATCHES` blocks, batches of whole blocks are resampled
instead of single blocks, so that the time for resampling stays bounded.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import fsum, inf, log
from random import Random

import msgspec

from tourney.rng import stream
from tourney.stats import bootstrap, plackett_luce
from tourney.stats.outcome_counts import Batch, Finish
from tourney.stats.plackett_luce import Matrix, Order

ELO_PER_NAT = 400 / log(10)
"""Elo points for a unit of the natural logarithm of a strength; 400 points are odds of 10 to 1."""
MEAN = 1500.0
"""The mean of all ratings, in Elo points, unless there is an anchor."""
PRIOR_SD = 1000.0
"""The standard deviation of a bot's rating before anything was played, in Elo points."""
RESAMPLES = 1000
"""How many resamples the error bars come from, unless the field is large."""
MAX_DRAWS = 64_000
"""In larger fields, resamples times bots stay below this number …"""
MIN_RESAMPLES = 250
"""… but there are at least this many resamples."""


class Rating(msgspec.Struct, frozen=True):
    """A bot's rating in Elo points, with its 95 % interval; higher is better.

    The interval is endless for a bot that has played in fewer than two blocks of a game, unless it is the anchor.
    """

    rating: float
    low: float
    """The lower end of the interval."""
    high: float
    """The upper end of the interval."""


class _GameFit(msgspec.Struct, frozen=True):
    """The fit to one game, by the numbers of the bots that have played it; strengths are natural logarithms."""

    strengths: dict[int, float]
    """The strength of each bot; their mean is 0."""
    shifts: dict[int, list[float]]
    """By how much each bot's strength moves in each resample; 0 if there is a single batch."""
    batches: dict[int, int]
    """In how many batches each bot has played."""


class Ratings:
    """The ratings of all bots that have played, by their numbers."""

    def __init__(
        self,
        games: Sequence[Sequence[Batch]],
        weights: Sequence[Fraction],
        anchor: tuple[int, float] | None = None,
        seed: int = 0,
        resamples: int = RESAMPLES,
    ) -> None:
        """Fits the strengths to the batches of each game, and resamples the batches.

        A bot's strength is the weighted mean of its strengths in the games that it has played; `weights` has one weight
        for each game. The mean of all ratings is `MEAN`; or the anchor, a bot and its rating, is held fixed, if that
        bot has played. The intervals are those of the difference to the mean, or to the anchor. `seed` is one of
        `tourney.rng`, for the resampling.
        """
        played = [[_orders(batch) for batch in batches] for batches in games]
        bots = sorted({bot for batches in played for batch in batches for bot in bootstrap.bots_of(batch)})
        resamples = min(resamples, max(MIN_RESAMPLES, MAX_DRAWS // max(len(bots), 1)))
        fits = [_fit(batches, stream(seed, "ratings", game), resamples) for game, batches in enumerate(played)]
        self.anchor = None if anchor is None or anchor[0] not in bots else anchor
        """The anchor, if it has played."""
        self._batches = {bot: min([fit.batches[bot] for fit in fits if bot in fit.batches]) for bot in bots}
        strengths, shifts = [], []
        for bot in bots:
            own = [(fit, weight) for fit, weight in zip(fits, weights, strict=True) if bot in fit.strengths]
            whole = sum([weight for _, weight in own])
            shares = [float(weight / whole) for _, weight in own]
            strengths.append(fsum([share * fit.strengths[bot] for share, (fit, _) in zip(shares, own, strict=True)]))
            rows = [[share * shift for shift in fit.shifts[bot]] for share, (fit, _) in zip(shares, own, strict=True)]
            shifts.append([fsum(column) for column in zip(*rows, strict=True)])
        fixed = None if self.anchor is None else bots.index(self.anchor[0])
        strengths, shifts = _relative(strengths, shifts, fixed)
        self._strengths = dict(zip(bots, strengths, strict=True))
        self._shifts = dict(zip(bots, shifts, strict=True))

    @property
    def bots(self) -> list[int]:
        """The numbers of the bots that have played, sorted."""
        return list(self._strengths)

    def of(self, bot: int) -> Rating:
        """Returns the rating of a bot that has played."""
        origin = MEAN if self.anchor is None else self.anchor[1]
        rating = origin + ELO_PER_NAT * self._strengths[bot]
        if self.anchor is not None and self.anchor[0] == bot:
            return Rating(rating, rating, rating)
        batches = self._batches[bot] if self.anchor is None else min(self._batches[bot], self._batches[self.anchor[0]])
        if batches < 2:
            return Rating(rating, -inf, inf)
        low, high = bootstrap.central_95(self._shifts[bot])
        scale = ELO_PER_NAT * bootstrap.student_factor(batches - 1)
        return Rating(rating, rating + scale * low, rating + scale * high)

    def above(self, bot: int, other: int) -> float | None:
        """Returns the share of the resamples, from 0 to 1, in which the first bot is stronger than the second.

        Resamples in which they are equally strong count half. None if one of them has played in fewer than two blocks
        of a game.
        """
        if min(self._batches[bot], self._batches[other]) < 2:
            return None
        lead = self._strengths[bot] - self._strengths[other]
        leads = [lead + a - b for a, b in zip(self._shifts[bot], self._shifts[other], strict=True)]
        return sum([(each > 0) + (each >= 0) for each in leads]) / (2 * len(leads))


def _fit(batches: Sequence[Mapping[Order, int]], rng: Random, resamples: int) -> _GameFit:
    """Fits the strengths to one game; the fit has no bots if nobody has played the game."""
    played = [bootstrap.bots_of(batch) for batch in batches]
    bots = sorted({bot for some in played for bot in some})
    numbers = {bot: i for i, bot in enumerate(bots)}
    own = [
        {tuple([tuple([numbers[bot] for bot in group]) for group in order]): count for order, count in batch.items()}
        for batch in batches
    ]
    sd = PRIOR_SD / ELO_PER_NAT
    strengths, inverse = plackett_luce.fit(plackett_luce.combined(own), len(bots), sd)
    shifts = [[0.0] * resamples for _ in bots]
    if len(batches) > 1:
        shifts = bootstrap.resampled_shifts(own, strengths, inverse, sd, rng, resamples)
    return _GameFit(
        dict(zip(bots, strengths, strict=True)),
        dict(zip(bots, shifts, strict=True)),
        Counter([bot for some in played for bot in some]),
    )


@lru_cache(maxsize=1 << 16)
def _order(finish: Finish) -> Order:
    """Returns the finishing order of a match."""
    by_place: dict[int, list[int]] = {}
    for bot, place in zip(finish.bots, finish.places, strict=True):
        by_place.setdefault(place, []).append(bot)
    return tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])


def _orders(batch: Batch) -> dict[Order, int]:
    """Returns how many matches had each finishing order, sorted by the orders."""
    found: dict[Order, int] = {}
    for finish, count in batch.items():
        order = _order(finish)
        found[order] = found.get(order, 0) + count
    return dict(sorted(found.items()))


def _relative(strengths: list[float], shifts: Matrix, fixed: int | None) -> tuple[list[float], Matrix]:
    """Returns strengths and shifts as differences to those of the bot that is fixed, or to the mean of all bots."""
    if not strengths:
        return strengths, shifts
    if fixed is not None:
        zero, bases = strengths[fixed], shifts[fixed]
    else:
        zero = fsum(strengths) / len(strengths)
        bases = [fsum(column) / len(strengths) for column in zip(*shifts, strict=True)]
    return [t - zero for t in strengths], [[a - b for a, b in zip(row, bases, strict=True)] for row in shifts]
