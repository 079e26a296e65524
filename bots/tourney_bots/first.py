"""`first`: always plays the first legal action, in every game."""

from collections.abc import Sequence
from typing import Any

from tourney import Bot


class First(Bot):
    """The simplest bot there is, and the same each time."""

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The first legal action."""
        return legal[0]
