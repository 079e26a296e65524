"""A match of Le Léon in progress. Rules: docs/rules/leon.md."""

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import astuple
from mypy_extensions import i64

from tourney.contracts.game import Entry, State
from tourney.contracts.rng import below, cached_permutations
from tourney.games.leon.rules import (
    ANSWERS,
    BARE,
    BID,
    BIDS,
    CARDS,
    CLUBS,
    CONFESS,
    DIAMONDS,
    FORGOTTEN,
    HEARTS,
    LARGEST,
    LEONS,
    LOW,
    OF_SUIT,
    REPENTED,
    SANCTION_POINTS,
    SPADES,
    SUIT,
    SUIT_OF,
    TRUMP,
    TRUMPS,
    UNMASKED,
    WORTHS,
    X,
    bid_points,
    cards_in,
)
from tourney.games.leon.view import LeonOptions, LeonView, largest_of, revokes_hidden
from tourney.games.tricks import BITS, mask_of

_VIEW: Final = LeonView
"""Compiled, a constant is looked up faster than an imported class: worth 2 % of a whole run."""
_MOVE: Final = [bytes([action]) for action in range(BID)]
"""What each action adds to the history of a round."""
_WON: Final[list[Entry]] = [("trick", seat) for seat in range(max(LARGEST))]
"""The entry of a trick in the log, by its winner."""


