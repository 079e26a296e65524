"""The Plackett-Luce model of finishing orders, and its fit (docs/statistics.md). Bot i has the strength exp(t[i]).

For bots sharing a place, every order of them counts equally, in shares that sum to one match. The log-likelihood then
stays a weighted sum of choices, each of one bot from a set.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb, exp, fsum, log
from operator import itemgetter, mul
from typing import NamedTuple, TypeAlias

Order: TypeAlias = tuple[tuple[int, ...], ...]
"""A finishing order: the bots of each place, sorted, the best place first."""

_Getter: TypeAlias = Callable[[Sequence[float]], Sequence[float]]

PRECISION = 1e-12
"""The ratio of a solution's residual to the right-hand side, unless a larger one suffices."""
TOLERANCE = 1e-8
"""The maximum change of strengths (natural logarithms) in the last step of a fit."""
MAX_STEPS = 50
"""The most Newton steps of a fit; five to ten are usual."""


class Pattern:
    """The non-zero entries of a symmetric matrix: the diagonal, and some pairs (row, column) above it."""

    def __init__(self, size: int, pairs: Sequence[tuple[int, int]]) -> None:
        self.pairs = pairs
        # a row's entries are at the positions of its pairs, then of the diagonal, then of a 0: an itemgetter of a
        # single position would not return a tuple
        rows = [([i, i], [len(pairs) + i, len(pairs) + size]) for i in range(size)]
        for place, pair in enumerate(pairs):
            for i, j in (pair, pair[::-1]):
                rows[i][0].append(j)
                rows[i][1].append(place)
        self.rows: list[tuple[_Getter, _Getter]] = [(itemgetter(*its), itemgetter(*places)) for its, places in rows]
        """Getters of the values in a row's columns from a vector, and of the row's own from all entries."""
        self.leaves: list[tuple[int, int, int]] = []
        """(row, column, place) of pairs alone in their rows without those before; in a knockout, all are."""
        links: list[dict[int, int]] = [{} for _ in range(size)]
        for place, (i, j) in enumerate(pairs):
            if i != j:
                links[i][j] = links[j][i] = place
        ends = [i for i in range(size) if len(links[i]) == 1]
        for i in ends:  # which grows
            for j, place in links[i].items():
                self.leaves.append((i, j, place))
                del links[j][i]
                if len(links[j]) == 1:
                    ends.append(j)
            links[i] = {}


class Information:
    """A symmetric, positive definite, sparse matrix, such as the information about the strengths of bots.

    It has an entry for each pair of bots that have met, so a large Swiss's is mostly empty. Sums with `fsum` give the
    same last digit on every machine, which matrix libraries do not guarantee.
    """

    def __init__(self, pattern: Pattern, diagonal: Sequence[float], values: Sequence[float]) -> None:
        """`values` are the entries of the pattern's pairs."""
        self.pattern = pattern
        self.diagonal = diagonal
        self.values = values
        entries = [*values, *diagonal, 0.0]
        self._rows = [(of, places(entries)) for of, places in pattern.rows]
        self._pivots = pivots = list(diagonal)
        self._factors: list[tuple[int, int, float]] = []
        for i, j, place in pattern.leaves:
            self._factors.append((i, j, factor := values[place] / pivots[i]))
            pivots[j] -= factor * values[place]

    def times(self, vector: Sequence[float]) -> list[float]:
        """The product of the matrix and a vector."""
        return [fsum(map(mul, values, of(vector))) for of, values in self._rows]

    def _scaled(self, residual: Sequence[float]) -> list[float]:
        """The solution for a residual if the pattern had its leaves and the diagonal alone."""
        scaled = list(residual)
        for i, j, factor in self._factors:
            scaled[j] -= factor * scaled[i]
        scaled = [r / pivot for r, pivot in zip(scaled, self._pivots, strict=True)]
        for i, j, factor in reversed(self._factors):
            scaled[i] -= factor * scaled[j]
        return scaled

    def lower_rows(self) -> list[list[float]]:
        """The rows, each up to the diagonal, zeros included."""
        rows = [[0.0] * i + [value] for i, value in enumerate(self.diagonal)]
        for (i, j), value in zip(self.pattern.pairs, self.values, strict=True):
            rows[j][i] += value * (1 + (i == j))  # a bot with two seats is paired with itself, both ways
        return rows

    def solve(self, vector: Sequence[float], precision: float = PRECISION) -> list[float]:
        """The x with matrix * x = vector, except for a residual smaller than the vector by that factor.

        The method is conjugate gradients, preconditioned by the diagonal and the leaves (Hestenes and Stiefel 1952;
        Golub and Van Loan 2013, Matrix computations, 11.5).
        """
        solution = [0.0] * len(vector)
        residual = list(vector)
        scaled = self._scaled(residual)
        direction = scaled
        size = fsum(map(mul, residual, scaled))
        enough = precision**2 * size
        for _ in range(10 * len(solution) + 100):  # a limit, because rounding can spoil the last digits
            if size <= enough:
                break
            image = self.times(direction)
            step = size / fsum(map(mul, direction, image))
            solution = [x + step * d for x, d in zip(solution, direction, strict=True)]
            residual = [r - step * i for r, i in zip(residual, image, strict=True)]
            scaled = self._scaled(residual)
            before, size = size, fsum(map(mul, residual, scaled))
            turn = size / before
            direction = [s + turn * d for s, d in zip(scaled, direction, strict=True)]
        return solution


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
    information: Information


def bots_of(order: Order) -> tuple[int, ...]:
    """The bots of a match, sorted."""
    return tuple(sorted([bot for group in order for bot in group]))


