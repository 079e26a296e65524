"""A match of Voleur that is going on. Rules: docs/rules/voleur.md.

A hand is a sorted tuple of cards, which is also the tuple of the actions that play them.
"""

from collections.abc import Sequence
from typing import Any, Final

from tourney.game import State, places_by
from tourney.games._tricks import mask_of
from tourney.games._voleur import (
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
    Scored,
    Trick,
    best,
    led_winner,
    simultaneous_winner,
)
from tourney.games._voleur_view import VoleurOptions, VoleurView
from tourney.rng import Permutations

_DISCARDING: Final = 0
_PLAYING: Final = 1
_CHOOSING: Final = 2
_OVER: Final = 3
_VIEW: Final = VoleurView
_TRICK: Final = Trick
_SCORED: Final = Scored
_new: Final = tuple.__new__


def _without(hand: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The hand without that one of its cards."""
    at = 0
    while hand[at] != card:
        at += 1
    return hand[:at] + hand[at + 1 :]


class VoleurState(State):
    """A match of Voleur that is going on."""

    __slots__ = (
        "_combinations",
        "_discards",
        "_facts",
        "_hands",
        "_leader",
        "_options",
        "_orders",
        "_past",
        "_past_discards",
        "_phase",
        "_points",
        "_round",
        "_scores",
        "_seats",
        "_shown",
        "_table",
        "_tricks",
        "_up",
    )

    def begin(self, seats: int, options: VoleurOptions, seed: int) -> None:
        """Deals the first round."""
        self.log = []
        self._options = options
        self._seats = seats
        self._orders = Permutations(CARDS, seed, "cards")
        self._round = 0
        self._scores = (0,) * seats
        self._past: tuple[Scored, ...] = ()
        self._past_discards: tuple[tuple[tuple[int, ...], ...], ...] = ((),) * seats
        self._deal()

    def _deal(self) -> None:
        seats = self._seats
        self._round += 1
        order = self._orders.order(self._round)
        hands = [tuple(sorted(order[first : first + DEALT])) for first in range(0, seats * DEALT, DEALT)]
        self._up = order[seats * DEALT]
        self.log.append(("deal", self._round, tuple(hands), self._up, tuple(order[seats * DEALT + 1 :])))
        self._hands = hands
        self._clear()
        self._phase = _DISCARDING
        self.seat = 0

    def _clear(self) -> None:
        """Nothing has happened in the round."""
        options, number, past = self._options, self._round, self._past
        self._facts: list[tuple[Any, ...]] = [(options, number, past, discards) for discards in self._past_discards]
        self._discards: list[tuple[int, ...]] = [()] * self._seats
        self._shown: int | None = None
        self._tricks: tuple[Trick, ...] = ()
        self._leader: int | None = None
        self._table: tuple[int, ...] = ()
        self._combinations: tuple[Combination | None, ...] = (None,) * self._seats
        self._points = (0,) * self._seats

    def legal(self) -> Sequence[int]:
        """The cards that may be discarded or played, or the privileges."""
        assert self.seat is not None
        hand = self._hands[self.seat]
        if self._phase == _PLAYING:
            if self._leader is None or not self._table:
                return hand
            led, trump = self._table[0] // SUIT, self._up // SUIT
            return (
                # docs/rules/voleur: follow suit; else trump; else anything
                tuple([card for card in hand if card // SUIT == led])
                or tuple([card for card in hand if card // SUIT == trump])
                or hand
            )
        if self._phase == _DISCARDING:
            return tuple([DISCARD + card for card in hand])
        return self._privileges(self.seat)

    def _privileges(self, winner: int) -> tuple[int, ...]:
        own, gone = self._four(winner), 0
        for discards in self._discards:
            gone |= mask_of(discards)
        for trick in self._tricks:
            gone |= mask_of(trick.cards)
        gone &= ~own
        choices = [KEEP]
        # docs/rules/voleur: stealing takes a combination, and a victim that has points
        if best(own).points:
            choices += [STEAL + seat for seat, score in enumerate(self._scores) if score and seat != winner]
        choices += [TAKE + card for card in range(CARDS) if gone >> card & 1]
        return tuple(choices)

    def _four(self, seat: int) -> int:
        """The four cards that the seat has played, as a mask."""
        mask = 0
        for trick in self._tricks:
            mask |= 1 << trick.cards[seat]
        return mask

    def apply(self, action: int) -> None:
        """Plays or discards a card, or carries out a privilege."""
        seat = self.seat
        assert seat is not None
        if action < CARDS:
            self._hands[seat] = _without(self._hands[seat], action)
            table = self._table + (action,)  # noqa: RUF005 - copies once, unpacking does so twice
            if len(table) == self._seats:
                self._finish_trick(table)
            else:
                self._table = table
                seat += 1
                self.seat = seat if seat < self._seats else 0
        elif action < KEEP:
            self._discard(seat, action - DISCARD)
        else:
            self._privilege(seat, action)

    def _discard(self, seat: int, discarded: int) -> None:
        self._hands[seat] = _without(self._hands[seat], discarded)
        self._discards[seat] += (discarded,)
        if len(self._discards[seat]) == DISCARDS:
            self.seat = seat + 1
            if self.seat == self._seats:
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
        self._table = ()
        self.log.append(("trick", winner))
        if len(self._tricks) == TRICKS:
            self._score(winner)
        else:
            # docs/rules/voleur: after a tie the next trick is simultaneous as well
            self._leader = winner
            self.seat = 0 if winner is None else winner

    def _score(self, winner: int | None) -> None:
        """All score but the winner of the fourth trick, which then chooses its privilege."""
        combinations = [None if seat == winner else best(self._four(seat)) for seat in range(self._seats)]
        self._combinations = tuple(combinations)
        self._points = tuple([0 if combination is None else combination.points for combination in combinations])
        self._scores = tuple([score + gain for score, gain in zip(self._scores, self._points, strict=True)])
        self._leader = None
        self.seat = winner
        if winner is None:
            self._finish_round(None)
        else:
            self._phase = _CHOOSING

    def _privilege(self, winner: int, action: int) -> None:
        cards = self._four(winner)
        if action >= TAKE:
            cards |= 1 << (action - TAKE)
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
        self._combinations = (*self._combinations[:winner], combination, *self._combinations[winner + 1 :])
        self._finish_round(action)

    def _finish_round(self, privilege: int | None) -> None:
        options = self._options
        self.log.append(("score", self._round, self._points, self._scores))
        combinations: Any = self._combinations
        self._past += (_new(_SCORED, (self._up, self._tricks, combinations, privilege, self._points)),)
        self._past_discards = tuple([(*self._past_discards[seat], now) for seat, now in enumerate(self._discards)])
        # docs/rules/voleur: the scores after the round decide whether the match is over
        if max(self._scores) < options.target and self._round < options.max_rounds:
            self._deal()
        else:
            self._clear()
            self._phase = _OVER
            self.seat = None

    def view(self, seat: int) -> VoleurView:
        """What the seat may know."""
        table = self._table
        if table and self._leader is None:
            # docs/rules/voleur: the cards of a simultaneous trick are secret until all are in
            table = table[seat : seat + 1]
        pile: tuple[int, ...] = ()
        if self._phase == _CHOOSING and seat == self.seat:
            pile = tuple(sorted([card for discards in self._discards for card in discards]))
        return _VIEW(
            seat,
            self._facts[seat],
            self._hands[seat],
            self._discards[seat],
            self.seat,
            self._phase,
            self._shown,
            self._tricks,
            self._leader,
            table,
            self._scores,
            self._combinations,
            pile,
        )

    def copy(self) -> "VoleurState":
        """A state of its own that goes on from here, with an empty log."""
        new = VoleurState()
        new.seat = self.seat
        new.log = []
        new._combinations = self._combinations
        new._discards = self._discards.copy()
        new._facts = self._facts
        new._hands = self._hands.copy()
        new._leader = self._leader
        new._options = self._options
        new._past = self._past
        new._past_discards = self._past_discards
        new._phase = self._phase
        new._points = self._points
        new._round = self._round
        new._scores = self._scores
        new._seats = self._seats
        new._orders = self._orders
        new._shown = self._shown
        new._table = self._table
        new._tricks = self._tricks
        new._up = self._up
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far."""
        return self._scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points share the place."""
        return places_by(self._scores)
