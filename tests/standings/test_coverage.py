"""The error bars of the ratings hold over hundreds of simulated tournaments whose blocks are independent."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tests.standings.simulate import rate, tournament
from tourney.standings.ratings import ELO_PER_NAT

TOURNAMENTS = 200
REPEATED = 0.8
"""The share of the matches of a block that end alike."""


@dataclass
class Case:
    seats: int
    bots: int
    blocks: int

    @property
    def strengths(self) -> dict[str, float]:
        """Evenly spaced over 350 points, with the mean 0."""
        return {f"bot-{i}": 2 * i / (self.bots - 1) - 1 for i in range(self.bots)}

    def rows(self, seed):
        return rate(tournament(self.strengths, self.seats, self.blocks, seed, REPEATED))

    def distances(self, tournaments):
        """Returns how far the true ratings are from the estimates, in widths of the error bars."""
        return [
            abs(1500 + ELO_PER_NAT * self.strengths[row.bot] - row.rating) / (row.high - row.rating)
            for seed in range(tournaments)
            for row in self.rows(seed)
        ]


def share_within(width, distances):
    return sum([distance <= width for distance in distances]) / len(distances)


CASES = [Case(2, 6, 150), Case(4, 6, 60), Case(8, 8, 40)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_intervals_hold_the_truth_in_95_of_100_tournaments(case):
    assert 0.93 <= share_within(1, case.distances(TOURNAMENTS)) <= 0.97


@pytest.mark.slow
def test_a_bot_is_stronger_than_the_next_as_often_as_the_standings_say():
    case = Case(4, 6, 12)
    names = sorted(case.strengths)
    said = [
        (row.above_next, names.index(row.bot) > names.index(after.bot))
        for seed in range(TOURNAMENTS)
        for rows in [case.rows(seed)]
        for row, after in pairwise(rows)
    ]
    for low, high in ((0.5, 0.8), (0.8, 0.95), (0.95, 1.01)):
        found = [(share, true) for share, true in said if low <= share < high]
        assert len(found) > 50
        shares, truths = zip(*found, strict=True)
        assert abs(sum(truths) / len(found) - sum(shares) / len(found)) < 0.1


@pytest.mark.slow
def test_over_several_games_the_intervals_hold_the_weighted_mean_of_the_strengths():
    first, second = Case(4, 6, 60), Case(2, 6, 150)
    others = {bot: -strength for bot, strength in second.strengths.items()}
    held = []
    for seed in range(100):
        played = list(tournament(first.strengths, first.seats, first.blocks, seed, REPEATED))
        played += [
            replace(record, game="other")
            for record in tournament(others, second.seats, second.blocks, TOURNAMENTS + seed, REPEATED)
        ]
        for row in rate(played, weights=(1, 3)):
            true = 1500 + ELO_PER_NAT * (first.strengths[row.bot] + 3 * others[row.bot]) / 4
            held.append(row.low <= true <= row.high)
    assert 0.93 <= sum(held) / len(held) <= 0.98
