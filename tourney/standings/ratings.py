"""Ratings of the bots on the Elo scale, with error bars; docs/statistics.md explains them."""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence
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
"""The prior standard deviation of a bot's rating, in Elo points."""
MAX_MOVES = 1 << 14
"""In larger fields, error bars use fewer batches, so batches times bots stay below this number …"""
MIN_BATCHES = 32
"""… but at least this many, if there are enough deals; that widens them by 4 %."""
DIGITS = 6
"""Differences in Elo points are rounded to this many decimals before any decision."""


class EloEstimate(NamedTuple):
    """A rating, or the difference of two, with its 95 % interval, infinite if unknown: after a single deal."""

    elo: float
    low: float
    high: float


class Evidence(NamedTuple):
    """The evidence for a difference of two ratings."""

    elo: float
    """The difference in Elo points, or closer to 0 if hardly any match was lost (`Separation`)."""
    error: float
    """Its standard error in Elo points; infinite if unknown."""
    freedom: int
    """The standard error's degrees of freedom; 0 if unknown."""


class Ratings:
    """The ratings of all bots that have played, by number."""

    def __init__(
        self,
        games: Sequence[Sequence[Batch]],
        weights: Sequence[Fraction],
        anchor: tuple[int, float] | None = None,
        bot_ids: Sequence[Hashable] | None = None,
    ) -> None:
        """Fits the strengths to the batches of each game; batches at the same index have the same deals.

        A bot's strength is the weighted mean of its strengths in the games it has played. The mean of all ratings is
        `MEAN`, unless the anchor, a bot and its fixed rating, has played. Bots are assumed to differ, even if no deal
        has shown it, unless they are one bot under several names.
        """
        self.bots = sorted({bot for batches in games for batch in batches for finish in batch for bot in finish.bots})
        self.anchor = None if anchor is None or anchor[0] not in self.bots else anchor
        most = max(min(MAX_DEALS, MAX_MOVES // max(len(self.bots), 1)), MIN_BATCHES)
        self._bot_ids = {bot: bot if bot_ids is None else bot_ids[bot] for bot in self.bots}
        self._one_bot = len(set(self._bot_ids.values())) == 1
        self._fits = [
            _GameFit(few_batches(batches, most), PRIOR_SD / ELO_PER_NAT, mean_block(batches)) for batches in games
        ]
        self._shares: dict[int, list[float]] = {}  # of each game in the bot's strength; 0 if not played
        self._strengths: dict[int, float] = {}
        for bot in self.bots:
            self._shares[bot] = shares = shares_of(bot, [fit.strengths for fit in self._fits], weights)
            of_games = [share * fit.strengths[bot] for share, fit in zip(shares, self._fits, strict=True) if share]
            self._strengths[bot] = fsum(of_games)
        self._mean = fsum(self._strengths.values()) / max(len(self.bots), 1)
        self._mean_moves: list[list[float]] = []  # the change of that mean by each batch of deals of a game
        for game in range(len(self._fits)):
            rows = [self._moves(game, bot) for bot in self.bots if self._shares[bot][game]]
            self._mean_moves.append([fsum(column) / len(self.bots) for column in zip(*rows, strict=True)])

    def _moves(self, game: int, bot: int) -> list[float]:
        """The change of a bot's overall strength by each batch of deals of a game."""
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
        """A bot's rating minus another's, or minus the overall mean if `other` is None."""
        elo = self._elo(bot, other)
        known, error, freedom = self.evidence(bot, other)
        half = abs(elo) - abs(known) + intervals.quantile_975(freedom) * error if freedom else inf
        return EloEstimate(elo, elo - half, elo + half)

    def above(self, bot: int, other: int) -> float | None:
        """The probability that the first bot is stronger than the second; None if one has a game with a single deal."""
        elo, error, freedom = self.evidence(bot, other)
        if not freedom:
            return None
        if not error:
            return 0.5 + copysign(0.5, elo) if elo else 0.5
        return intervals.cdf(elo / error, freedom)

    def evidence(self, bot: int, other: int | None) -> Evidence:
        """The evidence for a bot's rating minus another's, or minus the overall mean if `other` is None."""
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


def shares_of(bot: int, games: Sequence[Collection[int]], weights: Sequence[Fraction]) -> list[float]:
    """Each game's share in a bot's strength; 0 for a game it has not played, by the bots of each."""
    own = [weight * (bot in bots) for weight, bots in zip(weights, games, strict=True)]
    whole = sum(own)
    return [float(weight / whole) for weight in own]


class _Part(NamedTuple):
    moves: list[float]
    freedom: int  # from the bot with fewer batches
    correction: Correction


class _GameFit:
    """The fit to the matches of one game; strengths are natural logarithms, and bots go by their numbers."""

    def __init__(self, batches: Sequence[Batch], sd: float, block: float) -> None:
        played = [dict(sorted(orders_of(batch).items())) for batch in batches]
        bots = sorted({bot for batch in played for order in batch for bot in bots_of(order)})
        self._numbers = numbers = {bot: number for number, bot in enumerate(bots)}
        own = [
            {tuple([tuple([numbers[bot] for bot in its]) for its in order]): count for order, count in batch.items()}
            for batch in played
        ]
        matches = luce.combined(own)
        strengths, at = luce.Posterior(matches, len(bots)).fit(sd, [0.0] * len(bots))
        self.strengths = dict(zip(bots, strengths, strict=True))
        """The strength of each bot that has played; their mean is 0."""
        self._separation = Separation(matches, strengths, sd, block)
        self.moves = dict(zip(bots, deal_moves(own, strengths, at.information), strict=True))
        seated = [{bot for order in batch for bot in bots_of(order)} for batch in played]
        self.deals = Counter([bot for some in seated for bot in sorted(some)])

    def correction(self, bot: int, other: int | None = None) -> Correction:
        if other is None:
            return self._separation.from_mean(self._numbers[bot])
        return self._separation.between(self._numbers[bot], self._numbers[other])


def orders_of(batch: Batch) -> dict[Order, int]:
    """The number of matches with each finishing order."""
    orders: dict[Order, int] = {}
    for finish, count in batch.items():
        order = order_of(finish)
        orders[order] = orders.get(order, 0) + count
    return orders


@lru_cache(maxsize=1 << 16)
def order_of(finish: Finish) -> Order:
    """The finishing order of a match, regardless of seats."""
    by_place: dict[int, list[int]] = {}
    for bot, place in zip(finish.bots, finish.places, strict=True):
        by_place.setdefault(place, []).append(bot)
    return tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])
