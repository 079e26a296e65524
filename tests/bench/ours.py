"""What is ours: the bare table, whole runs, playouts, hosts, and how long a start takes; with random inline bots."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.builds import TOURNEY, Build
from tests.bench.timing import Key, Used, Way, cores
from tests.bench.tournaments import short, tournament

SPEEDS, PLAYOUTS, HOSTS, STARTS = "decisions/s", "playouts/s", "us a decision", "ms"
"""The groups of our measures, by their units."""
BARE, ONE, ONE_CLOCK, TWO_CLOCK = "bare table", "1 worker", "1 worker, by clock", "2 workers, by clock"
PLAYOUT = "copy and playout"
CLICK, HELP, TEN, TEN_CLOCK = 'python -c "import click"', "tourney --help", "ten matches", "ten matches, by clock"
STARTED = 5
"""A start is short: the median of so many is taken each time."""


def speeds(game: str, builds: Sequence[Build], folder: Path, seconds: float) -> list[Way]:
    """The bare table and whole runs of a game; a run is as long as the bare table plays in so many seconds."""
    ways = []
    for build in builds:
        file = folder / f"{game}-{build.name}.toml"
        deals = max(10, int(build.inside("deals", game, seconds)))
        file.write_text(tournament(game, deals), encoding="utf-8")
        whole = partial(_run, game, build, file)
        ways += [
            Way(f"{game}, {build.name}: bare table", partial(_bare, game, build, seconds / 5)),
            Way(f"{game}, {build.name}: run, 1 worker", partial(whole, 1)),
            Way(f"{game}, {build.name}: run, 2 workers", partial(whole, 2)),
        ]
    return ways


def playouts(game: str, builds: Sequence[Build], seconds: float) -> Way:
    """Copies of the first state of a game, played to their ends at random."""
    return Way(
        f"{game}: {PLAYOUT}",
        lambda: {Key(PLAYOUTS, game, PLAYOUT, build.name): build.inside("playouts", game, seconds) for build in builds},
    )


def hosts(build: Build) -> Way:
    """What a decision costs in each host."""
    return Way(
        f"{build.name}: hosts",
        lambda: {Key(HOSTS, "", name, build.name): cost for name, cost in build.inside("hosts").items()},
    )


def starts(builds: Sequence[Build], folder: Path) -> Way:
    """How long the shortest commands take, in turn, with one worker on one core."""
    file = folder / "ten.toml"
    file.write_text(short(10), encoding="utf-8")
    return Way("starts", partial(_starts, builds, file))


def _bare(game: str, build: Build, seconds: float) -> Mapping[Key, float]:
    return {Key(SPEEDS, game, BARE, build.name): build.inside("bare", game, seconds)}


def _run(game: str, build: Build, file: Path, workers: int) -> Mapping[Key, float]:
    """A `tourney run`, from its start to its end, Python's own start included; on as many cores as workers."""
    with tempfile.TemporaryDirectory() as name:
        spent = run(build, file, Path(name) / "run", workers)
        decisions = _decisions(Path(name) / "run" / "journal.jsonl")
    key = partial(Key, SPEEDS, game, build=build.name)
    if workers == 1:
        return {key(name=ONE): decisions / spent.work_s, key(name=ONE_CLOCK): decisions / spent.clock_s}
    return {key(name=TWO_CLOCK): decisions / spent.clock_s}


def run(build: Build, file: Path, out: Path, workers: int) -> Used:
    """Plays a tournament file, on as many cores as workers."""
    command = [TOURNEY, "run", str(file), "--out", str(out), "--workers", str(workers), "--quiet"]
    with cores(workers):
        return build.used(*command)


def _decisions(journal: Path) -> int:
    with journal.open("rb") as lines:
        return sum([line.split(b'"actions":"', 1)[1].split(b'"', 1)[0].count(b" ") + 1 for line in lines])


def _starts(builds: Sequence[Build], file: Path) -> Mapping[Key, float]:
    found: dict[Key, list[float]] = {}
    for _ in range(STARTED):
        for build in builds:
            key = partial(Key, STARTS, "", build=build.name)
            with cores(1):
                imported = build.used(sys.executable, "-c", "import click")
                helped = build.used(TOURNEY, "--help")
            with tempfile.TemporaryDirectory() as name:
                played = run(build, file, Path(name) / "run", 1)
            for name, seconds in (
                (CLICK, imported.work_s),
                (HELP, helped.work_s),
                (TEN, played.work_s),
                (TEN_CLOCK, played.clock_s),
            ):
                found.setdefault(key(name=name), []).append(seconds * 1000)
    return {key: median(values) for key, values in found.items()}
