"""OpenSpiel's loops over random matches: in Python, in C++ with bots in Python, and all in C++.

Each loop is measured with the fastest bots in Python that were found for it, and draws chance in the fastest way; "own
bots" is what OpenSpiel brings along, bots and generator.
"""

from collections.abc import Callable, Sequence
from functools import partial
from random import choices, random
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.bots.uniform_random import UniformRandomBot

from tests.bench.timing import Rates, rate

COUNTED = 3000  # the mean number of decisions of a match is taken over this many matches

Loop = Callable[[Any, Sequence[Any]], object]  # plays a match of a game with bots

_rng = np.random.RandomState(1)


class LeanBot(pyspiel.Bot):
    """Uniformly random, for the loop in C++.

    It does not override `inform_action`, which the loop calls for every other seat after every action: in C++ that call
    costs next to nothing, but an override in Python is slower than the rest of the loop together.
    """

    def step(self, state: Any) -> int:
        legal = state.legal_actions()
        return legal[int(random() * len(legal))]


class LeanPythonBot:
    """Uniformly random, for the loop in Python; without a base class in C++, whose methods are slower to call."""

    def restart_at(self, state: Any) -> None:
        """Has nothing to forget."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Does not listen."""

    def step(self, state: Any) -> int:
        legal = state.legal_actions()
        return legal[int(random() * len(legal))]


class LeanChance:
    """Draws chance for the loop in Python; numpy takes longer for that than the bots for their decisions."""

    def choice(self, outcomes: Sequence[int], p: Sequence[float]) -> int:
        return choices(outcomes, p)[0]


def rates() -> Rates:
    """Returns how each loop is measured: with lean bots, with bots in C++, with OpenSpiel's own bots in Python."""
    found: Rates = {}
    for name, title in (("oh_hell", "Oh Hell"), ("hearts", "Hearts")):
        game = pyspiel.load_game(name)
        seats = range(game.num_players())
        native = [pyspiel.make_uniform_random_bot(seat, seat) for seat in seats]
        mean = _mean_decisions(game, native)
        for loop, bots, what in (
            (partial(_in_python, LeanChance()), [LeanPythonBot() for _ in seats], "Python loop"),
            (_in_cpp, [LeanBot() for _ in seats], "C++ loop"),
            (_in_cpp, native, "all C++"),
            (partial(_in_python, _rng), [UniformRandomBot(seat, _rng) for seat in seats], "own bots"),
        ):
            found[f"OpenSpiel {title} {what}"] = partial(_decisions_per_second, loop, game, bots, mean)
    return found


def _in_python(chance: Any, game: Any, bots: Sequence[Any]) -> None:
    evaluate_bots(game.new_initial_state(), bots, chance)


def _in_cpp(game: Any, bots: Sequence[Any]) -> None:
    pyspiel.evaluate_bots(game.new_initial_state(), bots, _rng.randint(1 << 30))


def _mean_decisions(game: Any, bots: Sequence[Any]) -> float:
    """Returns the mean number of decisions of a random match, which does not depend on who draws the actions."""
    decisions = 0
    for _ in range(COUNTED):
        state = game.new_initial_state()
        pyspiel.evaluate_bots(state, bots, _rng.randint(1 << 30))
        decisions += sum([each.player >= 0 for each in state.full_history()])
    return decisions / COUNTED


def _decisions_per_second(loop: Loop, game: Any, bots: Sequence[Any], mean: float, seconds: float) -> float:
    def one() -> int:
        loop(game, bots)
        return 1

    return mean * rate(seconds, one)
