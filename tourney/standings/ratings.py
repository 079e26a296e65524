"""Ratings of the bots on the Elo scale, with error bars; docs/statistics.md says what they mean.

The strengths are those of `tourney.standings.luce` under which the records are the most likely. The error bars are
Student's, with the variance of `tourney.standings.rating_errors`.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import copysign, fsum, inf, log, sqrt
from operator import sub
from typing import NamedTuple

from tourney.standings import intervals, luce
from tourney.standings.counts import MAX_DEALS, Batch, Finish, few_batches, mean_block
from tourney.standings.luce import Order, bots_of
from tourney.standings.rating_errors import Correction, Separation, deal_moves

ELO_PER_NAT = 400 / log(10)
"""Elo points for a unit of the natural logarithm of a strength; 400 points are odds of 10 to 1."""
MEAN = 1500.0
"""The mean of all ratings, in Elo points, unless there is an anchor."""
PRIOR_SD = 1000.0
"""The standard deviation of a bot's rating before anything was played, in Elo points."""
MAX_MOVES = 1 << 14
"""In larger fields, error bars are made of fewer batches, so that batches times bots stay below this number …"""
MIN_BATCHES = 32
"""… but of at least this many, if there are as many deals; that widens them by 4 %."""
DIGITS = 6
"""Differences in Elo points are rounded to this many digits after the point before anything is decided by them."""


class EloEstimate(NamedTuple):
    """A rating, or the difference of two, with its 95 % interval, infinite where unknown: after a single deal."""

    elo: float
    low: float
    high: float


class Evidence(NamedTuple):
    """How well a difference of two ratings is known."""

    elo: float
    """The difference in Elo points, or one nearer to 0 where hardly a match was lost (`Separation`)."""
    error: float
    """Its standard error in Elo points; infinite where it is unknown."""
    freedom: int
    """The degrees of freedom of the standard error; 0 where it is unknown."""


