"""How often the intervals of ratings hold the truth where results decide who meets whom.

`python -m tests.strength.intervals` prints the table of docs/ratings.md: real schedules are driven by simulated results
(Plackett-Luce). A match takes its luck from the deal and the bot, from the deal and the seat, or from nowhere; so
matches on one deal are alike in both ways.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

from tests.schedule import drawn
from tests.standings.simulate import counts_of, luck
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import schedule
from tourney.standings.hierarchy import Posterior
from tourney.standings.ratings import ELO_PER_NAT, MEAN, Ratings

FORMS = ("swiss", "ladder", "league")
SPREADS = {"equal": 0, "close": 100, "spread": 700}  # from the weakest to the strongest, in even steps, in Elo points
MOST_BLOCKS = 30  # the blocks for each bot after which a ladder or a league is ended that is not over


class Cell(NamedTuple):
    form: str
    bots: int
    spread: str
    seats: int = 2


class Held(NamedTuple):
    ratings: float  # the share of the intervals that hold
    first: bool  # whether that of the first row does
    width: float  # the mean width, in Elo points


def places(block: Block, strengths: dict[str, float], rng: Random) -> list[tuple[int, ...]]:
    """Draws the places of the matches of a block."""
    found = []
    for seats in block.seatings:
        shared = rng.choices(("bot", "seat", ""), (0.4, 0.3, 0.3))[0]
        keys = {"bot": seats, "seat": range(len(seats))}.get(shared)
        own = [luck(rng if keys is None else Random(f"{block.seed} {key}")) for key in keys or seats]
        found.append(places_by([strengths[name] + by for name, by in zip(seats, own, strict=True)]))
    return found


def held(ratings: Ratings | Posterior, strengths: list[float]) -> Held:
    rows = {bot: ratings.of(bot) for bot in ratings.bots}
    holds = {bot: row.low <= MEAN + ELO_PER_NAT * strengths[bot] <= row.high for bot, row in rows.items()}
    first = max(rows, key=lambda bot: rows[bot].elo)
    return Held(fmean(holds.values()), holds[first], fmean([row.high - row.low for row in rows.values()]))


def runs(cell: Cell, count: int) -> Iterator[tuple[Held, Held]]:
    """Yields for each tournament what holds by ratings that are not shrunk, and by those that are."""
    form, bots, spread, seats = cell
    strengths = [SPREADS[spread] / ELO_PER_NAT * (i / (bots - 1) - 0.5) for i in range(bots)]
    keys = {"rounds": bots.bit_length() + 1, "deals": 2} if form == "swiss" else {"deals": 5}
    if form == "ladder":
        keys["max_matches"] = MOST_BLOCKS * seats * bots
    for seed in range(count):
        given = drawn.tournament(bots, [seats], seed=seed, form=form, **keys)
        plan, results, rng = schedule(given), [], Random(seed)
        for block in islice(plan.blocks(), MOST_BLOCKS * bots):
            results.append((block, places(block, dict(zip(given.names, strengths, strict=True)), rng)))
            for seated, its in zip(block.seatings, results[-1][1], strict=True):
                plan.note(block.number, seated, its)
        batches = counts_of(given, results).batches()
        yield held(Ratings(batches, [Fraction(1)]), strengths), held(Posterior(batches, [Fraction(1)]), strengths)


def line(cell: Cell, count: int) -> str:
    """Returns a row of the table in docs/ratings.md."""
    old, new = zip(*runs(cell, count), strict=True)
    cells = [f"{cell.form} {cell.seats}", f"{cell.bots}", cell.spread]
    for its in (old, new):
        shares = [100 * each.ratings for each in its]
        cells.append(f"{fmean(shares):.1f} ±{stdev(shares) / count**0.5:.1f}")
        cells.append(f"{100 * fmean([each.first for each in its]):.0f}")
    narrower = 1 - fmean([each.width for each in new]) / fmean([each.width for each in old])
    return f"| {' | '.join(cells)} | {100 * narrower:.0f} % |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.intervals", description=__doc__)
    parser.add_argument("--runs", type=int, default=150, help="how many tournaments a cell")
    parser.add_argument("--form", choices=FORMS, nargs="+", default=FORMS)
    parser.add_argument("--bots", type=int, nargs="+", default=(8, 16, 32))
    parser.add_argument("--spread", choices=SPREADS, nargs="+", default=SPREADS)
    parser.add_argument("--seats", type=int, default=2)
    chosen = parser.parse_args()
    for form, bots, spread in product(chosen.form, chosen.bots, chosen.spread):
        print(line(Cell(form, bots, spread, chosen.seats), chosen.runs), flush=True)


if __name__ == "__main__":
    main()
