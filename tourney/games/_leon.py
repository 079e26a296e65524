"""What can be read off a round of Le Léon: its tricks, its sanctions, and what the other seats may hold.

A round's history, as all seats see it, is bytes: the action for each card that was played, in order. Who played
it follows from the leader of the first trick and the winners of the tricks since.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, Final

from tourney.cards import LEON as DECK
from tourney.games._tricks import deal_out, mask_of, subsets
from tourney.rng import shuffle

CARDS: Final = 53
SUIT: Final = 13
X: Final = 52
"""The Léon."""
LOW: Final = 8191
"""The cards of the first suit, as a mask."""
SUITS = tuple(LOW << suit * SUIT for suit in range(4))
REAL = (1 << X) - 1
ALL = (1 << CARDS) - 1

# Actions: 0-51 play a card (52 would play the Léon as such, which is never allowed), 53-104 play the Léon as a card,
# 105 play it without a name, 106-132 bid, 133-136 name the trump suit, 137 confess, 138 stay silent.
LEON: Final = 53
BARE: Final = 105
BID: Final = 106
TRUMP: Final = 133
CONFESS: Final = 137
SILENT: Final = 138

FORGOTTEN: Final = 0
UNMASKED: Final = 1
REPENTED: Final = 2
SANCTIONS = ("leon es vergeite", "smokeleir demasque", "smokeleir repenti")
SANCTION_POINTS = (-5, -5, -2)

LARGEST = {2: 26, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}
"""The largest hand by the number of seats."""


NAMES = (
    *[f"play:{card}" for card in DECK.names],
    *[f"leon:{card}" for card in DECK.names[:X]],
    "leon",
    *[f"bid:{number}" for number in range(max(LARGEST.values()) + 1)],
    *[f"trump:{suit}" for suit in DECK.suits],
    "confess",
    "silent",
)
"""The text of every action."""


def cards_in(round_: int, largest: int) -> int:
    """How many cards each seat is dealt in a round: 1 up to the largest hand, and down to 1 again."""
    return round_ if round_ <= largest else 2 * largest + 1 - round_


def bid_points(bid: int, won: int, attack: bool) -> int:
    """What a bid pays that came to so many tricks."""
    if bid != won:
        return -abs(bid - won)
    if not attack:
        return 1
    return (1 + bid) * (2 if bid >= 10 else 1)


CLUBS, DIAMONDS, HEARTS, SPADES = BITS = [subsets(suit * SUIT, SUIT) for suit in range(4)]
"""The cards of a mask of one suit, in order, by suit and mask."""
LEONS = tuple(range(LEON, BARE))
BIDS = [tuple(range(BID, BID + cards + 1)) for cards in range(27)]
TRUMPS = tuple(range(TRUMP, TRUMP + 4))
ANSWERS = CONFESS, SILENT


def cards_of(mask: int) -> tuple[int, ...]:
    """The cards of a mask, in order, the Léon last."""
    real = (
        CLUBS[mask & LOW]
        + DIAMONDS[mask >> SUIT & LOW]
        + HEARTS[mask >> 2 * SUIT & LOW]
        + SPADES[mask >> 3 * SUIT & LOW]
    )
    return (*real, X) if mask >> X else real


def _worth(action: int) -> int:
    """How high a card stands in its suit; the Léon right above or below the card that it is named after."""
    if action < LEON:
        return 2 * (action % SUIT) + 1
    rank = (action - LEON) % SUIT
    # docs/rules/leon: the Léon wins against the real card as A K Q J T, and loses to a real 9-2
    return 2 * rank + 2 if rank >= 8 else 2 * rank


SUIT_OF = tuple([(action if action < LEON else action - LEON) // SUIT for action in range(BARE)])
"""The suit that a played card counts in, by action."""
WORTH = tuple([_worth(action) for action in range(BARE)])
"""How high a played card counts in its suit, by action."""
_TRUMPED = 64


def worths(trump: int, led: int) -> list[int]:
    """How high each action's card counts in a trick to which that suit was led; 0 for what cannot win it."""
    return [
        WORTH[action] + _TRUMPED * (suit == trump) + 1 if suit in (trump, led) else 0
        for action, suit in enumerate(SUIT_OF)
    ] + [0]  # docs/rules/leon: the Léon without a name wins nothing


