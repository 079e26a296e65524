"""`python -m tests.bench.cluster`: measures runs on a cluster of this machine's workers; also a part of `make bench`.

The scheduler and the workers are there before a run begins, as on a real cluster; everything else is a part of the run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import orjson

from tests.bench import options
from tests.bench.builds import TOURNEY, Build, builds
from tests.bench.tables import Found, Ratio, heading, machine, ratios, side_by_side, write_json
from tests.bench.timing import Key, Measurement, take_in_turn
from tourney.hosts import linux

GROUP = "matches/s in a cluster"
"""The group of the measurements, named by their unit."""
LOCAL, TWO, ONE = "2 workers here, without", "2 workers", "1 worker"
SLEEPERS, SLEEPER = "many workers, bots that sleep 5 ms", "1 worker, bots that sleep 5 ms"
LOAD = "scheduler of many: % of a core"
MANY = 64
"""How many workers many are, by default."""
SECONDS = 30.0
"""How long a run of busy bots takes about, on two workers."""
START_S = 120.0
"""How long a scheduler may take to start, in seconds."""
TABLE = '[[game]]\nname = "vole"\n'
ROUND = f"{TABLE}options = {{ target = 1, max_rounds = 1 }}\n"
BUSY = 'bot = [{ name = "a", use = "steady" }, { name = "b", use = "steady" }]'
SLEEPY = 'bot = [{ name = "a", use = "sleeper.py:Sleeper" }, { name = "b", use = "sleeper.py:Sleeper" }]'
SLEEPER_BOT = """
import time


class Sleeper:
    def act(self, view, legal):
        time.sleep(0.005)
        return legal[0]
"""
_progress = partial(print, file=sys.stderr, flush=True)


class ClusterProcesses(NamedTuple):
    """A cluster that was started."""

    address: str
    scheduler: int
    """The id of the scheduler's process."""


@contextmanager
def cluster(build: Build, workers: int, folder: Path) -> Iterator[ClusterProcesses]:
    """Starts a scheduler and workers that do one task at a time each, and ends them at the end of the context."""
    with ExitStack() as own:
        file = folder / "scheduler.json"
        scheduler = _start(build, own, folder, "dask", "scheduler", "--port", "0", "--host", "127.0.0.1",
                           "--no-dashboard", "--scheduler-file", str(file))  # fmt: skip
        until = time.monotonic() + START_S
        while not file.exists() or not file.read_bytes():
            if time.monotonic() > until:
                raise TimeoutError("the scheduler does not start")
            time.sleep(0.1)
        address = orjson.loads(file.read_bytes())["address"]
        players = _start(build, own, folder, "tourney", "worker", address, "--workers", str(workers))
        assert players.stderr is not None
        if not (said := players.stderr.readline()).startswith(f"{workers} worker".encode()):
            raise ChildProcessError(f"the workers do not start: {said.decode()}")
        yield ClusterProcesses(address, scheduler.pid)


