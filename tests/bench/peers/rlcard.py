"""RLCard's environments with its random agents."""

from functools import partial
from typing import Any

import rlcard
from rlcard.agents import RandomAgent

from tests.bench.timing import Rates, rate

GAMES = ("leduc-holdem", "uno", "gin-rummy")


def rates() -> Rates:
    """Returns how `env.run` is measured for three games."""
    return {f"RLCard {name}": partial(_rate, _environment(name)) for name in GAMES}


def _environment(name: str) -> Any:
    env = rlcard.make(name, config={"seed": 1})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    return env


def _rate(env: Any, seconds: float) -> float:
    def one() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum([len(own) // 2 for own in trajectories])  # states and actions alternate

    return rate(seconds, one)
