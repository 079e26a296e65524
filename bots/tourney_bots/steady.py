"""`steady`: plays by rules of thumb, which are in `policies`, a module for each game."""

from collections.abc import Sequence
from typing import Any

from tourney import Bot, Policy, SeatFacts, load_policy


class Steady(Bot):
    """A fast and sensible player. It never searches, and does the same each time."""

    games = ("bang", "cold-blooded", "leon", "vole", "voleur")

    def start(self, facts: SeatFacts) -> None:
        """Makes the policy for the game."""
        policy = load_policy(facts.game.name)
        assert policy is not None
        self._policy: Policy = policy(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The action that the policy chooses."""
        return self._policy.act(view, legal)
