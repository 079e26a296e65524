"""How often a ladder finds the best of many settings, with how many matches, and how often the gain's interval holds.

`python -m tests.strength.sweeps` prints the figures of docs/formats.md: the real schedule is driven by simulated
results (Plackett-Luce). The best of 24 settings is 15 Elo points above the next, the others lie in even steps down to
100 below it. A round-robin plays as many deals as it takes until its first is the best in as many runs as asked for.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from msgspec.structs import replace

from tests.schedule import drawn
from tests.standings.simulate import luck
from tests.strength import intervals
from tourney.config import Tournament
from tourney.config.tournament import Sweep
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import schedule
from tourney.standings.points import units
from tourney.standings.ratings import ELO_PER_NAT
from tourney.standings.sweeps import sweep_results


class Swept(NamedTuple):
    matches: int
    """How many matches it took to choose."""
    right: bool
    holds: bool | None
    """Whether the interval of the gain holds the truth; None if the default was chosen."""


def sweep(form: str, settings: int, seed: int, **keys: Any) -> tuple[Tournament, dict[str, float]]:
    """A tournament of a sweep, whose default is of middling strength, and the strengths in Elo points."""
    given = drawn.tournament(settings, [2], seed=seed, form=form, **keys)
    elos = [0.0, *[-15 - 85 * i / max(1, settings - 2) for i in range(settings - 1)]]
    names = Random(seed).sample(given.names, settings)
    swept = Sweep("bot", ("x",), names[settings // 2])
    entrants = [replace(each, sweep=swept, options={"x": i}) for i, each in enumerate(given.entrants)]
    return replace(given, entrants=tuple(entrants)), dict(zip(names, elos, strict=True))


def results(block: Block, elos: dict[str, float], rng: Random, alike: bool) -> list[tuple[int, ...]]:
    """The places of the matches of a block, which are `alike` on one deal, or independent."""
    strengths = {name: elo / ELO_PER_NAT for name, elo in elos.items()}
    if alike:
        return intervals.places(block, strengths, rng)
    return [places_by([strengths[name] + luck(rng) for name in seats]) for seats in block.seatings]


def ladder(settings: int, seed: int, alike: bool, **keys: Any) -> Swept:
    given, elos = sweep("ladder", settings, seed, settle="best", **keys)
    plan, rng = schedule(given), Random(seed)
    matches: Counter[str] = Counter()
    for block in plan.blocks():
        round_name = plan.round_name(plan.round_of(block.number) - 1)
        for seats, places in zip(block.seatings, results(block, elos, rng, alike), strict=True):
            plan.note(block.number, seats, places)
            matches[round_name] += 1
    (found,) = sweep_results(given, *plan.selection())
    truth, gain = elos[found.best] - elos[found.default], found.gain
    holds = None if gain is None else gain.low <= truth <= gain.high
    return Swept(matches.total() - matches["final"], elos[found.best] == 0, holds)


def round_robin(settings: int, seed: int, alike: bool, deals: int) -> Iterator[bool]:
    """Whether the best has most points, deal after deal."""
    given, elos = sweep("round-robin", settings, seed, deals=deals)
    rng, won, per_deal = Random(seed), Counter[str](), settings * (settings - 1) // 2
    for number, block in enumerate(schedule(given).blocks(), 1):
        for seats, places in zip(block.seatings, results(block, elos, rng, alike), strict=True):
            won.update(dict(zip(seats, units(places), strict=True)))
        if number % per_deal == 0:
            yield elos[max(given.names, key=won.__getitem__)] == 0


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.sweeps", description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--settings", type=int, default=24)
    parser.add_argument("--sure", type=float, default=0.8)
    parser.add_argument("--deals", type=int, default=0, help="the most deals of a round-robin, which is played, too")
    parser.add_argument("--independent", action="store_true", help="matches on one deal are not alike")
    parser.add_argument("--max-matches", type=int, default=100_000)
    chosen = parser.parse_args()
    alike, keys = not chosen.independent, {"sure": chosen.sure, "max_matches": chosen.max_matches}
    found = [ladder(chosen.settings, seed, alike, **keys) for seed in range(chosen.runs)]
    held = [each.holds for each in found if each.holds is not None]
    right = 100 * fmean([each.right for each in found])
    print(f"ladder: right {right:.0f} %, matches {fmean([each.matches for each in found]):.0f}", end="; ")
    print(f"the gain holds in {100 * fmean(held):.1f} % of {len(held)}", flush=True)
    by_run = [list(round_robin(chosen.settings, seed, alike, chosen.deals)) for seed in range(chosen.runs)]
    for deals, its in enumerate(zip(*by_run, strict=True), 1):
        if deals % max(1, chosen.deals // 20) == 0:
            matches = deals * chosen.settings * (chosen.settings - 1)
            print(f"round-robin: right {100 * fmean(its):.0f} %, matches {matches}")


if __name__ == "__main__":
    main()
