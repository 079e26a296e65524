"""`steady`: a fast rule-of-thumb player, with a policy for each game that it plays (in `policies`)."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tourney.bot import Bot, SeatFacts


class Steady(Bot):
    """A sensible player that never searches and never draws lots."""

    games = ("bang", "cold-blooded", "leon", "vole", "voleur")

    def start(self, facts: SeatFacts) -> None:
        """Makes the policy of the game, which its module in `policies` names `POLICY`."""
        module = import_module(f"tourney_bots.policies.{facts.game.name.replace('-', '_')}")
        self._policy = module.POLICY(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the action that the policy chooses."""
        action: int = self._policy.act(view, legal)
        return action