def winning(trick: Sequence[int], trump: int) -> int:
    """Which of the trick's plays wins so far, counted from 0; -1 while nothing in it can win."""
    best, top, led = -1, -1, -1
    for i, action in enumerate(trick):
        # docs/rules/leon: the Léon without a name wins nothing, and sets no suit
        if action == BARE:
            continue
        suit = SUIT_OF[action]
        if led < 0:
            led = suit
        worth = WORTH[action]
        if suit == trump:
            worth += _TRUMPED
        elif suit != led:
            continue
        if worth > top:
            best, top = i, worth
    return best


@dataclass(frozen=True, slots=True)
class Trick:
    """A trick that is over."""

    leader: int
    plays: tuple[int, ...]
    """The actions from the leader on, clockwise."""
    winner: int


@dataclass(frozen=True, slots=True)
class Sanction:
    """A sanction that all seats know of."""

    seat: int
    name: str
    points: int
    trick: int
    """The trick in which it was earned, counted from 1; for a revoke that was confessed, the trick of the revoke."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is over; everyone knows the same of it."""

    cards: int
    """How many cards each seat was dealt."""
    dealer: int
    up: int
    trump: int
    bids: tuple[int, ...]
    tricks: tuple[Trick, ...]
    sanctions: tuple[Sanction, ...]
    won: tuple[int, ...]
    points: tuple[int, ...]


def tricks(leader: int, trump: int, seats: int, moves: bytes) -> tuple[Trick, ...]:
    """The tricks that the moves of a round complete."""
    done: list[Trick] = []
    for start in range(0, len(moves) - seats + 1, seats):
        plays = tuple(moves[start : start + seats])
        winner = (leader + winning(plays, trump)) % seats
        done.append(Trick(leader, plays, winner))
        leader = winner
    return tuple(done)


def sanctions_of(entries: tuple[tuple[int, int, int], ...]) -> tuple[Sanction, ...]:
    return tuple([Sanction(seat, SANCTIONS[kind], SANCTION_POINTS[kind], trick) for seat, kind, trick in entries])


def round_of(entry: tuple[Any, ...]) -> Round:
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    done = tricks((dealer + 1) % len(won), trump, len(won), moves)
    return Round(cards, dealer, up, trump, bids, done, sanctions_of(sanctions), won, points)


def texts(plays: tuple[int, ...]) -> list[str]:
    return [NAMES[action] for action in plays]


def trick_texts(tricks: tuple[Trick, ...]) -> list[dict[str, Any]]:
    return [{"leader": trick.leader, "plays": texts(trick.plays), "winner": trick.winner} for trick in tricks]


def sanction_texts(sanctions: tuple[Sanction, ...]) -> list[dict[str, Any]]:
    return [{"seat": one.seat, "name": one.name, "points": one.points, "trick": one.trick} for one in sanctions]


def round_text(past: Round) -> dict[str, Any]:
    """A round that is over, for JSON."""
    return {
        "cards": past.cards,
        "dealer": past.dealer,
        "up": DECK.text(past.up),
        "trump": DECK.suits[past.trump],
        "bids": list(past.bids),
        "tricks": trick_texts(past.tricks),
        "sanctions": sanction_texts(past.sanctions),
        "won": list(past.won),
        "points": list(past.points),
    }


