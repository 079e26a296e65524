"""The worlds of `seer`: matches that fit what it sees, each with the luck of the playouts in it."""

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from tourney.game import Game, State


class World(NamedTuple):
    """An imagined match."""

    state: State
    """The match at the moment of the decision; it is copied for each playout."""
    luck: Sequence[float]
    """A number in [0, 1) for each decision of a playout.

    It is the same for all actions, so that they differ by what they lead to alone.
    """


class Worlds:
    """Draws worlds; all ways in which what the seat does not see may be are equally likely."""

    def __init__(self, game: Game, view: Any, rng: Random, depth: int) -> None:
        self._game, self._view, self._rng, self._depth = game, view, rng, depth

    def draw(self) -> World:
        """Returns a new world."""
        random = self._rng.random
        return World(self._game.imagine(self._view, self._rng), [random() for _ in range(self._depth)])
