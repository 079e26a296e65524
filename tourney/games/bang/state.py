"""A match of Bang: the cards, the questions, the debts and the end. Rules: docs/rules/bang.md.

A stock is bytes, its top first; the pile is bytes, its lowest card first. All seats know a card from its first turn on,
wherever it goes: piles are won in a known order. Each stock's known cards are kept next to it.
"""

from __future__ import annotations  # for `__slots__` by Python 3.14

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import i64

from tourney.contracts.game import Entry, State, places_by
from tourney.contracts.rng import below, permutation
from tourney.games.bang.rules import (
    ALL_CARDS,
    ANTICIPATE,
    BANG,
    BATCH,
    CARDS,
    CHUNK,
    DEBT,
    FIRST_SEAT,
    HOLD,
    NO_CARDS,
    RANK,
    SEATS,
    UNKNOWN,
    WAIT,
    add_rank,
    draw_reflexes,
    quickest,
    reasons,
)
from tourney.games.bang.view import BangOptions, BangView, PublicState, SettledTurn, TurnChunk
from tourney.games.tricks import BITS

MOST_TURNS: Final = 2**62
"""More turned cards than any match has; `max_turns` may be larger than 64 bits hold."""
# compiled, a Final is looked up once; without it `view` alone costs 1.3 % of a whole run
_View: Final = BangView
_BEFORE: Final[Sequence[int]] = (ANTICIPATE, WAIT)
_AFTER: Final[Sequence[int]] = (BANG, HOLD)


