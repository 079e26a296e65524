"""RLCard's environments with random agents, stepped one action at a time.

Its `env.run` with its `RandomAgent` takes up to four times as long: the agent draws with numpy and lists the
probabilities of all actions, and the loop keeps all states.
"""

from collections.abc import Callable
from functools import partial
from random import random
from typing import Any

import rlcard

from tests.bench.timing import Rates, rate

GAMES = {"leduc-holdem": True, "uno": True, "gin-rummy": False}
"""The games, and whether they take actions in their own form, which spares the environment to translate them."""


def rates() -> Rates:
    environments = {name: (rlcard.make(name, config={"seed": 1}), raw) for name, raw in GAMES.items()}
    return {f"RLCard {name}": partial(rate, play=playing(*its)) for name, its in environments.items()}


def playing(env: Any, raw: bool) -> Callable[[], int]:
    """What plays a match and returns its decisions."""

    def match() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = state["raw_legal_actions"] if raw else list(state["legal_actions"])
            state, _ = env.step(legal[int(random() * len(legal))], raw)
            decisions += 1
        env.get_payoffs()
        return decisions

    return match