@dataclass(frozen=True, slots=True)
class Table:
    """What all seats know of a round in play."""

    seats: int
    cards: int
    """How many cards each seat was dealt."""
    leader: int
    """Who led the first trick."""
    trump: int
    up: int
    moves: bytes
    sanctions: tuple[tuple[int, int, int], ...]
    """Each a (seat, which sanction, trick)."""
    hidden: bool
    """Whether revokes may go unnoticed."""

    def plays(self) -> Iterator[tuple[int, int, int, int]]:
        """Every (trick from 1, seat, led suit, action), in order; -1 for the suit until a card has set it."""
        leader, seats, moves = self.leader, self.seats, self.moves
        for start in range(0, len(moves), seats):
            trick = moves[start : start + seats]
            led = -1
            for i, action in enumerate(trick):
                yield start // seats + 1, (leader + i) % seats, led, action
                if led < 0 and action != BARE:
                    led = SUIT_OF[action]
            leader = (leader + winning(trick, self.trump)) % seats

    def revokes(self, hands: Sequence[int]) -> list[tuple[int, int, int]]:
        """The revokes that no sanction has answered, each a (trick, seat, suit), given the hands that all hold now."""
        confessed = [(trick, seat) for seat, kind, trick in self.sanctions if kind == REPENTED]
        found: list[tuple[int, int, int]] = []
        for trick, seat, led, action in self.plays():
            if action >= X:
                continue
            suit = action // SUIT
            if found:  # docs/rules/leon: a real card of the suit unmasks
                found = [revoke for revoke in found if revoke[1:] != (seat, suit)]
            # whoever still holds the suit held it then
            if led not in (-1, suit) and hands[seat] & SUITS[led] and (trick, seat) not in confessed:
                found.append((trick, seat, led))
        return found

    def deduced(self) -> tuple[list[int], list[list[int]]]:
        """What each seat's hand may hold, as a mask, and masks of which it must hold at least one card each."""
        may, must = [ALL] * self.seats, [list[int]() for _ in range(self.seats)]
        telling = REPENTED if self.hidden else UNMASKED
        sanctioned = [(seat, trick) for seat, kind, trick in self.sanctions if kind == telling]
        for trick, seat, led, action in self.plays():
            if action >= X:
                continue
            # what a seat was known to hold some of may be what it plays now
            must[seat] = [mask for mask in must[seat] if not mask >> action & 1]
            if led < 0:
                continue
            followed = action // SUIT == led
            known: int | None = None
            if not self.hidden:
                if not followed:
                    may[seat] &= ~SUITS[led]
                elif (seat, trick) in sanctioned:  # caught: its lowest card was played, and it had offered another
                    may[seat] &= ~SUITS[led] | -1 << action
                    known = REAL & ~SUITS[led]
            elif not followed and (seat, trick) in sanctioned:  # it confessed; other discards prove nothing
                known = SUITS[led]
            if known is not None and known not in must[seat]:
                must[seat].append(known)
        return may, must


_TRIES = 20
"""Deals drawn until one gives every seat what it must hold; then such cards are dealt first."""


def fit(table: Table, me: int, hand: int, rng: Random) -> list[int]:
    """The hands of all seats as masks, drawn at random so that they fit all that seat `me`, with that hand, knows."""
    seats, moves = table.seats, table.moves
    out = hand | 1 << table.up
    sizes = [table.cards] * seats
    for _, seat, _, action in table.plays():
        out |= 1 << (action if action < X else X)
        sizes[seat] -= 1
    unknown = [card for card in range(CARDS) if not out >> card & 1]
    others = [seat for seat in range(seats) if seat != me]
    left = len(unknown) - sum([sizes[seat] for seat in others])
    may, must = table.deduced() if moves else ([ALL] * seats, [list[int]()] * seats)
    places = [(sizes[seat], may[seat]) for seat in others]
    wants = [(i, mask) for i, seat in enumerate(others) for mask in must[seat]]
    dealt = _dealt(unknown, [*places, (left, ALL)], wants, rng)
    hands = [0] * seats
    hands[me] = hand
    for seat, cards in zip(others, dealt, strict=False):
        hands[seat] = mask_of(cards)
    return hands


def _dealt(
    cards: list[int], places: list[tuple[int, int]], wants: list[tuple[int, int]], rng: Random
) -> list[list[int]]:
    """The cards dealt to the places, such that place i gets a card of the mask for each (i, mask) that is wanted."""
    free = all([mask == ALL for _, mask in places])
    for _ in range(_TRIES if wants else 1):
        dealt = _cut(cards, places, rng) if free else deal_out(cards, places, rng)
        assert dealt is not None, "no deal fits this history, which cannot be if it was played by the rules"
        if all([any([mask >> card & 1 for card in dealt[i]]) for i, mask in wants]):
            return dealt
    # one place of its own for each wanted card; the masks that one seat must serve share no card
    rest = list(places)
    for i, _ in wants:
        rest[i] = rest[i][0] - 1, rest[i][1]
    dealt = deal_out(cards, rest + [(1, mask & places[i][1]) for i, mask in wants], rng)
    assert dealt is not None, "no deal fits this history, which cannot be if it was played by the rules"
    for (i, _), cards_of in zip(wants, dealt[len(places) :], strict=True):
        dealt[i] += cards_of
    return dealt[: len(places)]


def _cut(cards: list[int], places: list[tuple[int, int]], rng: Random) -> list[list[int]]:
    """The cards, shuffled in place, cut into pieces of the places' sizes."""
    shuffle(cards, rng)
    ends = [0]
    for size, _ in places:
        ends.append(ends[-1] + size)
    return [cards[start:end] for start, end in pairwise(ends)]
