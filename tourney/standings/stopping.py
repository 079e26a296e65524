"""The mean of a test that has stopped early: adjusted for its bias, with a valid interval (docs/statistics.md).

The sum of its deals is modelled as a Brownian motion with a drift, between two barriers and up to the last possible
deal. Its possible ends, with their probabilities without a drift, are listed once; a drift weighs them differently.
"""

from collections.abc import Callable
from math import exp, fsum, log, pi, sqrt
from typing import NamedTuple

TIMES = 120
"""The number of times at which an end at a barrier is evaluated."""
PLACES = 60
"""The number of places at which an end at the last deal is evaluated."""
REFLECTIONS = range(-9, 10)
"""A path's reflections at both barriers; until `LONGEST`, further reflections do not count."""
LONGEST = 6.0
"""Hardly a walk lasts longer than this many times the squared distance of the barriers over the variance."""
OVERSHOOT = 0.5826
"""How many standard deviations of a deal a sum overshoots a barrier by, on average (Siegmund 1985)."""
RISK = 0.025
"""The probability of a mean beyond either end of the interval."""


class _End(NamedTuple):
    place: float
    deals: float
    log_weight: float  # of its probability without a drift


def adjusted(
    mean: float, deals: int, variance: float, barriers: tuple[float, float], reached: int, most: int
) -> tuple[float, float, float]:
    """The drift that explains a stopped walk's mean, and the ends of its 95 % interval.

    With this drift, a walk has this mean in expectation (Whitehead 1986, On the bias of maximum likelihood estimation
    following a sequential test, Biometrika 73). The interval has the drifts with which an end as high, or as low, is
    not too rare, in the order of Tsiatis, Rosner and Mehta 1984 (Exact confidence intervals following a group
    sequential test, Biometrics 40): the upper barrier, the earlier the higher; the last deal; the lower barrier.

    Args:
        mean: The observed mean of a deal.
        deals: The number of deals until the stop.
        variance: The variance of a deal, above 0.
        barriers: The sums that stop the walk, below and above 0.
        reached: -1 or 1 if it stopped at the lower or upper barrier, which is then assumed at the walk's sum; or 0.
        most: The number of deals after which it stops in any case.
    """
    total, beyond = mean * deals, OVERSHOOT * sqrt(variance)
    low = min(total, -beyond) if reached < 0 else min(total, barriers[0]) - beyond
    high = max(total, beyond) if reached > 0 else max(total, barriers[1]) + beyond
    ends = [*_hits(low, high, variance, most), *_places(low, high, variance, most)]
    ends += reversed(_hits(high, low, variance, most))

    def chances(drift: float) -> list[float]:
        logs = [weight + drift * (place - drift * time / 2) / variance for place, time, weight in ends]
        largest = max(logs)
        weights = [exp(each - largest) for each in logs]
        whole = fsum(weights)
        return [weight / whole for weight in weights]

    def expected(drift: float) -> float:
        return fsum([chance * end.place / end.deals for chance, end in zip(chances(drift), ends, strict=True)])

    def as_high(drift: float) -> float:
        if reached < 0:
            counted = [end.place > low or end.deals >= deals for end in ends]
        elif reached > 0:
            counted = [end.place == high and end.deals <= deals for end in ends]
        else:
            counted = [end.place >= total for end in ends]
        return fsum([chance for chance, counts in zip(chances(drift), counted, strict=True) if counts])

    return _solve(expected, mean), _solve(as_high, RISK), _solve(as_high, 1 - RISK)


def _hits(barrier: float, other: float, variance: float, most: int) -> list[_End]:
    """The ends at a barrier, the earliest first: a driftless motion, reflected at both barriers (Feller 1971, X.5)."""
    near, width = abs(barrier), abs(barrier - other)
    last = _last(width, variance, most)
    first = min(near, abs(other), last) / 2  # a deal is at most 2 from the middle between two strengths
    step = log(last / first) / (TIMES - 1)
    ends = []
    for number in range(TIMES):
        time = first * exp(step * number)
        spread = 2 * variance * time
        paths = [near + 2 * width * times for times in REFLECTIONS]
        density = fsum([path * exp((near * near - path * path) / spread) for path in paths])
        if density > 0:
            share = step * (0.5 if number in (0, TIMES - 1) else 1.0)
            log_weight = log(density * share / sqrt(pi * spread)) - near * near / spread
            ends.append(_End(barrier, time, log_weight))
    return ends


def _places(low: float, high: float, variance: float, most: int) -> list[_End]:
    """The ends at the last deal, the lowest first; none if hardly a walk lasts that long."""
    width, spread = high - low, 2 * variance * most
    if _last(width, variance, most) < most:
        return []
    ends = []
    for number in range(PLACES):
        place = low + width * (number + 0.5) / PLACES
        density = fsum(
            [
                exp(-((place - 2 * width * times) ** 2) / spread)
                - exp(-((2 * high - place - 2 * width * times) ** 2) / spread)
                for times in REFLECTIONS
            ]
        )
        if density > 0:
            ends.append(_End(place, most, log(density * width / PLACES / sqrt(pi * spread))))
    return ends


def _last(width: float, variance: float, most: int) -> float:
    return min(most, LONGEST * width * width / variance)


def _solve(function: Callable[[float], float], value: float) -> float:
    """The drift at which an increasing function has the value, rounded to be the same with every C library."""
    low, high = -2.0, 2.0
    for _ in range(32):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < value else (low, middle)
    return round(low, 7)
