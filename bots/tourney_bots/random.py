"""`random`: plays legal actions at random, in every game."""

from collections.abc import Sequence
from typing import Any

from tourney import Bot, SeatFacts


class Random(Bot):
    """A uniformly random player: the baseline for all others."""

    def start(self, facts: SeatFacts) -> None:
        """Keeps the random numbers of its seat."""
        self._random = facts.rng.random

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """A legal action, each equally likely."""
        return legal[int(self._random() * len(legal))]
