"""The orders of reflexes: which seat is quicker than which, drawn afresh for every turned card."""

from functools import lru_cache
from math import factorial
from typing import Final

from mypy_extensions import i64

from tourney.game import Entry
from tourney.games.bang.rules import SEATS
from tourney.rng import derive

BATCH: Final = 6
"""The number of orders drawn at once. Even with 8 seats all orders are equally likely, to within a part in 10**10."""


@lru_cache(maxsize=256)
def draw_reflexes(seats: int, seed: int, batch: int) -> tuple[Entry, ...]:
    """Draws the orders of reflexes for a batch of consecutive turned cards, as entries of the log."""
    # docs/rules/bang: the order is drawn for every card anew, and depends on nothing but the card's number
    chance, orders = derive(seed, "reflex", batch), factorial(seats)
    entries: list[Entry] = []
    for _ in range(BATCH):
        chance, number = divmod(chance, orders)
        entries.append(("reflex", seats, number))
    return tuple(entries)


def order_of(seats: int, number: int) -> list[int]:
    """Returns the order of the seats, quickest first, that has this number below `factorial(seats)`."""
    order = list(range(seats))
    for last in range(seats - 1, 0, -1):
        number, i = divmod(number, last + 1)
        order[last], order[i] = order[i], order[last]
    return order


def number_of(order: list[int]) -> int:
    """Returns the number of an order: `number_of(order_of(seats, number)) == number`."""
    current = list(range(len(order)))
    number, radix = 0, 1
    for last in range(len(order) - 1, 0, -1):
        i = current.index(order[last])
        number += i * radix
        radix *= last + 1
        current[last], current[i] = current[i], current[last]
    return number


def quickest(mask: i64, seats: int, number: int) -> int:
    """Returns the seat of the mask that comes first in the order of that number."""
    if mask & mask - 1:
        for seat in order_of(seats, number):
            if mask >> seat & 1:
                return seat
    return SEATS[mask][0]
