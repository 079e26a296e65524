"""The cards and actions of The Vole in the Valley as numbers. Rules: docs/rules/vole.md.

Cards are those of `tourney.cards.VOLE`. A hand is a bit mask of cards, and the action that plays a card has the
number of the card.
"""

from typing import Final

from tourney.cards import VOLE
from tourney.games.tricks import subsets

CARDS: Final = 33
SUIT: Final = 11
"""How many cards a suit has: `card // SUIT` is the suit of a card, `card % SUIT` its rank, 0 for a 1."""
HAND: Final = 13
"""How many cards each seat is dealt."""
DECK: Final = 6
"""How many cards the deck has at the start of a round."""
LOW: Final = 2047
"""The cards of the first suit, as a mask."""

# Actions: 0-32 play a card, 33-65 swap it for the trump card, 66 keep the trump card, 67-99 bury a card.
SWAP: Final = 33
KEEP: Final = 66
BURY: Final = 67
HIDDEN: Final = 100
"""Stands for every burial in the history that both seats see, whichever seat buried."""
NAMES = (
    *[f"play:{card}" for card in VOLE.names],
    *[f"swap:{card}" for card in VOLE.names],
    "keep",
    *[f"bury:{card}" for card in VOLE.names],
)
"""The text of every action."""

OF_SUIT: Final = [subsets(suit * SUIT, SUIT) for suit in range(3)]
"""The cards of a mask of one suit, in order, by suit and mask."""
TOWERS: Final = OF_SUIT[0]
KEYS: Final = OF_SUIT[1]
MOONS: Final = OF_SUIT[2]


def cards_of(mask: int) -> tuple[int, ...]:
    """Returns the cards of a mask, in order."""
    return TOWERS[mask & LOW] + KEYS[mask >> SUIT & LOW] + MOONS[mask >> 2 * SUIT]
