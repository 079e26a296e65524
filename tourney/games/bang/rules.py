"""The actions and cards of Bang, the reasons to bang, and the orders of reflexes. Rules: docs/rules/bang.md.

Cards that lie in an order are bytes, one byte a card. A set of seats is a mask: bit i stands for seat i.
"""

from functools import lru_cache
from math import factorial
from typing import Final

from mypy_extensions import i64

from tourney.contracts.cards import BANG as DECK
from tourney.contracts.rng import derive
from tourney.contracts.state import Entry

ANTICIPATE: Final = 0
WAIT: Final = 1
BANG: Final = 2
HOLD: Final = 3
"""The actions, in the order of their names. A question is numbered by the action that reacts: ANTICIPATE or BANG."""
NAMES: Final = ("anticipate", "wait", "bang", "hold")

CARDS: Final = 54
"""The number of cards in a match."""
ALL_CARDS: Final = 2**CARDS - 1
"""The mask of all cards."""
CHUNK: Final = 64
"""The number of turns in a chunk of the history. Chunks are shared, so that adding a turn does not copy them all."""
UNKNOWN: Final = CARDS
"""A card that was never turned, in what all seats know."""

JOKER: Final = 13
"""The rank that both jokers have."""
RANKS: Final = 15
"""The number of ranks: 13 in the suits, the jokers', and NO_RANK."""
NO_RANK: Final = 14
"""The rank where the pile is not that deep."""
QUEEN, KING, ACE = [DECK.ranks.index(rank) for rank in "QKA"]

RANK: Final = bytes([min(DECK.rank(card), JOKER) if card < CARDS - 2 else JOKER for card in range(CARDS)])
"""The rank of every card: 0 is a two, 12 an ace, 13 a joker."""
# docs/rules/bang: a joker, a queen, a king and an ace open debts of one to four cards; a jack opens none
DEBT: Final = bytes([{JOKER: 1, QUEEN: 2, KING: 3, ACE: 4}.get(rank, 0) for rank in RANK])
"""How many cards the next seat owes after each card."""

SEATS: Final = [tuple([seat for seat in range(8) if mask >> seat & 1]) for mask in range(256)]
"""The seats of every mask, in seat order."""
FIRST_SEAT: Final = [seats[0] if seats else None for seats in SEATS]
"""The first seat of every mask; None for the empty one."""

CONDITIONS: Final = ("pair", "sandwich", "marriage", "ten", "run")
"""The values that the option `bang_on` may list."""
NO_CARDS: Final = (NO_RANK * RANKS + NO_RANK) * RANKS
"""The top ranks of a pile without turned cards; see `add_rank`."""


def add_rank(top_ranks: i64, rank: i64) -> i64:
    """The top ranks of a pile once a card of that rank is turned onto it.

    The top ranks of a pile are the number `(second * RANKS + top) * RANKS`, of the ranks of its two highest cards.
    """
    return (top_ranks % (RANKS * RANKS) + rank) * RANKS


@lru_cache(maxsize=64)
def reasons(conditions: tuple[str, ...]) -> bytes:
    """A table of 0 and 1: 1 at `top_ranks + rank` if turning a card of that rank is a reason to bang."""
    ranks = range(RANKS)
    return bytes([_is_reason(conditions, a, b, c) for a in ranks for b in ranks for c in ranks])


def _is_reason(conditions: tuple[str, ...], third: int, second: int, top: int) -> bool:
    holds = {
        "pair": top == second,
        "sandwich": top == third,
        "marriage": {top, second} == {KING, QUEEN},
        "ten": _pips(top) + _pips(second) == 10,
        # docs/rules/bang: a run goes up or down, the ace is high, a joker is in none
        "run": max(third, second, top) <= ACE and second - third == top - second in (1, -1),
    }
    return any([holds[condition] for condition in conditions])


def _pips(rank: int) -> int:
    """What a card counts towards a ten: an ace 1, a two to nine its number, any other too much."""
    return 1 if rank == ACE else rank + 2 if rank < 8 else 99


BATCH: Final = 6
"""The number of orders drawn at once. Even with 8 seats all orders are equally likely, to within a part in 10**10."""


@lru_cache(maxsize=256)
def draw_reflexes(seats: int, seed: int, batch: int) -> tuple[Entry, ...]:
    """Draws the orders of reflexes for a batch of consecutive turned cards, as entries of the log."""
    # docs/rules/bang: a new order for every card, which depends on nothing but the card's number
    chance, orders = derive(seed, "reflex", batch), factorial(seats)
    entries: list[Entry] = []
    for _ in range(BATCH):
        chance, number = divmod(chance, orders)
        entries.append(("reflex", seats, number))
    return tuple(entries)


def order_of(seats: int, number: int) -> list[int]:
    """The order of the seats, quickest first, that has this number below `factorial(seats)`."""
    order = list(range(seats))
    for last in range(seats - 1, 0, -1):
        number, i = divmod(number, last + 1)
        order[last], order[i] = order[i], order[last]
    return order


def number_of(order: list[int]) -> int:
    """The number of an order: `number_of(order_of(seats, number)) == number`."""
    current = list(range(len(order)))
    number, radix = 0, 1
    for last in range(len(order) - 1, 0, -1):
        i = current.index(order[last])
        number += i * radix
        radix *= last + 1
        current[last], current[i] = current[i], current[last]
    return number


def quickest(mask: i64, seats: int, number: int) -> int:
    """The seat of the mask that comes first in the order of that number."""
    if mask & mask - 1:
        for seat in order_of(seats, number):
            if mask >> seat & 1:
                return seat
    return SEATS[mask][0]
