"""A sequential test between two strengths: units are added until one of the two is unlikely enough.

A unit is scored from 0 to 1, and 1/2 is a draw between equals. The test is Wald's sequential probability ratio test,
generalised to the mean of scores with an unknown distribution: the log-likelihood ratio is that of the most likely
distributions with either mean, in the approximation

    LLR = n/2 log((v + (m - s0)^2) / (v + (m - s1)^2))

where m is the mean and v the variance of n units (docs/gate.md has the sources). As the variance of few units cannot be
known, it is estimated as if three more units had been played, each won or lost wholly. So units that are all alike
decide nothing before a rare disaster would have shown.
"""

from dataclasses import dataclass
from math import log, sqrt

from tourney.stats.student import Z_975

UNPLAYED = 3
"""How many units, each won or lost wholly, are added to estimate the variance; the hardest case needs as many."""
MAX_ELO = 1000.0
"""Estimates end at this many Elo points either way; so far out, a score says little about a strength."""


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The two strengths between which the test decides, and the risks of a wrong verdict."""

    elo0: float
    """The lower strength, in Elo points."""
    elo1: float
    """The higher strength, in Elo points."""
    alpha: float
    """The probability, at most, that the test ends high although the strength is `elo0` or less."""
    beta: float
    """The probability, at most, that the test ends low although the strength is `elo1` or more."""

    @property
    def low(self) -> float:
        """At this log-likelihood ratio or below, the test takes the strength to be `elo0` or less (Wald 1945)."""
        return log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """At this log-likelihood ratio or above, the test takes the strength to be `elo1` or more (Wald 1945)."""
        return log((1 - self.beta) / self.alpha)


class ScoreSample:
    """The number, mean and variance of the scores of units, each from 0 to 1."""

    def __init__(self) -> None:
        """Starts without a unit."""
        self.count = 0
        self.mean = 0.5
        self._squares = 0.0

    def add(self, score: float) -> None:
        """Adds the score of a unit (Welford 1962, Note on a method for calculating corrected sums of squares)."""
        self.count += 1
        before = score - self.mean
        self.mean += before / self.count
        self._squares += before * (score - self.mean)

    @property
    def variance(self) -> float:
        """The variance of a unit, estimated with the `UNPLAYED` units added."""
        return (self._squares + UNPLAYED * 0.25) / (self.count + UNPLAYED)

    def llr(self, score0: float, score1: float) -> float:
        """Returns the logarithm of how much likelier the units are with the mean `score1` than with `score0`."""
        variance = self.variance
        ratio = (variance + (self.mean - score0) ** 2) / (variance + (self.mean - score1) ** 2)
        return self.count / 2 * log(ratio)

    def interval(self) -> tuple[float, float]:
        """Returns the 95 % interval of the mean, cut off at 0 and 1."""
        if not self.count:
            return 0.0, 1.0
        error = Z_975 * sqrt(self.variance / self.count)
        return max(0.0, self.mean - error), min(1.0, self.mean + error)


def expected_score(elo: float) -> float:
    """Returns the expected score, from 0 to 1, of a bot that is `elo` points stronger than the other (Elo 1978)."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """Returns the Elo points with that expected score, which is above 0 and below 1; inverts `expected_score`."""
    return 400 * log(score / (1 - score), 10)
