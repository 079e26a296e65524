"""A match of Le Léon that is going on: what the table plays on."""

from collections.abc import Sequence
from typing import Any, Final

from tourney.game import State, places_by
from tourney.games._leon import (
    ANSWERS,
    BARE,
    BID,
    BIDS,
    BITS,
    CARDS,
    CLUBS,
    CONFESS,
    DIAMONDS,
    FORGOTTEN,
    HEARTS,
    LARGEST,
    LEONS,
    LOW,
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
from tourney.games._leon_view import LeonOptions, LeonView, hidden_of, largest_of
from tourney.games._tricks import mask_of
from tourney.rng import Permutations, below

_VIEW: Final = LeonView
_MOVE: Final = [bytes([action]) for action in range(BID)]
_WON: Final = [("trick", seat) for seat in range(max(LARGEST))]


class LeonState(State):
    """A match of Le Léon that is going on."""

    __slots__ = (
        "_asked",
        "_bids",
        "_dealer",
        "_facts",
        "_fresh",
        "_hands",
        "_hidden",
        "_largest",
        "_leader",
        "_moves",
        "_options",
        "_orders",
        "_past",
        "_phase",
        "_refused",
        "_round",
        "_sanctions",
        "_scores",
        "_seats",
        "_silent",
        "_suit",
        "_trump",
        "_up",
        "_won",
    )

    def begin(self, seats: int, options: LeonOptions, seed: int) -> None:
        """Deals the first round."""
        self.log = []
        self._seats = seats
        self._options = options
        self._largest = largest_of(options, seats)
        self._hidden = hidden_of(options)
        self._orders = Permutations(CARDS, seed, "cards")
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
        order = self._orders.order(self._round)
        dealt = seats * cards_in(self._round, self._largest)
        # docs/rules/leon: the cards go round one at a time, from the dealer's left
        hands = [tuple(order[(seat - first) % seats : dealt : seats]) for seat in range(seats)]
        self._hands = [mask_of(hand) for hand in hands]
        self._up = up = order[dealt]
        self._clear(first)
        if up == X:
            self._set_trump(-1)
            self._phase = "trump"
            self.seat = self._dealer
        else:
            self._ask_bids(up // SUIT)
        self.log.append(("deal", self._round, self._dealer, tuple(hands), up, tuple(order[dealt + 1 :])))

    def _clear(self, leader: int) -> None:
        """Nothing is bid, played or sanctioned yet."""
        nothing = (None,) * self._seats
        self._bids: list[tuple[int | None, ...]] = [nothing] * self._seats
        self._leader = leader
        self._suit = -1
        self._moves = b""
        self._won = (0,) * self._seats
        self._sanctions: tuple[tuple[int, int, int], ...] = ()
        self._refused: tuple[tuple[int, int], ...] = ()  # (seat, suit) of the trick in progress
        self._asked: tuple[tuple[int, int], ...] = ()  # those of the last trick that are to confess or not
        self._fresh: tuple[tuple[int, int, int], ...] = ()  # confessions until all that are asked have answered
        self._silent: tuple[tuple[int, int], ...] = ()  # those that nobody else knows of

    def _set_trump(self, trump: int) -> None:
        self._trump = trump
        self._facts: tuple[Any, ...] = (
            self._options,
            self._round,
            self._up,
            trump,
            self._dealer,
            self._scores,
            self._past,
        )

    def _ask_bids(self, trump: int) -> None:
        self._set_trump(trump)
        self._phase = "bid"
        # docs/rules/leon: secret bids are asked from seat 0 on, spoken ones from the dealer's left
        self.seat = 0 if self._options.mode == "attack" else self._leader

    def legal(self) -> Sequence[int]:
        """The cards that may be played and what the Léon may be named, the bids, the suits, or the two answers."""
        seat, phase = self.seat, self._phase
        assert seat is not None
        hand = self._hands[seat]
        if phase == "play":
            suit = self._suit
            if suit >= 0 and not self._hidden and (follow := hand >> suit * SUIT & LOW):
                cards = BITS[suit][follow]
            else:
                cards = (
                    CLUBS[hand & LOW] + DIAMONDS[hand >> 13 & LOW] + HEARTS[hand >> 26 & LOW] + SPADES[hand >> 39 & LOW]
                )
            # docs/rules/leon: the Léon may be played at any turn, as any of the 52 cards
            return cards + LEONS if hand >> X else cards
        if phase == "bid":
            return BIDS[hand.bit_count()]
        return TRUMPS if phase == "trump" else ANSWERS

    def tolerates(self, action: int) -> bool:
        """The Léon without a name, and a card that does not follow though its player could: sanctions settle them."""
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

    def _bid(self, seat: int, bid: int) -> None:
        secret = self._options.mode == "attack"
        known = self._bids[seat]
        known = (*known[:seat], bid, *known[seat + 1 :])
        if secret:
            self._bids[seat] = known
            last = self._seats - 1
        else:
            self._bids = [known] * self._seats
            last = self._dealer
        if seat != last:
            self.seat = (seat + 1) % self._seats
        else:
            self._phase = "play"
            self.seat = self._leader

    def _play(self, seat: int, action: int) -> None:
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
                    action = suit * SUIT + (follow & -follow).bit_length() - 1
                    own = suit
            hands[seat] = hand ^ 1 << action
            if self._silent:
                self._unmask(seat, own)
        else:
            hands[seat] = hand ^ 1 << X
            if action == BARE:
                self._sanction(seat, FORGOTTEN)
            elif suit < 0:
                self._suit = SUIT_OF[action]
        self._moves = moves = self._moves + _MOVE[action]
        if len(moves) % self._seats:
            seat += 1
            self.seat = seat if seat < self._seats else 0
        else:
            self._finish_trick()

    def _sanction(self, seat: int, kind: int) -> None:
        self.log.append(("sanction", seat, kind))
        self._sanctions += ((seat, kind, len(self._moves) // self._seats + 1),)

    def _unmask(self, seat: int, suit: int) -> None:
        """A real card of the suit shows the silent revokes in it, each for a sanction of its own."""
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
        if self._refused:  # never in the last trick: whoever could have followed has a card left
            self._asked, self._refused = tuple(sorted(self._refused)), ()
            self._phase = "confess"
            self.seat = self._asked[0][0]
        elif self._hands[winner]:
            self.seat = winner
        else:
            self._finish_round()

    def _answer(self, action: int) -> None:
        """A revoker confesses or stays silent; what is confessed shows when all that are asked have answered."""
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
        attack = self._options.mode == "attack"
        bids = tuple([known[seat] or 0 for seat, known in enumerate(self._bids)])
        points = [bid_points(bid, won, attack) for bid, won in zip(bids, self._won, strict=True)]
        for seat, kind, _ in self._sanctions:
            points[seat] += SANCTION_POINTS[kind]
        self._scores = tuple([score + more for score, more in zip(self._scores, points, strict=True)])
        self.log.append(("score", self._round, tuple(points), self._scores))
        cards = len(self._moves) // self._seats
        self._past += (
            (
                cards,
                self._dealer,
                self._up,
                self._trump,
                bids,
                self._moves,
                self._sanctions,
                self._won,
                tuple(points),
            ),
        )
        if self._round < 2 * self._largest:
            self._deal()
            return
        self.seat = None
        self._clear(self._leader)
        self._set_trump(self._trump)

    def view(self, seat: int) -> LeonView:
        """What the seat may know."""
        turn, phase, sanctions = self.seat, self._phase, self._sanctions
        if self._asked:
            # docs/rules/leon: the revoker alone is asked; to the others, the winner of the trick is to lead
            if turn != seat:
                turn, phase = self._leader, "play"
            sanctions += tuple([entry for entry in self._fresh if entry[0] == seat])
        return _VIEW(
            seat,
            self._facts,
            self._hands[seat],
            turn,
            phase,
            self._bids[seat],
            self._leader,
            self._moves,
            self._won,
            sanctions,
        )

    def copy(self) -> "LeonState":
        """A state of its own that goes on from here, with an empty log."""
        new = LeonState()
        new.seat = self.seat
        new.log = []
        new._asked = self._asked
        new._dealer = self._dealer
        new._facts = self._facts
        new._fresh = self._fresh
        new._hidden = self._hidden
        new._largest = self._largest
        new._leader = self._leader
        new._moves = self._moves
        new._options = self._options
        new._past = self._past
        new._phase = self._phase
        new._refused = self._refused
        new._round = self._round
        new._sanctions = self._sanctions
        new._scores = self._scores
        new._seats = self._seats
        new._orders = self._orders
        new._silent = self._silent
        new._suit = self._suit
        new._trump = self._trump
        new._up = self._up
        new._won = self._won
        new._hands = self._hands.copy()
        new._bids = self._bids.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far."""
        return self._scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points."""
        return places_by(self._scores)
