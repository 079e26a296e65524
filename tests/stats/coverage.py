"""Measures on real play how often the standings' error bars hold the truth.

`python -m tests.stats.coverage GAME SEATS [BOT] [--entrants N] [--deals N] [--tournaments N]` plays tournaments between
entrants that are the same bot under different names, each tournament on other deals. So the true rating of each is the
mean, and none is truly above another.
"""

import argparse
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from tests.stats.simulate import add
from tourney import config
from tourney.config import Tournament
from tourney.plugins import load_game
from tourney.schedule.base import schedule
from tourney.stats.outcome_counts import OutcomeCounts
from tourney.stats.ranking import TIEBREAKS, Ranking, ranking
from tourney.stats.ratings import MEAN
from tourney.stats.seat_bias import SeatPoints, seat_points
from tourney.table import play

SURE = 0.95
"""A bot is said to be above the next from this share of the resamples on."""


class Standings(NamedTuple):
    """The standings of one tournament."""

    ranking: Ranking
    seats: list[SeatPoints]


def standings(tournament: Tournament) -> Standings:
    """Plays a tournament in this process, and returns its standings."""
    makers = config.create_hosts(tournament)
    counts = OutcomeCounts(tournament.names, tournament.setups)
    for block in schedule(tournament).blocks():
        rules = load_game(block.setup.game)
        for match in block.matches():
            add(counts, play(match, rules, [makers[name] for name in match.seats]))
    return Standings(ranking(tournament, counts, TIEBREAKS["rating"]), seat_points(counts))


def text(game: str, seats: int, bot: str, entrants: int, deals: int, seed: int) -> str:
    """Returns a tournament file of entrants that are the same bot."""
    bots = ", ".join([f'{{ name = "{bot}-{number}", use = "{bot}" }}' for number in range(entrants)])
    return (
        f'name = "coverage"\nseed = {seed}\ndeals = {deals}\nbot = [{bots}]\n'
        f'[[game]]\nname = "{game}"\nseats = {seats}\n'
    )


def shares(found: list[Standings]) -> dict[str, float]:
    """Returns the shares, from 0 to 1, of what the error bars promise and of what they keep."""
    rows = [row for each in found for row in each.ranking.rows]
    ratings = [row.rating_low is None or row.rating_low <= MEAN <= (row.rating_high or 0) for row in rows]
    above = [(row.above_next or 0) >= SURE for each in found for row, _ in pairwise(each.ranking.rows)]
    true_points = [
        fmean(points) for points in zip(*[[seat.points for seat in each.seats] for each in found], strict=True)
    ]
    seats = [
        seat.low <= points <= seat.high for each in found for seat, points in zip(each.seats, true_points, strict=True)
    ]
    return {
        "95 % intervals of ratings that hold the true rating": fmean(ratings),
        f">next of at least {100 * SURE:.0f} % between equals": fmean(above),
        "95 % intervals of seats that hold their mean over all tournaments": fmean(seats),
    }


def main() -> None:
    """Plays the tournaments, and prints the shares in percent."""
    parser = argparse.ArgumentParser(prog="python -m tests.stats.coverage", description=__doc__)
    parser.add_argument("game")
    parser.add_argument("seats", type=int)
    parser.add_argument("bot", nargs="?", default="random")
    parser.add_argument("--entrants", type=int, default=0, help="default: two more than seats")
    parser.add_argument("--deals", type=int, default=20)
    parser.add_argument("--tournaments", type=int, default=50)
    given = parser.parse_args()
    entrants = given.entrants or given.seats + 2
    found = [
        standings(config.parse(text(given.game, given.seats, given.bot, entrants, given.deals, seed), Path("coverage")))
        for seed in range(given.tournaments)
    ]
    for name, share in shares(found).items():
        print(f"{100 * share:5.1f} %  {name}")


if __name__ == "__main__":
    main()
