"""What a seat of Bang may know, and the game's options. Rules: docs/rules/bang.md."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import did_you_mean
from tourney.contracts.cards import BANG as DECK
from tourney.contracts.game import Options, View
from tourney.contracts.view import made_once
from tourney.games.bang.rules import CARDS, CHUNK, CONDITIONS, NAMES, RANK, SEATS, UNKNOWN, reasons


class BangOptions(Options, frozen=True):
    """Options of Bang."""

    bang_on: tuple[str, ...] = ("pair", "sandwich")
    """The reasons to bang: any of pair, sandwich, marriage, ten and run."""
    anticipation: bool = True
    """Whether every seat is asked, before a card is turned, if it bangs on it unseen."""
    penalty: Annotated[int, msgspec.Meta(ge=1)] = 1
    """The number of cards that a wrong bang costs."""
    max_turns: Annotated[int, msgspec.Meta(ge=1)] = 2000
    """The number of turned cards after which the match ends."""

    def __post_init__(self) -> None:
        for i, name in enumerate(self.bang_on):
            if name not in CONDITIONS:
                raise ValueError(f'bang_on: no condition "{name}"; {did_you_mean(name, CONDITIONS)}')
            if name in self.bang_on[:i]:
                raise ValueError(f'bang_on: "{name}" is listed twice; name each condition once')


class Turn(NamedTuple):
    """A turned card and how it was settled, as everyone saw it."""

    seat: int
    """The seat that turned it."""
    card: int
    anticipated: tuple[int, ...]
    """The seats that anticipated, in seat order."""
    banged: tuple[int, ...]
    """The seats that said bang, in seat order."""
    penalties: tuple[tuple[int, int], ...]
    """What wrong bangs cost, in seat order: (seat, number of cards); seats without a card to pay are left out."""
    won: int | None
    """The seat that got the pile after it, by a bang or by a debt that was paid; None if nobody did."""

    def text(self) -> str:
        """The turn in one line: `1:7h`, `0:Qs anticipate:0,2 bang:1 penalty:0=1,1=1,2=1 pile:1`."""
        parts = [f"{self.seat}:{DECK.text(self.card)}"]
        if self.anticipated:
            parts.append(f"anticipate:{_joined(self.anticipated)}")
        if self.banged:
            parts.append(f"bang:{_joined(self.banged)}")
        if self.penalties:
            parts.append("penalty:" + ",".join([f"{seat}={count}" for seat, count in self.penalties]))
        if self.won is not None:
            parts.append(f"pile:{self.won}")
        return " ".join(parts)


def _joined(seats: Sequence[int]) -> str:
    return ",".join([str(seat) for seat in seats])


SettledTurn = tuple[Any, ...]
"""The items of a `Turn`, before anyone looks at it: few of the many in a match are ever looked at."""
TurnChunk = tuple[SettledTurn, ...]
"""Consecutive turns."""


@made_once
def texts_of(chunk: TurnChunk) -> tuple[str, ...]:
    """Each turn in one line."""
    return tuple([Turn(*turn).text() for turn in chunk])


PublicState = tuple[Any, ...]
"""What all seats know until the next question is asked. `BangView` names the items.

