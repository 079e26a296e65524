"""How `steady` plays Bang: it bangs exactly when there is a reason, and anticipates when memory or the odds say so."""

from collections.abc import Sequence
from typing import Any, Final

from tourney import Policy, SeatFacts, cards

DECK: Final = cards.BANG

# the game's actions
ANTICIPATE: Final = 0
WAIT: Final = 1
BANG: Final = 2
HOLD: Final = 3
_JOKER: Final = len(DECK.ranks)
_SAMPLES: Final = (*range(_JOKER), DECK.card("X1"))
"""A card of each rank; a joker's rank is the last."""
_RANK: Final = [*[DECK.rank(card) for card in range(len(DECK) - 2)], _JOKER, _JOKER]


class BangPolicy(Policy):
    """Plays by perfect memory of the turned cards and by how often the other seats anticipate."""

    name = "bang"
    horizon = 16
    playouts = 200

    def __init__(self, facts: SeatFacts) -> None:
        self._facts = facts
        self._seat = facts.seat
        self._seats = facts.seats
        options: Any = facts.options
        self._penalty = options.penalty
        self._watched = 0
        self._others = 0  # how often other seats have anticipated, over the turned cards watched

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """One of the legal actions."""
        if BANG in legal:
            return BANG if view.reason else HOLD
        return ANTICIPATE if self._worth_it(view) else WAIT

    def settles(self, view: Any) -> bool:
        """Whether there is nothing to search: banging on a reason that the seat sees cannot lose."""
        return bool(view.question == "bang")

    def watch(self, view: Any) -> None:
        """Takes in public information, from the view of any seat."""
        if view.question == "anticipate":
            self._watch(view)

    def copy(self) -> "BangPolicy":
        """An independent policy that has seen the same."""
        new = BangPolicy(self._facts)
        new._watched, new._others = self._watched, self._others
        return new

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
        unseen: tuple[int, ...] = view.unseen
        is_reason: list[bool] = [view.would_be_reason(sample) for sample in _SAMPLES]
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