class LeonState(State):
    """A match of Le Léon in progress."""

    __slots__ = (
        "_asked", "_attack", "_bids", "_dealer", "_facts", "_fresh", "_hands", "_hidden", "_largest", "_leader",
        "_moves", "_options", "_orders", "_past", "_phase", "_refused", "_round", "_sanctions", "_scores", "_seats",
        "_silent", "_suit", "_trump", "_up", "_won",
    )  # fmt: skip

    _seats: i64
    _largest: i64
    _round: i64
    _dealer: i64
    _leader: i64
    _suit: i64
    """The suit that was led to the trick in progress; -1 until a card has set it."""
    _trump: i64
    _hands: list[i64]

    def begin(self, seats: int, options: LeonOptions, seed: int) -> None:
        """Deals the first round."""
        self.log = []
        self._seats = seats
        self._options = options
        self._largest = largest_of(options, seats)
        self._attack = options.mode == "attack"
        self._hidden = revokes_hidden(options)
        self._orders = cached_permutations(CARDS, seed, "cards")
        self._round = 0
        self._dealer = below(seats, seed, "dealer") - 1
        self._scores = (0,) * seats
        self._past: tuple[tuple[Any, ...], ...] = ()
        self._deal()

    def _deal(self) -> None:
        seats = self._seats
        self._round += 1
        self._dealer = (self._dealer + 1) % seats
        first = (self._dealer + 1) % seats
        order = tuple(self._orders.order(self._round))
        dealt = seats * cards_in(self._round, self._largest)
        # docs/rules/leon: the cards go round one at a time, from the dealer's left
        hands = [order[(seat - first) % seats : dealt : seats] for seat in range(seats)]
        self._hands = [mask_of(hand) for hand in hands]
        self._up = up = order[dealt]
        self._clear(first)
        if up == X:
            self._set_trump(-1)
            self._phase = "trump"
            self.seat = self._dealer
        else:
            self._ask_bids(up // SUIT)
        self.log.append(("deal", self._round, self._dealer, tuple(hands), up, order[dealt + 1 :]))

    def _clear(self, leader: i64) -> None:
        nothing = (None,) * self._seats
        self._bids: list[tuple[int | None, ...]] = [nothing] * self._seats
        self._leader = leader
        self._suit = -1
        self._moves = b""
        self._won = (0,) * self._seats
        self._sanctions: tuple[tuple[int, int, int], ...] = ()
        self._refused: tuple[tuple[int, int], ...] = ()  # revokes of the trick in progress, each a (seat, suit)
        self._asked: tuple[tuple[int, int], ...] = ()  # revokes of the last trick whose players are still to be asked
        self._fresh: tuple[tuple[int, int, int], ...] = ()  # confessions, until every seat asked has answered
        self._silent: tuple[tuple[int, int], ...] = ()  # revokes of which only their players know

    def _set_trump(self, trump: i64) -> None:
        self._trump = trump
        options, number = astuple(self._options), self._round
        self._facts: tuple[Any, ...] = options, number, self._up, trump, self._dealer, self._scores, self._past

    def _ask_bids(self, trump: i64) -> None:
        self._set_trump(trump)
        self._phase = "bid"
        # docs/rules/leon: secret bids are asked from seat 0 on, spoken ones from the dealer's left
        self.seat = 0 if self._attack else self._leader

    def legal(self) -> Sequence[int]:
        """The cards that may be played and what the Léon may be named, the bids, the suits, or the two answers."""
        assert self.seat is not None
        hand, phase = self._hands[self.seat], self._phase
        if phase == "play":
            suit = self._suit
            if suit >= 0 and not self._hidden and (follow := hand >> suit * SUIT & LOW):
                cards = OF_SUIT[suit][follow]
            else:
                cards = (
                    CLUBS[hand & LOW] + DIAMONDS[hand >> 13 & LOW] + HEARTS[hand >> 26 & LOW] + SPADES[hand >> 39 & LOW]
                )
            # docs/rules/leon: the Léon may be played at any turn, as any of the 52 cards
            return cards + LEONS if hand >> X else cards
        if phase == "bid":
            return BIDS[cards_in(self._round, self._largest)]
        return TRUMPS if phase == "trump" else ANSWERS

    def tolerates(self, action: int) -> bool:
        """Whether the action is one that a sanction settles: the Léon without a name, or a revoke."""
        if self._phase != "play" or self._options.mode == "simple" or self.seat is None:
            return False
        hand = self._hands[self.seat]
        if action == BARE:
            return bool(hand >> X)
        suit = self._suit
        return (
            not self._hidden
            and suit >= 0
            and action < X
            and bool(hand >> action & 1)
            and action // SUIT != suit
            and bool(hand >> suit * SUIT & LOW)
        )

    def apply(self, action: int) -> None:
        """Plays a card, or makes the other choice that is asked for."""
        seat, phase = self.seat, self._phase
        assert seat is not None
        if phase == "play":
            self._play(seat, action)
        elif phase == "bid":
            self._bid(seat, action - BID)
        elif phase == "trump":
            self._ask_bids(action - TRUMP)
        else:
            self._answer(action)

    def _bid(self, seat: i64, bid: i64) -> None:
        known = list(self._bids[seat])
        known[seat] = bid
        if self._attack:
            self._bids[seat] = tuple(known)
            last = self._seats - 1
        else:
            self._bids = [tuple(known)] * self._seats
            last = self._dealer
        if seat == last:
            self._phase = "play"
            self.seat = self._leader
        else:
            self.seat = (seat + 1) % self._seats

    def _play(self, seat: i64, action: i64) -> None:
        hands, suit = self._hands, self._suit
        hand = hands[seat]
        if action < X:
            own = action // SUIT
            if suit < 0:
                self._suit = own
            elif own != suit and (follow := hand >> suit * SUIT & LOW):
                if self._hidden:
                    self._refused += ((seat, suit),)
                else:
                    # docs/rules/leon: caught at once, the lowest card of the led suit is played instead
                    self._sanction(seat, UNMASKED)
                    action = OF_SUIT[suit][follow][0]
                    own = suit
            hands[seat] = hand ^ BITS[action]
            if self._silent:
                self._unmask(seat, own)
        else:
            hands[seat] = hand ^ BITS[X]
            if action == BARE:
                self._sanction(seat, FORGOTTEN)
            elif suit < 0:
                self._suit = SUIT_OF[action]
        self._moves = self._moves + _MOVE[action]  # compiled, `+=` is slower
        seat += 1
        if seat == self._seats:
            seat = 0
        if seat == self._leader:
            self._finish_trick()
        else:
            self.seat = seat

    def _sanction(self, seat: i64, kind: i64) -> None:
        self.log.append(("sanction", seat, kind))
        self._sanctions += ((seat, kind, len(self._moves) // self._seats + 1),)

    def _unmask(self, seat: i64, suit: i64) -> None:
        """Punishes each silent revoke in a suit of which its player has now played a real card."""
        shown = self._silent.count((seat, suit))
        if shown:
            self._silent = tuple([revoke for revoke in self._silent if revoke != (seat, suit)])
            for _ in range(shown):
                self._sanction(seat, UNMASKED)

    def _finish_trick(self) -> None:
        seats, moves = self._seats, self._moves
        worths = WORTHS[self._trump][self._suit]
        first = len(moves) - seats
        best, top = first, worths[moves[first]]
        for i in range(first + 1, first + seats):
            worth = worths[moves[i]]
            if worth > top:
                best, top = i, worth
        winner = (self._leader + best - first) % seats
        won = list(self._won)
        won[winner] += 1
        self._won = tuple(won)
        self.log.append(_WON[winner])
        self._leader = winner
        self._suit = -1
        if self._refused:  # never in the last trick: a seat that could have followed has a card left
            self._asked, self._refused = tuple(sorted(self._refused)), ()
            self._phase = "confess"
            self.seat = self._asked[0][0]
        elif self._hands[winner]:
            self.seat = winner
        else:
            self._finish_round()

    def _answer(self, action: int) -> None:
        """Takes a revoker's answer; confessions show once every seat asked has answered."""
        revoke, self._asked = self._asked[0], self._asked[1:]
        if action == CONFESS:
            self.log.append(("sanction", revoke[0], REPENTED))
            self._fresh += ((revoke[0], REPENTED, len(self._moves) // self._seats),)
        else:
            self._silent += (revoke,)
        if self._asked:
            self.seat = self._asked[0][0]
            return
        self._sanctions += self._fresh
        self._fresh = ()
        self._phase = "play"
        self.seat = self._leader

    def _finish_round(self) -> None:
        seats, won, scores = self._seats, self._won, self._scores
        bids = tuple([self._bids[seat][seat] or 0 for seat in range(seats)])
        points = [bid_points(bids[seat], won[seat], self._attack) for seat in range(seats)]
        for seat, kind, _ in self._sanctions:
            points[seat] += SANCTION_POINTS[kind]
        self._scores = tuple([scores[seat] + points[seat] for seat in range(seats)])
        self.log.append(("score", self._round, tuple(points), self._scores))
        cards = len(self._moves) // seats
        played = self._moves, self._sanctions, won, tuple(points)
        self._past += ((cards, self._dealer, self._up, self._trump, bids, *played),)
        if self._round < 2 * self._largest:
            self._deal()
            return
        self.seat = None
        self._clear(self._leader)
        self._set_trump(self._trump)

    def view(self, seat: int) -> LeonView:
        turn, phase, sanctions = self.seat, self._phase, self._sanctions
        if self._asked:
            # docs/rules/leon: the revoker alone is asked; to the others, the winner of the trick is to lead
            if turn != seat:
                turn, phase = self._leader, "play"
            sanctions += tuple([entry for entry in self._fresh if entry[0] == seat])
        hands: list[Any] = self._hands  # compiled, ints are passed on as they are: worth 1.5 % of a whole run
        bids: list[Any] = self._bids
        return _VIEW(
            seat, self._facts, hands[seat], turn, phase, bids[seat], self._leader, self._moves, self._won, sanctions
        )

    def copy(self) -> "LeonState":
        new = LeonState()
        new.seat, new.log = self.seat, []
        new._asked, new._attack, new._dealer = self._asked, self._attack, self._dealer
        new._facts, new._fresh, new._hidden = self._facts, self._fresh, self._hidden
        new._largest, new._leader, new._moves = self._largest, self._leader, self._moves
        new._options, new._past, new._phase = self._options, self._past, self._phase
        new._refused, new._round, new._sanctions = self._refused, self._round, self._sanctions
        new._scores, new._seats, new._orders = self._scores, self._seats, self._orders
        new._silent, new._suit, new._trump = self._silent, self._suit, self._trump
        new._up, new._won, new._hands = self._up, self._won, self._hands.copy()
        new._bids = self._bids.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        return self._scores
