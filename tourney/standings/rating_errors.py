"""The error bars of fitted strengths, from each deal's influence, and from differences that results do not bound.

The variance is the sum of the squared changes of the strengths by each deal: the sandwich estimator for clustered data
(Liang and Zeger 1986, Biometrika 73, 13-22; Cameron and Miller 2015, Journal of Human Resources 50, 317-372).
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, islice, pairwise
from math import exp, fsum, log, sqrt
from operator import mul
from typing import NamedTuple

from tourney.standings.luce import Choices, Information, Order, bots_of, connected, slopes

MOVE_PRECISION = 1e-9
"""The precision of a deal's influence, see `Information.solve`."""
MAX_LEVERAGE = 0.9
"""The maximum share of a deal in determining its players' strengths."""


def deal_moves(
    batches: Sequence[Mapping[Order, int]], strengths: Sequence[float], information: Information
) -> list[list[float]]:
    """The change of each bot's fitted strength by each batch of deals: one row per bot, one column per batch."""
    powers = [exp(t) for t in strengths]
    pulls = [_pull(batch, powers, information) for batch in batches]
    if len(strengths) > len(batches):
        return [list(row) for row in zip(*[information.solve(pull, MOVE_PRECISION) for pull in pulls], strict=True)]
    bots = range(len(strengths))
    inverse = [information.solve([float(i == bot) for i in bots], MOVE_PRECISION) for bot in bots]
    return [[fsum(map(mul, row, pull)) for pull in pulls] for row in inverse]


def _pull(batch: Mapping[Order, int], powers: list[float], information: Information) -> list[float]:
    """The gradient of a batch, corrected for the fit's dependence on that batch.

    A fit follows its data, so gradients are slightly smaller at the fitted strengths than at the true ones. A table's
    are divided by the square root of one less its leverage, its own share of the information about its bots (CR2 of
    Bell and McCaffrey 2002, Survey Methodology 28, 169-181, with the diagonal's leverage alone).
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
    """How much further from 0 the fitted difference is than with half a block of upsets, with its sign."""
    variance: float
    """The term added to the deals' variance."""


class Separation:
    """Corrections for differences that results do not bound: without any upset, or between bots that never met.

    Each gap in the order by strength separates the bots above from the bots below. If deals all agree, they move it by
    next to nothing. So half a block each way is added to each gap, and to the results of each bot, like the half match
    in Agresti and Coull 1998 (The American Statistician 52, 119-126) and Firth 1993 (Biometrika 80, 27-38); the larger
    of the two counts. It only enters the error bars.
    """

    def __init__(self, matches: Choices, strengths: Sequence[float], sd: float, block: float) -> None:
        """`sd` is the prior's standard deviation, and `block` the mean number of matches in a block."""
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
        """The correction for a bot's strength less the overall mean."""
        field = self._fields[bot]
        excess, variance = field.from_mean[field.ranks[bot]]
        variance = max(variance, field.unseen[bot] ** 2)
        if len(field.ranks) < self._bots:
            variance += self._prior / len(field.ranks) - self._prior / self._bots
        return Correction(excess, variance)


class _Gap(NamedTuple):
    """Sums over all choices made from both sides of a gap."""

    weight: float
    upsets: float  # the expected number of choices from below, at the fitted strengths
    known: float

    def correction(self, half_block: float) -> Correction:
        excess = 0.0
        if self.upsets < half_block:
            excess = max(log(half_block * (self.weight - self.upsets) / (self.weight * self.upsets)), 0.0)
        return Correction(excess, _moved(half_block, self.weight, self.known) ** 2)


def _moved(half_block: float, weight: float, known: float) -> float:
    """The change of a strength by half a block, given many choices, at least as much as with upsets."""
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
        """The change of each bot's strength by half a block."""
        # the values of `_Gap` for each gap, as changes from the previous gap
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
        """Computes the corrections from the top; widening a gap moves the bots above by the share of the bots below."""
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
    """The sum of all values, then of all except the first, and so on down to 0."""
    return list(accumulate(reversed(values), initial=0.0))[::-1]
