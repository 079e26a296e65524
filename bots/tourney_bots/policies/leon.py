"""How `steady` plays Le Léon: it bids the sum of its cards' chances to win a trick, and plays to make that bid.

At every turn it plays the card after which its expected number of tricks is closest to the number that it still needs.
The Léon corrects mistakes at the end: as the ace of trumps it wins for certain, as a low card of an idle suit it loses.
It follows suit whenever it can, even if hidden revokes would let it do otherwise.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, fsum, log, sqrt
from math import pow as power
from typing import Any, Final

from tourney import Policy, SeatFacts, State

SUIT: Final = 13
LOW: Final = (1 << SUIT) - 1
X: Final = 52
REAL: Final = (1 << X) - 1
# the game's actions: 0-51 play a card, 53-104 the Léon as a card, 105 the Léon without a name, bids, suits, answers
LEON: Final = 53
BARE: Final = 105
BID: Final = 106
TRUMP: Final = 133
CONFESS: Final = 137

# The weights of a logistic model of whether a card wins some trick, fitted to matches that this policy played against
# itself. In order: a constant; the higher cards of the suit that the others hold; how likely they hold none; its own
# lower cards of the suit; its own cards of the suit; the cards of the suit that each other seat holds; the trumps that
# it holds; its own trumps; the logarithm of the number of other seats.
TRUMP_WEIGHTS: Final = (-0.36, -0.52, 1.5, -0.12, 0.45, 0.1, 0.0, 0.0, -0.13)
SIDE_WEIGHTS: Final = (-1.47, -0.57, 1.22, 0.12, -0.05, 0.63, -0.26, 0.16, -0.43)
LEON_WORTH: Final = 0.7
"""How many tricks the Léon adds to a bid: less than the one that it wins for certain, so that it may also lose one."""
EAGER: Final = 0.6
"""How likely another seat is to beat a card that it can beat."""
DOUBT: Final = 1.1
"""How much the uncertainty of the cards that are left counts against a play."""
DUCKED: Final = 0.35
"""How much of a trick remains that is expected, no longer wanted, and ducked."""
TRUMPED: Final = 64
MOST: Final = 4
"""How many cards or bids are searched."""
_COUNT: Final = [mask.bit_count() for mask in range(1 << SUIT)]
"""How many cards of a suit are in each mask of them."""


def _worth(action: int) -> int:
    """How high a card ranks in its suit; the Léon is right above or below the card that it is named after."""
    if action < LEON:
        return 2 * (action % SUIT) + 1
    rank = (action - LEON) % SUIT
    return 2 * rank + 2 if rank >= 8 else 2 * rank


_WORTH: Final = [_worth(action) for action in range(BARE)]
_SUIT_OF: Final = [(action if action < LEON else action - LEON) // SUIT for action in range(BARE)]


class LeonPolicy(Policy):
    """The rules of thumb for one seat."""

    name = "leon"
    playouts = 36
    chance = 0.0  # a holder of the Léon would play it by most random moves
    draws = 6

    def __init__(self, facts: SeatFacts) -> None:
        options: Any = facts.options
        self._attack = options.mode == "attack"
        self._seat, self._seats = facts.seat, facts.seats

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The advised card, bid, trump suit or answer."""
        if len(legal) == 1:
            return legal[0]
        phase = view.phase
        if phase == "play":
            rated = _rated(view, _Situation(view, view.trump_suit))
            return min(rated, key=rated.__getitem__)
        if phase == "bid":
            return BID + max(range(view.cards + 1), key=self._merit(view))
        if phase == "trump":
            return TRUMP + max(range(4), key=lambda suit: fsum(_Situation(view, suit).chances().values()))
        return CONFESS

    def candidates(self, view: Any, legal: Sequence[int]) -> Sequence[int]:
        """The cards, or the bids, that seem best; of cards that are as good as each other one."""
        if view.phase == "bid":
            return [BID + bid for bid in sorted(range(view.cards + 1), key=self._merit(view), reverse=True)[:MOST]]
        if view.phase == "play":
            return _worth_a_search(view)
        return legal

    def likelihood(self, state: State) -> float:
        """How well secret bids agree with the tricks that their seats have won and may yet win."""
        if not self._attack:
            return 1.0
        off = 0.0
        for seat in range(self._seats):
            if seat != self._seat:
                view: Any = state.view(seat)
                bid = view.bids[seat]
                if bid is not None:
                    now = _Situation(view, view.trump_suit)
                    apart = bid - view.won[seat] - now.tricks(now.chances())
                    off += apart**2 / (1 + view.hand_mask.bit_count() / 4)
        return exp(-off / 2) + 1e-9

    def _merit(self, view: Any) -> Callable[[int], float]:
        now = _Situation(view, view.trump)
        chances = now.chances()
        mean = now.tricks(chances)
        if not self._attack:
            return lambda bid: -abs(bid - mean)
        # a higher bid pays more, so it may be worth some risk
        spread = 0.8 * sqrt(fsum([chance * (1 - chance) for chance in chances.values()]) + 0.1)
        return lambda bid: _prospect(bid, mean, spread)


