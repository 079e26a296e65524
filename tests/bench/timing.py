"""Takes measurements in turn, several times over, so that ratios hold although the machine's speed drifts.

Speeds on one core are by the time that the core has worked, not by the clock on the wall, so that other work on the
machine affects them much less.
"""

import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import random
from typing import Any, NamedTuple

from tourney.hosts import linux

Rates = dict[str, Callable[[float], float]]
"""What peers do a second, by name; each is measured for about the seconds that are passed."""


class Key(NamedTuple):
    group: str  # the table that shows it, named by its unit
    game: str  # the game that is played, or beside which a peer was measured; empty for neither
    name: str
    build: str  # the build that was measured; empty for a peer


class Measurement(NamedTuple):
    name: str
    measure: Callable[[], Mapping[Key, float]]


class ResourceUse(NamedTuple):
    work_s: float  # the CPU time of all its processes, together
    clock_s: float  # the time by the clock on the wall


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Keeps this process, and those that it starts meanwhile, on that number of cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def rate(seconds: float, play: Callable[[], int]) -> float:
    """Returns how much `play` gets done in a second of work on one core.

    `play` returns how much it has done, and is called again and again for that time.
    """
    with cores(1):
        play()  # loading, and filling caches, is not measured
        done, start = 0, time.process_time()
        while (passed := time.process_time() - start) < seconds:
            done += play()
        return done / passed


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


def resource_use(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> ResourceUse:
    """Runs a command in a folder until all its processes have ended, and returns the time that they took."""
    linux.adopt_orphans()  # so that their time is counted as well
    try:
        before, start = _worked_s(), time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
        passed = time.perf_counter() - start
        with suppress(ChildProcessError):
            while True:  # until the process that started the workers has ended as well, and is counted
                os.wait()
        return ResourceUse(_worked_s() - before, passed)
    finally:
        linux.adopt_orphans(False)


def _worked_s() -> float:
    """Returns the CPU time of all processes that were started and have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def take_in_turn(
    measurements: Sequence[Measurement], repeats: int, progress: Callable[[str], None]
) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = {}
    for number in range(repeats):
        for measurement in measurements:
            progress(f"{number + 1} of {repeats}: {measurement.name}")
            for key, value in measurement.measure().items():
                found.setdefault(key, []).append(value)
    return found
