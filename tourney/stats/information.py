"""Symmetric, sparse matrices in plain Python, and the method of conjugate gradients.

The information matrix of a field has an entry for each pair of bots that have met, so that of a large Swiss is mostly
empty. Sums by `fsum` give the same last digit on every machine, which the matrix libraries do not promise.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from operator import itemgetter, mul

PRECISION = 1e-12
"""By which factor the residual of a solution is smaller than the right-hand side, unless less will do."""


class Information:
    """A symmetric, positive definite matrix, for instance the information about the strengths of bots."""

    def __init__(self, diagonal: Sequence[float], pairs: Mapping[tuple[int, int], float]) -> None:
        """Makes the matrix from its diagonal and from the entries above it that are not 0, by (row, column)."""
        self.diagonal = list(diagonal)
        rows: list[list[tuple[int, float]]] = [[(i, value)] for i, value in enumerate(diagonal)]
        for (i, j), value in pairs.items():
            rows[i].append((j, value))
            rows[j].append((i, value))
        self._rows: list[tuple[Callable[[Sequence[float]], Sequence[float]], list[float]]] = []
        for i, row in enumerate(rows):
            if len(row) == 1:
                row.append((i, 0.0))  # an itemgetter of a single place would give no tuple
            self._rows.append((itemgetter(*[j for j, _ in row]), [value for _, value in row]))

    def times(self, vector: Sequence[float]) -> list[float]:
        """Returns the product of the matrix and a vector."""
        return [fsum(map(mul, values, of(vector))) for of, values in self._rows]

    def solve(self, vector: Sequence[float], precision: float = PRECISION) -> list[float]:
        """Returns the x with matrix * x = vector, except for a residual smaller than the vector by that factor.

        The method is that of conjugate gradients, preconditioned by the diagonal (Hestenes and Stiefel 1952; Golub and
        Van Loan 2013, Matrix computations, 11.5).
        """
        found = [0.0] * len(vector)
        residual = list(vector)
        scaled = [r / d for r, d in zip(residual, self.diagonal, strict=True)]
        direction = scaled
        size = fsum(map(mul, residual, scaled))
        enough = precision**2 * size
        for _ in range(10 * len(found) + 100):  # rounding can spoil the last digits, so that it would go on for ever
            if size <= enough:
                break
            image = self.times(direction)
            step = size / fsum(map(mul, direction, image))
            found = [x + step * d for x, d in zip(found, direction, strict=True)]
            residual = [r - step * i for r, i in zip(residual, image, strict=True)]
            scaled = [r / d for r, d in zip(residual, self.diagonal, strict=True)]
            before, size = size, fsum(map(mul, residual, scaled))
            turn = size / before
            direction = [s + turn * d for s, d in zip(scaled, direction, strict=True)]
        return found
