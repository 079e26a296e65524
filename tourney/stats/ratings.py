"""Ratings of the bots on the Elo scale, with error bars: docs/ratings.md says what they mean.

The strengths are those of `tourney.stats.plackett_luce` under which the records are the most likely; the error bars
are from `tourney.stats.bootstrap`. Beyond `block_batches.MAX_BATCHES` blocks, batches of whole blocks are resampled
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
from tourney.stats.outcome_counts import Batch, MatchOutcome
from tourney.stats.plackett_luce import Matrix, Order

ELO_PER_NAT = 400 / log(10)
"""Points of the Elo scale for a unit of the natural logarithm of a strength: 400 points are 10 to 1."""
MEAN = 1500.0
"""The mean of all ratings, unless a bot is the anchor."""
PRIOR_SD = 1000.0
"""The standard deviation of a bot's rating before anything was played, in points of the Elo scale."""
RESAMPLES = 1000
MAX_DRAWS = 64_000
"""In fields so large that there would be more draws, a resample for each bot, there are fewer resamples …"""
MIN_RESAMPLES = 250
"""… but not fewer than these."""


class Rating(msgspec.Struct, frozen=True):
    """A bot's rating, and its 95 % interval."""

    rating: float
    low: float
    high: float
    """The interval is endless for a bot that played in fewer than two blocks of a game, but for the anchor."""


class _GameFit(msgspec.Struct, frozen=True):
    """What one game tells of the bots that have played it, on the scale of natural logarithms."""

    strengths: dict[int, float]
    """Their mean is 0."""
    moves: dict[int, list[float]]
    """By how much the strengths move in each resample; nothing with a single batch."""
    batches: dict[int, int]
    """In how many batches each has played."""


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
        """Fits the strengths to the counts of each game, batch by batch, and resamples the batches.

        A bot's strength is the weighted mean of its strengths in the games that it has played. The mean of all ratings
        is `MEAN`; or the anchor, a bot and its rating, is held fixed, if it has played. The intervals are those of the
        difference to that mean, or to the anchor. `seed` is one of `tourney.rng`, for the resampling.
        """
        played = [[_orders(part) for part in parts] for parts in games]
        bots = sorted({bot for batches in played for batch in batches for bot in bootstrap.bots_of(batch)})
        resamples = min(resamples, max(MIN_RESAMPLES, MAX_DRAWS // max(len(bots), 1)))
        fits = [_fit(batches, stream(seed, "ratings", game), resamples) for game, batches in enumerate(played)]
        self.anchor = None if anchor is None or anchor[0] not in bots else anchor  # where it has played
        self._batches = {bot: min([fit.batches[bot] for fit in fits if bot in fit.batches]) for bot in bots}
        strengths, moves = [], []
        for bot in bots:
            those = [(fit, weight) for fit, weight in zip(fits, weights, strict=True) if bot in fit.strengths]
            whole = sum([weight for _, weight in those])
            shares = [float(weight / whole) for _, weight in those]
            strengths.append(fsum([share * fit.strengths[bot] for share, (fit, _) in zip(shares, those, strict=True)]))
            rows = [[share * move for move in fit.moves[bot]] for share, (fit, _) in zip(shares, those, strict=True)]
            moves.append([fsum(column) for column in zip(*rows, strict=True)])
        at = None if self.anchor is None else bots.index(self.anchor[0])
        strengths, moves = _relative(strengths, moves, at)
        self._strengths = dict(zip(bots, strengths, strict=True))
        self._moves = dict(zip(bots, moves, strict=True))

    @property
    def bots(self) -> list[int]:
        """The numbers of the bots that have played, sorted."""
        return list(self._strengths)

    def of(self, bot: int) -> Rating:
        """The rating of a bot that has played."""
        level = MEAN if self.anchor is None else self.anchor[1]
        at = level + ELO_PER_NAT * self._strengths[bot]
        if self.anchor is not None and self.anchor[0] == bot:
            return Rating(at, at, at)
        batches = self._batches[bot] if self.anchor is None else min(self._batches[bot], self._batches[self.anchor[0]])
        if batches < 2:
            return Rating(at, -inf, inf)
        low, high = bootstrap.central_95(self._moves[bot])
        wider = ELO_PER_NAT * bootstrap.student_factor(batches - 1)
        return Rating(at, at + wider * low, at + wider * high)

    def above(self, bot: int, other: int) -> float | None:
        """How likely it is that the one is truly stronger than the other, from 0 to 1.

        That is the share of the resamples in which it stays above; equal ones count half. None if one of them played
        in fewer than two blocks of a game.
        """
        if min(self._batches[bot], self._batches[other]) < 2:
            return None
        lead = self._strengths[bot] - self._strengths[other]
        leads = [lead + a - b for a, b in zip(self._moves[bot], self._moves[other], strict=True)]
        return sum([(each > 0) + (each >= 0) for each in leads]) / (2 * len(leads))


def _fit(batches: Sequence[Mapping[Order, int]], rng: Random, resamples: int) -> _GameFit:
    """The fit to one game; without a bot if nobody has played it."""
    played = [bootstrap.bots_of(batch) for batch in batches]
    bots = sorted({bot for some in played for bot in some})
    numbers = {bot: i for i, bot in enumerate(bots)}
    own = [
        {tuple([tuple([numbers[bot] for bot in group]) for group in order]): count for order, count in batch.items()}
        for batch in batches
    ]
    sd = PRIOR_SD / ELO_PER_NAT
    strengths, inverse = plackett_luce.fit(plackett_luce.combined(own), len(bots), sd)
    moves = [[0.0] * resamples for _ in bots]
    if len(batches) > 1:
        moves = bootstrap.resampled_shifts(own, strengths, inverse, sd, rng, resamples)
    return _GameFit(
        dict(zip(bots, strengths, strict=True)),
        dict(zip(bots, moves, strict=True)),
        Counter([bot for some in played for bot in some]),
    )


@lru_cache(maxsize=1 << 16)
def _order(outcome: MatchOutcome) -> Order:
    """The finishing order of a match."""
    by_place: dict[int, list[int]] = {}
    for bot, place in zip(outcome.bots, outcome.places, strict=True):
        by_place.setdefault(place, []).append(bot)
    return tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])


def _orders(part: Batch) -> dict[Order, int]:
    """How many matches had each finishing order, sorted."""
    found: dict[Order, int] = {}
    for outcome, count in part.items():
        order = _order(outcome)
        found[order] = found.get(order, 0) + count
    return dict(sorted(found.items()))


def _relative(strengths: list[float], moves: Matrix, fixed: int | None) -> tuple[list[float], Matrix]:
    """Strengths and their moves, as differences to the bot that is fixed, or to the mean of all."""
    if not strengths:
        return strengths, moves
    if fixed is not None:
        zero, bases = strengths[fixed], moves[fixed]
    else:
        zero = fsum(strengths) / len(strengths)
        bases = [fsum(column) / len(strengths) for column in zip(*moves, strict=True)]
    return [t - zero for t in strengths], [[a - b for a, b in zip(row, bases, strict=True)] for row in moves]
