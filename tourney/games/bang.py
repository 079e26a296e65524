"""Bang: 2 to 8 seats turn cards; whoever reacts first to a reason to bang takes the pile. Rules: docs/rules/bang.md.

Cards are those of `tourney.cards.BANG`. A stock is a tuple, its top first; the pile is a tuple, its lowest card first.
A card is known to all from the moment that it is first turned, wherever it goes: piles are won in a known order.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import factorial
from random import Random
from typing import Any, Final

from mypy_extensions import mypyc_attr

from tourney.cards import BANG
from tourney.errors import ViewError
from tourney.game import Entry, Game, State, places_by
from tourney.games import _bang
from tourney.games._bang import ANTICIPATE, CARDS, EMPTY, HIT, HOLD, WAIT, Chunk, Table, Turn
from tourney.games._bang_view import BangOptions, BangView
from tourney.rng import below, derive, permutation, shuffle

_new: Final = tuple.__new__
_LEGAL: Final = {ANTICIPATE: (ANTICIPATE, WAIT), HIT: (HIT, HOLD)}
_RANK: Final = list(_bang.RANK)
_DEBT: Final = list(_bang.DEBT)
_SEATS: Final = list(_bang.SEATS)


class BangState(State):
    """A match of Bang that is going on."""

    __slots__ = (
        "_answers",
        "_anticipated",
        "_asked",
        "_at",
        "_creditor",
        "_debt",
        "_known",
        "_left",
        "_mover",
        "_options",
        "_out",
        "_past",
        "_pile",
        "_question",
        "_reason",
        "_reasons",
        "_recent",
        "_reflex",
        "_seats",
        "_seed",
        "_stocks",
        "_table",
        "_turned",
        "_under",
        "_unseen",
        "_unseen_under",
        "_winner",
    )

    _left: int
    _answers: int

    def begin(self, seats: int, options: BangOptions, seed: int) -> None:
        """Deals, and asks the first question."""
        order = permutation(CARDS, seed, "cards")
        self.log = []
        self._options = options
        self._reasons = _bang.reasons(options.bang_on)
        self._seats = seats
        self._seed = seed
        self._stocks = [tuple(order[seat::seats]) for seat in range(seats)]
        self._known: list[tuple[int | None, ...]] = [(None,) * len(stock) for stock in self._stocks]
        self._unseen = (1 << CARDS) - 1
        self._clear()
        self._mover = below(seats, seed, "first")
        self._debt = 0
        self._creditor = -1
        self._turned = 0
        self._past: tuple[Chunk, ...] = ()
        self._recent: tuple[Turn, ...] = ()
        self._out = (0,) * seats
        self._winner = -1
        self.log.append(("deal", self._mover, tuple(self._stocks)))
        self._next_card()

    def _clear(self) -> None:
        """There is no pile."""
        self._pile: tuple[int, ...] = ()
        self._under: tuple[int, ...] = ()
        self._unseen_under: tuple[int | None, ...] = ()
        self._at = EMPTY

    def legal(self) -> Sequence[int]:
        """Anticipate or wait; bang or hold."""
        assert self._question is not None
        return _LEGAL[self._question]

    def apply(self, action: int) -> None:
        """Notes the answer of `seat`; the last answer lets the card be turned, or settles it."""
        left = self._left
        bit = left & -left
        if not action & 1:
            self._answers |= bit
        self._left = left = left ^ bit
        if left:
            self.seat = (left & -left).bit_length() - 1
        elif self._question == ANTICIPATE:
            self._anticipated = self._answers
            self._turn_card()
        else:
            self._settle(self._answers)

    def _next_card(self) -> None:
        """The questions about the next card begin."""
        self._reflex = _reflex(self._seats, self._seed, self._turned + 1)
        self.log.append(("reflex", self._seats, self._reflex))
        self._anticipated = 0
        if self._options.anticipation:
            self._reason = 0
            self._ask(ANTICIPATE, (1 << self._seats) - 1)
        else:
            self._turn_card()

    def _ask(self, question: int, asked: int) -> None:
        """Puts a question to the seats of a mask, one after the other."""
        self._question: int | None = question
        self._asked = asked
        self._left = asked
        self._answers = 0
        self.seat = (asked & -asked).bit_length() - 1
        self._publish()

    def _publish(self) -> None:
        """Makes what all seats know, until the next question."""
        self._table: Table = _new(
            Table,
            (
                self._options,
                self._question,
                self._mover,
                tuple(self._known),
                self._unseen_under,
                self._pile,
                self._debt,
                self._creditor,
                self._turned,
                self._past,
                self._recent,
                self._asked,
                self._anticipated,
                self._unseen,
                self._at,
                self._reason,
                self._out,
            ),
        )

    def _turn_card(self) -> None:
        """The mover turns the top card of its stock; then the seats that waited are asked."""
        mover = self._mover
        stock = self._stocks[mover]
        card, rest = stock[0], stock[1:]
        self._stocks[mover] = rest
        self._known[mover] = self._known[mover][1:]
        self._turned += 1
        if not rest:
            self._ran_out(mover)
        self._pile += (card,)
        self._reason = self._reasons[self._at + _RANK[card]]
        self._at = _bang.onto(self._at, _RANK[card])
        if self._unseen >> card & 1:
            self._unseen ^= 1 << card
            self._deduce()
        self.log.append(("turned", mover, card))
        waiting = (1 << self._seats) - 1 ^ self._anticipated
        if waiting:
            self._ask(HIT, waiting)
        else:
            self._settle(0)

    def _deduce(self) -> None:
        """When a single card was never turned, everyone knows where it is."""
        unseen = self._unseen
        if unseen & unseen - 1 or not unseen:
            return
        last = unseen.bit_length() - 1
        self._known = [tuple([last if card is None else card for card in stock]) for stock in self._known]
        self._unseen_under = tuple([last if card is None else card for card in self._unseen_under])

    def _ran_out(self, seat: int) -> None:
        self._out = (*self._out[:seat], self._turned, *self._out[seat + 1 :])

    def _settle(self, banged: int) -> None:
        """All have reacted to the turned card: the pile is won, or wrong bangs are paid for and the play goes on."""
        mover, card = self._mover, self._pile[-1]
        # docs/rules/bang: the seats that anticipated come before those that banged
        quick = self._anticipated or banged
        penalties: tuple[tuple[int, int], ...] = ()
        if self._reason and quick:
            won = _bang.first_of(quick, self._seats, self._reflex)
        else:
            if quick:
                penalties = tuple([paid for seat in _SEATS[self._anticipated | banged] if (paid := self._pay(seat))[1]])
            won = self._play_on(mover, card)
        anticipated = _SEATS[self._anticipated]
        turn = mover, card, anticipated, _SEATS[banged], penalties, None if won < 0 else won
        self._remember(_new(Turn, turn))
        if won >= 0:
            self._take(won)
        if self._winner >= 0 or self._turned >= self._options.max_turns:
            self._end()
        else:
            self._next_card()

    def _pay(self, seat: int) -> tuple[int, int]:
        """A wrong bang: cards go under the pile, each below the last; returns (seat, how many there were)."""
        stock = self._stocks[seat]
        count = min(self._options.penalty, len(stock))
        if count:
            known = self._known[seat]
            self._under = stock[:count][::-1] + self._under
            self._unseen_under = known[:count][::-1] + self._unseen_under
            self._stocks[seat] = stock[count:]
            self._known[seat] = known[count:]
            if count == len(stock):
                self._ran_out(seat)
        return seat, count

    def _play_on(self, mover: int, card: int) -> int:
        """No bang has won the card: what it does to the debt and whose turn it is; returns who gets the pile, or -1."""
        if _DEBT[card]:
            # docs/rules/bang: a court card ends the debt that is open and opens another
            self._debt = _DEBT[card]
            self._creditor = mover
        elif self._debt:
            self._debt -= 1
            if not self._debt:
                return self._creditor
            if self._stocks[mover]:
                return -1
        following = self._following(mover)
        if following < 0:
            # docs/rules/bang: when no seat has cards left, the pile goes to the debt's creditor or the last to turn
            return self._creditor if self._debt else mover
        self._mover = following
        return -1

    def _following(self, seat: int) -> int:
        """The next seat with cards, which may be the seat itself; -1 if there is none."""
        stocks = self._stocks
        for step in range(1, self._seats + 1):
            other = (seat + step) % self._seats
            if stocks[other]:
                return other
        return -1

    def _remember(self, turn: Turn) -> None:
        self._recent += (turn,)
        if len(self._recent) == _bang.CHUNK:
            self._past += (Chunk(self._recent),)
            self._recent = ()

    def _take(self, seat: int) -> None:
        """The pile goes face down under the stock, its lowest card first; its owner moves, without a debt."""
        self._stocks[seat] += self._under + self._pile
        self._known[seat] += self._unseen_under + self._pile
        self._clear()
        self._debt = 0
        self._creditor = -1
        self._mover = seat
        self.log.append(("pile", seat))
        if len(self._stocks[seat]) == CARDS:
            self._winner = seat

    def _end(self) -> None:
        self.seat = self._question = None
        self._asked = self._left = self._answers = self._anticipated = self._reason = 0
        self._publish()

    def view(self, seat: int) -> BangView:
        """What the seat may know."""
        question = self._question
        bit = 1 << seat
        answer = None
        if question is not None and (self._asked ^ self._left) & bit:
            answer = question if self._answers & bit else question + 1
        return _new(BangView, (seat, self._table, self.seat, answer))

    def copy(self) -> "BangState":
        """A state of its own that goes on from here, with an empty log."""
        new = BangState()
        new.seat = self.seat
        new.log = []
        new._answers = self._answers
        new._anticipated = self._anticipated
        new._asked = self._asked
        new._at = self._at
        new._creditor = self._creditor
        new._debt = self._debt
        new._left = self._left
        new._mover = self._mover
        new._options = self._options
        new._out = self._out
        new._past = self._past
        new._pile = self._pile
        new._question = self._question
        new._reason = self._reason
        new._reasons = self._reasons
        new._recent = self._recent
        new._reflex = self._reflex
        new._seats = self._seats
        new._seed = self._seed
        new._table = self._table
        new._turned = self._turned
        new._under = self._under
        new._unseen = self._unseen
        new._unseen_under = self._unseen_under
        new._winner = self._winner
        new._stocks = self._stocks.copy()
        new._known = self._known.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The cards in each stock; the pile belongs to nobody."""
        return tuple([len(stock) for stock in self._stocks])

    @property
    def places(self) -> tuple[int, ...]:
        """The winner, then who last held a card later; after `max_turns`, by score."""
        if self._winner < 0 or self._turned >= self._options.max_turns:
            return places_by(self.scores)
        return places_by([self._turned + 1 if seat == self._winner else out for seat, out in enumerate(self._out)])


