"""The cards and actions of Voleur as numbers. Rules: docs/rules/voleur.md.

Cards are those of `tourney.cards.STANDARD`. The action that plays a card has the number of the card.
"""

from typing import Final

from tourney.cards import STANDARD

CARDS: Final = 52
SUIT: Final = 13
"""How many cards a suit has: `card // SUIT` is the suit of a card, `card % SUIT` its rank, 0 for a two."""
DEALT: Final = 6
"""How many cards each seat is dealt."""
TRICKS: Final = 4
DISCARDS: Final = 2
"""How many cards each seat discards."""
LOW: Final = 8191
"""All ranks, or the cards of the first suit, as a mask."""

# Actions: 0-51 play a card, 52-103 discard it, 104 keep, 105-109 steal from a seat, 110-161 take a card.
DISCARD: Final = 52
KEEP: Final = 104
STEAL: Final = 105
TAKE: Final = 110
NAMES = (
    *[f"play:{card}" for card in STANDARD.names],
    *[f"discard:{card}" for card in STANDARD.names],
    "keep",
    *[f"steal:{seat}" for seat in range(5)],
    *[f"take:{card}" for card in STANDARD.names],
)
"""The text of every action."""
