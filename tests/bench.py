"""Decisions per second with random bots: of the bare table, and of whole runs, journal and all. `make bench` runs it.

Everything is measured several times in one go, in turn, so that the ratios hold although the machine's speed drifts.
"""

import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from statistics import median

from tabulate import tabulate

from tourney import config
from tourney.catalog import load_game
from tourney.match import Record
from tourney.schedule.formats import schedule
from tourney.store import read_lines
from tourney.table import play

TOURNEY = str(Path(sys.executable).with_name("tourney"))
REPEATS = 3
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


def decisions(record: Record) -> int:
    """How many decisions a match took."""
    return record.actions.count(" ") + 1


def main() -> None:
    """Measures, and prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.toml"
        file.write_text(CONFIG.format(deals=DEALS), encoding="utf-8")
        ways = {
            "bare table": lambda: bare_table(file),
            "tourney run, 1 worker": lambda: whole_run(file, 1),
            "tourney run, 2 workers": lambda: whole_run(file, 2),
        }
        found: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(REPEATS):
            for way, measure in ways.items():
                found[way].append(measure())
    base = found["bare table"]
    lines = [
        [
            way,
            f"{median(speeds):,.0f}",
            f"{min(speeds):,.0f} - {max(speeds):,.0f}",
            f"{median([a / b for a, b in zip(speeds, base, strict=True)]):.2f}",
        ]
        for way, speeds in found.items()
    ]
    head = ["vole, random bots", "decisions/s, median", "spread", "to the bare table"]
    print(tabulate(lines, headers=head, colalign=("left", "right", "right", "right"), disable_numparse=True))


if __name__ == "__main__":
    main()
