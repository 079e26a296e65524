"""`python -m tests.bench.scale`: measures time and memory of long runs; prints tables, and writes JSON."""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench import options
from tests.bench.builds import TOURNEY, Build, builds
from tests.bench.tables import heading, machine, number, table, write_json
from tests.bench.tournaments import short, swiss
from tests.bench.watchers import Peaks, Rounds, both

COMMANDS = ("standings", "matches", "verify")
"""The commands that read a whole journal."""
FIRST = 10_000
"""The matches of the run that the long one is compared with; at most a tenth of the long one's."""

Line = dict[str, float]
_progress = partial(print, file=sys.stderr, flush=True)


def main() -> None:
    """Measures each build in turn: a short run and a long one, what reads their journals, and a large Swiss."""
    given = _arguments()
    start, about = time.monotonic(), machine(given.repeats)
    lengths = [length // 2 * 2 for length in (min(FIRST, given.matches // 10), given.matches)]
    runs: dict[tuple[str, int], Line] = {}
    rounds: dict[str, Line] = {}
    with tempfile.TemporaryDirectory() as name:
        made, missing = builds(Path(name), given.pure)
        for matches in lengths:
            for build in made:
                _progress(f"{build.name}: {matches:,} matches")
                runs[build.name, matches] = _long(build, matches, given.repeats)
        for build in made:
            _progress(f"{build.name}: Swiss of {given.entrants}")
            rounds[build.name] = _swiss(build, given.entrants, given.rounds)
    print(heading(about, missing), end="\n\n")
    short_runs = {f"{build}\n{matches:,}": line for (build, matches), line in runs.items()}
    print(_side_by_side("one round of vole", short_runs), end="\n\n")
    print(_side_by_side(f"Swiss of {given.entrants}", rounds))
    data = {
        **about,
        "missing": missing,
        "runs": [{"build": build, "matches": matches, **line} for (build, matches), line in runs.items()],
        "swiss": [{"build": build, "entrants": given.entrants, **line} for build, line in rounds.items()],
    }
    write_json(given.json, data)
    _progress(f"{time.monotonic() - start:.0f} s in all; the numbers are in {given.json}")


def _arguments() -> argparse.Namespace:
    parser = options.parser("tests.bench.scale", __doc__, "results/bench-scale.json", "how often each journal is read")
    for name, least, default, what in (
        ("--matches", 20, 100_000, "how long the long run is"),
        ("--entrants", 4, 512, "how many bots the Swiss has"),
        ("--rounds", 2, 5, "how many rounds the Swiss has"),
    ):
        parser.add_argument(name, type=options.at_least(least), default=default, help=f"{what} (%(default)s)")
    return parser.parse_args()


def _long(build: Build, matches: int, repeats: int) -> Line:
    """Measures a run of short matches with as many workers as cores, and the commands that read its journal."""
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name) / "short.toml", Path(name) / "run"
        file.write_text(short(matches), encoding="utf-8")
        peaks = Peaks()
        spent = build.use(TOURNEY, "run", str(file), "--out", str(out), "--quiet", watch=peaks)
        line = {
            "run: matches/s, by clock": matches / spent.clock_s,
            "run: us of work a match": spent.work_s / matches * 1e6,
            "run: MB, main process": peaks.main_mb,
            "run: MB, largest worker": peaks.others_mb,
        }
        for command in COMMANDS:
            line |= _reading(build, command, out, matches, repeats)
        return line


def _reading(build: Build, command: str, out: Path, matches: int, repeats: int) -> Line:
    """Measures a command that reads the journal, beside a program that only parses its lines."""
    works, times, peaks = [], [], Peaks()
    for _ in range(repeats):
        parsing = build.measure("loads", out / "journal.jsonl")
        spent = build.use(TOURNEY, command, str(out), watch=peaks)
        works.append(spent.work_s / matches * 1e6)
        times.append(spent.work_s / parsing)
    return {
        f"{command}: us of work a match": median(works),
        f"{command}: times orjson.loads": median(times),
        f"{command}: MB": peaks.main_mb,
    }


def _swiss(build: Build, entrants: int, rounds: int) -> Line:
    """Measures the rounds of a large Swiss, by the clock, and what comes after them."""
    with tempfile.TemporaryDirectory() as name:
        file, out = Path(name) / "swiss.toml", Path(name) / "run"
        file.write_text(swiss(entrants, rounds), encoding="utf-8")
        played, peaks = Rounds(out / "journal.jsonl", entrants // 2 * 2), Peaks()
        start = time.perf_counter()
        spent = build.use(TOURNEY, "run", str(file), "--out", str(out), "--quiet", watch=both(played, peaks))
        times = [b - a for a, b in zip([start, *played.ends], [*played.ends, start + spent.clock_s], strict=False)]
        return {
            "s, the first round, start included": times[0],
            "s, a further round": median(times[1:rounds]),
            "s, the longest of them": max(times[1:rounds]),
            "s, from the last round to the end": times[rounds],
            "s of work, all processes": spent.work_s,
            "MB, main process": peaks.main_mb,
        }


def _side_by_side(title: str, columns: dict[str, Line]) -> str:
    names = next(iter(columns.values()))
    return table([title, *columns], [[name, *[number(line[name]) for line in columns.values()]] for name in names])


if __name__ == "__main__":
    main()
