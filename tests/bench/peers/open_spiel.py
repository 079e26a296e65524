"""OpenSpiel's loops: in Python, in C++ with bots in Python, and all in C++."""

from collections.abc import Callable, Sequence
from functools import partial
from random import random
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.bots.uniform_random import UniformRandomBot

from tests.bench.timing import Measures, rate

COUNTED = 3000
"""The decisions of so many matches are counted, for bots that do not count theirs."""

Loop = Callable[[Any, Sequence[pyspiel.Bot]], object]
"""Plays a match of a game with bots."""

_rng = np.random.RandomState(1)


class Lean(pyspiel.Bot):
    """Uniformly random, with nothing that is not needed for it."""

    decisions = 0  # of all such bots

    def restart(self) -> None:
        """Has nothing to forget."""

    def restart_at(self, state: Any) -> None:
        """Has nothing to forget."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Does not listen."""

    def step(self, state: Any) -> int:
        """Draws an action."""
        Lean.decisions += 1
        legal = state.legal_actions()
        return legal[int(random() * len(legal))]


def measures() -> Measures:
    """Each loop with lean bots in Python, the C++ loop with bots in C++, the Python loop with OpenSpiel's own bots."""
    found: Measures = {}
    for name, title in (("oh_hell", "Oh Hell"), ("hearts", "Hearts")):
        game = pyspiel.load_game(name)
        seats = range(game.num_players())
        lean = [Lean() for _ in seats]
        own = [UniformRandomBot(seat, _rng) for seat in seats]
        native = [pyspiel.make_uniform_random_bot(seat, seat) for seat in seats]
        # random matches have as many decisions on the average whoever draws
        mean = sum([_counted(_in_cpp, game, lean) for _ in range(COUNTED)]) / COUNTED
        found[f"OpenSpiel {title} Python loop"] = partial(_lean_rate, _in_python, game, lean)
        found[f"OpenSpiel {title} C++ loop"] = partial(_lean_rate, _in_cpp, game, lean)
        found[f"OpenSpiel {title} all C++"] = partial(_mean_rate, _in_cpp, game, native, mean)
        found[f"OpenSpiel {title} own bots"] = partial(_mean_rate, _in_python, game, own, mean)
    return found


def _in_python(game: Any, bots: Sequence[pyspiel.Bot]) -> None:
    evaluate_bots(game.new_initial_state(), bots, _rng)


def _in_cpp(game: Any, bots: Sequence[pyspiel.Bot]) -> None:
    pyspiel.evaluate_bots(game.new_initial_state(), bots, _rng.randint(1 << 30))


def _counted(loop: Loop, game: Any, bots: Sequence[Lean]) -> int:
    """Plays a match, and tells how many decisions it had."""
    before = Lean.decisions
    loop(game, bots)
    return Lean.decisions - before


def _lean_rate(loop: Loop, game: Any, bots: Sequence[Lean], seconds: float) -> float:
    return rate(seconds, lambda: _counted(loop, game, bots))


def _mean_rate(loop: Loop, game: Any, bots: Sequence[pyspiel.Bot], mean: float, seconds: float) -> float:
    def one() -> int:
        loop(game, bots)
        return 1

    return mean * rate(seconds, one)
