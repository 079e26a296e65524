"""The worlds of `seer`: matches that fit what it sees, each with the luck of the playouts in it."""

from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import inf
from random import Random
from typing import Any, NamedTuple

from tourney import Game, State


class World(NamedTuple):
    """An imagined match."""

    state: State
    """The match at the moment of the decision; it is copied for each playout."""
    luck: Sequence[float]
    """A number in [0, 1) for each decision of a playout.

    It is the same for all actions, so that they differ by what they lead to alone.
    """


class Worlds:
    """Draws worlds; all ways in which what the seat does not see may be are equally likely, unless they are weighed.

    Each world is one of `draws` imagined matches, and those of greater `likelihood` are taken more often: sampling
    importance resampling (Rubin 1987), anew for each world.
    """

    def __init__(
        self,
        game: Game,
        view: Any,
        rng: Random,
        depth: int,
        draws: int,
        likelihood: Callable[[State], float],
    ) -> None:
        self._game, self._view, self._rng, self._depth = game, view, rng, depth
        self._draws, self._likelihood = draws, likelihood

    def draw(self) -> World:
        """Returns a new world."""
        random = self._rng.random
        return World(self._state(), [random() for _ in range(self._depth)])

    def _state(self) -> State:
        """Returns an imagined match."""
        imagine, view, rng = self._game.imagine, self._view, self._rng
        if self._draws == 1:
            return imagine(view, rng)
        states = [imagine(view, rng) for _ in range(self._draws)]
        likely = [self._likelihood(state) for state in states]
        for each in likely:
            if not 0 <= each < inf:
                raise ValueError(f"a policy finds a likelihood of {each}; give a finite number from 0 on")
        shares = list(accumulate(likely))
        return states[min(bisect(shares, rng.random() * shares[-1]), len(states) - 1)]
