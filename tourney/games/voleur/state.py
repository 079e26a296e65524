"""A match of Voleur in progress. Rules: docs/rules/voleur.md.

A hand is a sorted tuple of cards, and so the tuple of the actions that play them.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import i64

from tourney.contracts.game import Entry, State
from tourney.contracts.rng import cached_permutations
from tourney.games.tricks import BITS, mask_of
from tourney.games.voleur.rules import (
    CARDS,
    DEALT,
    DISCARD,
    DISCARDS,
    KEEP,
    STEAL,
    SUIT,
    TAKE,
    TRICKS,
    Combination,
    best,
    led_winner,
    simultaneous_winner,
)
from tourney.games.voleur.view import ScoredRound, VoleurOptions, VoleurTrick, VoleurView

_DISCARDING: Final = 0
_PLAYING: Final = 1
_CHOOSING: Final = 2
_OVER: Final = 3
_ALONE: Final[list[tuple[int, ...]]] = [(card,) for card in range(CARDS)]
"""Each card as a tuple, to add to others: compiled, worth 2 % of a whole run."""
_TRICK: Final = VoleurTrick
_SCORED: Final = ScoredRound
_new: Final = tuple.__new__
"""Makes a named tuple without running Python, as its class would: worth 5 % of a whole run for tricks, 1 for rounds."""
_VIEW: Final = VoleurView
"""Compiled, a constant is looked up faster than an imported class: worth 2 % of a whole run."""
_WON: Final[list[Entry]] = [*[("trick", seat) for seat in range(5)], ("trick", None)]
"""The entry of a trick in the log, by its winner; the last one is for a tied trick."""


def _without(hand: tuple[Any, ...], gone: i64) -> tuple[int, ...]:
    at: i64
    card: i64
    for at, card in enumerate(hand):  # compiled, twice as fast as a comprehension: worth 2 % of a whole run
        if card == gone:
            if not at:
                return hand[1:]
            return hand[:at] + hand[at + 1 :] if at + 1 < len(hand) else hand[:at]
    return hand


def _of_suit(hand: tuple[int, ...], suit: i64) -> tuple[int, ...]:
    return tuple([card for card in hand if card // SUIT == suit])


class VoleurState(State):
    """A match of Voleur in progress."""

    __slots__ = (
        "_combinations", "_discards", "_facts", "_hands", "_leader", "_options", "_orders", "_past", "_past_discards",
        "_phase", "_played", "_points", "_round", "_scores", "_seats", "_shown", "_table", "_tricks", "_up",
    )  # fmt: skip

    _seats: i64
    _round: i64
    _up: i64
    _phase: i64
    _leader: int | None
    _played: tuple[int, ...]
    """The cards of the tricks that are over, in the order of the tricks, and of the seats in each."""

    def begin(self, seats: int, options: VoleurOptions, seed: int) -> None:
        """Deals the first round."""
        self.log = []
        self._options = options
        self._seats = seats
        self._orders = cached_permutations(CARDS, seed, "cards")
        self._round = 0
        self._scores = (0,) * seats
        self._past: tuple[ScoredRound, ...] = ()
        self._past_discards: tuple[tuple[tuple[int, ...], ...], ...] = ((),) * seats
        self._deal()

    def _deal(self) -> None:
        dealt = self._seats * DEALT
        self._round += 1
        order = self._orders.order(self._round)
        hands: list[tuple[int, ...]] = []
        for first in range(0, dealt, DEALT):
            hand = order[first : first + DEALT]
            hand.sort()
            hands.append(tuple(hand))
        self._hands = hands
        self._up = order[dealt]
        self.log.append(("deal", self._round, tuple(hands), self._up, tuple(order[dealt + 1 :])))
        self._clear()
        self._phase = _DISCARDING
        self.seat = 0

    def _clear(self) -> None:
        seats, options, number, past = self._seats, astuple(self._options), self._round, self._past
        self._facts: list[tuple[Any, ...]] = [(options, number, past, discards) for discards in self._past_discards]
        self._discards: list[tuple[int, ...]] = [()] * seats
        self._shown: int | None = None
        self._tricks: tuple[VoleurTrick, ...] = ()
        self._played = ()
        self._leader = None
        self._table: tuple[int, ...] = ()
        self._combinations: tuple[Combination | None, ...] = (None,) * seats
        self._points = (0,) * seats

    def legal(self) -> Sequence[int]:
        """The cards that may be discarded or played, or the privileges."""
        assert self.seat is not None
        hand = self._hands[self.seat]
        if self._phase == _PLAYING:
            table = self._table
            if self._leader is None or not table or len(hand) == 1:
                return hand
            # docs/rules/voleur: follow suit; else trump; else anything
            return _of_suit(hand, table[0] // SUIT) or _of_suit(hand, self._up // SUIT) or hand
        if self._phase == _DISCARDING:
            return tuple(DISCARD + card for card in hand)  # compiled, quicker than from a list: worth 1.5 % of a run
        return self._privileges(self.seat)

    def _privileges(self, winner: i64) -> tuple[int, ...]:
        own, gone = self._four(winner), mask_of(self._played)
        for discards in self._discards:
            gone |= mask_of(discards)
        gone &= ~own
        choices = [KEEP]
        # docs/rules/voleur: stealing takes a combination, and a victim that has points
        if best(own).points:
            choices += [STEAL + seat for seat, score in enumerate(self._scores) if score and seat != winner]
        choices += [TAKE + card for card in range(CARDS) if gone >> card & 1]
        return tuple(choices)

    def _four(self, seat: i64) -> i64:
        mask: i64 = 0
        trick: i64
        for trick in range(TRICKS):
            card: i64 = self._played[trick * self._seats + seat]
            mask |= BITS[card]
        return mask

    def apply(self, action: int) -> None:
        """Plays or discards a card, or carries out a privilege."""
        assert self.seat is not None
        seat: i64 = self.seat
        card: i64 = action
        if card < CARDS:
            self._hands[seat] = _without(self._hands[seat], card)
            table = self._table + _ALONE[card]
            if len(table) == self._seats:
                self._finish_trick(table)
            else:
                self._table = table
                self.seat = seat + 1 if seat + 1 < self._seats else 0
        elif card < KEEP:
            self._discard(seat, card - DISCARD)
        else:
            self._privilege(seat, card)

    def _discard(self, seat: i64, card: i64) -> None:
        self._hands[seat] = _without(self._hands[seat], card)
        self._discards[seat] = discards = self._discards[seat] + _ALONE[card]
        if len(discards) == DISCARDS:
            if seat + 1 < self._seats:
                self.seat = seat + 1
            else:
                self._shown = self._up
                self._phase = _PLAYING
                self.seat = 0

    def _finish_trick(self, table: tuple[int, ...]) -> None:
        leader, trump = self._leader, self._up // SUIT
        winner: int | None
        if leader is None:
            cards = table
            winner = simultaneous_winner(trump, cards, self._options.first_trick_tie == "next_single")
        else:
            from_zero = self._seats - leader
            cards = table[from_zero:] + table[:from_zero]
            winner = led_winner(trump, table[0], cards)
        self._tricks += (_new(_TRICK, (leader, cards, winner)),)
        self._played += cards
        self._table = ()
        self.log.append(_WON[-1 if winner is None else winner])
        if len(self._tricks) == TRICKS:
            self._score(winner)
        else:
            # docs/rules/voleur: after a tie the next trick is simultaneous as well
            self._leader = winner
            self.seat = 0 if winner is None else winner

    def _score(self, winner: int | None) -> None:
        """Scores all seats but the winner of the fourth trick, which chooses its privilege next."""
        combinations: list[Combination | None] = []
        points: list[int] = []
        scores: list[int] = []
        for seat in range(self._seats):
            combination = None if seat == winner else best(self._four(seat))
            gain = 0 if combination is None else combination.points
            combinations.append(combination)
            points.append(gain)
            scores.append(self._scores[seat] + gain)
        self._combinations, self._points, self._scores = tuple(combinations), tuple(points), tuple(scores)
        self._leader = None
        self.seat = winner
        if winner is None:
            self._finish_round(None)
        else:
            self._phase = _CHOOSING

    def _privilege(self, winner: i64, action: i64) -> None:
        cards = self._four(winner)
        if action >= TAKE:
            cards |= BITS[action - TAKE]
        combination = best(cards)
        gain = combination.points
        points, scores = list(self._points), list(self._scores)
        if STEAL <= action < TAKE:
            victim = action - STEAL
            # docs/rules/voleur: at most what the victim has; the thief gains what the victim loses
            gain = min(gain, scores[victim])
            points[victim] -= gain
            scores[victim] -= gain
        points[winner] += gain
        scores[winner] += gain
        self._points, self._scores = tuple(points), tuple(scores)
        combinations = self._combinations
        self._combinations = combinations[:winner] + (combination,) + combinations[winner + 1 :]  # noqa: RUF005
        self._finish_round(action)

    def _finish_round(self, privilege: int | None) -> None:
        options = self._options
        self.log.append(("score", self._round, self._points, self._scores))
        combinations = tuple([each for each in self._combinations if each is not None])
        self._past += (_new(_SCORED, (self._up, self._tricks, combinations, privilege, self._points)),)
        # compiled, (*past, …) makes a list first: worth 1 % of a whole run
        discards = self._discards
        self._past_discards = tuple([past + (discards[seat],) for seat, past in enumerate(self._past_discards)])  # noqa: RUF005
        # docs/rules/voleur: the scores after the round decide whether the match is over
        number: int = self._round  # as an int of Python: the options may be larger than 64 bits
        if max(self._scores) < options.target and number < options.max_rounds:
            self._deal()
        else:
            self._clear()
            self._phase = _OVER
            self.seat = None

    def view(self, seat: int) -> VoleurView:
        table = self._table
        if table and self._leader is None:
            # docs/rules/voleur: the cards of a simultaneous trick are secret until all are in
            table = table[seat : seat + 1]
        pile: tuple[int, ...] = ()
        if self._phase == _CHOOSING and seat == self.seat:
            pile = tuple(sorted([card for discards in self._discards for card in discards]))
        return _VIEW(
            seat, self._facts[seat], self._hands[seat], self._discards[seat], self.seat, self._phase, self._shown,
            self._tricks, self._leader, table, self._scores, self._combinations, pile,
        )  # fmt: skip

    def copy(self) -> "VoleurState":
        new = VoleurState()
        new.seat, new.log = self.seat, []
        new._combinations, new._discards, new._facts = self._combinations, self._discards.copy(), self._facts
        new._hands, new._leader, new._options = self._hands.copy(), self._leader, self._options
        new._past, new._past_discards, new._phase = self._past, self._past_discards, self._phase
        new._played, new._points, new._round = self._played, self._points, self._round
        new._scores, new._seats, new._orders = self._scores, self._seats, self._orders
        new._shown, new._table, new._tricks = self._shown, self._table, self._tricks
        new._up = self._up
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        return self._scores
