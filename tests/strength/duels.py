"""How often the interval of a duel holds the truth, and how often it finds a difference, on deals like real ones.

`python -m tests.strength.duels` prints docs/measurements/duels.csv: comparisons, and the gains of new versions in a
league, have a fixed number of deals. The scores are those of `tests.standings.gating`.
"""

import argparse
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean
from typing import NamedTuple

from tests.standings.gating import DEALS, Deals, can_be, tilted
from tourney.standings.duel import Duel, elo_of_score

NUMBERS = (4, 8, 12, 20, 50)
STRENGTHS = (0.0, 50.0)


class Held(NamedTuple):
    holds: float  # the share of the intervals that hold the truth
    found: float  # the share that excludes 0
    width: float  # the mean width, in Elo points


def rare(deals: int) -> tuple[Deals, float]:
    """The worst case, and its strength: one of `deals` - 2 is won, the others are even, and all may well be."""
    return {0.5: deals - 3, 1.0: 1}, elo_of_score(0.5 + 0.5 / (deals - 2))


def held(name: str, elo: float, deals: int, runs: int, known: Deals | None = None) -> Held:
    known, rng, shown = known or tilted(DEALS[name], elo), Random(f"{name} {elo} {deals}"), []
    for _ in range(runs):
        scores = rng.choices(list(known), list(known.values()), k=deals)
        shown.append(Duel.of([(score, 1 - score) for score in scores], met=True).interval()[1:])
    holds, found = [low <= elo <= high for low, high in shown], [not low <= 0 <= high for low, high in shown]
    return Held(fmean(holds), fmean(found), fmean([high - low for low, high in shown]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.duels", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000, help="how many duels a row")
    runs = parser.parse_args().runs
    print(f"# python -m tests.strength.duels: {runs} duels a row, ± standard error; in percent")
    print("deals like those of,true Elo,deals,95 % interval holds,finds a difference,width in Elo")
    names = filter(lambda name: can_be(DEALS[name], max(STRENGTHS)), DEALS)
    cells = [(name, elo, deals, tilted(DEALS[name], elo)) for name, elo, deals in product(names, STRENGTHS, NUMBERS)]
    for deals in NUMBERS:
        known, elo = rare(deals)
        cells.append((f"1 of {deals - 2} won, others even", elo, deals, known))
    for name, elo, deals, known in cells:
        *shares, width = held(name, elo, deals, runs, known)
        shown = [f"{100 * share:.1f} ±{100 * sqrt(share * (1 - share) / runs):.1f}" for share in shares]
        print(f'"{name}",{elo:.0f},{deals},{",".join(shown)},{width:.0f}', flush=True)


if __name__ == "__main__":
    main()