@mypyc_attr(allow_interpreted_subclasses=True)
class Bang(Game):
    """The rules of Bang."""

    name = "bang"
    title = "Bang"
    rules = "docs/rules/bang.md"
    seats = range(2, 9)
    Options = BangOptions
    actions = _bang.NAMES
    names = _bang.NAMES
    private = ("reflex",)

    def start(self, seats: int, options: BangOptions, seed: int) -> BangState:
        """A new match."""
        state = BangState()
        state.begin(seats, options, seed)
        return state

    def imagine(self, view: BangView, rng: Random) -> BangState:
        """A state in which the cards that were never turned lie anywhere, and other seats' open answers are any."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return _imagine(view, rng)

    def event(self, entry: Entry) -> dict[str, Any]:
        """A deal, an order of reflexes, a turned card or a won pile, as an event of the trace."""
        match entry:
            case ("deal", first, stocks):
                return {"kind": "deal", "first": first, "stocks": [BANG.texts(stock) for stock in stocks]}
            case ("reflex", seats, number):
                return {"kind": "reflex", "order": _bang.ordering(seats, number)}
            case ("turned", seat, card):
                return {"kind": "turned", "seat": seat, "card": BANG.text(card)}
            case ("pile", seat):
                return {"kind": "pile", "seat": seat}
        raise AssertionError(f"unknown entry {entry}")


def _reflex(seats: int, seed: int, number: int) -> int:
    """The order in which the seats are quick at the turned card of that number; see `_bang.ordering`."""
    # docs/rules/bang: the order is drawn for every card anew, and depends on nothing but the card's number
    block, place = divmod(number, _DRAWS)
    return _reflexes(seats, seed, block)[place]


_DRAWS = 6
"""Orders that one derived number decides: even of 8 seats all are as likely, to within a part in 10**10."""


@lru_cache(maxsize=256)
def _reflexes(seats: int, seed: int, block: int) -> tuple[int, ...]:
    """The orders of reflexes for the turned cards of a block, by their numbers."""
    chance, orders = derive(seed, "reflex", block), factorial(seats)
    return tuple([chance // orders**place % orders for place in range(_DRAWS)])


def _imagine(view: BangView, rng: Random) -> BangState:
    table = view.table
    unseen = list(view.unseen)
    shuffle(unseen, rng)

    def filled(cards: tuple[int | None, ...]) -> tuple[int, ...]:
        """The cards, with unseen ones in the unknown places: any order of them is as likely as any other."""
        return tuple([unseen.pop() if card is None else card for card in cards])

    new = BangState()
    new.log = []
    new._options = table.options
    new._reasons = _bang.reasons(table.options.bang_on)
    new._seats = len(table.known)
    new._seed = int(rng.random() * 2**53)
    new._reflex = _reflex(new._seats, new._seed, table.turned + (table.question == ANTICIPATE))
    new._stocks = [filled(stock) for stock in table.known]
    new._known = list(table.known)
    new._unseen = table.unseen
    new._pile, new._under, new._unseen_under = table.pile, filled(table.under), table.under
    new._at, new._reason = table.at, table.reason
    new._mover, new._debt, new._creditor = table.mover, table.debt, table.creditor
    new._turned, new._past, new._recent, new._out = table.turned, table.past, table.recent, table.out
    new._winner = -1
    new._question, new._asked, new._anticipated = table.question, table.asked, table.anticipated
    new.seat, new._left, new._answers = _answered(view, rng)
    new._table = table
    return new


def _answered(view: BangView, rng: Random) -> tuple[int, int, int]:
    """The seat that decides, the seats still to answer, and answers that other seats may have given so far."""
    deciding, asked = view.deciding, view.table.asked
    assert deciding is not None
    answers = 0
    for seat in _SEATS[asked & (1 << deciding) - 1]:
        reacts = view.answer == view.table.question if seat == view.seat else rng.random() < 0.5
        answers |= reacts << seat
    return deciding, asked >> deciding << deciding, answers


__all__ = ["Bang", "BangOptions", "BangState", "BangView"]
