"""How `steady` plays Voleur: it keeps the best combination, and its strongest card for the fourth trick."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

from tourney import Policy, SeatFacts, cards

DECK: Final = cards.STANDARD


class VoleurPolicy(Policy):
    """The rules of thumb for one seat."""

    name = "voleur"
    chance = 0.1

    def __init__(self, facts: SeatFacts) -> None:
        self.playouts = 1000 // facts.seats
        game: Any = facts.game
        self._combination = game.combination
        self._options: Any = facts.options
        self._discard: int = game.action("discard:2c")
        self._keep: int = game.action("keep")
        self._steal: int = game.action("steal:0")
        self._take: int = game.action("take:2c")
        self._discards: dict[tuple[int, ...], int] = {}  # by hands, because a search asks again and again

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The advised action."""
        if len(legal) == 1:
            return legal[0]
        if legal[0] < self._discard:
            return _card_to_play(view, legal)
        if legal[0] < self._keep:
            return self._card_to_discard(view.hand)
        return self._privilege(view, legal)

    def _card_to_discard(self, hand: tuple[int, ...]) -> int:
        """A card outside the best four, which are the cards that score most and then have the highest ranks."""
        discard = self._discards.get(hand)
        if discard is None:
            if len(self._discards) >= MOST_KEPT:
                self._discards.clear()
            most, ranks, kept = -1, [0], hand
            for four in combinations(hand, 4):
                points = self._points(four)
                if points > most or (points == most and _ranks(four) > ranks):
                    most, ranks, kept = points, _ranks(four), four
            discard = self._discards[hand] = next(card for card in hand if card not in kept)
        return self._discard + discard

    def _privilege(self, view: Any, legal: Sequence[int]) -> int:
        mine = tuple([trick.cards[view.seat] for trick in view.tricks])
        own = self._points(mine)
        choices = [(self._standing(view, own, None), -action) for action in legal if action < self._steal]
        for action in legal:
            if self._steal <= action < self._take:
                victim = action - self._steal
                choices.append((self._standing(view, min(own, view.scores[victim]), victim), -action))
        gains = [(self._points((*mine, action - self._take)), -action) for action in legal if action >= self._take]
        if gains:  # the more points, the better it stands
            gain, action = max(gains)
            choices.append((self._standing(view, gain, None), action))
        return -max(choices)[1]

    def _points(self, cards: tuple[int, ...]) -> int:
        return int(self._combination(cards).points)

    def _standing(self, view: Any, gain: int, victim: int | None) -> tuple[int, int, int]:
        """The seat's standing with `gain` points more, taken from `victim` if there is one, to compare."""
        others = [score - gain if seat == victim else score for seat, score in enumerate(view.scores)]
        own = others.pop(view.seat) + gain
        best = max(others)
        over = max(own, best) >= self._options.target or view.round >= self._options.max_rounds
        # if the match ends then, the place counts first
        place = 0 if not over else 1 if own > best else -sum([score >= own for score in others])
        return place, own * len(others) - sum(others), own - best


def _ranks(cards: Sequence[int]) -> list[int]:
    return sorted([card % _SUIT for card in cards], reverse=True)


MOST_KEPT: Final = 4096
"""How many hands a policy remembers, with the card that it discards."""
_SUIT: Final = len(DECK) // 4
_STRENGTH: Final = [
    [DECK.rank(card) + 20 * (DECK.suit(card) == trump) for card in range(len(DECK))] for trump in range(4)
]
"""How strong each card is, by trump suit."""
_POWER: Final = [
    [[_STRENGTH[trump][card] + 20 * (DECK.suit(card) in (led, trump)) for card in range(len(DECK))] for led in range(4)]
    for trump in range(4)
]
"""How high each card ranks in a trick, by trump suit and led suit."""


def _card_to_play(view: Any, legal: Sequence[int]) -> int:
    """The card to play, which is not the strongest as long as there is a choice: the fourth trick counts."""
    trump: int = view.trump
    strength = _STRENGTH[trump].__getitem__
    saved = max(view.hand, key=strength)
    others = sorted([card for card in legal if card != saved], key=strength) or [saved]
    if view.leader is None:
        return others[1] if len(others) > 1 else others[0]  # it may win the lead, and costs little
    table = view.on_table
    if not table:
        apart = [card for card in others if card // _SUIT != saved // _SUIT]
        return (apart or others)[-1]
    power = _POWER[trump][table[0] // _SUIT]
    top = max([power[card] for card in table])
    winning = [card for card in others if power[card] > top]
    return winning[0] if winning else others[0]
