"""Bots that no search has as its model: `steady` with random moves among its own, and odd ones."""

from tests.strength.yardsticks.steady import Steady

from tourney.contracts.rng import pick


class Unsteady(Steady):
    """Plays as `steady` does, but for one random move in five."""

    share = 0.2

    def start(self, facts):
        super().start(facts)
        self._rng = facts.rng

    def act(self, view, legal):
        action = super().act(view, legal)
        return pick(legal, self._rng) if self._rng.random() < self.share else action


class Scatterbrain(Unsteady):
    """Plays as `steady` does, but for every other move."""

    share = 0.5


class Last:
    """Always takes the last action."""

    def act(self, view, legal):
        return legal[-1]


class Middle:
    """Always takes the action in the middle."""

    def act(self, view, legal):
        return legal[len(legal) // 2]
