"""`first`: always plays the first legal action. It plays every game, and the same each time."""

from collections.abc import Sequence
from typing import Any

from tourney.bot import Bot


class First(Bot):
    """The simplest bot that there is."""

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The first legal action."""
        return legal[0]
