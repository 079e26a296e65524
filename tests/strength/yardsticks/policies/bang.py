"""How `steady` plays Bang: it bangs exactly when there is a reason, and anticipates when memory or the odds say so."""

from collections.abc import Sequence
from typing import Any

from tourney import SeatFacts, cards

DECK = cards.BANG

_JOKER = len(DECK.ranks)
_SAMPLES = (*range(_JOKER), DECK.card("X1"))
"""A card of each rank; a joker's rank is the last."""
_RANK = tuple([min(DECK.rank(card), _JOKER) if DECK.text(card)[0] != "X" else _JOKER for card in range(len(DECK))])


class BangPolicy:
    """Plays by perfect memory of the turned cards and by how often the other seats anticipate."""

    def __init__(self, facts: SeatFacts) -> None:
        action = facts.game.action
        self._anticipate, self._wait = action("anticipate"), action("wait")
        self._bang, self._hold = action("bang"), action("hold")
        self._seat = facts.seat
        self._seats = facts.seats
        self._penalty = facts.options.penalty
        self._watched = 0
        self._others = 0  # how often other seats have anticipated, over the turned cards watched

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns one of the legal actions."""
        if self._bang in legal:
            return self._bang if view.reason else self._hold
        return self._anticipate if self._worth_it(view) else self._wait

    def _worth_it(self, view: Any) -> bool:
        """Whether to bang on the card before it is turned."""
        mover, known = view.mover, view.known
        cost = min(self._penalty, len(known[self._seat]) - (mover == self._seat))
        if cost <= 0:
            return True  # there is nothing to lose, and a pile to win
        card = known[mover][0]
        if card is not None:
            return bool(view.would_be_reason(card))
        # a card in the stock is worth about two in a pile that others may win (found by trial)
        share = self._share(view) / 2
        size = len(view.pile) + len(view.under) + 1
        unseen = view.unseen
        is_reason = [view.would_be_reason(sample) for sample in _SAMPLES]
        good = sum([is_reason[_RANK[card]] for card in unseen])
        return bool(good * size * share > (len(unseen) - good) * cost)

    def _share(self, view: Any) -> float:
        """How much anticipating raises the chance to win the pile over banging, if the card is a reason."""
        self._watch(view)
        seats = self._seats
        rate = (self._others + 0.5) / ((seats - 1) * (self._watched + 2))
        idle = 1.0  # the chance that no other seat anticipates; then all would bang, and each is as likely to be first
        for _ in range(seats - 1):
            idle *= 1 - rate
        return (1 - idle * (1 - rate)) / (seats * rate) - idle / seats

    def _watch(self, view: Any) -> None:
        """Counts how often the others have anticipated since the last call."""
        while self._watched < view.turned:
            self._watched += 1
            anticipated = view.turn(self._watched).anticipated
            self._others += len(anticipated) - (self._seat in anticipated)


POLICY = BangPolicy