@lru_cache(maxsize=1 << 16)
def choices(order: Order) -> Choices:
    """The log-likelihood of one match.

    >>> choices(((0,), (1,)))
    Choices(chosen=((0, 1.0),), sets=(((0, 1), 1.0),))
    >>> choices(((0, 1),))
    Choices(chosen=((0, 0.5), (1, 0.5)), sets=(((0, 1), 1.0),))
    >>> choices(((1,), (0,), (1,)))  # bot 1 has two seats
    Choices(chosen=((1, 1.0), (0, 1.0)), sets=(((0, 1, 1), 1.0), ((0, 1), 1.0)))
    """
    chosen: list[tuple[int, float]] = []
    sets: list[tuple[tuple[int, ...], float]] = []
    left = bots_of(order)
    for group in order:
        behind = tuple(sorted((Counter(left) - Counter(group)).elements()))
        # the last bot alone is not chosen from any set
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
    """The log-likelihood of many matches; each batch has the number of matches of each finishing order."""
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


def _largest(values: Sequence[float]) -> float:
    return max(map(abs, values), default=0.0)


class Posterior:
    """The log-likelihood of matches, with a prior."""

    def __init__(self, matches: Choices, bots: int) -> None:
        self._chosen = matches.chosen
        places: dict[tuple[int, int], int] = {}
        self._two_seats = all([len(members) == 2 for members, _ in matches.sets])
        self._sets = [
            (members, weight, [places.setdefault(pair, len(places)) for pair in combinations(members, 2)])
            for members, weight in matches.sets
        ]
        self._pattern = Pattern(bots, list(places))

    def fit(self, sd: float, start: Sequence[float], tolerance: float = TOLERANCE) -> tuple[list[float], Derivatives]:
        """The most likely strengths, and the derivatives there, from nearby strengths in `start`.

        The prior, normal around 0 with the standard deviation `sd`, makes the maximum finite and unique. The method is
        Newton's with backtracking (Boyd and Vandenberghe 2004, Convex optimization, 9.5), its steps by conjugate
        gradients, until no strength moves by more than the tolerance.
        """
        strengths = list(start)
        at = self.at(strengths, sd)
        first = _largest(at.gradient)
        for _ in range(MAX_STEPS):
            slope = _largest(at.gradient)
            step = at.information.solve(at.gradient, min(0.1, max(slope / first, PRECISION)) if slope else PRECISION)
            while True:
                moved = [t + by for t, by in zip(strengths, step, strict=True)]
                new = self.at(moved, sd)
                # near the maximum, rounding may lower the value by this much
                if new.value >= at.value - 1e-12 * abs(at.value):
                    break
                step = [by / 2 for by in step]
            strengths, at = moved, new
            if _largest(step) < tolerance:
                break
        return strengths, at

    def at(self, strengths: list[float], sd: float) -> Derivatives:
        """The value and the derivatives at some strengths."""
        powers = [exp(t) for t in strengths]
        single = [0.0] * len(powers)
        double = [0.0] * len(powers)
        mixed = [0.0] * len(self._pattern.pairs)
        logs = []
        for place, ((i, j), weight, _) in enumerate(self._sets if self._two_seats else ()):  # saves half of the time
            among = powers[i] + powers[j]
            logs.append(weight * log(among))
            share = weight / among
            square = share / among
            single[i] += share
            single[j] += share
            double[i] += square
            double[j] += square
            mixed[place] = square
        for members, weight, places in () if self._two_seats else self._sets:
            among = 0.0
            for i in members:
                among += powers[i]
            logs.append(weight * log(among))
            share = weight / among
            square = share / among
            for i in members:
                single[i] += share
                double[i] += square
            for place in places:
                mixed[place] += square
        precision = 1 / sd**2
        gradient = [-t * precision - power * part for t, power, part in zip(strengths, powers, single, strict=True)]
        value = -fsum(logs) - fsum([t * t for t in strengths]) * precision / 2
        for i, weight in self._chosen:
            gradient[i] += weight
            value += weight * strengths[i]
        diagonal = [p * (one - p * two) + precision for p, one, two in zip(powers, single, double, strict=True)]
        pattern = self._pattern
        values = [-powers[i] * powers[j] * part for (i, j), part in zip(pattern.pairs, mixed, strict=True)]
        return Derivatives(value, gradient, Information(pattern, diagonal, values))


def slopes(orders: Mapping[Order, int], powers: list[float]) -> tuple[list[float], list[float]]:
    """The gradient of some matches' log-likelihood, and the diagonal of their information, without the prior."""
    gradient, diagonal = [0.0] * len(powers), [0.0] * len(powers)
    for order, count in orders.items():
        one = choices(order)
        for i, weight in one.chosen:
            gradient[i] += count * weight
        for members, weight in one.sets:
            among = 0.0
            for i in members:
                among += powers[i]
            for i in members:
                share = powers[i] / among
                gradient[i] -= count * weight * share
                diagonal[i] += count * weight * share * (1 - share)
    return gradient, diagonal


def connected(groups: Iterable[Sequence[int]]) -> list[list[int]]:
    """The occurring numbers in their connected parts, sorted; each group is within one part.

    >>> connected([(4, 1), (2, 3), (3, 5)])
    [[1, 4], [2, 3, 5]]
    """
    parts: dict[int, list[int]] = {}
    for group in groups:
        whole = parts.setdefault(group[0], [group[0]])
        for number in group:
            other = parts.setdefault(number, [number])
            if other is not whole:
                smaller, whole = sorted((other, whole), key=len)
                whole += smaller
                for moved in smaller:
                    parts[moved] = whole
    return sorted(map(sorted, {id(whole): whole for whole in parts.values()}.values()))
