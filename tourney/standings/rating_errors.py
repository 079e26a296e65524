"""The error bars of the fitted strengths: from how much each deal moves them, and from what the results do not bound.

All matches on a deal are one observation. It pulls the strengths by the gradient of their log-likelihood, which the
inverse of the information matrix turns into by how much it moves them. The squares of these, summed, are the variance:
the sandwich estimator for clustered data (Liang and Zeger 1986, Biometrika 73, 13-22; Cameron and Miller 2015, Journal
of Human Resources 50, 317-372).
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, islice, pairwise
from math import exp, fsum, log, sqrt
from operator import mul
from typing import NamedTuple

from tourney.standings.luce import Choices, Information, Order, bots_of, connected, slopes

MOVE_PRECISION = 1e-9
"""How precisely it is computed what a deal moves, see `Information.solve`."""
MAX_LEVERAGE = 0.9
"""No deal is taken to determine the strengths of those who played it by more than this share."""


def deal_moves(
    batches: Sequence[Mapping[Order, int]], strengths: Sequence[float], information: Information
) -> list[list[float]]:
    """By how much each batch of deals moves each bot's fitted strength: a row a bot, a column a batch."""
    powers = [exp(t) for t in strengths]
    pulls = [_pull(batch, powers, information) for batch in batches]
    if len(strengths) > len(batches):
        return [list(row) for row in zip(*[information.solve(pull, MOVE_PRECISION) for pull in pulls], strict=True)]
    bots = range(len(strengths))
    inverse = [information.solve([float(i == bot) for i in bots], MOVE_PRECISION) for bot in bots]
    return [[fsum(map(mul, row, pull)) for pull in pulls] for row in inverse]


def _pull(batch: Mapping[Order, int], powers: list[float], information: Information) -> list[float]:
    """The gradient of a batch, corrected for how far the fit has followed that batch.

    A fit follows its data, so gradients are a little smaller at the fitted strengths than at the true ones. Those of a
    table are divided by the square root of one less its leverage, the share of the information about its bots that is
    its own (CR2 of Bell and McCaffrey 2002, Survey Methodology 28, 169-181, with the leverage of the diagonal alone).
    """
    gradient, diagonal = slopes(batch, powers)
    size = len(powers)
    for table in connected([bots_of(order) for order in batch]):
        own = fsum([diagonal[bot] / information.diagonal[bot] for bot in table])
        # m bots at a table have m - 1 differences; n bots in the field have n - 1
        leverage = own * (size - 1) / size / max(len(table) - 1, 1)
        widen = 1 / sqrt(1 - min(leverage, MAX_LEVERAGE))
        for bot in table:
            gradient[bot] *= widen
    return gradient


class Correction(NamedTuple):
    """A correction to a difference of strengths (natural logarithms), and to its variance."""

    excess: float
    """By how much the fitted difference is further from 0 than with half a block of upsets, with its sign."""
    variance: float
    """What is added to the variance from the spread of the deals."""


class Separation:
    """The corrections for what results do not bound: differences that did not show yet, bots that never met.

    Bots are ordered by strength, and each gap of that order separates those above from those below. Where those below
    have hardly ever come before one of those above, the results say that the gap is wide, and not how wide; and where
    all blocks came out even, they do not say that none ever comes out otherwise. In both cases the deals, which all say
    the same, move the gap by next to nothing. So half a block each way is added to each gap, and to the results of each
    bot, as in Agresti and Coull 1998 (The American Statistician 52, 119-126) and Firth 1993 (Biometrika 80, 27-38) half
    a match is added; the larger of the two counts. That enters the error bars alone.
    """

    def __init__(self, matches: Choices, strengths: Sequence[float], sd: float, block: float) -> None:
        """`sd` is the standard deviation of the prior, and `block` the mean number of matches of a block."""
        self._bots = len(strengths)
        self._prior = sd**2
        fields = [_Field(bots, strengths) for bots in connected([members for members, _ in matches.sets])]
        self._fields = {bot: field for field in fields for bot in field.ranks}
        for members, weight in matches.sets:
            self._fields[members[0]].add(members, weight)
        for field in fields:
            field.finish(block / 2)

    def between(self, bot: int, other: int) -> Correction:
        """The correction for the difference of two bots' strengths, the first less the second."""
        one, two = self._fields[bot], self._fields[other]
        if one is two:
            excess, variance = one.between(bot, other)
            return Correction(excess, max(variance, (one.unseen[bot] + one.unseen[other]) ** 2))
        return Correction(0.0, self._prior / len(one.ranks) + self._prior / len(two.ranks))

    def from_mean(self, bot: int) -> Correction:
        """The correction for a bot's strength, less the mean of all."""
        field = self._fields[bot]
        excess, variance = field.from_mean[field.ranks[bot]]
        variance = max(variance, field.unseen[bot] ** 2)
        if len(field.ranks) < self._bots:
            variance += self._prior / len(field.ranks) - self._prior / self._bots
        return Correction(excess, variance)