class Ratings:
    """The ratings of all bots that have played, by their numbers."""

    def __init__(
        self,
        games: Sequence[Sequence[Batch]],
        weights: Sequence[Fraction],
        anchor: tuple[int, float] | None = None,
        bot_ids: Sequence[Hashable] | None = None,
    ) -> None:
        """Fits the strengths to the batches of each game; batches at the same index are of the same deals.

        A bot's strength is the weighted mean of its strengths in the games that it has played. The mean of all ratings
        is `MEAN`; or the anchor, a bot and its rating, is held fixed, if that bot has played. Bots are taken to differ,
        also where no deal has shown it, unless they are of the same kind: one bot under several names.
        """
        self.bots = sorted({bot for batches in games for batch in batches for finish in batch for bot in finish.bots})
        self.anchor = None if anchor is None or anchor[0] not in self.bots else anchor
        most = max(min(MAX_DEALS, MAX_MOVES // max(len(self.bots), 1)), MIN_BATCHES)
        self._bot_ids = {bot: bot if bot_ids is None else bot_ids[bot] for bot in self.bots}
        self._one_bot = len(set(self._bot_ids.values())) == 1
        self._fits = [
            _GameFit(few_batches(batches, most), PRIOR_SD / ELO_PER_NAT, mean_block(batches)) for batches in games
        ]
        self._shares: dict[int, list[float]] = {}  # of each game in the bot's strength; 0 where it has not played it
        self._strengths: dict[int, float] = {}
        for bot in self.bots:
            own = [weight * (bot in fit.strengths) for weight, fit in zip(weights, self._fits, strict=True)]
            self._shares[bot] = shares = [float(weight / sum(own)) for weight in own]
            of_games = [share * fit.strengths[bot] for share, fit in zip(shares, self._fits, strict=True) if share]
            self._strengths[bot] = fsum(of_games)
        self._mean = fsum(self._strengths.values()) / max(len(self.bots), 1)
        self._mean_moves: list[list[float]] = []  # by how much each batch of deals of a game moves that mean
        for game in range(len(self._fits)):
            rows = [self._moves(game, bot) for bot in self.bots if self._shares[bot][game]]
            self._mean_moves.append([fsum(column) / len(self.bots) for column in zip(*rows, strict=True)])

    def _moves(self, game: int, bot: int) -> list[float]:
        """By how much each batch of deals of a game moves a bot's strength over all games."""
        share = self._shares[bot][game]
        return [share * move for move in self._fits[game].moves[bot]]

    def of(self, bot: int) -> EloEstimate:
        """The rating of a bot that has played."""
        other, origin = self.anchor or (None, MEAN)
        if bot == other:
            return EloEstimate(origin, origin, origin)
        elo, low, high = self.difference(bot, other)
        return EloEstimate(origin + elo, origin + low, origin + high)

    def difference(self, bot: int, other: int | None) -> EloEstimate:
        """The rating of a bot less that of another, or less the mean of all if `other` is None."""
        elo = self._elo(bot, other)
        known, error, freedom = self.evidence(bot, other)
        half = abs(elo) - abs(known) + intervals.quantile_975(freedom) * error if freedom else inf
        return EloEstimate(elo, elo - half, elo + half)

    def above(self, bot: int, other: int) -> float | None:
        """How likely the first bot is stronger than the second; None if one has played on a single deal of a game."""
        elo, error, freedom = self.evidence(bot, other)
        if not freedom:
            return None
        if not error:
            return 0.5 + copysign(0.5, elo) if elo else 0.5
        return intervals.cdf(elo / error, freedom)

    def evidence(self, bot: int, other: int | None) -> Evidence:
        """How well the rating of a bot is known, less that of another, or less the mean of all if `other` is None."""
        elo = self._elo(bot, other)
        parts = [part for game in range(len(self._fits)) if (part := self._part(game, bot, other)) is not None]
        if min([part.freedom for part in parts]) < 1:
            return Evidence(elo, inf, 0)
        moves = [fsum(column) for column in zip(*[part.moves for part in parts], strict=True)]
        same_bots = self._one_bot if other is None else self._bot_ids[bot] == self._bot_ids[other]
        variance = fsum([move * move for move in moves])
        if elo or not same_bots:
            variance += fsum([part.correction.variance for part in parts])
        freedom = intervals.freedom_of_sum([part.moves for part in parts], [part.freedom for part in parts])
        excess = ELO_PER_NAT * fsum([part.correction.excess for part in parts])
        known = max(abs(elo) - max(excess if elo > 0 else -excess, 0.0), 0.0)
        return Evidence(copysign(round(known, DIGITS), elo), round(ELO_PER_NAT * sqrt(variance), DIGITS), freedom)

    def _elo(self, bot: int, other: int | None) -> float:
        zero = self._mean if other is None else self._strengths[other]
        return round(ELO_PER_NAT * (self._strengths[bot] - zero), DIGITS)

    def _part(self, game: int, bot: int, other: int | None) -> "_Part | None":
        """What a game contributes to a difference; None if neither of the two has played it."""
        fit, one = self._fits[game], self._shares[bot][game]
        two = 0.0 if other is None else self._shares[other][game]
        if not one and not two:
            return None
        moves = self._moves(game, bot) if one else [0.0] * len(self._mean_moves[game])
        if other is None:
            moves = list(map(sub, moves, self._mean_moves[game]))
        elif two:
            moves = list(map(sub, moves, self._moves(game, other)))
        if other is not None and two:
            correction, share = (fit.correction(bot, other), max(one, two)) if one else (fit.correction(other), -two)
        else:
            correction, share = fit.correction(bot), one
        scaled = Correction(share * correction.excess, share * share * correction.variance)
        deals = [fit.deals[each] for each, share in ((bot, one), (other, two)) if each is not None and share]
        return _Part(moves, min(deals) - 1, scaled)


class _Part(NamedTuple):
    """What one game contributes to a difference of two strengths."""

    moves: list[float]
    """By how much each batch of deals moves the difference."""
    freedom: int
    """The degrees of freedom, by that one of the two that has played in fewer batches."""
    correction: Correction


class _GameFit:
    """The fit to the matches of one game; strengths are natural logarithms, and bots go by their numbers."""

    def __init__(self, batches: Sequence[Batch], sd: float, block: float) -> None:
        played = [_orders(batch) for batch in batches]
        bots = sorted({bot for batch in played for order in batch for bot in bots_of(order)})
        self._numbers = numbers = {bot: number for number, bot in enumerate(bots)}
        own = [
            {tuple([tuple([numbers[bot] for bot in its]) for its in order]): count for order, count in batch.items()}
            for batch in played
        ]
        matches = luce.combined(own)
        strengths, information = luce.fit(matches, len(bots), sd)
        self.strengths = dict(zip(bots, strengths, strict=True))
        """The strength of each bot that has played; their mean is 0."""
        self._separation = Separation(matches, strengths, sd, block)
        self.moves = dict(zip(bots, deal_moves(own, strengths, information), strict=True))
        """By how much each batch of deals moves each bot's strength."""
        seated = [{bot for order in batch for bot in bots_of(order)} for batch in played]
        self.deals = Counter([bot for some in seated for bot in sorted(some)])
        """In how many of the batches each bot has played."""

    def correction(self, bot: int, other: int | None = None) -> Correction:
        """The correction for a bot's strength less that of another, or less the mean of all."""
        if other is None:
            return self._separation.from_mean(self._numbers[bot])
        return self._separation.between(self._numbers[bot], self._numbers[other])


def _orders(batch: Batch) -> dict[Order, int]:
    """How many matches had each finishing order, sorted by the orders."""
    orders: dict[Order, int] = {}
    for finish, count in batch.items():
        order = order_of(finish)
        orders[order] = orders.get(order, 0) + count
    return dict(sorted(orders.items()))


@lru_cache(maxsize=1 << 16)
def order_of(finish: Finish) -> Order:
    """The finishing order of a match, whoever sat where."""
    by_place: dict[int, list[int]] = {}
    for bot, place in zip(finish.bots, finish.places, strict=True):
        by_place.setdefault(place, []).append(bot)
    return tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])
