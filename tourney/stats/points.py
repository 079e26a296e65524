"""The points of a match: 1 for place 1 down to 0 for the last, evenly spaced; equal places share.

They are counted in whole units, of which a match with n seats gives 2 (n - 1) to a sole winner, so that sums are exact.
"""

from functools import lru_cache


def full_units(seats: int) -> int:
    """The units that one point is worth in a match with so many seats."""
    return 2 * (seats - 1)


@lru_cache(maxsize=4096)
def units(places: tuple[int, ...]) -> tuple[int, ...]:
    """The points of each seat, in units.

    >>> units((1, 2)), units((1, 1)), units((2, 1, 2))
    ((2, 0), (1, 1), (1, 4, 1))
    """
    # k seats that share a place share what the places p … p+k-1 give: each gets the mean
    return tuple([2 * (len(places) - place) - (places.count(place) - 1) for place in places])


def points(places: tuple[int, ...]) -> tuple[float, ...]:
    """The points of each seat, from 0 to 1.

    >>> points((1, 2)), points((2, 1, 2))
    ((1.0, 0.0), (0.25, 1.0, 0.25))
    """
    return tuple([unit / full_units(len(places)) for unit in units(places)])
