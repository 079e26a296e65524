"""The cards, actions, tricks and scores of Le Léon as numbers. Rules: docs/rules/leon.md.

Cards are numbered as in `cards.LEON`. A hand is a bit mask of cards, and the action that plays a card has the card's
number.
"""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64

from tourney.contracts.cards import LEON as DECK
from tourney.games.tricks import subsets

CARDS: Final = 53
SUIT: Final = 13
"""How many cards a suit has: `card // SUIT` is the suit of a card, `card % SUIT` its rank, 0 for a two."""
X: Final = 52
"""The Léon."""
LOW: Final = 8191
"""The cards of the first suit, as a mask."""
SUITS: Final[tuple[int, ...]] = tuple(LOW << suit * SUIT for suit in range(4))
"""The cards of each suit, as a mask."""
REAL: Final = (1 << X) - 1
"""All cards but the Léon, as a mask."""
ALL: Final = (1 << CARDS) - 1
"""All cards, as a mask."""

# Actions: 0-51 play a card (52 would play the Léon as such, which is never allowed), 53-104 play the Léon as a card,
# 105 play it without a name, 106-132 bid, 133-136 name the trump suit, 137 confess, 138 stay silent.
LEON: Final = 53
BARE: Final = 105
BID: Final = 106
TRUMP: Final = 133
CONFESS: Final = 137
SILENT: Final = 138

LARGEST: Final = {2: 26, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}
"""The largest hand by the number of seats."""

NAMES: Final = (
    *[f"play:{card}" for card in DECK.names],
    *[f"leon:{card}" for card in DECK.names[:X]],
    "leon",
    *[f"bid:{number}" for number in range(max(LARGEST.values()) + 1)],
    *[f"trump:{suit}" for suit in DECK.suits],
    "confess",
    "silent",
)
"""The text of every action."""

OF_SUIT: Final = [subsets(suit * SUIT, SUIT) for suit in range(4)]
"""The cards of a mask of one suit, in order, by suit and mask."""
CLUBS: Final = OF_SUIT[0]
DIAMONDS: Final = OF_SUIT[1]
HEARTS: Final = OF_SUIT[2]
SPADES: Final = OF_SUIT[3]
LEONS: Final = tuple(range(LEON, BARE))
"""The actions that play the Léon as a card."""
BIDS: Final = [tuple(range(BID, BID + cards + 1)) for cards in range(max(LARGEST.values()) + 1)]
"""The bids that a seat may make, by the number of its cards."""
TRUMPS: Final = tuple(range(TRUMP, TRUMP + 4))
ANSWERS: Final[tuple[int, ...]] = CONFESS, SILENT


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
    """How high a card ranks in its suit; the Léon is right above or below the card that it is named after."""
    if action < LEON:
        return 2 * (action % SUIT) + 1
    rank = (action - LEON) % SUIT
    # docs/rules/leon: the Léon wins against the real card as A K Q J T, and loses to a real 9-2
    return 2 * rank + 2 if rank >= 8 else 2 * rank


SUIT_OF: Final = tuple([(action if action < LEON else action - LEON) // SUIT for action in range(BARE)])
"""The suit that a played card counts in, by action."""
WORTH: Final = tuple([_worth(action) for action in range(BARE)])
"""How high a played card counts in its suit, by action."""
_TRUMPED: Final = 64
"""What a trump counts on top, more than any card of another suit."""


def _worths(trump: int, led: int) -> list[i64]:
    """How high each action counts in a trick to which that suit was led; 0 for one that cannot win it."""
    return [
        WORTH[action] + _TRUMPED * (suit == trump) + 1 if suit in (trump, led) else 0
        for action, suit in enumerate(SUIT_OF)
    ] + [0]  # docs/rules/leon: the Léon without a name wins nothing


WORTHS: Final = [[_worths(trump, led) for led in range(4)] for trump in range(4)]
"""How high each action counts in a trick, by the trump suit, the suit that was led, and the action."""


def winning(trick: Sequence[int], trump: int) -> int:
    """The index of the play that wins the trick so far; -1 while nothing in it can win."""
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


FORGOTTEN: Final = 0
UNMASKED: Final = 1
REPENTED: Final = 2
"""The kinds of sanctions, as indices into `SANCTIONS`."""
SANCTIONS: Final = ("leon es vergeite", "smokeleir demasque", "smokeleir repenti")
SANCTION_POINTS: Final[tuple[int, ...]] = (-5, -5, -2)


def cards_in(number: i64, largest: i64) -> i64:
    """How many cards each seat is dealt in the round of that number, with a largest hand of that size."""
    # docs/rules/leon: 1 up to the largest hand, and down to 1 again
    return number if number <= largest else 2 * largest + 1 - number


def bid_points(bid: i64, won: i64, attack: bool) -> i64:
    """What a bid pays if `won` tricks were won; `attack` is the mode that pays more for higher bids."""
    if bid != won:
        return bid - won if bid < won else won - bid
    if not attack:
        return 1
    return (1 + bid) * (2 if bid >= 10 else 1)
