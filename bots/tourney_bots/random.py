"""`random`: plays any legal action, each as likely as the others. It plays every game."""

from collections.abc import Sequence
from typing import Any

from tourney.bot import Bot, SeatFacts


class Random(Bot):
    """A uniformly random player, the baseline of everything."""

    def start(self, facts: SeatFacts) -> None:
        """Keeps its source of chance."""
        self._random = facts.rng.random

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Any legal action."""
        return legal[int(self._random() * len(legal))]
