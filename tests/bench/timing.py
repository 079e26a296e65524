"""Measures that are taken in turn, several times over, so that ratios hold although the machine's speed drifts.

Speeds on one core are by the time that the core has worked, not by the clock on the wall: what else the machine does
then takes much less part in them.
"""

import os
import resource
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tourney.hosts import linux

LOOK_S = 0.02
"""A process that is watched is looked at so often."""


class Key(NamedTuple):
    """What a number is of."""

    group: str
    """The table in which it stands."""
    game: str
    """The game that is played, or beside which it was measured; or none."""
    name: str
    build: str
    """The build of ours that was measured; none for what is not ours."""


class Way(NamedTuple):
    """Something that is measured."""

    name: str
    measure: Callable[[], Mapping[Key, float]]


Measures = dict[str, Callable[[float], float]]
"""What others do a second, by names; each is measured for about so many seconds as it is told."""


class Used(NamedTuple):
    """What a command has taken."""

    work_s: float
    """The time that all its processes have worked, together."""
    clock_s: float


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Keeps this process, and those that it starts meanwhile, on so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def rate(seconds: float, play: Callable[[], int]) -> float:
    """How many a second of work `play` gets done on one core, called again and again for so long."""
    with cores(1):
        play()  # what is loaded or filled at first is no part of it
        done, begun = 0, time.process_time()
        while (passed := time.process_time() - begun) < seconds:
            done += play()
        return done / passed


def used(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    watch: Callable[[int], object] | None = None,
) -> Used:
    """Runs a command in a folder to the end of all its processes.

    `watch` is called with its number again and again meanwhile, and once more at its end.
    """
    linux.adopt_orphans()  # to know how long they all have worked
    try:
        before, begun = _worked_s(), time.perf_counter()
        with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL) as process:
            if watch is not None:
                ended = os.pidfd_open(process.pid)
                while not select.select([ended], [], [], LOOK_S)[0]:
                    watch(process.pid)
                os.close(ended)
                watch(process.pid)
        passed = time.perf_counter() - begun
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        with suppress(ChildProcessError):
            while True:  # until what started the workers has ended as well, and is counted
                os.wait()
        return Used(_worked_s() - before, passed)
    finally:
        linux.adopt_orphans(False)


def _worked_s() -> float:
    """How long all processes that were started, and have ended, have worked."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def measured(ways: Sequence[Way], repeats: int, tell: Callable[[str], None]) -> dict[Key, list[float]]:
    """What each way comes to, in turn, so many times."""
    found: dict[Key, list[float]] = {}
    for number in range(repeats):
        for way in ways:
            tell(f"{number + 1} of {repeats}: {way.name}")
            for key, value in way.measure().items():
                found.setdefault(key, []).append(value)
    return found
