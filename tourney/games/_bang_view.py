"""What a seat of Bang may know, and the game's options. Rules: docs/rules/bang.md."""

from typing import Annotated, Any

import msgspec

from tourney.cards import BANG
from tourney.errors import did_you_mean
from tourney.game import Options, View
from tourney.games import _bang
from tourney.games._bang import CONDITIONS, RANK, SEATS, Table, Turn


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


class BangView(View):
    """What a seat may know: sizes of stocks, the pile, every turned card and what came of it, and its own answer.

    Nobody sees stocks, but whoever remembers the won piles knows a part of them: `known`.
    """

    __slots__ = ()

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
    def table(self) -> Table:
        """All that every seat knows."""
        table: Table = self[1]
        return table

    @property
    def options(self) -> BangOptions:
        """The options of the match."""
        options: BangOptions = self.table.options
        return options

    @property
    def question(self) -> str | None:
        """`anticipate` before a card is turned, `bang` after it; None once the match is over."""
        question = self.table.question
        return None if question is None else _bang.NAMES[question]

    @property
    def mover(self) -> int:
        """The seat that turns the next card, or, while `bang` is asked, has just turned one."""
        return self.table.mover

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many cards each stock holds."""
        return tuple([len(stock) for stock in self.table.known])

    @property
    def known(self) -> tuple[tuple[int | None, ...], ...]:
        """What a perfect memory knows of each stock, top first: a card, or None where it was never turned."""
        return self.table.known

    @property
    def pile(self) -> tuple[int, ...]:
        """The turned cards of the pile, the lowest first; the top one is the last."""
        return self.table.pile

    @property
    def under(self) -> tuple[int | None, ...]:
        """The penalty cards face down under the pile, the lowest first, as far as memory knows them."""
        return self.table.under

    @property
    def debt(self) -> int:
        """How many cards are owed; while `bang` is asked, the card just turned does not count yet."""
        return self.table.debt

    @property
    def creditor(self) -> int | None:
        """The seat that gets the pile if the debt is paid; None without a debt."""
        return self.table.creditor if self.table.debt else None

    @property
    def turned(self) -> int:
        """How many cards have been turned so far."""
        return self.table.turned

    @property
    def anticipated(self) -> tuple[int, ...]:
        """The seats that anticipated the card that was just turned; empty while anticipations are being asked."""
        return SEATS[self.table.anticipated]

    @property
    def unseen(self) -> tuple[int, ...]:
        """The cards that were never turned; they are where nobody knows what lies."""
        return _bang.cards_of(self.table.unseen)

    @property
    def reason(self) -> bool:
        """Whether the card that was just turned is a reason to bang; False while anticipations are being asked."""
        return bool(self.table.reason)

    def would_be_reason(self, card: int) -> bool:
        """Whether the card would be a reason to bang if it were turned onto the pile now."""
        table = self.table
        return bool(_bang.reasons(table.options.bang_on)[table.at + RANK[card]])

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Every turned card that is settled, in order. Takes time in proportion to their number."""
        table = self.table
        return (*[turn for chunk in table.past for turn in chunk], *table.recent)

    def turn(self, number: int) -> Turn:
        """The settled turned card of that number, from 1 on, at once."""
        chunk, place = divmod(number - 1, _bang.CHUNK)
        past = self.table.past
        return past[chunk][place] if chunk < len(past) else self.table.recent[place]

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.table.question is None

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        return {
            "seat": self.seat,
            "question": self.question,
            "deciding": self.deciding,
            "answer": None if self.answer is None else _bang.NAMES[self.answer],
            "mover": self.mover,
            "sizes": list(self.sizes),
            "pile": BANG.texts(self.pile),
            "under": _bang.card_texts(self.under),
            "debt": self.debt,
            "creditor": self.creditor,
            "turned": self.turned,
            "anticipated": list(self.anticipated),
            "known": [_bang.card_texts(stock) for stock in self.known],
            "turns": _bang.turn_texts(self.table.past, self.table.recent),
            "over": self.over,
        }
