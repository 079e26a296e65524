"""`steady`: a fast rule-of-thumb player, with a policy for each game that it plays (in `policies`)."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tourney.bot import Bot, SeatFacts


class Steady(Bot):
    """A sensible player that never searches and never draws lots."""

    games = ("bang", "cold-blooded", "leon", "vole", "voleur")

    def start(self, facts: SeatFacts) -> None:
        """Takes up the policy of the game."""
        module = import_module(f"tourney_bots.policies.{facts.game.name.replace('-', '_')}")
        self._policy = module.Policy(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """What the policy advises."""
        action: int = self._policy.act(view, legal)
        return action
