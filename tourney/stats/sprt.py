"""A sequential test between two strengths: units are added until one of the two is unlikely enough.

A unit is scored from 0 to 1, and 1/2 is a draw between equals. The test is the generalised sequential probability ratio
test of Wald's, for the mean of scores whose distribution is not known: the log-likelihood ratio is that of the most
likely distributions with either mean, in the approximation

    LLR = n/2 log((v + (m - s0)^2) / (v + (m - s1)^2))

with the mean m and the variance v of n units (docs/gate.md has the sources). As with few units the variance cannot be
known, it is estimated as if three more had been played that were lost or won wholly: then units that are all alike
decide nothing before a rare disaster would have shown.
"""

from dataclasses import dataclass
from math import log, sqrt

from tourney.stats.bootstrap import Z_975

UNPLAYED = 3
"""So many units, lost or won wholly, are added where the variance is estimated: the hardest case needs as many."""
MAX_ELO = 1000.0
"""Estimates are not shown beyond this; so far out, a score says little about a strength."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The two strengths to tell apart, and how often the verdict may be wrong."""

    elo0: float
    elo1: float
    """Larger than elo0."""
    alpha: float
    """With a strength of elo0 or less, the test ends high in so many of all cases, from 0 to 1, at the most."""
    beta: float
    """With a strength of elo1 or more, it ends low in so many at the most."""

    @property
    def low(self) -> float:
        """With a log-likelihood ratio of this or less, the strength is taken to be elo0 or less."""
        return log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """With a log-likelihood ratio of this or more, the strength is taken to be elo1 or more."""
        return log((1 - self.beta) / self.alpha)


class ScoreSample:
    """The scores of the units so far, by their number, mean and spread."""

    def __init__(self) -> None:
        """Starts without a unit."""
        self.count = 0
        self.mean = 0.5
        self._squares = 0.0

    def add(self, score: float) -> None:
        """Counts a unit in (Welford 1962, Note on a method for calculating corrected sums of squares)."""
        self.count += 1
        before = score - self.mean
        self.mean += before / self.count
        self._squares += before * (score - self.mean)

    @property
    def variance(self) -> float:
        """The variance of a unit, estimated with the units that were not played."""
        return (self._squares + UNPLAYED * 0.25) / (self.count + UNPLAYED)

    def llr(self, score0: float, score1: float) -> float:
        """The log of how much more likely the units are with the mean `score1` than with `score0`."""
        variance = self.variance
        ratio = (variance + (self.mean - score0) ** 2) / (variance + (self.mean - score1) ** 2)
        return self.count / 2 * log(ratio)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean, within 0 and 1."""
        if not self.count:
            return 0.0, 1.0
        error = Z_975 * sqrt(self.variance / self.count)
        return max(0.0, self.mean - error), min(1.0, self.mean + error)


def expected_score(elo: float) -> float:
    """How often the stronger of two comes first, if it is stronger by so much."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """The strength in Elo that is expected to come to the score; the other way round than `expected_score`."""
    return 400 * log(score / (1 - score), 10)
