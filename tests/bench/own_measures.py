"""Measures tourney itself with random inline bots: bare table, whole runs, playouts, hosts, starts."""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median

import orjson

from tests.bench.builds import TOURNEY, Build
from tests.bench.timing import Key, Measurement, ResourceUse, cores

SPEEDS, PLAYOUTS, STEPS, HOSTS, STARTS = "decisions/s", "playouts/s", "steps/s", "us a decision", "ms"
LOOKS = "times"
SEARCHES = "searches/s"  # the groups of our measurements, named by their units
BARE, ONE, ONE_CLOCK, TWO_CLOCK = "bare table", "1 worker", "1 worker, by clock", "2 workers, by clock"
PLAYOUT = "copy and playout"
SEARCH = "a decision of seer"
ENVIRONMENT = "as an environment"
CLICK, HELP, TEN, TEN_CLOCK = 'python -c "import click"', "tourney --help", "ten matches", "ten matches, by clock"
STANDINGS, REPORT, LATE = "standings / run of a Swiss", "report / run", "replay of the last match / of the first"
STARTED = 5  # how many starts are measured each time, for their median; a start is short

SEATS = {"leon": 4, "vole": 2, "voleur": 4, "bang": 4, "cold-blooded": 5}
"""The number of seats with which each game is played."""
_ROUND = '[[game]]\nname = "vole"\noptions = { target = 1, max_rounds = 1 }'


def speeds(game: str, builds: Sequence[Build], folder: Path, seconds: float) -> list[Measurement]:
    """Returns the measurements of a game's table and whole runs; a run is as long as the table plays in that time."""

    def bare(build: Build) -> Mapping[Key, float]:
        return {Key(SPEEDS, game, BARE, build.name): build.measure("bare", game, seconds / 5)}

    found = []
    for build in builds:
        whole = partial(_run, game, build, tournament_file(game, build, folder, seconds))
        found += [
            Measurement(f"{game}, {build.name}: bare table", partial(bare, build)),
            Measurement(f"{game}, {build.name}: run, 1 worker", partial(whole, 1)),
            Measurement(f"{game}, {build.name}: run, 2 workers", partial(whole, 2)),
        ]
    return found


def tournament_file(game: str, build: Build, folder: Path, seconds: float) -> Path:
    file = folder / f"{game}-{build.name}.toml"
    deals = max(10, int(build.measure("deals", game, seconds)))
    file.write_text(tournament(game, deals), encoding="utf-8")
    return file


def parts(game: str, builds: Sequence[Build], seconds: float) -> list[Measurement]:
    """Returns the measurements of a game's parts.

    They are copies of its first state, played to their ends at random; decisions of `seer` with its default options;
    and, where that package is installed, steps of its environment for PettingZoo.
    """
    whats = [(PLAYOUTS, PLAYOUT, "playouts"), (SEARCHES, SEARCH, "searches")]
    if find_spec("pettingzoo") is not None:
        whats.append((STEPS, ENVIRONMENT, "steps"))

    def part(group: str, name: str, what: str) -> Mapping[Key, float]:
        return {Key(group, game, name, build.name): build.measure(what, game, seconds) for build in builds}

    return [Measurement(f"{game}: {each[1]}", partial(part, *each)) for each in whats]


def hosts(build: Build) -> Measurement:
    return Measurement(
        f"{build.name}: hosts",
        lambda: {Key(HOSTS, "", name, build.name): cost for name, cost in build.measure("hosts").items()},
    )


def starts(builds: Sequence[Build], folder: Path) -> Measurement:
    file = folder / "ten.toml"
    file.write_text(short(10), encoding="utf-8")
    return Measurement("starts", partial(_starts, builds, file))


def looks(builds: Sequence[Build], folder: Path) -> Measurement:
    """Returns the measurement of commands that read a run: the CPU time that they take, as ratios."""
    file = folder / "looks.toml"
    file.write_text(_text(200, f'format = "swiss"\nrounds = 8\ndeals = 5\n{_ROUND}'), encoding="utf-8")
    return Measurement("looks at a run", partial(_looks, builds, file))


def _looks(builds: Sequence[Build], file: Path) -> Mapping[Key, float]:
    found = {}
    for build in builds:
        with tempfile.TemporaryDirectory() as name, cores(1):
            out = Path(name) / "run"
            played = run(build, file, out, 1).work_s
            lines = (out / "journal.jsonl").read_bytes().splitlines()
            first, last = [orjson.loads(line)["match"] for line in (lines[0], lines[-1])]
            commands = (("standings",), ("report",), ("replay", last), ("replay", first))
            ranked, shown, late, early = [
                build.use(TOURNEY, command, str(out), *match).work_s for command, *match in commands
            ]
        for name, ratio in ((STANDINGS, ranked / played), (REPORT, shown / played), (LATE, late / early)):
            found[Key(LOOKS, "", name, build.name)] = ratio
    return found


def _run(game: str, build: Build, file: Path, workers: int) -> Mapping[Key, float]:
    """Measures a `tourney run` from the start of Python to its end, on as many cores as workers."""
    with tempfile.TemporaryDirectory() as name:
        spent = run(build, file, Path(name) / "run", workers)
        decisions = decisions_in(Path(name) / "run" / "journal.jsonl")
    key = partial(Key, SPEEDS, game, build=build.name)
    if workers == 1:
        return {key(name=ONE): decisions / spent.work_s, key(name=ONE_CLOCK): decisions / spent.clock_s}
    return {key(name=TWO_CLOCK): decisions / spent.clock_s}


def run(build: Build, file: Path, out: Path, workers: int) -> ResourceUse:
    """Plays a tournament file with a build, on as many cores as workers; returns what that took."""
    command = [TOURNEY, "run", str(file), "--out", str(out), "--workers", str(workers), "--quiet"]
    with cores(workers):
        return build.use(*command)


def decisions_in(journal: Path) -> int:
    with journal.open("rb") as lines:
        return sum([line.split(b'"actions":"', 1)[1].split(b'"', 1)[0].count(b" ") + 1 for line in lines])


def _starts(builds: Sequence[Build], file: Path) -> Mapping[Key, float]:
    found: dict[Key, list[float]] = {}
    for _ in range(STARTED):
        for build in builds:
            key = partial(Key, STARTS, "", build=build.name)
            with cores(1):
                imported = build.use(sys.executable, "-c", "import click")
                helped = build.use(TOURNEY, "--help")
            with tempfile.TemporaryDirectory() as name:
                played = run(build, file, Path(name) / "run", 1)
            taken = {CLICK: imported.work_s, HELP: helped.work_s, TEN: played.work_s, TEN_CLOCK: played.clock_s}
            for name, seconds in taken.items():
                found.setdefault(key(name=name), []).append(seconds * 1000)
    return {key: median(values) for key, values in found.items()}


def tournament(game: str, deals: int) -> str:
    return _text(SEATS[game], f'deals = {deals}\n[[game]]\nname = "{game}"\nseats = {SEATS[game]}')


def short(matches: int) -> str:
    """Returns a tournament file of that number of matches, each one round of vole."""
    return _text(2, f"deals = {matches // 2}\n{_ROUND}")


def _text(entrants: int, rest: str) -> str:
    bots = ", ".join([f'{{ name = "random-{number}", use = "random" }}' for number in range(entrants)])
    return f'name = "bench"\nseed = 1\nbot = [{bots}]\n{rest}\n'
