"""A sequential test between two strengths: units are added until one of the two is unlikely enough.

A unit is scored from 0 to 1, and 1/2 is a draw between equals. The test is Wald's sequential probability ratio test,
generalised to the mean of scores whose distribution is unknown: the log-likelihood ratio is that of the likeliest
distribution with the one mean to the likeliest with the other (the empirical likelihood of Owen 1988; docs/gate.md has
the sources). What a few units have not shown could still happen, so that half a unit lost wholly and half a unit won
wholly are added to those that were played; units that are all alike decide nothing before a rare disaster would have
shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, log, sqrt

from tourney.stats.student import quantile_975

UNPLAYED = 0.5
"""How many units that were lost wholly, and as many that were won wholly, are added to those that were played."""
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
    """The scores of units, each from 0 to 1."""

    def __init__(self) -> None:
        """Starts without a unit."""
        self.count = 0
        self._units: dict[float, int] = {}  # how many had each score

    def add(self, score: float) -> None:
        """Adds the score of a unit."""
        score = round(score, 9)  # scores that differ by an error of rounding are one
        self.count += 1
        self._units[score] = self._units.get(score, 0) + 1

    @property
    def mean(self) -> float:
        """The mean score; 1/2 before the first unit."""
        return fsum([score * number for score, number in self._units.items()]) / self.count if self.count else 0.5

    def llr(self, score0: float, score1: float) -> float:
        """Returns the logarithm of how much likelier the units are with the mean `score1` than with `score0`.

        It is rounded so that no C library changes a verdict. Before the first unit it is 0.
        """
        if not self.count:
            return 0.0
        units = [(0.0, UNPLAYED), (1.0, UNPLAYED), *self._units.items()]
        return round(_log_likelihood(units, score1) - _log_likelihood(units, score0), 6)

    def interval(self) -> tuple[float, float] | None:
        """Returns the 95 % interval of the mean by Student's t, cut off at 0 and 1; None for fewer than two units.

        The spread is that of the units and half a unit more that came out the other way round, so that the interval of
        units that were all lost has a width, and that of units that were all even has none.
        """
        if self.count < 2:
            return None
        mean, freedom = self.mean, self.count - 1
        squares = [number * (score - mean) ** 2 for score, number in self._units.items()]
        variance = fsum([*squares, 0.5 * (1 - 2 * mean) ** 2]) / freedom
        half = quantile_975(freedom) * sqrt(variance / self.count)
        return max(0.0, mean - half), min(1.0, mean + half)


def _log_likelihood(units: Sequence[tuple[float, float]], mean: float) -> float:
    """Returns the greatest log-likelihood of the units under distributions with the mean, but for a common constant.

    The likeliest distribution gives a score x that n units had a probability in proportion to n / (1 + t (x - mean)),
    where t is such that the distribution has the mean (Owen 1988). There must be units with the scores 0 and 1.
    """
    parts = [(score - mean, number) for score, number in units]
    most = 1 - UNPLAYED / fsum([number for _, number in parts])  # no probability is above 1
    low, high = -most / (1 - mean), most / mean
    tilt = 0.0
    for _ in range(100):
        pulls = [(part / (1 + tilt * part), number) for part, number in parts]
        slope = fsum([number * pull for pull, number in pulls])
        low, high = (tilt, high) if slope > 0 else (low, tilt)
        step = slope / fsum([number * pull * pull for pull, number in pulls])  # Newton's
        if slope * step < 1e-9:  # what is left to gain is half as much
            break
        tilt = tilt + step if low < tilt + step < high else (low + high) / 2
    return -fsum([number * log(1 + tilt * part) for part, number in parts])


def expected_score(elo: float) -> float:
    """Returns the expected score, from 0 to 1, of a bot that is `elo` points stronger than the other (Elo 1978)."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """Returns the Elo points with that expected score, which is above 0 and below 1; inverts `expected_score`."""
    return 400 * log(score / (1 - score), 10)
