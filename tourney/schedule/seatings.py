"""The seatings of a block: every entrant of the group sits equally often in each seat, unless they are fixed."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from math import factorial
from random import Random

from tourney.config.tournament import Seatings
from tourney.contracts.rng import shuffle, stream

Group = tuple[str, ...]
"""The entrants who meet in a block, by name."""


def fillers(field: Sequence[str], seats: int, rng: Random) -> list[str]:
    """Draws entrants of a field for this number of seats; a small field repeats."""
    order = list(field)
    shuffle(order, rng)
    return [order[i % len(order)] for i in range(seats)]


def seatings(group: Group, which: Seatings, seed: int) -> tuple[Group, ...]:
    """The seatings of a block."""
    if which == "rotations":
        return rotations(group)
    if which == "all":
        return tuple(permutations(group))
    if which == "fixed":
        return (group,)
    orders = _base_orders(len(group), which // len(group), seed)
    return tuple([seating for order in orders for seating in rotations(tuple([group[i] for i in order]))])


def seating_count(which: Seatings, seats: int) -> int:
    """The number of seatings in a block."""
    if which == "rotations":
        return seats
    if which == "fixed":
        return 1
    return factorial(seats) if which == "all" else which


@lru_cache(maxsize=4096)
def rotations(group: Group) -> tuple[Group, ...]:
    """The seatings with each entrant once in every seat, keeping the order around the table."""
    return tuple([group[turn:] + group[:turn] for turn in range(len(group))])


def _base_orders(seats: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """Draws different orders around the table, each starting with 0."""
    rng = stream(seed, "seatings")
    if 2 * count > factorial(seats - 1):  # single draws would often repeat an order
        every = [(0, *rest) for rest in permutations(range(1, seats))]
        shuffle(every, rng)
        return every[:count]
    orders: dict[tuple[int, ...], None] = {}
    while len(orders) < count:
        rest = list(range(1, seats))
        shuffle(rest, rng)
        orders[0, *rest] = None
    return list(orders)
