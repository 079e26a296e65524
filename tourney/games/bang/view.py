"""What a seat of Bang may know, and the game's options. Rules: docs/rules/bang.md."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Annotated, Any, NamedTuple

import msgspec

from tourney.cards import BANG
from tourney.errors import did_you_mean
from tourney.game import Options, View
from tourney.games.bang import rules
from tourney.games.bang.rules import CARDS, CONDITIONS, NAMES, RANK, SEATS, UNKNOWN


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


class BangView(View, frozen=True, gc=False):
    """What a seat may know: sizes of stocks, the pile, every turned card and what came of it, and its own answer.

    Nobody sees stocks, but whoever remembers the won piles knows a part of them: `known`.
    """

    _public: tuple[Any, ...]
    """What every seat knows."""
    deciding: int | None
    """The seat that is being asked; None once the match is over."""
    answer: int | None
    """What the seat itself has answered to the question that is being asked; None before it has."""

    @property
    def options(self) -> BangOptions:
        """The options of the match."""
        options: BangOptions = self._public[0]
        return options

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
        """How many cards have been turned so far."""
        turned: int = self._public[8]
        return turned

    @property
    def past(self) -> tuple[Chunk, ...]:
        """Settled turns in full chunks."""
        past: tuple[Chunk, ...] = self._public[9]
        return past

    @property
    def recent(self) -> tuple[Settled, ...]:
        """Settled turns since the last full chunk."""
        recent: tuple[Settled, ...] = self._public[10]
        return recent

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
        """What a perfect memory knows of each stock, top first: a card, or None where it was never turned."""
        return _all_shown(self._public[3])

    @property
    def under(self) -> tuple[int | None, ...]:
        """The penalty cards face down under the pile, the lowest first, as far as memory knows them."""
        return _shown(self._public[4])

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
        """The cards that were never turned; they are where nobody knows what lies."""
        mask = self._public[12]
        return tuple([card for card in range(CARDS) if mask >> card & 1])

    @property
    def reason(self) -> bool:
        """Whether the card that was just turned is a reason to bang; False while anticipations are being asked."""
        return bool(self._public[14])

    def would_be_reason(self, card: int) -> bool:
        """Whether the card would be a reason to bang if it were turned onto the pile now."""
        public = self._public
        return bool(rules.reasons(public[0].bang_on)[public[13] + RANK[card]])

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
            "under": _texts(self._public[4]),
            "debt": self.debt,
            "creditor": self.creditor,
            "turned": self.turned,
            "anticipated": list(self.anticipated),
            "known": [_texts(stock) for stock in self._public[3]],
            "turns": [*told, *[turn_text(Turn(*turn)) for turn in self.recent]],
            "over": self.over,
        }
