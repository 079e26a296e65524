"""Student's t, confidence sequences, and the interval of a share of points."""

from collections.abc import Sequence
from functools import lru_cache
from math import atan, cos, exp, fsum, inf, log, pi, sin, sqrt

import msgspec

MIXTURE = 0.05
"""The mixture's variance, in variances of a single deal; the bounds are narrowest after 50 to 1000 deals."""

MOST_FREEDOM = 1000
"""More degrees of freedom change no displayed digit, and take longer."""


def cdf(t: float, freedom: int) -> float:
    """The probability that Student's t with at least one degree of freedom is below `t`.

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
    """The 97.5 % quantile, where a 95 % interval ends; infinite without a degree of freedom.

    It is rounded, so no C library changes a digit of any result.
    """
    if freedom < 1:
        return inf
    low, high = 1.9, 13.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if cdf(middle, freedom) < 0.975 else (low, middle)
    return round(low, 6)


def standard_errors(deals: int, freedom: int, risk: float) -> float:
    """The half-width of a confidence sequence in standard errors; infinite if there are too few deals.

    It contains the true mean at all times simultaneously with the probability 1 - `risk`: the sequence for Student's t
    with a normal mixture over the size of the effect (Wang and Ramdas 2025, Anytime-valid t-tests and confidence
    sequences for Gaussian means with unknown variance; Robbins 1970, Statistical methods related to the law of the
    iterated logarithm).
    """
    if freedom < 1:
        return inf
    growth = 1 + MIXTURE * deals
    ratio = (sqrt(growth) / risk) ** (2 / (freedom + 1))
    return round(sqrt(freedom * (ratio - 1) / (1 - ratio / growth)), 6) if ratio < growth else inf


def risk(deals: int, freedom: int, estimate: float, error: float) -> float:
    """The risk at which a confidence sequence just reaches 0; inverts `standard_errors`. It can be above 1."""
    if freedom < 1 or not estimate:
        return 1.0
    if not error:
        return 0.0
    growth, square = 1 + MIXTURE * deals, (estimate / error) ** 2
    ratio = (freedom + square) / (freedom + square / growth)
    return float(sqrt(growth) / ratio ** ((freedom + 1) / 2))


def freedom_of_sum(parts: Sequence[Sequence[float]], freedoms: Sequence[int]) -> int:
    """The degrees of freedom of the error of a sum of terms, whose errors are sums over the same observations.

    The formula is from Satterthwaite 1946, Biometrics Bulletin 2, 110-114, limited to between the smallest of the
    terms' and the number of observations less one.
    """
    squares = [fsum([error * error for error in part]) for part in parts]
    if not any(squares):
        return min(freedoms)
    whole = fsum(squares) ** 2 / fsum([square**2 / one for square, one in zip(squares, freedoms, strict=True)])
    return max(min(freedoms), min(int(round(whole, 6)), len(parts[0]) - 1))


class GameShare(msgspec.Struct, frozen=True):
    """Points won and possible in one game, deal by deal; over several games, the shares are averaged."""

    weight: float
    """The game's weight in the average; the weights of all games sum to 1."""
    won: Sequence[float]
    """The points won on each batch of deals; games with common deals have them at the same index."""
    played: Sequence[float]
    """The points possible on each batch: 0 if the game was not played on it."""
    block: float
    """The mean number of points possible in a block."""

    @property
    def share(self) -> float:
        """The share won, from 0 to 1."""
        return fsum(self.won) / fsum(self.played)

    @property
    def freedom(self) -> int:
        """The degrees of freedom: the game's batches of deals, less one."""
        return sum([played > 0 for played in self.played]) - 1

    def with_upsets(self) -> float:
        """The share, or the share with half a block of wins for the weaker side if it has won less."""
        won, lost = fsum(self.won), fsum(self.played) - fsum(self.won)
        if min(won, lost) >= self.block / 2:
            return self.share
        return won / (won + self.block / 2) if won > lost else self.block / 2 / (lost + self.block / 2)

    def unseen_error(self) -> float:
        """The standard error from half a block each way, as in `tourney.standings.rating_errors.Separation`."""
        return self.block / 2 / (fsum(self.played) + self.block / 2)


def ratio_errors(won: Sequence[float], played: Sequence[float], freedom: int) -> list[float]:
    """Each deal batch's part in the error of a ratio of sums; their squares sum to its variance.

    The formula is from Cochran 1977, Sampling techniques, 6.3.
    """
    whole, scale = fsum(played), sqrt(1 + 1 / freedom)
    ratio = fsum(won) / whole
    return [scale * (one - ratio * other) / whole for one, other in zip(won, played, strict=True)]


def ratio_error(won: Sequence[float], played: Sequence[float]) -> float:
    """The standard error of a ratio of sums over two or more deals."""
    return sqrt(fsum([error * error for error in ratio_errors(won, played, len(won) - 1)]))


def share_interval(games: Sequence[GameShare], same_bots: bool = False) -> tuple[float, float] | None:
    """The 95 % interval of the mean share of some games, from 0 to 1; None if a game was played on one deal.

    It is a Student's t interval with deals as observations, symmetric on the log odds scale, so it stays within 0 and
    1. An even share of the same bots under several names has zero width if every deal was even.
    """
    if min([game.freedom for game in games]) < 1:
        return None
    errors = [ratio_errors(game.won, game.played, game.freedom) for game in games]
    parts = [[game.weight * error for error in its] for game, its in zip(games, errors, strict=True)]
    variance = fsum([fsum(column) ** 2 for column in zip(*parts, strict=True)])
    error = sqrt(variance + fsum([(game.weight * game.unseen_error()) ** 2 for game in games]))
    share = fsum([game.weight * game.share for game in games])
    if same_bots and share == 0.5 and not variance:
        return share, share
    middle = fsum([game.weight * game.with_upsets() for game in games])
    freedom = freedom_of_sum(parts, [game.freedom for game in games])
    half = quantile_975(freedom) * error / (middle * (1 - middle))
    odds = log(middle / (1 - middle))
    low, high = [1 / (1 + exp(-max(min(end, 500.0), -500.0))) for end in (odds - half, odds + half)]
    return min(low, share), max(high, share)
