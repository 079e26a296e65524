"""How `steady` plays The Vole in the Valley: it aims for many tricks (7-9) or for few (0-3)."""

from collections.abc import Sequence
from typing import Any

from tourney import SeatFacts, cards

DECK = cards.VOLE

CARDS = len(DECK)
SUIT = len(DECK.ranks)
NINE = 8  # the index of rank 9


class VolePolicy:
    """Estimates how many tricks its hand takes, aims high or low, and plays each trick to win it or to lose it."""

    def __init__(self, facts: SeatFacts) -> None:
        """Takes the numbers of the actions that do not play a card."""
        self._keep = facts.game.action("keep")
        self._swap = facts.game.action(f"swap:{DECK.text(0)}")
        self._bury = facts.game.action(f"bury:{DECK.text(0)}")

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the advised action."""
        if len(legal) == 1:
            return legal[0]
        if legal[0] < CARDS:
            return self._play(view, legal)
        if legal[0] >= self._bury:
            return self._bury + self._card_to_lose(view, [action - self._bury for action in legal])
        return self._trump(view)

    def _play(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the card to play."""
        led, trump = view.led, view.trump
        wanted = _wants_tricks(view)
        if led is None:
            strongest = sorted(legal, key=lambda card: strength(card, trump))
            return strongest[-1] if wanted else strongest[0]
        winners = [card for card in legal if beats(card, led, trump)]
        losers = [card for card in legal if card not in winners]
        if wanted:
            # wins as cheaply as possible, or gives its weakest card
            return min(winners or losers, key=lambda card: strength(card, trump))
        # loses with the highest card that loses; if all of them win, it gives its strongest
        return max(losers or winners, key=lambda card: strength(card, trump))

    def _card_to_lose(self, view: Any, cards: list[int]) -> int:
        """Returns the card that serves its aim least."""
        ranked = sorted(cards, key=lambda card: strength(card, view.trump))
        return ranked[0] if _wants_tricks(view) else ranked[-1]

    def _trump(self, view: Any) -> int:
        """Returns the swap, or `keep`, after which its hand takes most tricks, or fewest if it aims for few."""
        sign = 1 if _wants_tricks(view) else -1
        best, choice = sign * _expected(view.hand, view.trump), self._keep
        for card in view.hand:
            after = [other for other in view.hand if other != card] + [view.up]
            value = sign * _expected(after, card // SUIT)
            if value > best:
                best, choice = value, self._swap + card
        return choice


def beats(card: int, led: int, trump: int) -> bool:
    """Returns whether the card wins the trick against the led card."""
    suit, rank = divmod(card, SUIT)
    led_suit, led_rank = divmod(led, SUIT)
    if (rank == NINE) != (led_rank == NINE):
        suit, led_suit = (trump, led_suit) if rank == NINE else (suit, trump)
    return rank > led_rank if suit == led_suit else suit == trump


def strength(card: int, trump: int) -> float:
    """Returns about how likely the card is to take a trick."""
    suit, rank = divmod(card, SUIT)
    if suit == trump or rank == NINE:
        return 0.45 + 0.05 * rank
    return 0.65 * (rank / (SUIT - 1)) ** 2


def _expected(hand: Sequence[int], trump: int) -> float:
    """Returns about how many tricks the hand takes."""
    total = 0.0
    for card in hand:
        total += strength(card, trump)
    return total


def _wants_tricks(view: Any) -> bool:
    """Returns whether it aims to win the next trick: it does on the way to 7-9 tricks, once 0-3 are out of reach."""
    won: int = view.won[view.seat]
    if won >= 7:
        return False
    if won > 3:
        return True
    return won + _expected(view.hand, view.trump) > 5.2


POLICY = VolePolicy
