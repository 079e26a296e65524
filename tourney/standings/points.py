"""The points of a match: 1 for place 1 down to 0 for the last, evenly spaced; seats with equal places share.

They are counted in integer units, 2 (n - 1) for a sole winner among n seats, so sums are exact.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal, TypeAlias

import msgspec


def full_units(seats: int) -> int:
    """The number of units per point in a match with that number of seats."""
    return 2 * (seats - 1)


@lru_cache(maxsize=4096)
def units(places: tuple[int, ...]) -> tuple[int, ...]:
    """The points of each seat in units, given the place of each seat; more is better.

    >>> units((1, 2)), units((1, 1)), units((2, 1, 2))
    ((2, 0), (1, 1), (1, 4, 1))
    """
    # k seats sharing place p share the points of the places p … p+k-1: each gets the mean
    return tuple([2 * (len(places) - place) - (places.count(place) - 1) for place in places])


def points(places: tuple[int, ...]) -> tuple[float, ...]:
    """The points of each seat, from 0 to 1, given the place of each seat; more is better.

    >>> points((1, 2)), points((2, 1, 2))
    ((1.0, 0.0), (0.25, 1.0, 0.25))
    """
    return tuple([unit / full_units(len(places)) for unit in units(places)])


def weighted_mean(parts: Sequence[tuple[Fraction, Fraction]]) -> Fraction | None:
    """The mean of (weight, value) pairs; None if there are none."""
    if not parts:
        return None
    return sum([weight * value for weight, value in parts], Fraction()) / sum([weight for weight, _ in parts])


CommonTiebreak: TypeAlias = Literal["points", "won", "rating", "score", "place"]
"""A criterion that every format has: points %, share of matches won, rating, mean score, or mean place."""


class Tiebreak(msgspec.Struct, frozen=True):
    """A format's own criterion, with a value for each entrant; higher is better."""

    key: str
    """Its name for ranking, and in CSV and JSON, which multiply the value by 100 if it ends with `_percent`."""
    heading: str
    """Its column's heading in the standings, or an empty string if it has no column."""
    description: str
    """Its name in the sentence below the standings; empty if its note names it."""
    values: Mapping[str, Fraction | int | None]
    """The value of each entrant, by name; None, an unknown value, ranks last."""
    labels: Mapping[str, str] | None = None
    """The text shown in the column for each entrant instead of its value."""
    note: str = ""
    """A sentence below the standings that explains the column."""