def _prospect(bid: int, mean: float, spread: float) -> float:
    """About what a bid pays in `attack`, if the tricks have that mean and that standard deviation."""
    away = abs(bid - mean)
    made = 0.5 * exp(-((away / spread) ** 2) / 2)
    pay = (1 + bid) * (2 if bid >= 10 else 1)
    return made * pay - (1 - made) * max(1.0, away)


def _rated(view: Any, now: "_Situation") -> dict[int, float]:
    """How far off its bid the seat must expect to end after each card that follows suit, and two Léons."""
    seat: int = view.seat
    bids: Sequence[int] = view.bids
    won: Sequence[int] = view.won
    trick = _TrickOdds(now)
    chances = now.chances()
    need = bids[seat] - won[seat]
    total = fsum(chances.values())
    doubt = DOUBT * fsum([chance * (1 - chance) for chance in chances.values()])
    must_follow = trick.led >= 0 and now.real >> trick.led * SUIT & LOW != 0
    rated: dict[int, float] = {}
    for card, chance in chances.items():
        if must_follow and card // SUIT != trick.led:
            continue
        rest_doubt = doubt - DOUBT * chance * (1 - chance)
        rated[card] = _off(trick.wins(card), need, total - chance, rest_doubt, now.leon)
    if now.leon:
        for action in trick.leons():
            rated[action] = _off(trick.wins(action), need, total, doubt, leon=0)
    return rated


def _worth_a_search(view: Any) -> list[int]:
    """The best plays, the best first; of cards in sequence, with none left between them, one."""
    now = _Situation(view, view.trump_suit)
    rated = _rated(view, now)
    worths: dict[tuple[int, int], int] = {}
    for action in sorted(rated, key=rated.__getitem__):
        suit, rank = divmod(action, SUIT)
        higher = _COUNT[now.unseen >> suit * SUIT + rank & LOW >> rank] if action < LEON else -1 - action
        worths.setdefault((suit, higher), action)
    return list(worths.values())[:MOST]


def _off(wins: float, need: int, rest: float, doubt: float, leon: int) -> float:
    """How far off its bid a seat must expect to end that wins this trick with a chance of `wins`.

    It still needs `need` tricks, and expects `rest` (with the variance `doubt`) after this one, with 0 or 1 `leon`.
    """
    lost, won = _missed(need, rest, leon), _missed(need - 1, rest, leon)
    doubt = max(0.0, doubt)
    return wins * sqrt(won * won + doubt) + (1 - wins) * sqrt(lost * lost + doubt)


def _missed(need: int, rest: float, leon: int) -> float:
    """How far the expected tricks are from the needed ones; a Léon makes up for up to one."""
    if need < 0:
        return DUCKED * rest - need
    if need < rest:
        return DUCKED * (rest - need)
    return max(0.0, need - rest - leon)


