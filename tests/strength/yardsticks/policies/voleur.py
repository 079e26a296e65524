"""How `steady` plays Voleur: it keeps the best combination, and its strongest card for the fourth trick."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from tourney import SeatFacts, cards

DECK = cards.STANDARD


class VoleurPolicy:
    """The rules of thumb for one seat."""

    def __init__(self, facts: SeatFacts) -> None:
        game: Any = facts.game
        self._combination = game.combination
        self._options = facts.options
        self._discard = game.action("discard:2c")
        self._keep = game.action("keep")
        self._steal = game.action("steal:0")
        self._take = game.action("take:2c")

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the advised action."""
        if len(legal) == 1:
            return legal[0]
        if legal[0] < self._discard:
            return _card_to_play(view, legal)
        if legal[0] < self._keep:
            return self._card_to_discard(view.hand)
        return self._privilege(view, legal)

    def _card_to_discard(self, hand: tuple[int, ...]) -> int:
        """Returns a card that is not among the best four: those that score most, and then have the highest ranks."""
        kept = max(combinations(hand, 4), key=self._promise)
        card = next(card for card in hand if card not in kept)
        return int(self._discard + card)

    def _promise(self, cards: tuple[int, ...]) -> tuple[int, list[int]]:
        """Returns how good four cards are, to compare: the points of their combination, then their ranks."""
        return self._combination(cards).points, sorted([DECK.rank(card) for card in cards], reverse=True)

    def _privilege(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the privilege after which the seat stands best."""
        mine = tuple([trick.cards[view.seat] for trick in view.tricks])
        choices = self._gains(mine, view.scores, legal)
        _, action = max([(self._standing(view, gain, victim), -action) for gain, victim, action in choices])
        return -action

    def _gains(
        self, mine: tuple[int, ...], scores: tuple[int, ...], legal: Sequence[int]
    ) -> Iterator[tuple[int, int | None, int]]:
        """Yields (points, seat that loses them or None, action) for each privilege."""
        own = self._combination(mine).points
        for action in legal:
            if action >= self._take:
                yield self._combination((*mine, action - self._take)).points, None, action
            elif action >= self._steal:
                victim = action - self._steal
                yield min(own, scores[victim]), victim, action
            else:
                yield own, None, action

    def _standing(self, view: Any, gain: int, victim: int | None) -> tuple[int, int, int]:
        """Returns how the seat would stand after the round, to compare; if the match ends then, its place counts first.

        A privilege gives the seat `gain` points, and takes them from `victim` if there is one.
        """
        others = [score - gain if seat == victim else score for seat, score in enumerate(view.scores)]
        own = others.pop(view.seat) + gain
        best = max(others)
        over = max(own, best) >= self._options.target or view.round >= self._options.max_rounds
        place = 0
        if over:
            place = 1 if own > best else -sum([score >= own for score in others])
        return place, own * len(others) - sum(others), own - best


def _card_to_play(view: Any, legal: Sequence[int]) -> int:
    """Returns the card to play, which is not the strongest as long as there is a choice: the fourth trick counts."""
    trump: int = view.trump

    def strength(card: int) -> int:
        return DECK.rank(card) + 20 * (DECK.suit(card) == trump)

    saved = max(view.hand, key=strength)
    others = sorted([card for card in legal if card != saved], key=strength) or [saved]
    table = view.table
    if view.leader is None:
        return others[0]
    if not table:
        plain = [card for card in others if DECK.suit(card) != trump]
        return (plain or others)[-1]
    led = DECK.suit(table[0][1])

    def power(card: int) -> int:
        return strength(card) + 20 * (DECK.suit(card) in (led, trump))

    top = max([power(card) for _, card in table])
    winning = [card for card in others if power(card) > top]
    return winning[0] if winning else others[0]


POLICY = VoleurPolicy
