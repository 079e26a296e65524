"""How often bots that help nobody are said to, and a helper is found.

`python -m tests.strength.pairs` prints docs/measurements/pairs.csv: real schedules are driven by results simulated as
in `tests.strength.intervals`. Where its king sits, too, a helper is `helps` Elo weaker, and the king as much stronger.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from math import sqrt
from random import Random
from statistics import fmean
from typing import NamedTuple

import msgspec

from tests.schedule import drawn
from tests.standings.simulate import counts_of
from tests.strength.intervals import SPREADS, places
from tourney.schedule.base import schedule
from tourney.standings.hierarchy import Posterior
from tourney.standings.interactions import interactions
from tourney.standings.ratings import ELO_PER_NAT

KEYS = {"round-robin": {}, "swiss": {"rounds": 9}, "league": {}}


class Said(NamedTuple):
    helper: bool  # whether the helped pair is named
    others: int  # how many ordered pairs of others are
    size: float  # the king's points % with its helper, beyond the expected


def runs(
    form: str, bots: int, seats: int, spread: str, deals: int, helps: int, count: int, first: int = 0
) -> Iterator[Said]:
    strengths = [SPREADS[spread] / ELO_PER_NAT * (i / (bots - 1) - 0.5) for i in range(bots)]
    for seed in range(first, first + count):
        given = drawn.tournament(
            bots, [seats], seed=seed, form=form, deals=5 if form == "league" else deals, **KEYS[form]
        )
        plan, results, rng = schedule(given), [], Random(seed)
        king, helper = rng.sample(given.names, 2)
        named = dict(zip(given.names, strengths, strict=True))
        moved = named | {king: named[king] + helps / ELO_PER_NAT, helper: named[helper] - helps / ELO_PER_NAT}
        for block in islice(plan.blocks(), deals * bots if form == "league" else None):
            its = []
            for seated in block.seatings:
                own = moved if {king, helper} <= {*seated} else named
                its += places(msgspec.structs.replace(block, seatings=(seated,)), own, rng)
                plan.note(block.number, seated, its[-1])
            results.append((block, its))
        batches = counts_of(given, results).batches()
        found = interactions(given.names, batches, [Fraction(1)], Posterior(batches, [Fraction(1)]))
        sure = [{each.bot, each.other} == {king, helper} for each in found if each.is_sure]
        by = [each.points for each in found if (each.bot, each.other) == (king, helper)]
        yield Said(any(sure), sure.count(False), fmean(by or [0.0]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.pairs", description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="how many tournaments a row")
    parser.add_argument("--first", type=int, default=0, help="the first of their seeds")
    defaults = {
        "form": tuple(KEYS), "bots": (6, 12), "seats": (3, 4), "spread": ("equal", "spread"), "deals": (10, 60),
        "helps": (0, 50),
    }  # fmt: skip
    for key, values in defaults.items():
        parser.add_argument(f"--{key}", type=type(values[0]), nargs="+", default=values)
    chosen = parser.parse_args()
    for cell in product(*[getattr(chosen, key) for key in defaults]):
        found = list(runs(*cell, chosen.runs, chosen.first))
        shown = []
        for share in (fmean([each.helper for each in found]), fmean([each.others > 0 for each in found])):
            shown += [f"{100 * share:.1f}", f"{100 * sqrt(share * (1 - share) / len(found)):.1f}"]
        print(*cell, chosen.runs, *shown, f"{fmean([each.size for each in found]):.1f}", sep=",", flush=True)


if __name__ == "__main__":
    main()
