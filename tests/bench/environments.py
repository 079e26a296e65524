"""`python -m tests.bench.environments`: steps a second of environments for reinforcement learning, with random agents.

A step gives the observation and the legal actions. It is one of any seat in OpenSpiel and RLCard; in `tourney.gym` it
is the agent's, and includes the decisions of the bot in the other seat.
"""

from collections.abc import Callable
from random import random

import numpy as np
import rlcard
from open_spiel.python.rl_environment import Environment

import tourney
from tests.bench.peers.rlcard import playing
from tests.bench.tables import machine
from tests.bench.timing import rate

SECONDS = 4  # of processor time, for each


def ours(game: str) -> Callable[[], int]:
    env = tourney.gym(game, against=["random"])

    def match() -> int:
        env.reset()
        over, steps = False, 0
        while not over:
            (legal,) = env.action_masks().nonzero()
            _, _, over, _, _ = env.step(legal[int(random() * len(legal))])
            steps += 1
        return steps

    return match


def open_spiel(game: str) -> Callable[[], int]:
    env = Environment(game)

    def match() -> int:
        step, steps = env.reset(), 0
        while not step.last():
            legal = step.observations["legal_actions"][step.observations["current_player"]]
            step = env.step([legal[int(random() * len(legal))]])
            steps += 1
        return steps

    return match


def main() -> None:
    """Prints a line for each environment."""
    np.random.seed(1)
    print(machine(1))
    for name, match in {
        "tourney.gym vole": ours("vole"),
        "tourney.gym voleur": ours("voleur"),
        "OpenSpiel gin_rummy": open_spiel("gin_rummy"),
        "OpenSpiel leduc_poker": open_spiel("leduc_poker"),
        "RLCard gin-rummy": playing(rlcard.make("gin-rummy", config={"seed": 1}), raw=False),
        "RLCard leduc-holdem": playing(rlcard.make("leduc-holdem", config={"seed": 1}), raw=False),
    }.items():
        print(f"{name:<24}{rate(SECONDS, match):>10,.0f} steps a second", flush=True)


if __name__ == "__main__":
    main()
