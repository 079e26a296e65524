"""`python -m tests.bench`: measures, prints the tables, and writes all numbers as JSON."""

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.bench import options, others, ours
from tests.bench.builds import Build, builds
from tests.bench.report import Report
from tests.bench.tables import machine, write_json
from tests.bench.timing import Measures, Way, measured
from tests.bench.tournaments import SEATS

_tell = partial(print, file=sys.stderr, flush=True)


def main() -> None:
    """Takes every measure in turn, several times."""
    given = _given()
    begun, about = time.monotonic(), machine(given.repeats) | {"seconds": given.seconds}
    games = list(dict.fromkeys(given.only or SEATS))
    with tempfile.TemporaryDirectory() as name:
        made, missing = builds(Path(name), given.pure)
        measures, absent = others.found()
        ways = _ways(games, made, measures, Path(name), given.seconds)
        found = measured(ways, given.repeats, _tell)
    report = Report(about, [*missing, *absent], found, [build.name for build in made], games, list(measures))
    print("\n".join(report.lines()))
    write_json(given.json, report.data())
    _tell(f"{time.monotonic() - begun:.0f} s in all; the numbers are in {given.json}")


def _given() -> argparse.Namespace:
    parser = options.parser("tests.bench", __doc__, "results/bench.json", "how often everything is measured")
    parser.add_argument(
        "--seconds",
        type=options.positive,
        default=8,
        help="a run is of as many matches as the bare table plays in so long (%(default)s)",
    )
    parser.add_argument("--only", action="append", choices=SEATS, metavar="GAME", help="this game; may be repeated")
    return parser.parse_args()


def _ways(games: list[str], made: list[Build], measures: Measures, folder: Path, seconds: float) -> list[Way]:
    """All measures, in their order within a repeat: what is compared stands together."""
    ways = []
    for game in games:
        ways += ours.speeds(game, made, folder, seconds)
        ways.append(others.beside(game, measures, seconds / 15))
        ways.append(ours.playouts(game, made, seconds / 10))
    ways += [ours.hosts(build) for build in made]
    ways.append(ours.starts(made, folder))
    return ways


if __name__ == "__main__":
    main()
