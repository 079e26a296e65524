"""`python -m tests.bench.reports`: measures the report of a long run of vole between three random bots."""

import argparse
import os
import tempfile
from pathlib import Path

from tests.bench.builds import TOURNEY
from tests.bench.options import at_least
from tests.bench.timing import resource_use
from tests.bench.tournaments import three_bots
from tests.bench.watchers import MEGABYTE, Peaks


def main() -> None:
    """Plays the run, unless there is one, makes its report, and prints what that took."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.reports", description=__doc__)
    parser.add_argument("--matches", type=at_least(6), default=100_000, help="how long the run is (%(default)s)")
    parser.add_argument("--run", type=Path, metavar="FOLDER", help="the folder of a finished run, to play none")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = folder / "run" if given.run is None else given.run.resolve()
        if given.run is None:
            (folder / "bench.toml").write_text(three_bots(given.matches), encoding="utf-8")
            command = [TOURNEY, "run", "bench.toml", "--out", str(run), "--quiet"]
            print(f"the run: {resource_use(command, folder, os.environ).clock_s:.1f} s by the clock", flush=True)
        page, peaks = folder / "page.html", Peaks()
        spent = resource_use([TOURNEY, "report", str(run), "--out", str(page)], folder, os.environ, peaks)
        journal = run / "journal.jsonl"
        with journal.open("rb") as lines:
            matches = sum([1 for _ in lines])
        print(
            f"its report: {matches:,} matches in a journal of {journal.stat().st_size / MEGABYTE:.0f} MB; "
            f"{spent.work_s:.1f} s of work, {spent.clock_s:.1f} s by the clock, {peaks.main_mb:.0f} MB of memory; "
            f"a page of {page.stat().st_size / MEGABYTE:.2f} MB"
        )


if __name__ == "__main__":
    main()
