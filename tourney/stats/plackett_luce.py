"""The Plackett-Luce model of finishing orders, and its fit.

Bot i has the strength exp(t[i]). In a match the first place goes to each bot with a chance in proportion to its
strength, then the second among those that are left, and so on (Plackett 1975, The analysis of permutations; Luce 1959,
Individual choice behavior). With two seats this is the model of Bradley and Terry (1952).

Where bots share a place, every order of theirs counts alike, in equal shares that sum to one match. With two seats that
is Elo's half a win for each. The log-likelihood then stays a weighted sum of choices, each of one bot out of some.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, exp, fsum, log, sqrt
from operator import mul
from typing import NamedTuple, TypeAlias

Order: TypeAlias = tuple[tuple[int, ...], ...]
"""A finishing order: bots by place, the best first; those that share a place merged, sorted."""
Matrix: TypeAlias = list[list[float]]

TOLERANCE = 1e-8
"""The fit ends when no strength (natural logarithm) moves by more."""
MAX_STEPS = 50
"""It ends after so many steps at the latest; five to ten are usual."""


class Choices(NamedTuple):
    """A log-likelihood: the sum of gains[i] * t[i], less that of weight * log(sum of exp(t[i]) over the members)."""

    gains: tuple[tuple[int, float], ...]
    """(bot, weight): how often it was chosen."""
    sets: tuple[tuple[tuple[int, ...], float], ...]
    """(members, weight): which bots there were to choose from, sorted."""


class Derivatives(NamedTuple):
    """A log-likelihood at one point."""

    value: float
    gradient: list[float]
    information: Matrix
    """The negative second derivatives."""


@lru_cache(maxsize=1 << 16)
def choices(order: Order) -> Choices:
    """The log-likelihood of one match.

    >>> choices(((0,), (1,)))
    Choices(gains=((0, 1.0),), sets=(((0, 1), 1.0),))
    >>> choices(((0, 1),))
    Choices(gains=((0, 0.5), (1, 0.5)), sets=(((0, 1), 1.0),))
    """
    gains: list[tuple[int, float]] = []
    sets: list[tuple[tuple[int, ...], float]] = []
    left = tuple(sorted([bot for group in order for bot in group]))
    for group in order:
        behind = tuple([bot for bot in left if bot not in group])
        # who is the last of all was not chosen from anyone
        gain = 1.0 if behind else 1 - 1 / len(group)
        if gain:
            gains += [(bot, gain) for bot in group]
        for size in range(len(group), 0, -1):
            weight = 1 / comb(len(group), size)
            if size + len(behind) > 1:
                sets += [(tuple(sorted(some + behind)), weight) for some in combinations(group, size)]
        left = behind
    return Choices(tuple(gains), tuple(sets))


def combined(orders: Iterable[Mapping[Order, int]]) -> Choices:
    """The log-likelihood of many matches, given in parts as the number of matches of each order."""
    gains: dict[int, float] = {}
    sets: dict[tuple[int, ...], float] = {}
    for part in orders:
        for order, count in part.items():
            one = choices(order)
            for bot, weight in one.gains:
                gains[bot] = gains.get(bot, 0.0) + count * weight
            for members, weight in one.sets:
                sets[members] = sets.get(members, 0.0) + count * weight
    return Choices(tuple(sorted(gains.items())), tuple(sorted(sets.items())))


def fit(matches: Choices, bots: int, sd: float) -> tuple[list[float], Matrix]:
    """The most likely strengths t, and the inverse of the information there; both with the prior.

    The prior is a normal distribution of every t around 0, with the standard deviation `sd`. It makes the maximum
    finite and unique whatever was played, and the mean of the strengths 0. Newton's method with backtracking (Boyd and
    Vandenberghe 2004, Convex optimization, 9.5).
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
    for i, weight in matches.gains:
        gradient[i] += weight
        value += weight * strengths[i]
    information = [[-powers[i] * powers[j] * double[i][j] for j in bots] for i in bots]
    for i in bots:
        information[i][i] += powers[i] * single[i] + 1 / sd**2
    return Derivatives(value, gradient, information)


def gradient(orders: Mapping[Order, int], powers: list[float]) -> list[float]:
    """The first derivatives of the log-likelihood of some matches, without the prior; `powers` are the exp(t)."""
    found = [0.0] * len(powers)
    for order, count in orders.items():
        one = choices(order)
        for i, weight in one.gains:
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
    """The product of a matrix and a vector."""
    return [fsum(map(mul, row, vector)) for row in matrix]


def cholesky(matrix: Matrix) -> Matrix:
    """Cholesky's factor of a symmetric, positive definite matrix: its rows up to the diagonal."""
    lower: Matrix = []
    for i, row in enumerate(matrix):
        new: list[float] = []
        for j, other in enumerate(lower):
            new.append((row[j] - fsum(map(mul, new, other))) / other[j])
        new.append(sqrt(row[i] - fsum(map(mul, new, new))))
        lower.append(new)
    return lower


def _solve(lower: Matrix, vector: Sequence[float]) -> list[float]:
    """The x of matrix * x = vector, by the matrix's factor."""
    half: list[float] = []
    for row, value in zip(lower, vector, strict=True):
        half.append((value - fsum(map(mul, row, half))) / row[-1])
    found = [0.0] * len(half)
    for i in reversed(range(len(half))):
        found[i] = (half[i] - fsum([lower[k][i] * found[k] for k in range(i + 1, len(half))])) / lower[i][i]
    return found


def _inverse(lower: Matrix) -> Matrix:
    """The inverse of a matrix, by its factor."""
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
