"""What Bang is made of: its actions, its tables, reasons to bang, and the orders in which seats are quick.

Cards that lie in an order are bytes, a card each; seats that do something are a mask.
"""

from functools import lru_cache
from math import factorial
from typing import Any, Final

from mypy_extensions import i64

from tourney.cards import BANG
from tourney.game import Entry
from tourney.rng import derive

ANTICIPATE: Final = 0
WAIT: Final = 1
HIT: Final = 2
HOLD: Final = 3
"""The actions, in the order of their names. A question has the number of the action that reacts: ANTICIPATE or HIT."""
NAMES: Final = ("anticipate", "wait", "bang", "hold")

CONDITIONS: Final = ("pair", "sandwich", "marriage", "ten", "run")
"""What `bang_on` may list."""

CARDS: Final = 54
ALL: Final = 2**CARDS - 1
"""The mask of all cards."""
UNKNOWN: Final = CARDS
"""Stands for a card that was never turned, in what all seats know."""
JOKER: Final = 13
"""The rank that both jokers have."""
BASE: Final = 15
"""So many ranks there are, with one that stands where the pile is not that deep: 14."""
EMPTY: Final = (14 * 15 + 14) * 15
"""Where a pile without turned cards is in the table of `reasons`; see `onto`."""
QUEEN, KING, ACE = [BANG.ranks.index(rank) for rank in "QKA"]

RANK: Final = bytes([min(BANG.rank(card), JOKER) if card < CARDS - 2 else JOKER for card in range(CARDS)])
"""The rank of every card, 0 a two, 12 an ace, 13 a joker."""
# docs/rules/bang: a joker, a queen, a king and an ace open debts of one to four cards; a jack opens none
DEBT: Final = bytes([{JOKER: 1, QUEEN: 2, KING: 3, ACE: 4}.get(rank, 0) for rank in RANK])
"""How many cards the next seat owes after each card."""

BITS: Final = [1 << card for card in range(CARDS)]
"""The mask of each card; compiled, `1 << card` has 32 bits."""
SEATS: Final[list[Any]] = [tuple([seat for seat in range(8) if mask >> seat & 1]) for mask in range(256)]
"""The seats of every mask."""
FIRST: Final[list[Any]] = [seats[0] if seats else None for seats in SEATS]
"""The first seat of every mask."""
TURNED: Final[list[Any]] = [("turned", seat, card) for seat in range(8) for card in range(CARDS)]
"""The entries in the log for turned cards: that of a seat's card is at `seat * CARDS + card`."""
WON: Final[list[Any]] = [("pile", seat) for seat in range(8)]
"""The entries for won piles."""
FINES: Final[list[Any]] = [(seat, count) for seat in range(8) for count in range(CARDS + 1)]
"""What wrong reactions cost; `(seat, count)` is at `seat * (CARDS + 1) + count`."""


def onto(at: i64, rank: i64) -> i64:
    """Where the pile at `at` is in the table of `reasons` once a card of that rank is turned onto it.

    A pile is at `(second * BASE + top) * BASE`, by the ranks of its two highest cards.
    """
    return (at % (BASE * BASE) + rank) * BASE


@lru_cache(maxsize=64)
def reasons(conditions: tuple[str, ...]) -> bytes:
    """For every place of a pile plus the rank of the card that is turned onto it: 1 if that is a reason to bang."""
    ranks = range(BASE)
    return bytes([_reason(conditions, a, b, c) for a in ranks for b in ranks for c in ranks])


def _reason(conditions: tuple[str, ...], third: int, second: int, top: int) -> bool:
    """Whether the three highest cards of the pile, by rank, are a reason to bang."""
    held = {
        "pair": top == second,
        "sandwich": top == third,
        "marriage": {top, second} == {KING, QUEEN},
        "ten": _pips(top) + _pips(second) == 10,
        # docs/rules/bang: a run goes up or down, the ace is high, a joker is in none
        "run": max(third, second, top) <= ACE and second - third == top - second in (1, -1),
    }
    return any([held[condition] for condition in conditions])


def _pips(rank: int) -> int:
    """What a card counts for a ten: an ace 1, a two to nine its number, and any other too much."""
    return 1 if rank == ACE else rank + 2 if rank < 8 else 99


DRAWS: Final = 6
"""Orders that one derived number decides: even of 8 seats all are as likely, to within a part in 10**10."""


@lru_cache(maxsize=256)
def reflexes(seats: int, seed: int, block: int) -> tuple[Entry, ...]:
    """The entries in the log for the orders in which the seats are quick at the turned cards of a block."""
    # docs/rules/bang: the order is drawn for every card anew, and depends on nothing but the card's number
    chance, orders = derive(seed, "reflex", block), factorial(seats)
    entries: list[Entry] = []
    for _ in range(DRAWS):
        chance, number = divmod(chance, orders)
        entries.append(("reflex", seats, number))
    return tuple(entries)


def ordering(seats: int, number: int) -> list[int]:
    """The order of the seats that has that number, one of as many numbers as there are orders."""
    order = list(range(seats))
    for last in range(seats - 1, 0, -1):
        number, i = divmod(number, last + 1)
        order[last], order[i] = order[i], order[last]
    return order


def first_of(mask: i64, seats: int, number: int) -> int:
    """The seat of the mask that comes first in the order of that number."""
    for seat in ordering(seats, number) if mask & mask - 1 else ():
        if mask >> seat & 1:
            return seat
    first: int = FIRST[mask]
    return first
