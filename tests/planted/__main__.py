"""Prints how many planted mistakes the analysis finds, and how many it sees where there are none.

Run it as `python -m tests.planted [PLAYOUTS [DEALS]]`, on a quiet machine; it takes some minutes.
"""

import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.planted import analysed_run, found_first, planted, share_of_mistakes, true_losses
from tourney.debugging.analysis import read_analysis

GAMES = {
    "vole": '[[game]]\nname = "vole"\n',
    "voleur": '[[game]]\nname = "voleur"\nseats = 2\n',
}


def main() -> None:
    """Plays, analyses and prints."""
    playouts, deals = [*map(int, sys.argv[1:]), 100, 4][:2] if len(sys.argv) != 2 else (int(sys.argv[1]), 4)
    for name, game in GAMES.items():
        with TemporaryDirectory() as tmp:
            begun = time.monotonic()
            run = analysed_run(Path(tmp), "planted", "bots.py:Blunderer", game, deals, playouts)
            took = time.monotonic() - begun
            losses = true_losses(run, planted(run), len(os.sched_getaffinity(0)))
            found, costly = found_first(run, losses)
            print(f"{name}: {found} of {costly} planted mistakes of > 5 points % are among the {len(losses)} costliest")
            print(f"{name}: played and analysed in {took:.0f} s")
            own = analysed_run(Path(tmp), "same", "steady", game, deals, playouts)
            mistakes, decisions = share_of_mistakes(list(read_analysis(own).values()))
            print(
                f"{name}: {mistakes} of {decisions} decisions of steady against itself are called mistakes", flush=True
            )


if __name__ == "__main__":
    main()
