"""Who sits where in the matches of a block: in each of its seats every entrant sits equally often.

The cards, and the roles that are dealt with them, belong to the seats. So in a block every entrant gets what is dealt
to each seat equally often, too.
"""

from functools import lru_cache
from itertools import permutations
from math import factorial

from tourney.format_keys import Seatings
from tourney.rng import shuffle, stream

Group = tuple[str, ...]


def seatings(group: Group, which: Seatings, seed: int) -> tuple[Group, ...]:
    """The seatings of a block: every rotation, `"all"` permutations, or so many.

    A number is a multiple of the group's size: of base orders that are no rotations of each other, drawn by the seed
    of the deal, each is played in all its rotations. The draw is the same for every group on that deal.
    """
    if which == "rotations":
        return rotations(group)
    if which == "all":
        return tuple(permutations(group))
    orders = _base_orders(len(group), which // len(group), seed)
    return tuple([seating for order in orders for seating in rotations(tuple([group[i] for i in order]))])


def group_of(first: Group, which: Seatings, seed: int) -> Group:
    """The group whose block has that first seating."""
    if isinstance(which, str):
        return first
    order = _base_orders(len(first), which // len(first), seed)[0]
    return tuple([first[order.index(i)] for i in range(len(first))])


def seating_count(which: Seatings, seats: int) -> int:
    """How many seatings a block of so many seats has."""
    if which == "rotations":
        return seats
    return factorial(seats) if which == "all" else which


@lru_cache(maxsize=4096)
def rotations(group: Group) -> tuple[Group, ...]:
    """The seatings in which each of the group sits once in every seat, keeping the order around the table."""
    return tuple([group[turn:] + group[:turn] for turn in range(len(group))])


def _base_orders(seats: int, count: int, seed: int) -> list[tuple[int, ...]]:
    """So many different orders around the table, each beginning with 0."""
    rng = stream(seed, "seatings")
    if 2 * count > factorial(seats - 1):  # so many of all that drawing one by one would meet the same ones again
        every = [(0, *rest) for rest in permutations(range(1, seats))]
        shuffle(every, rng)
        return every[:count]
    orders: dict[tuple[int, ...], None] = {}
    while len(orders) < count:
        rest = list(range(1, seats))
        shuffle(rest, rng)
        orders[0, *rest] = None
    return list(orders)