A plain tuple: an object with named fields would take 3 % of a whole run.
"""


@lru_cache(maxsize=64)
def _known_cards(cards: bytes) -> tuple[int | None, ...]:
    if UNKNOWN not in cards:  # true for most of a match, and quicker
        return tuple(cards)
    return tuple([None if card == UNKNOWN else card for card in cards])


@lru_cache(maxsize=8)
def _known_stocks(stocks: tuple[bytes, ...]) -> tuple[tuple[int | None, ...], ...]:
    """The cards of each stock; cached as the seats that are asked in turn all look at them."""
    return tuple([_known_cards(stock) for stock in stocks])


def _texts(cards: bytes) -> list[str | None]:
    return [None if card == UNKNOWN else DECK.names[card] for card in cards]


_Settled: TypeAlias = tuple[int, int, tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...], int | None]
_Chunk: TypeAlias = tuple[_Settled, ...]
_Options: TypeAlias = tuple[tuple[str, ...], bool, int, int]


class BangView(View, frozen=True, gc=False):
    """What a seat may know: sizes of stocks, the pile, every turned card and how it was settled, and its own answer.

    Stocks are hidden, but a player who remembers the won piles knows a part of them: `known`.
    """

    _public: tuple[
        _Options, int, int, tuple[bytes, ...], bytes, bytes, int, int, int, tuple[_Chunk, ...], _Chunk,
        int, int, int, int, tuple[int, ...],
    ]  # fmt: skip
    """What all seats know."""
    deciding: int | None
    """The seat that is being asked; None once the match is over."""
    answer: int | None
    """The seat's own answer to the question that is being asked; None before it has answered."""

    @property
    def options(self) -> BangOptions:
        """The options of the match."""
        return BangOptions(*self._public[0])

    @property
    def mover(self) -> int:
        """The seat that turns the next card, or, while `bang` is asked, has just turned one."""
        mover: int = self._public[2]
        return mover

    @property
    def debt(self) -> int:
        """How many cards are owed; while `bang` is asked, the card just turned does not count yet."""
        debt: int = self._public[6]
        return debt

    @property
    def turned(self) -> int:
        """How many cards have been turned."""
        turned: int = self._public[8]
        return turned

    @property
    def question(self) -> str | None:
        """`anticipate` before a card is turned, `bang` after it; None once the match is over."""
        return None if self.over else NAMES[self._public[1]]

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cards each stock holds."""
        return tuple([len(stock) for stock in self._public[3]])

    @property
    def known(self) -> tuple[tuple[int | None, ...], ...]:
        """A perfect memory of each stock, top first: a card, or None if it was never turned."""
        return _known_stocks(self._public[3])

    @property
    def under(self) -> tuple[int | None, ...]:
        """The penalty cards face down under the pile, the lowest first; None for those never turned."""
        return _known_cards(self._public[4])

    @property
    def pile(self) -> tuple[int, ...]:
        """The turned cards of the pile, the lowest first; the top one is the last."""
        return tuple(self._public[5])

    @property
    def creditor(self) -> int | None:
        """The seat that gets the pile if the debt is paid; None without a debt."""
        creditor: int = self._public[7]
        return creditor if self.debt else None

    @property
    def anticipated(self) -> tuple[int, ...]:
        """The seats that anticipated the card that was just turned; empty while anticipations are being asked."""
        seats: tuple[int, ...] = SEATS[self._public[11]]
        return seats

    @property
    def unseen(self) -> tuple[int, ...]:
        """The cards that were never turned; their places are unknown to all."""
        mask = self._public[12]
        return tuple([card for card in range(CARDS) if mask >> card & 1])

    @property
    def reason(self) -> bool:
        """Whether the card that was just turned is a reason to bang; False while anticipations are being asked."""
        return bool(self._public[14])

    def would_be_reason(self, card: int) -> bool:
        """Whether the card would be a reason to bang if it were turned onto the pile now."""
        bang_on = self._public[0][0]
        return bool(reasons(bang_on)[self._public[13] + RANK[card]])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every settled turn, in order. Takes time in proportion to their number."""
        return tuple([Turn(*turn) for turn in chain(*self._public[9], self._public[10])])

    def turn(self, number: int) -> Turn:
        """The settled turn of that number, from 1 on, in constant time."""
        chunk, i = divmod(number - 1, CHUNK)
        past, recent = self._public[9:11]
        return Turn(*(past[chunk] if chunk < len(past) else recent)[i])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.deciding is None

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, with cards and actions as text."""
        return {
            "seat": self.seat,
            "question": self.question,
            "deciding": self.deciding,
            "answer": None if self.answer is None else NAMES[self.answer],
            "mover": self.mover,
            "sizes": list(self.sizes),
            "pile": DECK.texts(self.pile),
            "under": _texts(self._public[4]),
            "debt": self.debt,
            "creditor": self.creditor,
            "turned": self.turned,
            "anticipated": list(self.anticipated),
            "known": [_texts(stock) for stock in self._public[3]],
            "turns": [*chain.from_iterable([texts_of(chunk) for chunk in (*self._public[9], self._public[10])])],
            "over": self.over,
        }
