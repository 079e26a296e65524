"""Student's t distribution, which the standard library does not have, for whole degrees of freedom."""

from collections.abc import Sequence
from functools import lru_cache
from math import atan, cos, fsum, inf, pi, sin, sqrt
from statistics import NormalDist

Z_975 = round(NormalDist().inv_cdf(0.975), 6)
"""The 97.5 % quantile of the normal distribution, rounded so that no C library changes a digit of a result."""


def cdf(t: float, freedom: int) -> float:
    """Returns the probability that Student's t with that many degrees of freedom, at least 1, is below `t`.

    The formulas are 26.7.3 and 26.7.4 of Abramowitz and Stegun 1964, Handbook of mathematical functions.
    """
    angle = atan(t / sqrt(freedom))
    factor, terms = cos(angle) ** 2, []
    odd = freedom % 2
    term = cos(angle) if odd else 1.0
    for i in range(2 + odd, freedom + 1, 2):
        terms.append(term)
        term *= factor * (i - 1) / i
    central = sin(angle) * fsum(terms)
    if odd:
        central = (angle + central) * 2 / pi
    return (1 + central) / 2


@lru_cache(maxsize=4096)
def quantile_975(freedom: int) -> float:
    """Returns the 97.5 % quantile, at which a 95 % interval ends; infinite without a degree of freedom.

    It is rounded to 6 digits after the point, so that no C library changes a digit of what is computed from it.
    """
    if freedom < 1:
        return inf
    low, high = 1.9, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle, freedom) < 0.975 else (low, middle)
    return round(low, 6)


def freedom_of_sum(parts: Sequence[Sequence[float]], freedoms: Sequence[int]) -> int:
    """Returns the degrees of freedom of the error of a sum of terms.

    Args:
        parts: For each term, its error as a sum over observations; all terms may share the observations.
        freedoms: The degrees of freedom of each term's error, at least 1.

    The formula is that of Satterthwaite 1946, Biometrics Bulletin 2, 110-114, but never more than all observations
    give together, nor fewer than the term that has fewest.
    """
    squares = [fsum([error * error for error in part]) for part in parts]
    if not any(squares):
        return min(freedoms)
    whole = fsum(squares) ** 2 / fsum([square**2 / one for square, one in zip(squares, freedoms, strict=True)])
    return max(min(freedoms), min(int(round(whole, 6)), len(parts[0]) - 1))
