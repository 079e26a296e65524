"""How often a ladder finds the best of many settings, with how many matches, and how often the gain's interval holds.

`python -m tests.strength.sweeps` prints docs/measurements/sweeps.csv: the real schedule is driven by simulated
results (Plackett-Luce), which are alike on one deal as in `tests.strength.intervals`. The best setting is 15 Elo points
above the next, the others lie in even steps down to 100 below it. A round-robin is asked who is first after each deal.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from tests.schedule import drawn
from tests.standings.simulate import luck
from tests.strength import intervals
from tourney.config import Tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import schedule
from tourney.standings.points import units
from tourney.standings.ratings import ELO_PER_NAT
from tourney.standings.sweeps import sweep_results


class Chosen(NamedTuple):
    matches: int  # without the final
    right: bool
    holds: bool | None  # whether the interval of the gain holds the truth; None if the default was chosen


def sweep(form: str, settings: int, seed: int, **keys: Any) -> tuple[Tournament, dict[str, float]]:
    """Returns a tournament of a sweep, whose default is of middling strength, and the strengths in Elo points."""
    given = drawn.tournament(settings, [2], seed=seed, form=form, **keys)
    names = Random(seed).sample(given.names, settings)
    elos = dict(zip(names, [0.0, *[-15 - 85 * i / (settings - 2) for i in range(settings - 1)]], strict=True))
    return drawn.with_sweep(given, names[settings // 2], x=list(range(settings))), elos


def places(block: Block, elos: dict[str, float], rng: Random, alike: bool) -> list[tuple[int, ...]]:
    strengths = {name: elo / ELO_PER_NAT for name, elo in elos.items()}
    if alike:
        return intervals.places(block, strengths, rng)
    return [places_by([strengths[name] + luck(rng) for name in seats]) for seats in block.seatings]


def ladder(settings: int, seed: int, alike: bool, **keys: Any) -> Chosen:
    given, elos = sweep("ladder", settings, seed, settle="best", **keys)
    plan, rng, matches = schedule(given), Random(seed), 0
    for block in plan.blocks():
        matches += 2 * (plan.round_name(plan.round_of(block.number) - 1) != "final")
        for seats, its in zip(block.seatings, places(block, elos, rng, alike), strict=True):
            plan.note(block.number, seats, its)
    (found,) = sweep_results(given, *plan.selection())
    truth, gain = elos[found.best] - elos[found.default], found.gain
    return Chosen(matches, elos[found.best] == 0, None if gain is None else gain.low <= truth <= gain.high)


def round_robin(settings: int, seed: int, alike: bool, deals: int) -> Iterator[bool]:
    """Yields after each deal whether the best has most points."""
    given, elos = sweep("round-robin", settings, seed, deals=deals)
    rng, won = Random(seed), Counter[str]()
    for number, block in enumerate(schedule(given).blocks(), 1):
        for seats, its in zip(block.seatings, places(block, elos, rng, alike), strict=True):
            won.update(dict(zip(seats, units(its), strict=True)))
        if number % (settings * (settings - 1) // 2) == 0:
            yield elos[max(given.names, key=won.__getitem__)] == 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.sweeps", description=__doc__)
    for name, usual, meaning in (("runs", 50, ""), ("settings", 24, ""), ("deals", 0, "of a round-robin, at most")):
        parser.add_argument(f"--{name}", type=int, default=usual, help=meaning)
    parser.add_argument("--sure", type=float, default=0.8)
    parser.add_argument("--independent", action="store_true", help="matches on one deal are not alike")
    its = parser.parse_args()
    found = [ladder(its.settings, seed, not its.independent, sure=its.sure) for seed in range(its.runs)]
    held = [each.holds for each in found if each.holds is not None]
    print(f"ladder: {fmean([each.matches for each in found]):.0f} matches, right in", end=" ")
    print(
        f"{100 * fmean([each.right for each in found]):.0f} %; gain holds in {100 * fmean(held):.1f} % of {len(held)}"
    )
    by_run = [list(round_robin(its.settings, seed, not its.independent, its.deals)) for seed in range(its.runs)]
    for deals, right in enumerate(zip(*by_run, strict=True), 1):
        print(f"round-robin: {deals * its.settings * (its.settings - 1)} matches, right in {100 * fmean(right):.0f} %")


if __name__ == "__main__":
    main()
