"""What a seat of Bang may know, and the game's options. Rules: docs/rules/bang.md."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Annotated, Any, NamedTuple

import msgspec

from tourney.cards import BANG
from tourney.errors import did_you_mean
from tourney.game import Options, View
from tourney.games import _bang
from tourney.games._bang import CARDS, CONDITIONS, NAMES, RANK, SEATS, UNKNOWN


class BangOptions(Options, frozen=True):
    """Options of Bang."""

    bang_on: tuple[str, ...] = ("pair", "sandwich")
    """The reasons to bang: any of pair, sandwich, marriage, ten and run."""
    anticipation: bool = True
    """Whether every seat is asked, before a card is turned, if it bangs on it unseen."""
    penalty: Annotated[int, msgspec.Meta(ge=1)] = 1
    """How many cards a wrong bang costs."""
    max_turns: Annotated[int, msgspec.Meta(ge=1)] = 2000
    """After so many turned cards the match is over."""

    def __post_init__(self) -> None:
        for place, name in enumerate(self.bang_on):
            if name not in CONDITIONS:
                raise ValueError(f'bang_on: no condition "{name}"; {did_you_mean(name, CONDITIONS)}')
            if name in self.bang_on[:place]:
                raise ValueError(f'bang_on: "{name}" is listed twice; name each condition once')


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


Settled = tuple[Any, ...]
"""A turned card that is settled, before anyone looks at it: what a `Turn` is made of."""

CHUNK = 64
"""Past turns are kept in tuples of so many, so that one more is added without copying them all."""


class Chunk(tuple[Settled, ...]):
    """Settled turns, with their texts made once and kept: a long history is quickly told again and again."""

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Each turned card in one line."""
        return tuple([turn_text(Turn(*turn)) for turn in self])


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


@lru_cache(maxsize=64)
def _shown(cards: bytes) -> tuple[int | None, ...]:
    if UNKNOWN not in cards:  # which is soon so, and this way is quicker
        return tuple(cards)
    return tuple([None if card == UNKNOWN else card for card in cards])


@lru_cache(maxsize=8)
def _all_shown(stocks: tuple[bytes, ...]) -> tuple[tuple[int | None, ...], ...]:
    """The stocks: all seats are asked in turn, and each looks at them."""
    return tuple([_shown(stock) for stock in stocks])


def _texts(cards: bytes) -> list[str | None]:
    """The names of the cards, None for the unknown ones."""
    return [None if card == UNKNOWN else BANG.names[card] for card in cards]


def _public(place: int) -> Any:
    """One of the values that every seat knows: they are made once for each question, in the order of `BangState`."""
    return property(lambda view: view[1][place])


class BangView(View):
    """What a seat may know: sizes of stocks, the pile, every turned card and what came of it, and its own answer.

    Nobody sees stocks, but whoever remembers the won piles knows a part of them: `known`.
    """

    __slots__ = ()

    options: BangOptions = _public(0)
    """The options of the match."""
    mover: int = _public(2)
    """The seat that turns the next card, or, while `bang` is asked, has just turned one."""
    debt: int = _public(6)
    """How many cards are owed; while `bang` is asked, the card just turned does not count yet."""
    turned: int = _public(8)
    """How many cards have been turned so far."""
    past: tuple[Chunk, ...] = _public(9)
    """Settled turns in full chunks."""
    recent: tuple[Settled, ...] = _public(10)
    """Settled turns since the last full chunk."""

    @property
    def deciding(self) -> int | None:
        """The seat that is being asked; None once the match is over."""
        seat: int | None = self[2]
        return seat

    @property
    def answer(self) -> int | None:
        """What the seat itself has answered to the question that is being asked; None before it has."""
        action: int | None = self[3]
        return action

    @property
    def question(self) -> str | None:
        """`anticipate` before a card is turned, `bang` after it; None once the match is over."""
        return None if self.over else NAMES[self[1][1]]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cards each stock holds."""
        return tuple([len(stock) for stock in self[1][3]])

    @property
    def known(self) -> tuple[tuple[int | None, ...], ...]:
        """What a perfect memory knows of each stock, top first: a card, or None where it was never turned."""
        return _all_shown(self[1][3])

    @property
    def under(self) -> tuple[int | None, ...]:
        """The penalty cards face down under the pile, the lowest first, as far as memory knows them."""
        return _shown(self[1][4])

    @property
    def pile(self) -> tuple[int, ...]:
        """The turned cards of the pile, the lowest first; the top one is the last."""
        return tuple(self[1][5])

    @property
    def creditor(self) -> int | None:
        """The seat that gets the pile if the debt is paid; None without a debt."""
        creditor: int = self[1][7]
        return creditor if self.debt else None

    @property
    def anticipated(self) -> tuple[int, ...]:
        """The seats that anticipated the card that was just turned; empty while anticipations are being asked."""
        seats: tuple[int, ...] = SEATS[self[1][11]]
        return seats

    @property
    def unseen(self) -> tuple[int, ...]:
        """The cards that were never turned; they are where nobody knows what lies."""
        mask = self[1][12]
        return tuple([card for card in range(CARDS) if mask >> card & 1])

    @property
    def reason(self) -> bool:
        """Whether the card that was just turned is a reason to bang; False while anticipations are being asked."""
        return bool(self[1][14])

    def would_be_reason(self, card: int) -> bool:
        """Whether the card would be a reason to bang if it were turned onto the pile now."""
        public = self[1]
        return bool(_bang.reasons(public[0].bang_on)[public[13] + RANK[card]])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turned card that is settled, in order. Takes time in proportion to their number."""
        return tuple([Turn(*turn) for turn in chain(*self.past, self.recent)])

    def turn(self, number: int) -> Turn:
        """The settled turned card of that number, from 1 on, at once."""
        chunk, place = divmod(number - 1, CHUNK)
        past = self.past
        return Turn(*(past[chunk] if chunk < len(past) else self.recent)[place])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.deciding is None

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        told = chain.from_iterable([chunk.texts for chunk in self.past])
        return {
            "seat": self.seat,
            "question": self.question,
            "deciding": self.deciding,
            "answer": None if self.answer is None else NAMES[self.answer],
            "mover": self.mover,
            "sizes": list(self.sizes),
            "pile": BANG.texts(self.pile),
            "under": _texts(self[1][4]),
            "debt": self.debt,
            "creditor": self.creditor,
            "turned": self.turned,
            "anticipated": list(self.anticipated),
            "known": [_texts(stock) for stock in self[1][3]],
            "turns": [*told, *[turn_text(Turn(*turn)) for turn in self.recent]],
            "over": self.over,
        }