def _start(build: Build, own: ExitStack, folder: Path, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
    """Starts a program of this environment, which ends when the stack is left."""
    process = subprocess.Popen(
        [str(Path(TOURNEY).with_name(program)), *arguments],
        cwd=folder,
        env=build.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if program == "tourney" else subprocess.DEVNULL,
    )
    own.callback(process.wait)
    own.callback(process.terminate)
    return process


def measurements(
    builds: Sequence[Build], folder: Path, seconds: float = SECONDS, many: int = MANY
) -> list[Measurement]:
    """Returns the measurements of each build: with busy bots, and with bots that sleep."""
    found = []
    for build in builds:
        found += [
            Measurement(f"{build.name}: cluster, busy bots", partial(_busy, build, folder, seconds)),
            Measurement(f"{build.name}: cluster, bots that sleep", partial(_sleepy, build, folder, seconds, many)),
        ]
    return found


def lines(build: str) -> list[Ratio]:
    """Returns the ratios of a build."""

    def key(name: str) -> Callable[[str], Key]:
        return lambda _: Key(GROUP, "", name, build)

    return [
        Ratio("cluster of 2 / 2 here", key(TWO), key(LOCAL)),
        Ratio("cluster of 2 / of 1", key(TWO), key(ONE)),
        Ratio("cluster of many / of 1, asleep", key(SLEEPERS), key(SLEEPER)),
    ]


def _busy(build: Build, folder: Path, seconds: float) -> Mapping[Key, float]:
    """Measures whole runs by the clock: two workers here, two of a cluster, one of a cluster."""
    deals = max(20, int(2 * build.measure("deals", "vole", seconds)))
    text = f'name = "busy"\nseed = 1\ndeals = {deals}\n{BUSY}\n{TABLE}'
    found = {LOCAL: 2 * deals / _run(build, folder, text, "--workers", "2").clock_s}
    for name, workers in ((TWO, 2), (ONE, 1)):
        with _folder(folder) as own, cluster(build, workers, own) as started:
            found[name] = 2 * deals / _run(build, own, text, "--cluster", started.address).clock_s
    return _keyed(build, found)


def _sleepy(build: Build, folder: Path, seconds: float, many: int) -> Mapping[Key, float]:
    """Measures the middle of runs of bots that sleep: with one worker and with many."""
    found: dict[str, float] = {}
    for name, workers in ((SLEEPER, 1), (SLEEPERS, many)):
        deals = max(4 * workers, int(3 * workers * seconds / 2))
        text = f'name = "sleepy"\nseed = 1\ndeals = {deals}\n{SLEEPY}\n{ROUND}'
        with _folder(folder) as own, cluster(build, workers, own) as started:
            (own / "sleeper.py").write_text(SLEEPER_BOT, encoding="utf-8")
            before = linux.processor_s(started.scheduler)
            spent = _run(build, own, text, "--cluster", started.address)
            worked_s = linux.processor_s(started.scheduler) - before
        found[name] = spent.middle_rate
        if name == SLEEPERS:
            found[LOAD] = 100 * worked_s / spent.clock_s
    return _keyed(build, found)


def _keyed(build: Build, found: Mapping[str, float]) -> Mapping[Key, float]:
    return {Key(GROUP, "", name, build.name): value for name, value in found.items()}


@contextmanager
def _folder(folder: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=folder) as name:
        yield Path(name)


class RunTime(NamedTuple):
    """How long a run took."""

    clock_s: float
    middle_rate: float
    """How many matches were written a second from the first tenth to the last."""


def _run(build: Build, folder: Path, text: str, *arguments: str) -> RunTime:
    """Plays a tournament file, and returns how long that took by the clock."""
    with tempfile.TemporaryDirectory(dir=folder) as name:
        file, out = folder / "bench.toml", Path(name) / "run"
        file.write_text(text, encoding="utf-8")
        command = [TOURNEY, "run", str(file), "--out", str(out), "--quiet", *arguments]
        seen: list[tuple[float, int]] = []
        begun = time.perf_counter()
        with subprocess.Popen(command, cwd=folder, env=build.environment, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                time.sleep(0.05)
                if (out / "journal.jsonl").exists():
                    seen.append((time.perf_counter(), os.stat(out / "journal.jsonl").st_size))
        clock_s = time.perf_counter() - begun
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)
        matches = (out / "journal.jsonl").read_bytes().count(b"\n")
    whole = seen[-1][1]
    first, *_, last = [(at, size) for at, size in seen if whole / 10 <= size <= whole * 9 / 10] or [*seen, seen[-1]]
    rate = matches * (last[1] - first[1]) / whole / (last[0] - first[0]) if last[0] > first[0] else matches / clock_s
    return RunTime(clock_s, rate)


def main() -> None:
    """Takes the measurements of the cluster alone, prints them, and writes them as JSON."""
    parser = options.parser("tests.bench.cluster", __doc__, "results/bench-cluster.json", "how often it is measured")
    parser.add_argument(
        "--seconds", type=options.positive, default=SECONDS, help="about how long a run is (%(default)s)"
    )
    parser.add_argument(
        "--many", type=options.at_least(2), default=MANY, help="how many workers many are (%(default)s)"
    )
    given: argparse.Namespace = parser.parse_args()
    about = machine(given.repeats) | {"seconds": given.seconds, "many": given.many}
    with tempfile.TemporaryDirectory() as name:
        made, missing = builds(Path(name), given.pure)
        found: Found = take_in_turn(measurements(made, Path(name), given.seconds, given.many), given.repeats, _progress)
    names = [build.name for build in made]
    print(heading(about, missing), side_by_side(GROUP, found, names), sep="\n\n")
    for each in names:
        print("", ratios(f"{each}, times", lines(each), found, [""]), sep="\n")
    measured = [{"name": key.name, "build": key.build, "values": values} for key, values in found.items()]
    write_json(given.json, about | {"missing": missing, "measures": measured})
    _progress(f"the numbers are in {given.json}")


if __name__ == "__main__":
    main()
