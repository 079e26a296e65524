"""A match of Bang as it is played: questions, debts, won piles. `bang` has the game, `_bang_cards` what lies where."""

from collections.abc import Sequence
from typing import Any, Final

from mypy_extensions import i64

from tourney.game import Entry, places_by
from tourney.games.bang import rules
from tourney.games.bang.cards import Cards
from tourney.games.bang.rules import (
    ANTICIPATE,
    CARDS,
    DEBT,
    DRAWS,
    FIRST,
    HIT,
    HOLD,
    SEATS,
    TURNED,
    WAIT,
    WON,
)
from tourney.games.bang.view import CHUNK, BangOptions, BangView, Chunk
from tourney.rng import below, permutation

_View: Final = BangView
_CHUNK: Final = CHUNK
ENDLESS: Final = 2**62
"""More turned cards than a match can have, which options may ask for."""
_BEFORE: Final[Sequence[int]] = (ANTICIPATE, WAIT)
_AFTER: Final[Sequence[int]] = (HIT, HOLD)


class BangState(Cards):
    """A match of Bang that is going on."""

    __slots__ = (
        "_answers",
        "_anticipated",
        "_anticipation",
        "_block",
        "_creditor",
        "_debt",
        "_everyone",
        "_left",
        "_max_turns",
        "_mover",
        "_options",
        "_past",
        "_public",
        "_question",
        "_recent",
        "_reflex",
        "_reflexes",
        "_seats",
        "_seed",
        "_winner",
    )

    _anticipation: bool
    _max_turns: i64
    _seats: i64
    _everyone: i64
    """The mask of all seats."""
    _question: i64
    _left: i64
    """The seats that are still to answer, as a mask, like all that follow."""
    _answers: i64
    _anticipated: i64
    _mover: i64
    _debt: i64
    _creditor: i64
    """The seat that played the court card of the open debt; -1 without one."""
    _winner: i64
    _block: i64
    _reflexes: tuple[Entry, ...]
    _reflex: Entry
    """The order of the seats for the card that is being asked about."""
    _past: tuple[Chunk, ...]
    _recent: tuple[Any, ...]
    _public: tuple[Any, ...] | None
    """What all seats know, once someone has looked at it."""

    def begin(self, seats: int, options: BangOptions, seed: int) -> None:
        """Deals, and asks the first question."""
        order = permutation(CARDS, seed, "cards")
        stocks = [tuple(order[seat::seats]) for seat in range(seats)]
        self.set_up(seats, options, seed)
        self._lay_out(stocks)
        self._mover = below(seats, seed, "first")
        self._debt = 0
        self._creditor = -1
        self._past = ()
        self._recent = ()
        self.log.append(("deal", self._mover, tuple(stocks)))
        self._next_card()

    def set_up(self, seats: int, options: BangOptions, seed: int) -> None:
        """What stays as it is until someone has won."""
        self.log = []
        self._options = options
        self._anticipation = options.anticipation
        self._max_turns = min(options.max_turns, ENDLESS)
        self._penalty = min(options.penalty, CARDS)
        self._reasons = rules.reasons(options.bang_on)
        self._seats = seats
        self._everyone = (1 << seats) - 1
        self._seed = seed
        self._block = -1
        self._winner = -1

    def legal(self) -> Sequence[int]:
        """Anticipate or wait; bang or hold."""
        return _BEFORE if self._question == ANTICIPATE else _AFTER

    def apply(self, action: int) -> None:
        """Notes the answer of `seat`; the last answer lets the card be turned, or settles it."""
        left = self._left
        bit = left & -left
        if not action & 1:
            self._answers |= bit
        left ^= bit
        self._left = left
        if left:
            self.seat = FIRST[left]
        elif self._question == ANTICIPATE:
            self._anticipated = self._answers
            self._turn_card()
        else:
            self._settle(self._answers)

    def _next_card(self) -> None:
        """The questions about the next card begin."""
        self._draw(self._turned + 1)
        self.log.append(self._reflex)
        self._anticipated = 0
        if self._anticipation:
            self._reason = 0
            self._ask(ANTICIPATE)
        else:
            self._turn_card()

    def _draw(self, number: i64) -> None:
        """The order of the seats for the turned card of that number."""
        block = number // DRAWS
        if block != self._block:
            self._reflexes = rules.reflexes(self._seats, self._seed, block)
            self._block = block
        self._reflex = self._reflexes[number % DRAWS]

    def _ask(self, question: i64) -> None:
        """Puts a question to all seats that have not anticipated, one after the other."""
        asked = self._everyone ^ self._anticipated
        self._question = question
        self._left = asked
        self._answers = 0
        self._public = None
        self.seat = FIRST[asked]

    def _turn_card(self) -> None:
        """The mover turns the top card of its stock; then the seats that waited are asked."""
        mover = self._mover
        card = self._turn_top(mover)
        self.log.append(TURNED[mover * CARDS + card])
        if self._anticipated != self._everyone:
            self._ask(HIT)
        else:
            self._settle(0)

    def _settle(self, banged: i64) -> None:
        """All have reacted to the turned card: the pile is won, or wrong bangs are paid for and the play goes on."""
        mover = self._mover
        card: i64 = self._pile[-1]
        anticipated = self._anticipated
        penalties: tuple[Any, ...] = ()
        # docs/rules/bang: the seats that anticipated come before those that banged
        quick = anticipated if anticipated else banged
        if quick and self._reason:
            won: i64 = rules.first_of(quick, self._seats, self._reflex[2])
        else:
            if quick:
                penalties = self._pay(SEATS[anticipated | banged])
            won = self._play_on(mover, card)
        winner: Any = None if won < 0 else won
        turn: tuple[Any, ...] = (mover, card, SEATS[anticipated], SEATS[banged], penalties, winner)
        turns: tuple[Any, ...] = (turn,)
        recent = self._recent + turns
        if len(recent) == _CHUNK:
            self._past += (Chunk(recent),)
            recent = ()
        self._recent = recent
        if won >= 0:
            self._take(won)
        if self._winner >= 0 or self._turned >= self._max_turns:
            self._end()
        else:
            self._next_card()

    def _play_on(self, mover: i64, card: i64) -> i64:
        """No bang has won the card: what it does to the debt and whose turn it is; returns who gets the pile, or -1."""
        owed: i64 = DEBT[card]
        if owed:
            # docs/rules/bang: a court card ends the debt that is open and opens another
            self._debt = owed
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

    def _following(self, seat: i64) -> i64:
        """The next seat with cards, which may be the seat itself; -1 if there is none."""
        other = seat
        while True:
            other += 1
            if other == self._seats:
                other = 0
            if self._stocks[other]:
                return other
            if other == seat:
                return -1

    def _take(self, seat: i64) -> None:
        """The seat gets the pile, and moves, without a debt."""
        self._gather(seat)
        self._debt = 0
        self._creditor = -1
        self._mover = seat
        self.log.append(WON[seat])
        if len(self._stocks[seat]) == CARDS:
            self._winner = seat

    def _end(self) -> None:
        self.seat = None
        self._left = self._answers = self._anticipated = self._reason = 0
        self._public = None

    def view(self, seat: int) -> BangView:
        """What the seat may know."""
        public = self._public
        if public is None:
            public = self._published()
        at: i64 = seat
        answer: Any = None
        if (self._everyone ^ self._anticipated ^ self._left) >> at & 1 and self.seat is not None:
            answer = self._question + 1 - (self._answers >> at & 1)
        return _View(seat, public, self.seat, answer)

    def _published(self) -> tuple[Any, ...]:
        """What all seats know until the next question is put; `BangView` names it."""
        public: tuple[Any, ...] = (
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
            self._anticipated,
            self._unseen,
            self._at,
            self._reason,
            self._out,
        )
        self._public = public
        return public

    def take_up(self, public: tuple[Any, ...]) -> None:
        """Goes on from what all seats know, where the stocks and the cards under the pile stand already."""
        _, question, mover, known, unseen_under, pile, debt, creditor, turned = public[:9]
        past, recent, anticipated, unseen, at, reason, out = public[9:]
        self._anticipated, self._unseen, self._at, self._reason = anticipated, unseen, at, reason
        self._mover, self._debt, self._creditor, self._turned = mover, debt, creditor, turned
        self._known, self._unseen_under, self._pile = list(known), unseen_under, pile
        self._past, self._recent, self._out = past, recent, out
        self._draw(self._turned + (question == ANTICIPATE))
        self._ask(question)
        self._public = public

    def copy(self) -> "BangState":
        """A state of its own that goes on from here, with an empty log."""
        new = BangState()
        new.seat = self.seat
        new.log = []
        new._answers = self._answers
        new._anticipated = self._anticipated
        new._anticipation = self._anticipation
        new._at = self._at
        new._block = self._block
        new._creditor = self._creditor
        new._debt = self._debt
        new._everyone = self._everyone
        new._left = self._left
        new._max_turns = self._max_turns
        new._mover = self._mover
        new._options = self._options
        new._out = self._out
        new._past = self._past
        new._penalty = self._penalty
        new._pile = self._pile
        new._public = self._public
        new._question = self._question
        new._reason = self._reason
        new._reasons = self._reasons
        new._recent = self._recent
        new._reflex = self._reflex
        new._reflexes = self._reflexes
        new._seats = self._seats
        new._seed = self._seed
        new._turned = self._turned
        new._under = self._under
        new._unseen = self._unseen
        new._unseen_under = self._unseen_under
        new._winner = self._winner
        new._stocks = self._stocks.copy()
        new._known = self._known.copy()
        return new

    @property
    def places(self) -> tuple[int, ...]:
        """The winner, then who last held a card later; after `max_turns`, by score."""
        if self._winner < 0 or self._turned >= self._max_turns:
            return places_by(self.scores)
        return places_by([self._turned + 1 if seat == self._winner else out for seat, out in enumerate(self._out)])
