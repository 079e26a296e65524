"""`python -m tests.bench`: measures, prints the tables, and writes all numbers as JSON."""

import argparse
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import orjson

from tests.bench import floor, hosts, ours, peers
from tests.bench.timing import Way, measured, ratio, summary, table
from tourney import state


def main() -> None:
    """Takes every measure in turn, several times."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="how often everything is measured (3)")
    parser.add_argument("--seconds", type=float, default=2, help="about how long a whole run is (2)")
    parser.add_argument("--json", type=Path, default=Path("results/bench.json"), help="where to write the numbers")
    given = parser.parse_args()
    begun, short = time.monotonic(), given.seconds / 4
    others, missing = peers.found(short)
    with tempfile.TemporaryDirectory() as folder:
        groups = {
            "ours": ours.ways(Path(folder), given.seconds),
            "others": [*floor.ways(short), *others],
            "playouts": ours.playouts(short),
            "hosts": hosts.ways(),
        }
        ways = [way for group in groups.values() for way in group]
        found = measured(ways, given.repeats, _tell)
    load = ", ".join([f"{each:.1f}" for each in os.getloadavg()])
    cores = len(os.sched_getaffinity(0))
    print(f"{cores} cores, load {load}; Python {platform.python_version()}, {_kind()}; random bots\n")
    for group in groups.values():
        print(summary(group, found), end="\n\n")
    _print_ratios(groups, found)
    for package in missing:
        print(f"missing: {package} is not installed, and was not measured; `make bench-peers` installs it")
    given.json.parent.mkdir(parents=True, exist_ok=True)
    data = _data(groups, found, missing, given.repeats)
    given.json.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    _tell(f"{time.monotonic() - begun:.0f} s in all; the numbers are in {given.json}")


def _kind() -> str:
    return "tourney in pure Python" if state.__file__.endswith(".py") else "tourney compiled"


def _print_ratios(groups: dict[str, list[Way]], found: dict[str, list[float]]) -> None:
    """Our whole runs against our table, and against the others."""
    bare, one, clock, clock_two = [
        {game: found[f"{game}: {what}"] for game in ours.SEATS}
        for what in ("bare table", "tourney run, 1 worker", "1 worker, by the clock", "2 workers, by the clock")
    ]
    inner = {"1 worker / bare table": (one, bare), "2 workers / 1 worker, by the clock": (clock_two, clock)}
    lines = {name: [ratio(a[game], b[game]) for game in ours.SEATS] for name, (a, b) in inner.items()}
    for way in groups["others"]:
        lines[f"1 worker / {way.name}"] = [ratio(values, found[way.name]) for values in one.values()]
    print(table(["tourney run", *ours.SEATS], [[name, *[f"{n:.2f}" for n in row]] for name, row in lines.items()]))


def _data(
    groups: dict[str, list[Way]], found: dict[str, list[float]], missing: list[str], repeats: int
) -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "tourney": _kind(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg(),
        "repeats": repeats,
        "missing": missing,
        "measures": [
            {
                "group": group,
                "name": way.name,
                "unit": way.unit,
                "median": median(found[way.name]),
                "values": found[way.name],
            }
            for group, ways in groups.items()
            for way in ways
        ],
    }


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
