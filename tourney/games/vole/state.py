"""A match of The Vole in the Valley in progress. Rules: docs/rules/vole.md.

A hand is a bit mask of cards. Tables hold the tuple of actions for every subset of a suit, so that the legal actions of
a hand are three look-ups.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import i64

from tourney.contracts.game import Entry, State, places_by
from tourney.contracts.rng import cached_permutations, derive
from tourney.games.tricks import BITS, mask_of
from tourney.games.vole.rules import (
    BURY,
    CARDS,
    HAND,
    HIDDEN,
    KEEP,
    KEYS,
    LED_WINS,
    LOW,
    MOONS,
    OF_SUIT,
    SEAT,
    SUIT,
    SWAP,
    TOWERS,
)
from tourney.games.vole.view import VoleOptions, VoleView

TRICK_POINTS: Final = (6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0)
"""The points for 0 to 13 tricks."""

_ABILITY: Final = [{2: SWAP, 4: BURY}.get(card % SUIT, 0) for card in range(CARDS)]
"""The decision after each card is played: SWAP, BURY, or 0 for none."""
_HIGHEST_OR_ONE: Final = [
    # docs/rules/vole: an 11 that is led compels the 1 of the suit or its highest card
    mask if not mask else (mask & 1) | (1 << (mask.bit_length() - 1))
    for mask in range(1 << SUIT)
]
"""The cards that may answer an 11, by the cards of its suit in the hand, both as masks of the suit."""


def _outcome(trump: int, led: int, card: int) -> int:
    """A trick as one int: bit 0 is whether the answer wins it, bit 1 whether the answerer leads the next.

    The number of its 7s is in the bits above.
    """
    answer_wins = not LED_WINS[trump][led][card]
    # docs/rules/vole: a seat that plays a 1 and loses the trick leads the next
    answerer_leads = answer_wins == ((led if answer_wins else card) % SUIT > 0)
    return answer_wins | answerer_leads << 1 | ((led % SUIT == 6) + (card % SUIT == 6)) << 2


_OUTCOMES: Final = [[_outcome(trump, led, card) for led in range(CARDS) for card in range(CARDS)] for trump in range(3)]
"""Tricks as `_outcome` has them, by the trump suit and by `led * CARDS + card`."""
_STEPS: Final = [[bytes([seat * SEAT + action]) for action in range(SEAT)] for seat in range(2)]
"""What a step adds to the history, by seat and action."""
_VIEW: Final = VoleView
"""Compiled, a constant is looked up faster than an imported class: worth 2 % of a whole run."""
_WON: Final[list[Entry]] = [("trick", 0), ("trick", 1)]
"""The entry of a trick in the log, by its winner."""
_LEADERS: Final = 128
"""The leader of each first trick is a bit, read off a hash; the number of rounds to one hash."""


@lru_cache(maxsize=16)
def _leaders(seed: int, block: int) -> int:
    """The leaders of 128 rounds, the lowest bit for round `128 * block`."""
    return derive(seed, "leaders", block) if block else derive(seed, "leaders")


class VoleState(State):
    """A match of The Vole in the Valley in progress."""

    __slots__ = (
        "_buried", "_deck", "_drawn", "_extra", "_facts", "_hands", "_leader", "_led", "_moves", "_options", "_orders",
        "_phase", "_points", "_seed", "_up", "_won",
    )  # fmt: skip

    _led: i64
    """The led card of the trick in progress; -1 while there is none."""
    _up: i64
    _seed: int
    """The seed of the match, which decides who leads the rounds to come."""
    _won: i64
    """The tricks that seat 0 has won, and 16 times those of seat 1."""
    _phase: i64
    """SWAP or BURY while the player of a 3 or a 5 decides, else 0."""
    _facts: tuple[tuple[Any, ...], ...]
    """The facts that change once a round, as each seat's view has them."""
    _buried: tuple[tuple[tuple[int, int], ...], ...]
    """The cards that each seat (drew, buried)."""

    def begin(self, seats: int, options: VoleOptions, seed: int) -> None:
        """Deals the first round."""
        self.log = []
        self._options = options
        self._orders = cached_permutations(CARDS, seed, "cards")
        self._seed = seed
        self._points: tuple[int, ...] = (0, 0)
        self._deal(astuple(options), 1, ((), ()), (0, 0), (0, 0))

    def _deal(
        self, options: tuple[Any, ...], number: int, past: tuple[Any, ...], scores: tuple[int, ...],
        extra: tuple[int, ...],
    ) -> None:  # fmt: skip
        order = self._orders.order(number)
        leader = _leaders(self._seed, number // _LEADERS) >> number % _LEADERS & 1
        first, second, up = order[:HAND], order[HAND : 2 * HAND], order[2 * HAND]
        self._hands = [mask_of(first), mask_of(second)]
        self._up = up
        self._deck: tuple[int, ...] = tuple(order[2 * HAND + 1 :])
        hands = self._hands
        self._facts = (
            (options, number, (leader, up, hands[0]), past[0], scores, False),
            (options, number, (leader, up, hands[1]), past[1], scores, False),
        )
        self.seat = self._leader = leader
        self._led = -1
        self._phase = 0
        self._drawn = -1
        self._moves = b""
        self._buried = ((), ())
        self._won = 0
        self._extra: tuple[int, ...] = extra
        self.log.append(("deal", number, leader, tuple(first), tuple(second), up, self._deck))

    def legal(self) -> Sequence[int]:
        """The cards that may be played, or the choices that a 3 or a 5 leaves."""
        assert self.seat is not None
        phase, led = self._phase, self._led
        hand: i64 = self._hands[self.seat]
        if led >= 0 and not phase:
            suit = led // SUIT
            follow = hand >> suit * SUIT & LOW
            if follow:
                return OF_SUIT[suit][_HIGHEST_OR_ONE[follow] if led % SUIT == 10 else follow]
        cards = TOWERS[hand & LOW] + KEYS[hand >> SUIT & LOW] + MOONS[hand >> 2 * SUIT]
        if not phase:
            return cards
        choices = tuple([phase + card for card in cards])
        return (*choices, KEEP) if phase == SWAP else choices

    def apply(self, action: int) -> None:
        """Plays a card, or carries out what a 3 or a 5 allows."""
        assert self.seat is not None
        seat: i64 = self.seat
        card: i64 = action
        if card < CARDS:
            self._moves = self._moves + _STEPS[seat][card]  # compiled, `+=` is slower
            hands = self._hands
            hands[seat] = hands[seat] ^ BITS[card]
            if _ABILITY[card]:
                self._begin_ability(seat, card)
                return
        else:
            card = self._finish_ability(seat, card)
        led = self._led
        if led < 0:
            self._led = card
            self.seat = 1 - seat
            return
        outcome: i64 = _OUTCOMES[self._up // SUIT][led * CARDS + card]
        winner = seat if outcome & 1 else 1 - seat
        self._won += 16 if winner else 1
        if outcome > 3:
            sevens, extra = outcome >> 2, self._extra
            self._extra = (extra[0], extra[1] + sevens) if winner else (extra[0] + sevens, extra[1])
        self.log.append(_WON[winner])
        self.seat = self._leader = seat if outcome & 2 else 1 - seat
        self._led = -1
        if not self._hands[0]:
            self._finish_round()

    def _begin_ability(self, seat: i64, card: i64) -> None:
        """Makes the player of a 3 or a 5 decide before the next card is played; a 5 draws."""
        self._phase = _ABILITY[card]
        if self._phase == BURY:
            self._drawn, self._deck = self._deck[0], self._deck[1:]
            self._hands[seat] |= BITS[self._drawn]

    def _finish_ability(self, seat: i64, action: i64) -> i64:
        card: i64 = self._moves[-1] % SEAT
        self._phase = 0
        if action >= BURY:
            buried = action - BURY
            self._hands[seat] ^= BITS[buried]
            self._deck += (buried,)
            own = (*self._buried[seat], (self._drawn, buried))
            self._buried = (self._buried[0], own) if seat else (own, self._buried[1])
            self._drawn = -1
            action = HIDDEN
        elif action != KEEP:
            given = action - SWAP
            self._hands[seat] ^= BITS[given] | BITS[self._up]
            self._up = given
        self._moves = self._moves + _STEPS[seat][action]
        return card

    def _finish_round(self) -> None:
        options = self._options
        shown, number, _, _, scores, _ = self._facts[0]
        won: tuple[int, ...] = self._won & 15, self._won >> 4
        extra = self._extra
        points: tuple[int, ...] = TRICK_POINTS[won[0]], TRICK_POINTS[won[1]]
        if options.sevens == "round":
            points = points[0] + extra[0], points[1] + extra[1]
            extra = (0, 0)
        scores = scores[0] + points[0], scores[1] + points[1]
        self._points = points
        self.log.append(("score", number, points, scores))
        past = [
            (*facts[3], (facts[2], self._moves, self._buried[seat], won, points))
            for seat, facts in enumerate(self._facts)
        ]
        if scores[0] < options.target > scores[1] and number < options.max_rounds:
            self._deal(shown, number + 1, (past[0], past[1]), scores, extra)
            return
        self.seat = None
        self._moves = b""
        self._buried = ((), ())
        self._extra = (0, 0)
        scores = scores[0] + extra[0], scores[1] + extra[1]
        first, second = [
            (shown, number, facts[2], seen, scores, True) for facts, seen in zip(self._facts, past, strict=True)
        ]
        self._facts = first, second

    def view(self, seat: int) -> VoleView:
        hands: list[Any] = self._hands  # compiled, ints are passed on as they are: worth 1.5 % of a whole run
        return _VIEW(
            seat, self._facts[seat], hands[seat], self._up, None if self._led < 0 else self._led, self._moves,
            self._won, self._buried[seat], self._extra,
        )  # fmt: skip

    def copy(self) -> "VoleState":
        new = VoleState()
        new.log, new.seat = [], self.seat
        new._hands, new._buried, new._deck = self._hands.copy(), self._buried, self._deck
        new._drawn, new._extra, new._facts = self._drawn, self._extra, self._facts
        new._leader, new._led, new._moves = self._leader, self._led, self._moves
        new._options, new._phase, new._points = self._options, self._phase, self._points
        new._orders, new._seed, new._up = self._orders, self._seed, self._up
        new._won = self._won
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        scores: tuple[int, int] = self._facts[0][4]
        return scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points go by the points of the last round's `score`."""
        return places_by(list(zip(self.scores, self._points, strict=True)))
