"""What Bang is made of: reasons to bang as a table, what all seats know of a match, its settled turned cards."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from tourney.cards import BANG

ANTICIPATE: Final = 0
WAIT: Final = 1
HIT: Final = 2
HOLD: Final = 3
"""The actions, in the order of their names."""
NAMES = ("anticipate", "wait", "bang", "hold")

CONDITIONS = ("pair", "sandwich", "marriage", "ten", "run")
"""What `bang_on` may list."""

CARDS: Final = 54
JOKER: Final = 13
"""The rank that both jokers have."""
NO_RANK: Final = 14
"""Where the pile is not that deep."""
BASE: Final = 15
QUEEN, KING, ACE = [BANG.ranks.index(rank) for rank in "QKA"]

RANK = tuple([min(BANG.rank(card), JOKER) if card < CARDS - 2 else JOKER for card in range(CARDS)])
"""The rank of every card, 0 a two, 12 an ace, 13 a joker."""
# docs/rules/bang: a joker, a queen, a king and an ace open debts of one to four cards; a jack opens none
DEBT = tuple([{JOKER: 1, QUEEN: 2, KING: 3, ACE: 4}.get(rank, 0) for rank in RANK])
"""How many cards the next seat owes after each card."""

EMPTY: Final = (14 * 15 + 14) * 15
"""Where a pile without turned cards is in the table of `reasons`; see `onto`."""

CHUNK: Final = 64
"""Past turns are kept in tuples of so many, so that one more is added without copying them all."""


def onto(at: int, rank: int) -> int:
    """Where the pile at `at` is in the table of `reasons` once a card of that rank is turned onto it.

    A pile is at `(second * BASE + top) * BASE`, by the ranks of its two highest cards.
    """
    return (at % (BASE * BASE) + rank) * BASE


@lru_cache(maxsize=64)
def reasons(conditions: tuple[str, ...]) -> bytes:
    """For every place of a pile plus the rank of the card that is turned onto it: 1 if that is a reason to bang."""
    ranks = range(BASE)
    return bytes([_reason(conditions, a, b, c) for a in ranks for b in ranks for c in range(BASE)])


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


class Turn(NamedTuple):
    """A turned card that is settled, as everyone saw it."""

    seat: int
    """Who turned it."""
    card: int
    anticipated: tuple[int, ...]
    """The seats that anticipated, in seat order."""
    banged: tuple[int, ...]
    """The seats that said bang, in seat order."""
    penalties: tuple[tuple[int, int], ...]
    """What wrong reactions cost: (seat, number of cards), in seat order; seats that had none to pay are left out."""
    won: int | None
    """The seat that got the pile after it, by a bang or by a debt that was paid."""


def ordering(seats: int, number: int) -> list[int]:
    """The order of the seats that has that number, one of as many numbers as there are orders."""
    order = list(range(seats))
    for last in range(seats - 1, 0, -1):
        number, i = divmod(number, last + 1)
        order[last], order[i] = order[i], order[last]
    return order


def first_of(mask: int, seats: int, number: int) -> int:
    """The seat of the mask that comes first in the order of that number."""
    if not mask & mask - 1:
        return mask.bit_length() - 1
    return next(seat for seat in ordering(seats, number) if mask >> seat & 1)


SEATS = tuple([tuple([seat for seat in range(8) if mask >> seat & 1]) for mask in range(256)])
"""The seats of every mask."""


def turn_text(turn: Turn) -> str:
    """The turned card in one line: `1:7h`, `0:Qs anticipate:0,2 bang:1 penalty:0=1,1=1,2=1 pile:1`."""
    parts = [f"{turn.seat}:{BANG.text(turn.card)}"]
    parts += [f"{what}:{_joined(seats)}" for what, seats in zip(NAMES[::2], turn[2:4], strict=True) if seats]
    if turn.penalties:
        parts.append("penalty:" + ",".join([f"{seat}={count}" for seat, count in turn.penalties]))
    if turn.won is not None:
        parts.append(f"pile:{turn.won}")
    return " ".join(parts)


def _joined(seats: Sequence[int]) -> str:
    return ",".join([str(seat) for seat in seats])


class Chunk(tuple[Turn, ...]):
    """Settled turns, with their texts made once and kept: a long history is quickly told again and again."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each turned card in one line."""
        return tuple([turn_text(turn) for turn in self])


def turn_texts(past: Sequence[Chunk], recent: Sequence[Turn]) -> list[str]:
    """All turned cards, each in one line."""
    return [*chain.from_iterable([chunk.texts for chunk in past]), *[turn_text(turn) for turn in recent]]


class Table(NamedTuple):
    """What all seats know: the same for every seat, and made once for each question."""

    options: Any
    question: int | None
    """ANTICIPATE or HIT: what is being asked; None once the match is over."""
    mover: int
    known: tuple[tuple[int | None, ...], ...]
    """The stocks, top first: the cards that have been seen, None for the others."""
    under: tuple[int | None, ...]
    """The penalty cards under the pile, the lowest first, likewise."""
    pile: tuple[int, ...]
    debt: int
    creditor: int
    """The seat that played the court card of the open debt; -1 without one."""
    turned: int
    past: tuple[Chunk, ...]
    """Settled turns in full chunks."""
    recent: tuple[Turn, ...]
    """Settled turns since the last full chunk."""
    asked: int
    """The seats that the question is for, as a mask."""
    anticipated: int
    """The seats that anticipated the card that was just turned, as a mask; 0 while anticipations are being asked."""
    unseen: int
    """The cards that were never turned, as a mask."""
    at: int
    """The pile's place in the table of `reasons`."""
    reason: int
    """1 if the card that was just turned is a reason to bang."""
    out: tuple[int, ...]
    """The turned card with which each seat last ran out of cards; 0 for a seat that never did."""


def cards_of(mask: int) -> tuple[int, ...]:
    """The cards of a mask, in order."""
    return tuple([bit for bit in range(CARDS) if mask >> bit & 1])


def card_texts(cards: Sequence[int | None]) -> list[str | None]:
    """The names of the cards, None for the unknown ones."""
    return [None if card is None else BANG.names[card] for card in cards]
