"""Simulates Swiss tournaments, and measures how near their standings come to the true order.

    python -m tests.schedule.swiss_orders ENTRANTS ROUNDS DEALS TOURNAMENTS

prints Spearman's rank correlation (1 is the true order) for the criteria that standings can be ranked by, as means over
the tournaments. Strengths are normal with a standard deviation of 200 Elo points, and matches have two seats.
"""

import sys
from random import Random
from statistics import correlation, fmean

from tests.schedule.drawn import record, tournament
from tests.standings.simulate import add
from tourney.schedule.base import schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.ranking import ranking

SD = 200
"""The standard deviation of the strengths, in Elo points."""


def correlations(entrants: int, rounds: int, deals: int, seed: int) -> dict[str, float]:
    """Plays one tournament, and returns the correlation of each way to rank it with the true order."""
    rng = Random(seed)
    played = tournament(entrants, [2], deals, seed, "swiss", rounds=rounds)
    strengths = {name: rng.gauss(0, SD) for name in played.names}
    plan, counts = schedule(played), OutcomeCounts(played.names, played.setups)
    for blocks in plan.rounds():
        for match in [match for block in blocks for match in block.matches()]:
            one, other = [strengths[name] for name in match.seats]
            first_wins = rng.random() < 1 / (1 + 10 ** ((other - one) / 400))
            result = record(match, (1, 2) if first_wins else (2, 1))
            plan.add(result)
            add(counts, result)
    truth = sorted(strengths, key=lambda name: -strengths[name])
    score, rating, buchholz, points = plan.ranks_by()
    criteria = {
        "score, Buchholz, points": (score, buchholz, points),
        "score, rating, Buchholz, points": (score, rating, buchholz, points),
        "rating": (rating,),
    }
    orders = {name: [row.bot for row in ranking(played, counts, by).rows] for name, by in criteria.items()}
    ranks = {name: [order.index(bot) for bot in truth] for name, order in orders.items()}
    return {name: correlation(range(entrants), its) for name, its in ranks.items()}


def main(entrants: int, rounds: int, deals: int, tournaments: int) -> None:
    """Prints the mean correlation of each way to rank."""
    found = [correlations(entrants, rounds, deals, seed) for seed in range(tournaments)]
    for name in found[0]:
        print(f"{name}: {fmean([each[name] for each in found]):.3f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
