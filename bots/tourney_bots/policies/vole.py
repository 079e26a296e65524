"""How `steady` plays The Vole in the Valley: it aims for many tricks (7-9) or for few (0-3)."""

from collections.abc import Sequence
from math import inf
from typing import Any, Final

from tourney import Policy, SeatFacts, cards

DECK: Final = cards.VOLE

CARDS: Final = len(DECK)
SUIT: Final = len(DECK.ranks)
NINE: Final = 8  # the index of rank 9
MIDDLE: Final = 0.5
"""The chance to take a trick of the cards that it plays first while it aims high: they take and lose none for sure."""
LOW: Final = 0.05
"""The chance to take a trick of the cards that it leads first while it aims low: the lowest lose later on as well."""


class VolePolicy(Policy):
    """Estimates how many tricks its hand takes, aims high or low, and plays each trick to win it or to lose it."""

    name = "vole"
    playouts = 125
    drop = inf

    def __init__(self, facts: SeatFacts) -> None:
        """Takes the numbers of the actions that do not play a card."""
        self._keep = facts.game.action("keep")
        self._swap = facts.game.action(f"swap:{DECK.text(0)}")
        self._bury = facts.game.action(f"bury:{DECK.text(0)}")

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The advised action."""
        if len(legal) == 1:
            return legal[0]
        if legal[0] < CARDS:
            return self._play(view, legal)
        if legal[0] >= self._bury:
            # the card that serves its aim least
            least = MIDDLE if _wants_tricks(view) else 1.0
            return self._bury + _nearest(least, _STRENGTH[view.trump], [action - self._bury for action in legal])
        return self._trump(view)

    def _play(self, view: Any, legal: Sequence[int]) -> int:
        led, trump = view.led, view.trump
        wanted = _wants_tricks(view)
        strength = _STRENGTH[trump]
        if led is None:
            return _nearest(MIDDLE if wanted else LOW, strength, legal)
        beaten_by = _BEATS[trump][led]
        winners = [card for card in legal if beaten_by[card]]
        losers = [card for card in legal if not beaten_by[card]]
        if wanted:
            # wins with a middling card, or gives its weakest one
            return _nearest(MIDDLE, strength, winners) if winners else _nearest(0.0, strength, losers)
        # loses with the highest card that loses; if all of them win, it gives its strongest
        return _nearest(1.0, strength, losers or winners)

    def _trump(self, view: Any) -> int:
        """The swap, or `keep`, after which its hand takes most tricks, or fewest if it aims for few."""
        sign = 1 if _wants_tricks(view) else -1
        best, choice = sign * _expected(view.hand, view.trump), self._keep
        for card in view.hand:
            after = [other for other in view.hand if other != card] + [view.up]
            value = sign * _expected(after, card // SUIT)
            if value > best:
                best, choice = value, self._swap + card
        return choice


def _beats(card: int, led: int, trump: int) -> bool:
    suit, rank = divmod(card, SUIT)
    led_suit, led_rank = divmod(led, SUIT)
    if (rank == NINE) != (led_rank == NINE):
        suit, led_suit = (trump, led_suit) if rank == NINE else (suit, trump)
    return rank > led_rank if suit == led_suit else suit == trump


def _strength(card: int, trump: int) -> float:
    suit, rank = divmod(card, SUIT)
    if suit == trump or rank == NINE:
        return 0.45 + 0.05 * rank
    return 0.65 * (rank / (SUIT - 1)) ** 2


_STRENGTH: Final = [[_strength(card, trump) for card in range(CARDS)] for trump in range(CARDS // SUIT)]
"""How likely each card is to take a trick, by trump suit."""
_BEATS: Final = [
    [[_beats(card, led, trump) for card in range(CARDS)] for led in range(CARDS)] for trump in range(CARDS // SUIT)
]
"""Whether each card beats the led card, by trump suit and led card."""


def _nearest(chance: float, strength: Sequence[float], cards: Sequence[int]) -> int:
    best, least = cards[0], 2.0
    for card in cards:
        distance = abs(strength[card] - chance)
        if distance < least:
            best, least = card, distance
    return best


def _expected(hand: Sequence[int], trump: int) -> float:
    strength, total = _STRENGTH[trump], 0.0
    for card in hand:
        total += strength[card]
    return total


def _wants_tricks(view: Any) -> bool:
    """Whether it aims to win the next trick: it does on the way to 7-9 tricks, once 0-3 are out of reach."""
    won: int = view.won[view.seat]
    if won >= 7:
        return False
    if won > 3:
        return True
    return won + _expected(view.hand, view.trump) > 5.2
