"""How often the intervals of ratings hold the truth where results decide who meets whom.

`python -m tests.strength.intervals` prints docs/measurements/intervals.csv: real schedules are driven by simulated
results (Plackett-Luce). A match takes its luck from the deal and the bot, from the deal and the seat, or from nowhere;
so matches on one deal are alike in both ways.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, permutations, product
from math import exp, inf, sqrt
from operator import mul
from random import Random
from statistics import NormalDist, fmean, pstdev, stdev
from typing import NamedTuple

from tests.schedule import drawn
from tests.standings.simulate import counts_of, luck
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import schedule
from tourney.standings.hierarchy import Posterior
from tourney.standings.places import place_intervals
from tourney.standings.ratings import ELO_PER_NAT, MEAN, Ratings

SPREADS = {"equal": 0, "close": 100, "spread": 700}  # from the weakest to the strongest, in even steps, in Elo points
MOST_BLOCKS = 30  # the blocks for each bot after which a ladder or a league is ended that is not over


class Held(NamedTuple):
    ratings: float  # the share of the intervals that hold
    first: bool  # whether that of the first row does
    width: float  # the mean width, in Elo points
    places: float  # the share of the intervals of places that hold
    length: float  # their mean length, in places
    spread: bool  # whether the interval of tau holds the standard deviation of the strengths
    by_pairs: float  # the mean length of sets by all pairs of a bot (Mogstad et al. 2024), with Šidák's level


def places(block: Block, strengths: dict[str, float], rng: Random) -> list[tuple[int, ...]]:
    found = []
    for seats in block.seatings:
        (keys,) = rng.choices((seats, range(len(seats)), [rng.random() for _ in seats]), (0.4, 0.3, 0.3))
        lucks = [luck(Random(f"{block.seed} {key}")) for key in keys]
        found.append(places_by([strengths[name] + by for name, by in zip(seats, lucks, strict=True)]))
    return found


def held(ratings: Ratings | Posterior, strengths: list[float]) -> Held:
    rows = sorted([(ratings.of(bot), MEAN + ELO_PER_NAT * strengths[bot]) for bot in ratings.bots], reverse=True)
    holds = [row.low <= true <= row.high for row, true in rows]
    ranks = place_intervals(ratings, ratings.bots)
    best = {bot: 1 + sum([other > own + 1e-9 for other in strengths]) for bot, own in enumerate(strengths)}
    worst = {bot: sum([other > own - 1e-9 for other in strengths]) for bot, own in enumerate(strengths)}
    right = [low <= worst[bot] and best[bot] <= high for bot, (low, high, *_) in ranks.items()]
    level = NormalDist().inv_cdf((1 + 0.95 ** (1 / (len(strengths) - 1))) / 2)
    above = {(bot, other): ratings.above(bot, other) for bot, other in permutations(ratings.bots, 2)}
    open_pairs = [NormalDist().cdf(-level) < chance < NormalDist().cdf(level) for chance in above.values()]
    tau = ratings.spread() if isinstance(ratings, Posterior) else (0.0, 0.0, inf)
    is_spread = tau[1] <= ELO_PER_NAT * pstdev(strengths) <= tau[2]
    return Held(
        fmean(holds), holds[0], fmean([row.high - row.low for row, _ in rows]), fmean(right),
        fmean([1 + high - low for low, high, *_ in ranks.values()]), is_spread, 1 + sum(open_pairs) / len(ratings.bots),
    )  # fmt: skip


def runs(form: str, bots: int, spread: str, seats: int, count: int) -> Iterator[tuple[Held, Held]]:
    """Yields for each tournament what holds by ratings that are not shrunk, and by those that are."""
    strengths = [SPREADS[spread] / ELO_PER_NAT * (i / (bots - 1) - 0.5) for i in range(bots)]
    keys = {"rounds": bots.bit_length() + 1, "deals": 2} if form == "swiss" else {"deals": 5}
    if form == "ladder":
        keys["max_matches"] = MOST_BLOCKS * seats * bots
    most = MOST_BLOCKS * bots if form in ("ladder", "league") else None
    for seed in range(count):
        given = drawn.tournament(bots, [seats], seed=seed, form=form, **keys)
        plan, results, rng, named = schedule(given), [], Random(seed), dict(zip(given.names, strengths, strict=True))
        for block in islice(plan.blocks(), most):
            results.append((block, places(block, named, rng)))
            for seated, its in zip(block.seatings, results[-1][1], strict=True):
                plan.note(block.number, seated, its)
        batches = counts_of(given, results).batches()
        yield held(Ratings(batches, [Fraction(1)]), strengths), held(Posterior(batches, [Fraction(1)]), strengths)


def normal_means(bots: int, spread: float, runs: int) -> tuple[float, float]:
    """How often the intervals, and that of the first row, hold where results are normal, with an error of 1.

    This is the model of `tourney.standings.hierarchy`, without its approximations. `spread` is the standard deviation
    of evenly spaced strengths.
    """
    rng, holds, firsts = Random(f"{bots} {spread}"), 0, 0
    steps = [i - (bots - 1) / 2 for i in range(bots)]
    scale = spread / sqrt(fmean([step * step for step in steps]))
    taus = [exp(i / 20 - 4) for i in range(150)]
    for _ in range(runs):
        seen = [scale * step + rng.gauss() for step in steps]
        middle = fmean(seen)
        square = sum([(each - middle) ** 2 for each in seen])
        weights = [tau**2 * (1 + tau**2) ** ((1 - bots) / 2) * exp(-square / 2 / (1 + tau**2)) for tau in taus]
        kept = [tau**2 / (1 + tau**2) for tau in taus]
        whole = sum(weights)
        share = sum(map(mul, weights, kept)) / whole
        noise = sum([weight * (by - share) ** 2 for weight, by in zip(weights, kept, strict=True)]) / whole
        held = [
            abs(share * (each - middle) - scale * step)
            < 1.96 * sqrt(share * (1 - 1 / bots) + noise * (each - middle) ** 2)
            for step, each in zip(steps, seen, strict=True)
        ]
        holds, firsts = holds + sum(held), firsts + held[seen.index(max(seen))]
    return holds / runs / bots, firsts / runs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.intervals", description=__doc__)
    parser.add_argument("--runs", type=int, default=150, help="how many tournaments a row")
    parser.add_argument(
        "--normal", action="store_true", help="normal results, of bots as spread as their errors or not"
    )
    defaults = {"form": ("swiss", "ladder", "league"), "bots": (8, 16, 32), "spread": tuple(SPREADS), "seats": (2,)}
    for key, values in defaults.items():
        parser.add_argument(f"--{key}", type=type(values[0]), nargs="+", default=values)
    chosen = parser.parse_args()
    if chosen.normal:
        for bots, spread in product(chosen.bots, (0.0, 0.5, 1.0, 2.0)):
            shares = [f"{100 * each:.1f}" for each in normal_means(bots, spread, chosen.runs)]
            print("|", " | ".join(["normal", str(bots), f"{spread:g}", *shares]), "|", flush=True)
        return
    for cell in product(*[getattr(chosen, key) for key in defaults]):
        found, shown = list(zip(*runs(*cell, chosen.runs), strict=True)), [*cell]
        for its in found:
            shares = [100 * each.ratings for each in its]
            shown.append(f"{fmean(shares):.1f} ±{stdev(shares) / len(its) ** 0.5:.1f}")
            shown.append(f"{100 * fmean([each.first for each in its]):.0f}")
        its = found[1]
        shares = [[100 * each.places for each in its], [100 * each.spread for each in its]]
        shown += [f"{fmean(each):.1f} ±{stdev(each) / len(its) ** 0.5:.1f}" for each in shares]
        shown += [
            f"{fmean(lengths):.1f}" for lengths in zip(*[(each.length, each.by_pairs) for each in its], strict=True)
        ]
        old, new = [fmean([each.width for each in its]) for its in found]
        print("|", " | ".join(map(str, [*shown, f"{100 * (1 - new / old):.0f} %"])), "|", flush=True)


if __name__ == "__main__":
    main()