class _Situation:
    """What a seat knows at one decision, with `trump` as the trump suit."""

    def __init__(self, view: Any, trump: int) -> None:
        hand: int = view.hand_mask
        moves: tuple[int, ...] = view.moves
        won: tuple[int, ...] = view.won
        seats = len(won)
        up: int = view.up
        tricks, plays = divmod(len(moves), seats)
        cards = hand.bit_count() + tricks  # it has played one in each
        self.plays = moves[len(moves) - plays :]
        """The actions of the trick in progress."""
        self.trump = trump
        self.rivals = seats - 1
        self.real = hand & REAL
        self.leon = hand >> X
        out = hand | 1 << up
        for action in moves:
            out |= 1 << action if action < X else 1 << X
        self.unseen = REAL & ~out
        unseen = X + 1 - out.bit_count()
        held = cards * seats - len(moves) - hand.bit_count()
        # how likely an unseen card is in the hands of the others, and in a given one of them
        self.held = held / unseen if unseen else 0.0
        self.held_by_each = self.held / self.rivals

    def chances(self) -> dict[int, float]:
        chances: dict[int, float] = {}
        trump, unseen, real, held = self.trump, self.unseen, self.real, self.held
        free, each = 1 - held, self.held_by_each
        trumps_out = _COUNT[unseen >> trump * SUIT & LOW] * each
        trumps = _COUNT[real >> trump * SUIT & LOW]
        rivals = log(self.rivals)
        for suit in range(4):
            mine = real >> suit * SUIT & LOW
            if not mine:
                continue
            out = unseen >> suit * SUIT & LOW
            w = TRUMP_WEIGHTS if suit == trump else SIDE_WEIGHTS
            fixed = w[0] + w[4] * _COUNT[mine] + w[5] * _COUNT[out] * each
            fixed += w[6] * trumps_out + w[7] * trumps + w[8] * rivals
            below = 0
            for rank in range(SUIT):
                if mine >> rank & 1:
                    higher = _COUNT[out >> rank]
                    chance = fixed + w[1] * higher * held + w[2] * power(free, higher) + w[3] * below
                    chances[suit * SUIT + rank] = 1 / (1 + exp(-chance))
                    below += 1
        return chances

    def tricks(self, chances: Mapping[int, float]) -> float:
        return fsum(chances.values()) + self.leon * LEON_WORTH


class _TrickOdds:
    """The chances to win the trick in progress, for the seat that is to play."""

    def __init__(self, now: _Situation) -> None:
        self.now = now
        self.later = now.rivals - len(now.plays)
        self.led = self.top = -1
        for action in now.plays:
            if action == BARE:
                continue
            suit = _SUIT_OF[action]
            if self.led < 0:
                self.led = suit
            if suit in (now.trump, self.led):
                self.top = max(self.top, _WORTH[action] + TRUMPED * (suit == now.trump))

    def wins(self, action: int) -> float:
        now = self.now
        suit = _SUIT_OF[action]
        led = suit if self.led < 0 else self.led
        trumps = suit == now.trump
        if (suit != led and not trumps) or _WORTH[action] + TRUMPED * trumps < self.top:
            return 0.0
        if not self.later:
            return 1.0
        lacks = 1 - now.held_by_each  # the chance that a given seat lacks a given unseen card
        out = now.unseen >> suit * SUIT & LOW
        beaten = 1 - power(lacks, _COUNT[out >> _WORTH[action] // 2])
        if suit != led:
            beaten *= power(lacks, _COUNT[now.unseen >> led * SUIT & LOW])
        elif not trumps:
            trumps_out = _COUNT[now.unseen >> now.trump * SUIT & LOW]
            beaten += (1 - beaten) * power(lacks, _COUNT[out]) * (1 - power(lacks, trumps_out))
        return power(1 - EAGER * beaten, self.later)

    def leons(self) -> tuple[int, int]:
        """The Léon as a card that wins for certain, and as one that is likely to lose."""
        now = self.now
        idle = [suit for suit in range(4) if suit not in (now.trump, self.led)]
        low = max(idle, key=lambda suit: _COUNT[now.unseen >> suit * SUIT & LOW])
        return LEON + now.trump * SUIT + SUIT - 1, LEON + low * SUIT
