"""`steady`: plays by rules of thumb, which are in `policies`, a module for each game."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tourney import Bot, SeatFacts


class Steady(Bot):
    """A fast and sensible player. It never searches, and does the same each time."""

    made_of = ("tests.strength.yardsticks.policies",)
    games = ("bang", "cold-blooded", "leon", "vole", "voleur")

    def start(self, facts: SeatFacts) -> None:
        """Makes the policy of the game: its module in `policies` names the class `POLICY`."""
        module = import_module(f"tests.strength.yardsticks.policies.{facts.game.name.replace('-', '_')}")
        self._policy = module.POLICY(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the policy chooses."""
        action: int = self._policy.act(view, legal)
        return action
