"""`python -m tests.bench`: measures speeds, prints them as tables, and writes all numbers as JSON.

With `--against REV`, it compares whole runs of the checkout with those of another commit instead.
"""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.bench import against, own_measures, peer_measures
from tests.bench.builds import Build, builds
from tests.bench.own_measures import SEATS
from tests.bench.report import Report
from tests.bench.tables import machine, write_json
from tests.bench.timing import Measurement, Rates, take_in_turn

_progress = partial(print, file=sys.stderr, flush=True)


def main() -> None:
    """Takes every measurement in turn, several times; exits with 1 if `--against` finds the checkout too slow."""
    given = _arguments()
    start, about = time.monotonic(), machine(given.repeats) | {"seconds": given.seconds}
    games = list(dict.fromkeys(given.only or SEATS))
    with tempfile.TemporaryDirectory() as name:
        if given.against:
            found = against.compare(given.against, games, Path(name), given, _progress)
            print("\n".join(found.lines(about)))
            data, slower = found.data(about), found.slower()
        else:
            report = _report(given, about, games, Path(name))
            print("\n".join(report.lines()))
            data, slower = report.data(), []
    write_json(given.json, data)
    _progress(f"{time.monotonic() - start:.0f} s in all; the numbers are in {given.json}")
    sys.exit(1 if slower else 0)


def _report(given: argparse.Namespace, about: dict[str, object], games: list[str], folder: Path) -> Report:
    made, missing = builds(folder, given.pure)
    peers, absent = peer_measures.installed()
    found = take_in_turn(_measurements(games, made, peers, folder, given.seconds), given.repeats, _progress)
    return Report(about, [*missing, *absent], found, [build.name for build in made], games, list(peers))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--repeats", type=int, default=3, help="how often everything is measured (%(default)s)")
    parser.add_argument("--pure", action="store_true", help="leave out the compiled build")
    parser.add_argument("--json", type=Path, default=Path("results/bench.json"), help="for the numbers (%(default)s)")
    parser.add_argument(
        "--seconds", type=float, default=8, help="a run is as long as the bare table plays in this time (%(default)s)"
    )
    parser.add_argument("--only", action="append", choices=SEATS, metavar="GAME", help="this game; may be repeated")
    parser.add_argument("--against", metavar="REV", help="compare whole runs with those of this commit")
    return parser.parse_args()


def _measurements(games: list[str], made: list[Build], peers: Rates, folder: Path, seconds: float) -> list[Measurement]:
    """Returns all measurements of a repeat in their order; those that are compared stand together."""
    found = []
    for game in games:
        found += own_measures.speeds(game, made, folder, seconds)
        found.append(peer_measures.beside(game, peers, seconds / 15))
        found += own_measures.parts(game, made, seconds / 10)
    found += [own_measures.hosts(build) for build in made]
    found.append(own_measures.starts(made, folder))
    found.append(own_measures.looks(made, folder))
    return found


if __name__ == "__main__":
    main()
