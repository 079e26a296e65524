"""How often the intervals of ratings hold the truth where results decide who meets whom.

`python -m tests.strength.intervals` prints the table of docs/ratings.md: real schedules are driven by simulated results
(Plackett-Luce). A match takes its luck from the deal and the bot, from the deal and the seat, or from nowhere; so
matches on one deal are alike in both ways.
"""

import argparse
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, product
from math import sqrt
from random import Random
from statistics import fmean
from typing import NamedTuple

from tests.schedule import drawn
from tests.standings.simulate import counts_of, luck
from tourney.config import Tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Block
from tourney.schedule.base import schedule
from tourney.standings.hierarchy import Posterior
from tourney.standings.ratings import ELO_PER_NAT, MEAN, Ratings

SPREADS = {"equal": 0, "close": 100, "spread": 700}
"""From the weakest to the strongest bot, in even steps, in Elo points."""
OF_BOT, OF_SEAT = 0.4, 0.3
"""In which share of the matches luck is that of the bot on the deal, or of the seat."""


MOST_BLOCKS = 30
"""After how many blocks for each bot a ladder or a league is ended that is not over."""


class Cell(NamedTuple):
    """What is simulated."""

    form: str
    bots: int
    spread: str
    seats: int = 2


class Held(NamedTuple):
    """Of one tournament: the share of the intervals that hold, whether that of the first row does, the mean width."""

    ratings: float
    first: bool
    width: float


def tournament(cell: Cell, seed: int) -> Tournament:
    """Returns a tournament without a game."""
    keys = {"rounds": cell.bots.bit_length() + 1, "deals": 2}
    if cell.form == "ladder":
        keys = {"max_matches": MOST_BLOCKS * cell.seats * cell.bots, "deals": 5}
    if cell.form == "league":
        keys = {"deals": 5}
    return drawn.tournament(cell.bots, [cell.seats], seed=seed, form=cell.form, **keys)


def truth(cell: Cell) -> list[float]:
    """Returns the strengths of the bots, as natural logarithms."""
    steps = [i / (cell.bots - 1) - 0.5 for i in range(cell.bots)]
    return [SPREADS[cell.spread] / ELO_PER_NAT * step for step in steps]


def played(given: Tournament, strengths: list[float], rng: Random) -> list[tuple[Block, list[tuple[int, ...]]]]:
    """Plays a tournament, and returns the places of its blocks."""
    strong, lucks = dict(zip(given.names, strengths, strict=True)), {}

    def its_luck(*key) -> float:
        return lucks.setdefault(key, luck(rng))

    def places(block: Block, seats: tuple[str, ...]) -> tuple[int, ...]:
        drawn_share = rng.random()
        if drawn_share < OF_BOT:
            own = [its_luck(block.seed, name) for name in seats]
        elif drawn_share < OF_BOT + OF_SEAT:
            own = [its_luck(block.seed, seat) for seat in range(len(seats))]
        else:
            own = [luck(rng) for _ in seats]
        return places_by([strong[name] + by for name, by in zip(seats, own, strict=True)])

    plan, found = schedule(given), []
    for block in islice(plan.blocks(), MOST_BLOCKS * len(strengths)):
        found.append((block, [places(block, seats) for seats in block.seatings]))
        for seats, its in zip(block.seatings, found[-1][1], strict=True):
            plan.note(block.number, seats, its)
    return found


def held(ratings: Ratings | Posterior, strengths: list[float]) -> Held:
    """Returns how many of the intervals hold."""
    middle = fmean(strengths)
    rows = {bot: ratings.of(bot) for bot in ratings.bots}
    holds = {bot: row.low <= MEAN + ELO_PER_NAT * (strengths[bot] - middle) <= row.high for bot, row in rows.items()}
    first = max(rows, key=lambda bot: rows[bot].elo)
    return Held(fmean(holds.values()), holds[first], fmean([row.high - row.low for row in rows.values()]))


def runs(cell: Cell, count: int) -> Iterator[tuple[Held, Held]]:
    """Yields for each tournament what holds by ratings without shrinkage, and with it."""
    for seed in range(count):
        given, strengths = tournament(cell, seed), truth(cell)
        batches = counts_of(given, played(given, strengths, Random(seed))).batches()
        one = [Fraction(1)]
        yield held(Ratings(batches, one), strengths), held(Posterior(batches, one), strengths)


def line(cell: Cell, count: int) -> str:
    """Returns a row of the table in docs/ratings.md."""
    pairs = list(runs(cell, count))
    shown = []
    for its in zip(*pairs, strict=True):
        shares = [each.ratings for each in its]
        mean = fmean(shares)
        error = sqrt(fmean([(share - mean) ** 2 for share in shares]) / (count - 1))
        shown += [f"{100 * mean:.1f} ±{100 * error:.1f}", f"{100 * fmean([each.first for each in its]):.0f}"]
    narrower = 1 - fmean([new.width for _, new in pairs]) / fmean([old.width for old, _ in pairs])
    title = f"{cell.form}, {cell.seats} seats" if cell.seats > 2 else cell.form
    return f"| {title} | {cell.bots} | {cell.spread} | {' | '.join(shown)} | {100 * narrower:.0f} |"


def main() -> None:
    """Prints the table, or a part of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.strength.intervals", description=__doc__)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--form", action="append")
    parser.add_argument("--bots", type=int, action="append")
    parser.add_argument("--spread", choices=SPREADS, action="append")
    parser.add_argument("--seats", type=int, default=2)
    chosen = parser.parse_args()
    for form, bots, spread in product(
        chosen.form or ("swiss", "ladder", "league"), chosen.bots or (8, 16, 32), chosen.spread or SPREADS
    ):
        print(line(Cell(form, bots, spread, chosen.seats), chosen.runs), flush=True)


if __name__ == "__main__":
    main()
