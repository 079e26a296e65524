"""How far fitted strengths may be from the true ones: whole blocks, or batches of them, drawn again and again.

A resample is not fitted anew. It moves the strengths by the inverse of the information matrix times the sum of the
gradients of its blocks, both at the fitted strengths (the score bootstrap: Hu and Zidek 1995, Biometrika 82, 263-275;
Kline and Santos 2012, Journal of Econometric Methods 1, 23-41). The centre of the prior is drawn anew in each resample
as well, so that what only the prior holds, such as the distance of two groups that never met, is as uncertain as the
prior says (Lu and Van Roy 2017, Ensemble sampling).

The sum of many gradients is all but normal, with covariances that are known. Where every bot plays in many batches, it
is drawn as such, and not batch by batch: multipliers of another distribution, as in both papers, summed beforehand.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import cos, exp, fsum, inf, log, pi, sqrt
from operator import itemgetter, mul
from random import Random
from typing import TypeAlias

from tourney.stats.plackett_luce import Matrix, Order, cholesky, gradient, matvec

BatchGradients: TypeAlias = tuple[tuple[int, ...], tuple[float, ...]]
"""The numbers of the batches that pull a bot, and by how much each does."""

Z_975 = 1.959964
"""The 97.5 % point of the normal distribution."""
NORMAL_FROM = 256
"""Where every bot plays in so many batches, the sum of what is drawn of them is as good as normal."""


def student_factor(freedom: int) -> float:
    """By how much the interval of few observations is wider than 1.96 standard errors: Student's t over the normal.

    The expansion of Abramowitz and Stegun 1964, 26.7.5, good to 2 % from two degrees of freedom on; infinite for none.
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
    """By how much each bot's strength moves, a row a bot, in each of the resamples.

    `inverse` is that of the information, `sd` that of the prior. There must be two batches.
    """
    pulls = _batch_gradients(batches, strengths)
    way = _normal_gradients if min([len(numbers) for numbers, _ in pulls]) > NORMAL_FROM else _drawn_gradients
    pulled = way(pulls, len(batches), sd, rng)
    found: Matrix = [[] for _ in strengths]
    for _ in range(resamples):
        for moves, move in zip(found, matvec(inverse, next(pulled)), strict=True):
            moves.append(move)
    return found


def _drawn_gradients(pulls: Sequence[BatchGradients], count: int, sd: float, rng: Random) -> Iterator[list[float]]:
    """What pulls each bot in one resample after the other; so many batches are drawn for each."""
    chosen = [(itemgetter(*numbers), gradients) for numbers, gradients in pulls]
    while True:
        drawn = [-1] * count  # how often more than once
        for _ in range(count):
            drawn[int(rng.random() * count)] += 1
        yield [fsum(map(mul, gradients, of(drawn))) + _normal(rng) / sd for of, gradients in chosen]


def _normal_gradients(pulls: Sequence[BatchGradients], count: int, sd: float, rng: Random) -> Iterator[list[float]]:
    """The same from the normal distribution with the same covariances, which sums of many draws come to.

    Its time does not grow with batches times resamples.
    """
    rows = []
    for numbers, gradients in pulls:
        row, mean = [0.0] * count, fsum(gradients) / count
        for number, each in zip(numbers, gradients, strict=True):
            row[number] += each
        rows.append([each - mean for each in row])
    covariances = [[fsum(map(mul, row, other)) for other in rows[: i + 1]] for i, row in enumerate(rows)]
    for i, row in enumerate(covariances):
        row[i] += 1 / sd**2
    lower = cholesky(covariances)
    while True:
        yield matvec(lower, [_normal(rng) for _ in pulls])


def _batch_gradients(batches: Sequence[Mapping[Order, int]], strengths: list[float]) -> list[BatchGradients]:
    """For each bot the numbers of the batches that it plays in, and their gradients, widened for the fit's own share.

    A fit follows its data, so gradients are a little smaller at the fitted strengths than at the true ones. A batch
    with m bots has m - 1 degrees of freedom, and the fit uses up n - 1 of all those. That share is put back, as the
    corrections for leverage in regressions do (MacKinnon and White 1985, Journal of Econometrics 29, 305-325).
    """
    powers = [exp(t) for t in strengths]
    played = [bots_of(batch) for batch in batches]
    told = sum([len(bots) - 1 for bots in played])
    used = min((len(strengths) - 1) / max(told, 1), 0.9)
    widen = 1 / sqrt(1 - used)
    # each begins with a batch that does not count, since an itemgetter of a single one would give no tuple
    found: list[list[tuple[int, float]]] = [[(0, 0.0)] for _ in strengths]
    for number, (batch, bots) in enumerate(zip(batches, played, strict=True)):
        gradients = gradient(batch, powers)
        for bot in bots:
            found[bot].append((number, widen * gradients[bot]))
    return [(tuple([number for number, _ in pull]), tuple([each for _, each in pull])) for pull in found]


def bots_of(batch: Mapping[Order, int]) -> list[int]:
    """The bots that play in a batch, sorted."""
    return sorted({bot for order in batch for group in order for bot in group})


def _normal(rng: Random) -> float:
    """A draw from the normal distribution (Box and Muller 1958)."""
    return sqrt(-2 * log(1 - rng.random())) * cos(2 * pi * rng.random())


def central_95(moves: Sequence[float]) -> tuple[float, float]:
    """The 2.5 % and the 97.5 % point of some numbers."""
    ordered = sorted(moves)
    tail = len(ordered) // 40
    return ordered[tail], ordered[-1 - tail]
