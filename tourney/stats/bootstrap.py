"""The uncertainty of fitted strengths, from whole blocks, or batches of them, that are resampled.

A resample is not fitted anew. It moves the strengths by the inverse of the information matrix times the sum of the
gradients of its blocks, both at the fitted strengths (the score bootstrap: Hu and Zidek 1995, Biometrika 82, 263-275;
Kline and Santos 2012, Journal of Econometric Methods 1, 23-41). The centre of the prior is drawn anew in each resample
as well, so that what only the prior determines, such as the distance of two groups that never met, is as uncertain as
the prior says (Lu and Van Roy 2017, Ensemble sampling).

The sum of many gradients is all but normal, with known covariances. Where every bot plays in many batches, the sum is
drawn from that normal distribution rather than batch by batch: like the multipliers of other distributions in both
papers, but summed beforehand.

Blocks are taken to be independent of each other. Those of different groups on one deal are not, so with more than two
seats the results are too certain (docs/ratings.md has figures).

Strengths are natural logarithms. The draws are made by hand from `Random.random`, whose sequence Python keeps across
versions; it does not promise that for `gauss` or `choices`.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, exp, fsum, inf, log, pi, sqrt
from operator import itemgetter, mul
from random import Random
from statistics import NormalDist
from typing import TypeAlias

from tourney.stats.plackett_luce import Matrix, Order, cholesky, gradient, matvec

BotGradients: TypeAlias = tuple[tuple[int, ...], tuple[float, ...]]
"""The numbers of the batches in which a bot plays, and the derivative of each batch by the bot's strength."""

Z_975 = round(NormalDist().inv_cdf(0.975), 6)
"""The 97.5 % quantile of the normal distribution, rounded so that no C library changes a digit of the standings."""
NORMAL_FROM = 256
"""Where every bot plays in more batches than this, the sum of resampled gradients is drawn as a normal one."""


def student_factor(freedom: int) -> float:
    """Returns the 97.5 % quantile of Student's t, divided by that of the normal distribution.

    `freedom` is the degrees of freedom; the factor is infinite for none. The standard library has no Student's t, so
    this is the expansion of Abramowitz and Stegun 1964, 26.7.5, which is good to 2 % from two degrees of freedom on.
    """
    if freedom < 1:
        return inf
    z2 = Z_975 * Z_975
    terms = (
        (z2 + 1) / 4,
        (5 * z2**2 + 16 * z2 + 3) / 96,
        (3 * z2**3 + 19 * z2**2 + 17 * z2 - 15) / 384,
    )
    return 1 + fsum([term / freedom ** (i + 1) for i, term in enumerate(terms)])


def resampled_shifts(
    batches: Sequence[Mapping[Order, int]],
    strengths: list[float],
    inverse: Matrix,
    sd: float,
    rng: Random,
    resamples: int,
) -> Matrix:
    """Returns by how much each bot's strength moves in each of the resamples: a row a bot, a column a resample.

    `batches` has the finishing orders of each batch, with at least two batches; `inverse` is the inverse of the
    information matrix, and `sd` the standard deviation of the prior.
    """
    by_bot = _bot_gradients(batches, strengths)
    many = min([len(numbers) for numbers, _ in by_bot]) > NORMAL_FROM
    sums = (_normal_sums if many else _drawn_sums)(by_bot, len(batches), sd, rng)
    found: Matrix = [[] for _ in strengths]
    for _ in range(resamples):
        for shifts, shift in zip(found, matvec(inverse, next(sums)), strict=True):
            shifts.append(shift)
    return found


def _drawn_sums(by_bot: Sequence[BotGradients], count: int, sd: float, rng: Random) -> Iterator[list[float]]:
    """Yields the gradient of one resample after another; for each, `count` batches are drawn with replacement."""
    chosen = [(itemgetter(*numbers), gradients) for numbers, gradients in by_bot]
    while True:
        drawn = [-1] * count  # how often each batch was drawn, less the once that the fit has counted it
        for _ in range(count):
            drawn[int(rng.random() * count)] += 1
        yield [fsum(map(mul, gradients, of(drawn))) + _normal(rng) / sd for of, gradients in chosen]


def _normal_sums(by_bot: Sequence[BotGradients], count: int, sd: float, rng: Random) -> Iterator[list[float]]:
    """Yields gradients from the normal distribution with the covariances that resampled ones have.

    Unlike that of `_drawn_sums`, its time does not grow with batches times resamples.
    """
    rows = []
    for numbers, gradients in by_bot:
        row, mean = [0.0] * count, fsum(gradients) / count
        for number, each in zip(numbers, gradients, strict=True):
            row[number] += each
        rows.append([each - mean for each in row])
    covariances = [[fsum(map(mul, row, other)) for other in rows[: i + 1]] for i, row in enumerate(rows)]
    for i, row in enumerate(covariances):
        row[i] += 1 / sd**2
    lower = cholesky(covariances)
    while True:
        yield matvec(lower, [_normal(rng) for _ in by_bot])


def _bot_gradients(batches: Sequence[Mapping[Order, int]], strengths: list[float]) -> list[BotGradients]:
    """Returns for each bot the gradients of its batches, widened for the degrees of freedom that the fit uses up.

    A fit follows its data, so gradients are a little smaller at the fitted strengths than at the true ones. A batch
    with m bots has m - 1 degrees of freedom, and the fit uses up n - 1 of all those. That share is put back, as the
    corrections for leverage in regressions do (MacKinnon and White 1985, Journal of Econometrics 29, 305-325).
    """
    powers = [exp(t) for t in strengths]
    played = [bots_of(batch) for batch in batches]
    freedom = sum([len(bots) - 1 for bots in played])
    used = min((len(strengths) - 1) / max(freedom, 1), 0.9)
    widen = 1 / sqrt(1 - used)
    # each begins with a batch that does not count, since an itemgetter of a single one would give no tuple
    found: list[list[tuple[int, float]]] = [[(0, 0.0)] for _ in strengths]
    for number, (batch, bots) in enumerate(zip(batches, played, strict=True)):
        gradients = gradient(batch, powers)
        for bot in bots:
            found[bot].append((number, widen * gradients[bot]))
    return [(tuple([number for number, _ in own]), tuple([each for _, each in own])) for own in found]


def bots_of(batch: Mapping[Order, int]) -> list[int]:
    """Returns the numbers of the bots that play in a batch, sorted."""
    return sorted({bot for order in batch for group in order for bot in group})


def _normal(rng: Random) -> float:
    """Draws from the standard normal distribution (Box and Muller 1958)."""
    return sqrt(-2 * log(1 - rng.random())) * cos(2 * pi * rng.random())


def central_95(values: Sequence[float]) -> tuple[float, float]:
    """Returns the ends of the 95 % interval of resampled values, by the percentile method (Efron 1979)."""
    ordered = sorted(values)
    tail = len(ordered) // 40
    return ordered[tail], ordered[-1 - tail]
