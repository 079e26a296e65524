"""Prints how many planted mistakes the analysis finds, and how many it sees where there are none.

Run it as `python -m tests.planted --help`; it takes some minutes.
"""

import argparse
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.planted import analysed_run, costs_of, planted, ranks_of_costly, share_of_mistakes
from tourney.review.analysis.file import read_analysis

GAMES = {
    "cold-blooded": ("cold-blooded", 4, "{}"),
    "leon": ("leon", 3, "{ max_cards = 4 }"),
    "voleur": ("voleur", 2, "{ target = 20 }"),
    "vole": ("vole", 2, "{}"),
}
FIRST = 0.25
"""What share of a bot's decisions, the costliest first, somebody may look at."""


def main() -> None:
    """Plays, analyses and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--deals", type=int, default=2)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    chosen = parser.parse_args()
    for name in chosen.games:
        with TemporaryDirectory() as tmp:
            run = analysed_run(Path(tmp), "planted", "bots.py:Blunderer", GAMES[name], chosen.deals, chosen.playouts)
            losses = costs_of(run, planted(run), len(os.sched_getaffinity(0)))
            places, called = ranks_of_costly(run, losses)
            first = len([place for place in places if place < FIRST])
            print(f"{name}: of {len(losses)} planted mistakes {len(places)} cost > 5 points %; of these", end=" ")
            print(f"{first} are in the first quarter, {called} are called mistakes; places", end=" ")
            print(*[f"{place:.2f}" for place in places], flush=True)
            own = analysed_run(Path(tmp), "same", "steady", GAMES[name], chosen.deals, chosen.playouts)
            mistakes, decisions = share_of_mistakes(list(read_analysis(own).values()))
            print(
                f"{name}: {mistakes} of {decisions} decisions of steady against itself are called mistakes", flush=True
            )


if __name__ == "__main__":
    main()
