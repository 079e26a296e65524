"""Which card wins a trick of Le Léon. Rules: docs/rules/leon.md."""

from collections.abc import Sequence
from typing import Final

from mypy_extensions import i64

from tourney.games.leon.cards import BARE, LEON, SUIT


def _worth(action: int) -> int:
    """Returns how high a card stands in its suit; the Léon is right above or below the card that it is named after."""
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
    """Returns how high each action counts in a trick to which that suit was led; 0 for one that cannot win it."""
    return [
        WORTH[action] + _TRUMPED * (suit == trump) + 1 if suit in (trump, led) else 0
        for action, suit in enumerate(SUIT_OF)
    ] + [0]  # docs/rules/leon: the Léon without a name wins nothing


WORTHS: Final = [[_worths(trump, led) for led in range(4)] for trump in range(4)]
"""How high each action counts in a trick, by the trump suit, the suit that was led, and the action."""


def winning(trick: Sequence[int], trump: int) -> int:
    """Returns the index of the play that wins the trick so far; -1 while nothing in it can win."""
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