class _Gap(NamedTuple):
    """Sums over all choices that were made from both sides of a gap."""

    weight: float
    """How many choices there were."""
    upsets: float
    """How often one from below was to be expected, at the fitted strengths."""
    known: float
    """The information about the gap."""

    def correction(self, half_block: float) -> Correction:
        excess = 0.0
        if self.upsets < half_block:
            excess = max(log(half_block * (self.weight - self.upsets) / (self.weight * self.upsets)), 0.0)
        return Correction(excess, _moved(half_block, self.weight, self.known) ** 2)


def _moved(half_block: float, weight: float, known: float) -> float:
    """By how much half a block moves a strength that many choices inform about, at least as much as with upsets."""
    return half_block / max(known, weight * half_block / (weight + half_block))


class _Field:
    """Bots that have met, directly or through others, and the gaps of their order by strength."""

    def __init__(self, bots: Sequence[int], strengths: Sequence[float]) -> None:
        order = sorted(bots, key=lambda bot: -strengths[bot])
        self.ranks = {bot: rank for rank, bot in enumerate(order)}
        self.from_mean: list[Correction] = []
        """The correction for each strength less the mean of the field, from the top."""
        self._powers = {bot: exp(strengths[bot]) for bot in bots}
        self._own = dict.fromkeys(bots, (0.0, 0.0))  # the weight of its choices, and the information in them
        self.unseen: dict[int, float] = {}
        """By how much half a block moves the strength of each bot."""
        # for each gap, the values of `_Gap`, as changes to the gap before
        self._sums = [[0.0] * (len(order) + 1) for _ in _Gap._fields]
        self._gaps: list[Correction] = []

    def add(self, members: Sequence[int], weight: float) -> None:
        ranked = sorted([(self.ranks[bot], self._powers[bot]) for bot in members])
        among = fsum([power for _, power in ranked])
        for bot in members:
            (choices, known), share = self._own[bot], self._powers[bot] / among
            self._own[bot] = choices + weight, known + weight * share * (1 - share)
        above = 0.0
        for (rank, power), (following, _) in pairwise(ranked):
            above += power / among
            values = 1.0, 1 - above, above * (1 - above)
            for changes, value in zip(self._sums, values, strict=True):
                changes[rank] += weight * value
                changes[following] -= weight * value

    def finish(self, half_block: float) -> None:
        """Computes the corrections from the top; a gap that widens moves those above by the share of those below."""
        bots = len(self.ranks)
        self.unseen = {bot: (bots - 1) / bots * _moved(half_block, *own) for bot, own in self._own.items()}
        sums = zip(*map(accumulate, self._sums), strict=True)
        self._gaps = [_Gap._make(each).correction(half_block) for each in islice(sums, bots - 1)]
        shares = [(number + 1) / bots for number in range(bots - 1)]  # of the bots above each gap
        excess = [gap.excess for gap in self._gaps]
        variances = [gap.variance * (1 - 2 * above) for gap, above in zip(self._gaps, shares, strict=True)]
        less = fsum(map(mul, excess, shares))
        more = fsum([gap.variance * above**2 for gap, above in zip(self._gaps, shares, strict=True)])
        self.from_mean = [
            Correction(wider - less, max(variance + more, 0.0))
            for wider, variance in zip(_sums_from(excess), _sums_from(variances), strict=True)
        ]

    def between(self, bot: int, other: int) -> Correction:
        first, last = sorted((self.ranks[bot], self.ranks[other]))
        gaps = self._gaps[first:last]
        excess = fsum([gap.excess for gap in gaps])
        return Correction(excess if self.ranks[bot] == first else -excess, fsum([gap.variance for gap in gaps]))


def _sums_from(values: Sequence[float]) -> list[float]:
    """The sum of all values, then that of all but the first, and so on down to 0."""
    return list(accumulate(reversed(values), initial=0.0))[::-1]
