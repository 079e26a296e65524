"""The cards and actions of Le Léon as numbers. Rules: docs/rules/leon.md.

Cards are those of `tourney.cards.LEON`. A hand is a bit mask of cards, and the action that plays a card has the number
of the card.
"""

from typing import Final

from tourney.cards import LEON as DECK
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
    """Returns the cards of a mask, in order, the Léon last."""
    real = (
        CLUBS[mask & LOW]
        + DIAMONDS[mask >> SUIT & LOW]
        + HEARTS[mask >> 2 * SUIT & LOW]
        + SPADES[mask >> 3 * SUIT & LOW]
    )
    return (*real, X) if mask >> X else real
