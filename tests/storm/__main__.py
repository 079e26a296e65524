"""Plays runs in the storm, and prints figures: `python -m tests.storm --help`."""

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.hosts import processes
from tests.storm.storm import KINDS, Storm, StormError
from tourney.hosts import linux


def main() -> int:
    """Plays runs of all kinds in turn; returns 1 at the first that came to something else than an undisturbed one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("RUNS", "60")))
    parser.add_argument("--signals", type=int, default=25, help="the most signals for each run")
    parser.add_argument("--seed", default=os.environ.get("SEED", "1"), help="what the signals are drawn from")
    parser.add_argument("--kinds", nargs="*", default=KINDS, choices=KINDS, metavar="HOST-FORMAT")
    chosen = parser.parse_args()
    linux.adopt_orphans()
    figures: Counter[str] = Counter()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="tourney-storm-"))
    for number, kind in zip(range(chosen.runs), itertools.cycle(chosen.kinds), strict=False):
        seed = f"{chosen.seed}.{number}" if chosen.runs > 1 else chosen.seed
        try:
            Storm(kind, seed, chosen.signals, folder, figures).pass_over()
        except (StormError, AssertionError) as error:
            processes.end()
            again = f"python -m tests.storm --runs 1 --kinds {kind} --seed {seed} --signals {chosen.signals}"
            print(f"{kind}: {error}\nthe folder {folder} is kept; continue with: {again}", file=sys.stderr)
            return 1
        print(f"{kind} {seed}: {figures['signals']} signals so far", flush=True)
    found = [f"{count} {what}" for what, count in figures.most_common()]
    print(f"{time.monotonic() - started:.0f} s", *found, sep="; ")
    return 0


if __name__ == "__main__":
    sys.exit(main())
