"""Decisions per second with random bots: of the bare table, and of whole runs, journal and all; and what hosts cost.

`make bench` runs it. Everything is measured several times in one go, in turn, so that the ratios hold although the
machine's speed drifts.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median

from tabulate import tabulate

from tourney import config, state
from tourney.bot import SeatFacts
from tourney.catalog import load_game
from tourney.hosts.contract import Limits, Place
from tourney.hosts.inline import Inline
from tourney.hosts.places import Program, place
from tourney.match import Record
from tourney.schedule.formats import schedule
from tourney.store import read_lines
from tourney.table import play

TOURNEY = str(Path(sys.executable).with_name("tourney"))
WIRE = Path(__file__).parent.parent / "bots" / "wire"
REPEATS = 3
ASKED = 5000
DEALS = 4000
CONFIG = """
name = "bench"
seed = 1
deals = {deals}
bots = ["random"]
[[bot]]
name = "random-2"
use = "random"
[[game]]
name = "vole"
"""


def bare_table(file: Path) -> float:
    """Decisions per second of the table alone, in this process: no journal, no other process."""
    tournament = config.load(file)
    makers = config.makers(tournament)
    matches = [match for block in islice(schedule(tournament).blocks(), 300) for match in block.matches()]
    begun = time.perf_counter()
    records = [play(match, load_game(match.contest.game), [makers[name] for name in match.seats]) for match in matches]
    seconds = time.perf_counter() - begun
    return sum([decisions(record) for record in records]) / seconds


def whole_run(file: Path, workers: int) -> float:
    """Decisions per second of `tourney run` from its start to its end, Python's own start included."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        begun = time.perf_counter()
        subprocess.run(
            [TOURNEY, "run", str(file), "--out", str(out), "--workers", str(workers), "--quiet"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        seconds = time.perf_counter() - begun
        return sum([line.split(b'"actions":"', 1)[1].split(b'"', 1)[0].count(b" ") + 1 for line in read_lines(out)]) / (
            seconds
        )


def asked(program: Program, cores: tuple[int, int]) -> float:
    """Microseconds that a decision takes, the table's own work left out: worker and bot on these cores."""
    game = load_game("vole")
    options = game.options(2, {})
    state = game.start(2, options, 5)
    view, legal = state.view(0), state.legal()
    facts = SeatFacts(game, options, 2, 0, Random(1))
    before = os.sched_getaffinity(0)
    chosen = place(program, Limits(), None)
    try:
        os.sched_setaffinity(0, {cores[1]})  # a bot's process stays where the worker is when it is started
        host = chosen.begin(facts, 1) if isinstance(chosen, Place) else Inline(chosen, facts)
        os.sched_setaffinity(0, {cores[0]})
        begun = time.perf_counter()
        for _ in range(ASKED):
            host.act(view, legal)
        seconds = time.perf_counter() - begun
        host.close()
    finally:
        os.sched_setaffinity(0, before)
        if isinstance(chosen, Place):
            chosen.close()
    return seconds / ASKED * 1e6


def hosts() -> dict[str, Callable[[], float]]:
    """What is measured of the hosts."""
    first = Program("first", "process", "first", {}, (), Path(), ("vole",))
    here, *others = sorted(os.sched_getaffinity(0))
    other = others[0] if others else here
    inline = first._replace(host="inline")
    ways = {
        "inline": lambda: asked(inline, (here, here)),
        "process, on the worker's core": lambda: asked(first, (here, here)),
        "process, on another core": lambda: asked(first, (here, other)),
    }
    for name, words in (("Python", (sys.executable, "random_bot.py")), ("Node", ("node", "first_bot.js"))):
        if shutil.which(words[0]) is not None:
            program = Program(name, "process", "", {}, words, WIRE, ("vole",))
            ways[f"a program in {name}, on the worker's core"] = lambda program=program: asked(program, (here, here))
    return ways


def decisions(record: Record) -> int:
    """How many decisions a match took."""
    return record.actions.count(" ") + 1


def measured(ways: dict[str, Callable[[], float]]) -> dict[str, list[float]]:
    """What each way comes to, several times, in turn."""
    found: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(REPEATS):
        for way, measure in ways.items():
            found[way].append(measure())
    return found


def show(found: dict[str, list[float]], head: list[str], number: str, against: Callable[[float, float], float]) -> None:
    """Prints a table: for each way the median, the spread, and the median of what `against` the first way gives."""
    base = next(iter(found.values()))
    lines = [
        [
            way,
            f"{median(values):{number}}",
            f"{min(values):{number}} - {max(values):{number}}",
            f"{median(list(map(against, values, base))):.2f}",
        ]
        for way, values in found.items()
    ]
    print(tabulate(lines, headers=head, colalign=("left", "right", "right", "right"), disable_numparse=True))


def main() -> None:
    """Measures, and prints the tables."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.toml"
        file.write_text(CONFIG.format(deals=DEALS), encoding="utf-8")
        speeds = measured(
            {
                "bare table": lambda: bare_table(file),
                "tourney run, 1 worker": lambda: whole_run(file, 1),
                "tourney run, 2 workers": lambda: whole_run(file, 2),
            }
        )
    kind = "pure Python" if state.__file__.endswith(".py") else "compiled"
    head = [f"vole, random bots, {kind}", "decisions/s, median", "spread", "to the bare table"]
    show(speeds, head, ",.0f", lambda speed, base: speed / base)
    print()
    head = ["vole, asked at its start", "us a decision, median", "spread", "more than inline"]
    show(measured(hosts()), head, ".1f", lambda time_us, base: time_us - base)


if __name__ == "__main__":
    main()
