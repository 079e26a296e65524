"""The Plackett-Luce model of finishing orders, and its fit.

Bot i has the strength exp(t[i]). In a match, each bot takes the first place with a probability in proportion to its
strength, then each of the others the second place in the same way, and so on (Plackett 1975, The analysis of
permutations; Luce 1959, Individual choice behavior). With two seats this is the model of Bradley and Terry (1952).

Where bots share a place, every order of them counts alike, in equal shares that sum to one match. With two seats that
is Elo's half a win for each. The log-likelihood then stays a weighted sum of choices, each of one bot from a set.

The linear algebra is done by hand, because fields are small, and sums by `fsum` give the same last digit on every
machine, which the matrix libraries do not promise.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, exp, fsum, log, sqrt
from operator import mul
from typing import NamedTuple, TypeAlias

Order: TypeAlias = tuple[tuple[int, ...], ...]
"""A finishing order: the bots of each place, sorted, the best place first."""
Matrix: TypeAlias = list[list[float]]
"""A matrix by rows; a triangular one has only the part of each row up to the diagonal."""

TOLERANCE = 1e-8
"""The fit ends when no strength (natural logarithm) moves by more than this."""
MAX_STEPS = 50
"""The most Newton steps of a fit; five to ten are usual."""


class Choices(NamedTuple):
    """A log-likelihood: the sum of weight * t[bot], less the sum of weight * log(sum of exp(t[bot]) over the set)."""

    chosen: tuple[tuple[int, float], ...]
    """(bot, weight): how often each bot was chosen."""
    sets: tuple[tuple[tuple[int, ...], float], ...]
    """(bots, weight): how often each set of bots was chosen from; its bots are sorted."""


class Derivatives(NamedTuple):
    """The value and the first two derivatives of a log-likelihood, prior included, at some strengths."""

    value: float
    gradient: list[float]
    information: Matrix
    """The negative second derivatives: the observed information matrix, which is positive definite."""


@lru_cache(maxsize=1 << 16)
def choices(order: Order) -> Choices:
    """Returns the log-likelihood of one match.

    >>> choices(((0,), (1,)))
    Choices(chosen=((0, 1.0),), sets=(((0, 1), 1.0),))
    >>> choices(((0, 1),))
    Choices(chosen=((0, 0.5), (1, 0.5)), sets=(((0, 1), 1.0),))
    """
    chosen: list[tuple[int, float]] = []
    sets: list[tuple[tuple[int, ...], float]] = []
    left = tuple(sorted([bot for group in order for bot in group]))
    for group in order:
        behind = tuple([bot for bot in left if bot not in group])
        # whoever comes last alone is not chosen from anyone
        weight = 1.0 if behind else 1 - 1 / len(group)
        if weight:
            chosen += [(bot, weight) for bot in group]
        for size in range(len(group), 0, -1):
            weight = 1 / comb(len(group), size)
            if size + len(behind) > 1:
                sets += [(tuple(sorted(some + behind)), weight) for some in combinations(group, size)]
        left = behind
    return Choices(tuple(chosen), tuple(sets))


def combined(batches: Iterable[Mapping[Order, int]]) -> Choices:
    """Returns the log-likelihood of many matches; each batch has the number of matches of each finishing order."""
    chosen: dict[int, float] = {}
    sets: dict[tuple[int, ...], float] = {}
    for batch in batches:
        for order, count in batch.items():
            one = choices(order)
            for bot, weight in one.chosen:
                chosen[bot] = chosen.get(bot, 0.0) + count * weight
            for members, weight in one.sets:
                sets[members] = sets.get(members, 0.0) + count * weight
    return Choices(tuple(sorted(chosen.items())), tuple(sorted(sets.items())))


def fit(matches: Choices, bots: int, sd: float) -> tuple[list[float], Matrix]:
    """Returns the most likely strengths t, and the inverse of the information matrix there; both with the prior.

    `bots` is the number of bots, numbered from 0. The prior is a normal distribution of every t around 0 with the
    standard deviation `sd`. It makes the maximum finite and unique whatever was played, and the mean of the strengths
    0. The method is Newton's with backtracking (Boyd and Vandenberghe 2004, Convex optimization, 9.5).
    """
    strengths = [0.0] * bots
    at = _derivatives(matches, strengths, sd)
    for _ in range(MAX_STEPS):
        step = _solve(cholesky(at.information), at.gradient)
        while True:
            moved = [t + by for t, by in zip(strengths, step, strict=True)]
            new = _derivatives(matches, moved, sd)
            # where only rounding is left to gain, the value may fall by that much
            if new.value >= at.value - 1e-12 * abs(at.value):
                break
            step = [by / 2 for by in step]
        strengths, at = moved, new
        if max(map(abs, step), default=0) < TOLERANCE:
            break
    return strengths, _inverse(cholesky(at.information))


def _derivatives(matches: Choices, strengths: list[float], sd: float) -> Derivatives:
    """Returns the log-likelihood, with the prior, and its derivatives at the strengths."""
    bots = range(len(strengths))
    powers = [exp(t) for t in strengths]
    single = [0.0 for _ in bots]
    double = [[0.0 for _ in bots] for _ in bots]
    logs = []
    for members, weight in matches.sets:
        among = 0.0
        for i in members:
            among += powers[i]
        logs.append(weight * log(among))
        share = weight / among
        square = share / among
        for i in members:
            single[i] += share
            row = double[i]
            for j in members:
                row[j] += square
    gradient = [-t / sd**2 - powers[i] * single[i] for i, t in enumerate(strengths)]
    value = -fsum(logs) - fsum([t * t for t in strengths]) / (2 * sd**2)
    for i, weight in matches.chosen:
        gradient[i] += weight
        value += weight * strengths[i]
    information = [[-powers[i] * powers[j] * double[i][j] for j in bots] for i in bots]
    for i in bots:
        information[i][i] += powers[i] * single[i] + 1 / sd**2
    return Derivatives(value, gradient, information)


def gradient(orders: Mapping[Order, int], powers: list[float]) -> list[float]:
    """Returns the gradient of the log-likelihood of some matches, without the prior; `powers` are the exp(t)."""
    found = [0.0] * len(powers)
    for order, count in orders.items():
        one = choices(order)
        for i, weight in one.chosen:
            found[i] += count * weight
        for members, weight in one.sets:
            among = 0.0
            for i in members:
                among += powers[i]
            share = count * weight / among
            for i in members:
                found[i] -= share * powers[i]
    return found


def matvec(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    """Returns the product of a matrix, which may be lower triangular, and a vector."""
    return [fsum(map(mul, row, vector)) for row in matrix]


def cholesky(matrix: Matrix) -> Matrix:
    """Returns the lower triangular Cholesky factor of a symmetric, positive definite matrix."""
    lower: Matrix = []
    for i, row in enumerate(matrix):
        new: list[float] = []
        for j, other in enumerate(lower):
            new.append((row[j] - fsum(map(mul, new, other))) / other[j])
        new.append(sqrt(row[i] - fsum(map(mul, new, new))))
        lower.append(new)
    return lower


def _solve(lower: Matrix, vector: Sequence[float]) -> list[float]:
    """Returns the x with matrix * x = vector; `lower` is the Cholesky factor of the matrix."""
    half: list[float] = []
    for row, value in zip(lower, vector, strict=True):
        half.append((value - fsum(map(mul, row, half))) / row[-1])
    found = [0.0] * len(half)
    for i in reversed(range(len(half))):
        found[i] = (half[i] - fsum([lower[k][i] * found[k] for k in range(i + 1, len(half))])) / lower[i][i]
    return found


def _inverse(lower: Matrix) -> Matrix:
    """Returns the inverse of a matrix; `lower` is its Cholesky factor."""
    size = range(len(lower))
    columns = []  # of the factor's inverse, from the diagonal down
    for k in size:
        column = [1 / lower[k][k]]
        for i in range(k + 1, len(lower)):
            column.append(-fsum(map(mul, lower[i][k:], column)) / lower[i][i])
        columns.append(column)
    found = [[0.0 for _ in size] for _ in size]
    for i in size:
        for j in range(i + 1):
            found[i][j] = found[j][i] = fsum(map(mul, columns[i], columns[j][i - j :]))
    return found
