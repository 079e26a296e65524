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
        """Draws an action."""
        legal = state.legal_actions()
        return legal[int(random() * len(legal))]


class LeanPythonBot:
    """Uniformly random, for the loop in Python; without a base class in C++, whose methods are slower to call."""

    def restart_at(self, state: Any) -> None:
        """Has nothing to forget."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Does not listen."""

    def step(self, state: Any) -> int:
        """Draws an action."""
        legal = state.legal_actions()
        return legal[int(random() * len(legal))]


class LeanChance:
    """Draws chance for the loop in Python; numpy takes longer for that than the bots for their decisions."""

    def choice(self, outcomes: Sequence[int], p: Sequence[float]) -> int:
        """Draws an outcome by the probabilities."""
        return choices(outcomes, p)[0]


def rates() -> Rates:
    """Returns how each loop is measured: with lean bots, with bots in C++, with OpenSpiel's own bots in Python."""
    found: Rates = {}
    for name, title in (("oh_hell", "Oh Hell"), ("hearts", "Hearts")):
        game = pyspiel.load_game(name)
        seats = range(game.num_players())
        mean = _mean_decisions(game)
        native = [pyspiel.make_uniform_random_bot(seat, seat) for seat in seats]
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


class _CountingBot(LeanBot):
    """Counts the decisions of all such bots."""

    decisions = 0

    def step(self, state: Any) -> int:
        """Draws an action, and counts it."""
        _CountingBot.decisions += 1
        return super().step(state)


def _mean_decisions(game: Any) -> float:
    """Returns the mean number of decisions of a random match, which does not depend on who draws the actions."""
    bots = [_CountingBot() for _ in range(game.num_players())]
    before = _CountingBot.decisions
    for _ in range(COUNTED):
        _in_cpp(game, bots)
    return (_CountingBot.decisions - before) / COUNTED


def _decisions_per_second(loop: Loop, game: Any, bots: Sequence[Any], mean: float, seconds: float) -> float:
    def one() -> int:
        loop(game, bots)
        return 1

    return mean * rate(seconds, one)