class BangState(State):
    """A match of Bang in progress."""

    _shown_options: tuple[Any, ...]
    """The values of the options, for views."""
    _anticipation: bool
    _max_turns: i64
    _seed: int
    _seats: i64
    _everyone: i64
    """The mask of all seats."""
    _question: i64
    """ANTICIPATE before a card is turned, BANG after it."""
    _unanswered: i64
    """The mask of the seats that have yet to answer the question."""
    _answers: i64
    """The mask of the seats that have answered it by reacting."""
    _anticipated: i64
    """The mask of the seats that anticipated the card just turned."""
    _mover: i64
    """The seat that turns the next card or has just turned one."""
    _debt: i64
    """How many cards are owed."""
    _creditor: i64
    """The seat that turned the court card of the open debt; -1 if there was none yet."""
    _winner: i64
    """The seat that holds all cards; -1 while none does."""
    _batch: i64
    """The number of the batch of orders in `_reflexes`."""
    _reflexes: tuple[Entry, ...]
    _reflex: Entry
    """The order of reflexes for the card that is being asked about."""
    _past: tuple[TurnChunk, ...]
    """The settled turns in full chunks."""
    _recent: tuple[SettledTurn, ...]
    """The settled turns since the last full chunk."""
    _public: PublicState | None
    """What all seats know, made when a seat first looks at it after a change."""
    _penalty: i64
    """How many cards a wrong bang costs."""
    _reasons: bytes
    """The table of `reasons` for the options of the match."""
    _stocks: list[bytes]
    _known: list[bytes]
    """What all seats know of each stock: UNKNOWN stands for a card that was never turned."""
    _pile: bytes
    """The turned cards of the pile."""
    _under: bytes
    """The penalty cards below the turned ones."""
    _known_under: bytes
    """What all seats know of the penalty cards."""
    _unseen: i64
    """The mask of the cards that were never turned."""
    _top_ranks: i64
    """The ranks of the two highest cards of the pile; see `add_rank`."""
    _reason: i64
    """1 if the card just turned is a reason to bang, else 0."""
    _turned: i64
    """How many cards have been turned."""
    _last_out: tuple[int, ...]
    """The number of the turned card with which each seat last ran out of cards; 0 for a seat that never did."""
    __slots__ = tuple(__annotations__)

    def begin(self, seats: int, options: BangOptions, seed: int) -> None:
        """Deals the cards and asks the first question."""
        order = permutation(CARDS, seed, "cards")
        stocks = [tuple(order[seat::seats]) for seat in range(seats)]
        self.set_up(seats, options, seed)
        self._stocks = [bytes(stock) for stock in stocks]
        self._known = [bytes([UNKNOWN]) * len(stock) for stock in stocks]
        self._unseen = ALL_CARDS
        self._turned = 0
        self._last_out = (0,) * seats
        self._remove_pile()
        self._mover = below(seats, seed, "first")
        self.log.append(("deal", self._mover, tuple(stocks)))
        self._next_card()

    def set_up(self, seats: int, options: BangOptions, seed: int) -> None:
        """Sets everything but the cards, for a match without debt or history."""
        self.log = []
        self._shown_options = astuple(options)
        self._anticipation = options.anticipation
        self._max_turns = min(options.max_turns, MOST_TURNS)
        self._penalty = min(options.penalty, CARDS)
        self._reasons = reasons(options.bang_on)
        self._seats = seats
        self._everyone = (1 << seats) - 1
        self._seed = seed
        self._batch = -1
        self._winner = -1
        self._debt = 0
        self._creditor = -1
        self._past = ()
        self._recent = ()

    def _remove_pile(self) -> None:
        self._pile = b""
        self._under = b""
        self._known_under = b""
        self._top_ranks = NO_CARDS

    def legal(self) -> Sequence[int]:
        """Anticipate or wait before a card is turned; bang or hold after it."""
        return _BEFORE if self._question == ANTICIPATE else _AFTER

    def apply(self, action: int) -> None:
        """Notes the answer of `seat`. After the last answer the card is turned, or settled."""
        unanswered = self._unanswered
        seat_bit = unanswered & -unanswered
        if action == self._question:  # a question's number is the reacting action's
            self._answers |= seat_bit
        unanswered ^= seat_bit
        self._unanswered = unanswered
        if unanswered:
            self.seat = FIRST_SEAT[unanswered]
        elif self._question == ANTICIPATE:
            self._anticipated = self._answers
            self._turn_card()
        else:
            self._settle(self._answers)

    def _next_card(self) -> None:
        self._set_reflex(self._turned + 1)
        self.log.append(self._reflex)
        self._anticipated = 0
        if self._anticipation:
            self._reason = 0
            self._ask(ANTICIPATE)
        else:
            self._turn_card()

    def _set_reflex(self, number: i64) -> None:
        batch = number // BATCH
        if batch != self._batch:
            self._reflexes = draw_reflexes(self._seats, self._seed, batch)
            self._batch = batch
        self._reflex = self._reflexes[number % BATCH]

    def _ask(self, question: i64) -> None:
        asked = self._everyone ^ self._anticipated
        self._question = question
        self._unanswered = asked
        self._answers = 0
        self._public = None
        self.seat = FIRST_SEAT[asked]

    def _turn_card(self) -> None:
        card = self._turn_top(self._mover)
        self.log.append(("turned", self._mover, card))
        if self._anticipated != self._everyone:
            self._ask(BANG)
        else:
            self._settle(0)

    def _turn_top(self, mover: i64) -> i64:
        stock = self._stocks[mover]
        card: i64 = stock[0]
        self._stocks[mover] = stock[1:]
        self._known[mover] = self._known[mover][1:]
        self._turned += 1
        if len(stock) == 1:
            self._note_out(mover)
        self._pile = self._pile + stock[:1]  # for bytes, `+=` is slower when compiled
        rank: i64 = RANK[card]
        self._reason = self._reasons[self._top_ranks + rank]
        self._top_ranks = add_rank(self._top_ranks, rank)
        if self._unseen >> card & 1:
            self._unseen ^= BITS[card]
            self._deduce_last()
        return card

    def _deduce_last(self) -> None:
        """Makes the last card known that was never turned, once it is the only one."""
        unseen = self._unseen
        if unseen & unseen - 1 or not unseen:
            return
        unknown, last = bytes([UNKNOWN]), bytes([int(unseen).bit_length() - 1])
        self._known = [stock.replace(unknown, last) for stock in self._known]
        self._known_under = self._known_under.replace(unknown, last)

    def _note_out(self, seat: i64) -> None:
        last_out = list(self._last_out)
        last_out[seat] = self._turned
        self._last_out = tuple(last_out)

    def _settle(self, banged: i64) -> None:
        """Settles the card just turned: a right bang wins the pile; wrong ones are paid for, and play continues."""
        mover, anticipated = self._mover, self._anticipated
        card: i64 = self._pile[-1]
        penalties: tuple[tuple[int, int], ...] = ()
        # docs/rules/bang: the seats that anticipated come before the seats that banged
        first = anticipated if anticipated else banged
        won: int | None
        if first and self._reason:
            won = quickest(first, self._seats, self._reflex[2])
        else:
            if first:
                penalties = self._pay(SEATS[anticipated | banged])
            won = self._play_on(mover, card)
        turn: SettledTurn = (mover, card, SEATS[anticipated], SEATS[banged], penalties, won)
        self._recent += (turn,)
        if len(self._recent) == CHUNK:
            self._past += (self._recent,)
            self._recent = ()
        if won is not None:
            self._take_pile(won)
        if self._winner >= 0 or self._turned >= self._max_turns:
            self._end()
        else:
            self._next_card()

    def _pay(self, seats: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
        """Takes the penalty for wrong bangs from these seats; returns (seat, number of cards) for each that paid.

        The cards go under the pile one by one, each below the one before.
        """
        penalty = self._penalty
        paid = []
        seat: i64
        for seat in seats:
            stock, known = self._stocks[seat], self._known[seat]
            count: i64 = len(stock)
            if count > penalty:
                count = penalty
            elif count:
                self._note_out(seat)
            else:
                continue
            top, known_top = stock[:count], known[:count]
            if count > 1:
                top, known_top = top[::-1], known_top[::-1]
            self._under = top + self._under
            self._known_under = known_top + self._known_under
            self._stocks[seat] = stock[count:]
            self._known[seat] = known[count:]
            paid.append((seat, count))
        return tuple(paid)

    def _play_on(self, mover: i64, card: i64) -> int | None:
        """Continues after a card that no bang has won: sets the debt and the next mover.

        Returns the seat that gets the pile, or None if nobody does.
        """
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
                return None
        following = self._next_with_cards(mover)
        if following < 0:
            # docs/rules/bang: when no seat has cards left, the pile goes to the debt's creditor or the last to turn
            return self._creditor if self._debt else mover
        self._mover = following
        return None

    def _next_with_cards(self, seat: i64) -> i64:
        """The next seat that has cards, which may be the seat itself; -1 if there is none."""
        other = seat
        while True:
            other += 1
            if other == self._seats:
                other = 0
            if self._stocks[other]:
                return other
            if other == seat:
                return -1

    def _take_pile(self, seat: i64) -> None:
        """Gives the seat the pile, face down under its stock, and the next turn, without a debt."""
        self._stocks[seat] = self._stocks[seat] + self._under + self._pile
        self._known[seat] = self._known[seat] + self._known_under + self._pile
        self._remove_pile()
        self._debt = 0
        self._creditor = -1
        self._mover = seat
        self.log.append(("pile", seat))
        if len(self._stocks[seat]) == CARDS:
            self._winner = seat

    def _end(self) -> None:
        self.seat = None
        self._unanswered = self._answers = self._anticipated = self._reason = 0
        self._public = None

    def view(self, seat: int) -> BangView:
        public = self._public
        if public is None:
            public = self._publish()
        answer = None
        if self.seat is not None and (self._everyone ^ self._anticipated ^ self._unanswered) >> seat & 1:
            answer = self._question if self._answers >> seat & 1 else self._question + 1
        return _View(seat, public, self.seat, answer)

    def _publish(self) -> PublicState:
        public: PublicState = (
            self._shown_options, self._question, self._mover, tuple(self._known), self._known_under, self._pile,
            self._debt, self._creditor, self._turned, self._past, self._recent, self._anticipated, self._unseen,
            self._top_ranks, self._reason, self._last_out,
        )  # fmt: skip
        self._public = public
        return public

    def take_up(self, public: PublicState) -> None:
        """Continues from everyone's knowledge; the stocks and the penalty cards are already set."""
        _, question, mover, known, known_under, pile, debt, creditor, turned = public[:9]
        past, recent, anticipated, unseen, top_ranks, reason, last_out = public[9:]
        self._mover, self._debt, self._creditor = mover, debt, creditor
        self._known, self._known_under, self._pile = list(known), known_under, pile
        self._unseen, self._top_ranks, self._reason = unseen, top_ranks, reason
        self._turned, self._last_out, self._anticipated = turned, last_out, anticipated
        self._past, self._recent = past, recent
        self._set_reflex(self._turned + (question == ANTICIPATE))
        self._ask(question)
        self._public = public

    def copy(self) -> BangState:
        new = BangState()
        new.seat, new.log = self.seat, []
        new._answers, new._anticipated, new._anticipation = self._answers, self._anticipated, self._anticipation
        new._batch, new._creditor, new._debt = self._batch, self._creditor, self._debt
        new._everyone, new._known_under, new._last_out = self._everyone, self._known_under, self._last_out
        new._max_turns, new._mover, new._shown_options = self._max_turns, self._mover, self._shown_options
        new._past, new._penalty, new._pile = self._past, self._penalty, self._pile
        new._public, new._question, new._reason = self._public, self._question, self._reason
        new._reasons, new._recent, new._reflex = self._reasons, self._recent, self._reflex
        new._reflexes, new._seats, new._seed = self._reflexes, self._seats, self._seed
        new._top_ranks, new._turned, new._unanswered = self._top_ranks, self._turned, self._unanswered
        new._under, new._unseen, new._winner = self._under, self._unseen, self._winner
        new._stocks, new._known = self._stocks.copy(), self._known.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The number of cards in each stock; the pile belongs to no seat."""
        return tuple([len(stock) for stock in self._stocks])

    @property
    def places(self) -> tuple[int, ...]:
        """The winner is first, the others rank by when they last ran out; after `max_turns` places go by score."""
        if self._winner < 0 or self._turned >= self._max_turns:
            return places_by(self.scores)
        return places_by(
            [self._turned + 1 if seat == self._winner else turned for seat, turned in enumerate(self._last_out)]
        )
