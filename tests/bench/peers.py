"""What others do with uniformly random bots. Each needs its package; what is not installed is said to be missing."""

import logging
from collections.abc import Callable
from functools import partial
from random import random
from typing import Any

from tests.bench.timing import Way, rate

UNIT = "decisions/s"
COUNTED = 300
"""The decisions of so many matches are counted."""


def found(seconds: float) -> tuple[list[Way], list[str]]:
    """The ways of those that are installed, and the packages that are missing."""
    ways: list[Way] = []
    missing = []
    for package, make in (("open_spiel", open_spiel), ("rlcard", rlcard), ("axelrod", axelrod)):
        try:
            ways += make(seconds)
        except ImportError:
            missing.append(package)
    return ways, missing


def open_spiel(seconds: float) -> list[Way]:
    """OpenSpiel's loops: in Python, in C++ with bots in Python, and all in C++."""
    import numpy as np  # noqa: PLC0415 - these come with the peers only
    import pyspiel  # noqa: PLC0415
    from open_spiel.python.algorithms.evaluate_bots import evaluate_bots  # noqa: PLC0415

    class Random(pyspiel.Bot):
        """Uniformly random."""

        decisions = 0  # of all such bots

        def restart(self) -> None:
            pass

        def restart_at(self, state: Any) -> None:
            pass

        def inform_action(self, state: Any, player: int, action: int) -> None:
            pass

        def step(self, state: Any) -> int:
            Random.decisions += 1
            legal = state.legal_actions()
            return legal[int(random() * len(legal))]

    rng = np.random.RandomState(1)
    seed = partial(rng.randint, 1 << 30)
    ways = []
    for name in ("oh_hell", "hearts"):
        game = pyspiel.load_game(name)
        seats = range(game.num_players())
        python = [Random() for _ in seats]
        native = [pyspiel.make_uniform_random_bot(seat, seat) for seat in seats]
        in_python = partial(_matches, game, lambda state, bots: evaluate_bots(state, bots, rng), python)
        mixed = partial(_matches, game, lambda state, bots: pyspiel.evaluate_bots(state, bots, seed()), python)
        all_cpp = partial(_matches, game, lambda state, bots: pyspiel.evaluate_bots(state, bots, seed()), native)
        # bots in C++ cannot be counted: random matches have as many decisions on the average whoever draws
        before = Random.decisions
        mean = mixed(COUNTED) and (Random.decisions - before) / COUNTED
        for loop, play in (("evaluate_bots", in_python), ("C++ loop, Python bots", mixed), ("all C++", all_cpp)):
            ways.append(Way(f"OpenSpiel {name}: {loop}", UNIT, partial(_decisions, play, mean, seconds)))
    return ways


def _matches(game: Any, play: Callable[[Any, Any], object], bots: Any, count: int = 1) -> int:
    for _ in range(count):
        play(game.new_initial_state(), bots)
    return count


def _decisions(play: Callable[[], int], mean: float, seconds: float) -> float:
    """Decisions a second, where a match has so many on the average."""
    return mean * rate(seconds, play)


def rlcard(seconds: float) -> list[Way]:
    """RLCard's environments with its random agents."""
    import rlcard as package  # noqa: PLC0415
    from rlcard.agents import RandomAgent  # noqa: PLC0415

    ways = []
    for name in ("leduc-holdem", "uno", "gin-rummy"):
        env = package.make(name, config={"seed": 1})
        env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

        def one(env: Any = env) -> int:
            trajectories, _ = env.run(is_training=False)
            return sum([len(own) // 2 for own in trajectories])  # states and actions by turns

        ways.append(Way(f"RLCard {name}", UNIT, lambda one=one: rate(seconds, one)))
    return ways


def axelrod(seconds: float) -> list[Way]:
    """Axelrod's tournament in one process; a turn is a decision of each of two."""
    import axelrod as package  # noqa: PLC0415

    logging.disable(logging.INFO)
    turns, players = 200, 4

    def one() -> int:
        bots = [package.Random() for _ in range(players)]
        package.Tournament(bots, turns=turns, repetitions=10).play(progress_bar=False)
        return turns * 10 * players * (players + 1) // 2  # everyone meets itself, too

    return [Way("Axelrod: tournament", "turns/s", lambda: rate(seconds, one))]
