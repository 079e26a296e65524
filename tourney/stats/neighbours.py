"""Neighbours in the order of the ratings: whether their order is known, however often one has looked.

Whoever looks again and again, and stops when a difference is significant, finds one in the end where there is none. So
the bounds are those of a confidence sequence, which holds the true difference at all times together with the given
probability. It is the one for Student's t with a normal mixture over the size of the effect: Wang and Ramdas 2025,
Anytime-valid t-tests and confidence sequences for Gaussian means with unknown variance; the mixture goes back to
Robbins 1970, Statistical methods related to the law of the iterated logarithm. docs/formats.md has measured errors.
"""

from collections.abc import Mapping
from itertools import pairwise
from math import inf, sqrt
from typing import Literal, NamedTuple, TypeAlias

from tourney.stats.ratings import Ratings

Verdict: TypeAlias = Literal["sure", "equal"]
"""The order of two neighbours is known, or their difference is known to be small."""

MIN_DEALS = 20
"""Nothing is decided from fewer deals, because Student's t is for means that are nearly normal."""
MIXTURE = 0.05
"""The variance of the mixture, in variances of a single deal; the bounds are narrowest after 50 to 1000 deals."""
DIGITS = 6
"""Decisions rest on numbers rounded to this many digits after the point, which are the same on every machine."""


def standard_errors(deals: int, freedom: int, risk: float) -> float:
    """Returns the half-width of the confidence sequence in standard errors; infinite where deals are too few.

    Args:
        deals: The number of independent observations.
        freedom: The degrees of freedom of the standard error.
        risk: The probability, at most, that the true mean is ever outside.
    """
    if freedom < 1:
        return inf
    growth = 1 + MIXTURE * deals
    ratio = (sqrt(growth) / risk) ** (2 / (freedom + 1))
    return round(sqrt(freedom * (ratio - 1) / (1 - ratio / growth)), DIGITS) if ratio < growth else inf


class Neighbours(NamedTuple):
    """Two bots that follow each other in the order of the ratings."""

    upper: int
    """The number of the bot with the higher rating."""
    lower: int
    difference: float
    """The difference of the ratings in Elo points, at least 0."""
    known: float
    """The difference as far as the results bear it out, see `tourney.stats.ratings.Evidence`."""
    error: float
    """The standard error of the difference in Elo points; infinite where it is unknown."""
    deals: int
    """On how many deals both have played; of the two numbers, the smaller one."""
    freedom: int
    """The degrees of freedom of the standard error."""

    def verdict(self, sure: float, equal_elo: float) -> Verdict | None:
        """Returns what is known with the probability `sure`; None if they are undecided.

        They are called equal if all differences that are not ruled out are at most `equal_elo`, in Elo points.
        """
        width = inf if self.deals < MIN_DEALS else standard_errors(self.deals, self.freedom, round(1 - sure, DIGITS))
        if width == inf:
            return None
        half = round(abs(self.difference) - abs(self.known) + width * self.error, DIGITS)
        if self.difference > half:
            return "sure"
        return "equal" if round(self.difference + half, DIGITS) <= equal_elo else None


def neighbours(ratings: Ratings, deals: Mapping[int, int]) -> list[Neighbours]:
    """Returns all neighbours, the strongest first; equal ratings are in the order of the file.

    `deals` is the number of deals that each bot has played, by the bot's number.
    """
    rounded = {bot: round(ratings.of(bot).rating, DIGITS) for bot in ratings.bots}
    order = sorted(ratings.bots, key=lambda bot: (-rounded[bot], bot))
    found = []
    for upper, lower in pairwise(order):
        known, error, freedom = ratings.standard_error(upper, lower)
        difference = round(rounded[upper] - rounded[lower], DIGITS)
        least = min(deals[upper], deals[lower])
        found.append(Neighbours(upper, lower, difference, round(known, DIGITS), round(error, DIGITS), least, freedom))
    return found
