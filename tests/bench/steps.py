"""Steps a second of an environment of PettingZoo, ours or its own, with uniformly random legal actions."""

from random import random
from typing import Any

from tests.bench.timing import rate


def steps_per_second(env: Any, seconds: float) -> float:
    """Returns how many steps of an AEC environment are made in a second; the observation is asked for in each.

    All agents must be terminated together. Then the match is over, and nobody steps the agents away one by one, as
    `agent_iter` does; nor is asked what `last` tells beside the observation.
    """

    def match() -> int:
        env.reset()
        steps = 0
        while not env.terminations[agent := env.agent_selection]:
            (legal,) = env.observe(agent)["action_mask"].nonzero()
            env.step(int(legal[int(random() * len(legal))]))
            steps += 1
        return steps

    return rate(seconds, match)
