"""The error bars hold: over hundreds of simulated tournaments, and in real ones (a small `make coverage-bars`)."""

from statistics import fmean

import pytest

from tests.standings.coverage import Field, Row, measured
from tests.standings.simulate import rate, tournament
from tourney.standings.ratings import ELO_PER_NAT, MEAN

TOURNAMENTS = 200
REPEATED = 0.8  # the share of the matches of a block that end alike


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "bots", "blocks"), [(2, 6, 150), (4, 6, 60), (8, 8, 40)])
def test_the_intervals_hold_the_truth_in_95_of_100_tournaments(seats, bots, blocks):
    """Their strengths are evenly spaced over 350 points, with the mean 0."""
    true = {f"bot-{i}": 2 * i / (bots - 1) - 1 for i in range(bots)}
    rows = [row for seed in range(TOURNAMENTS) for row in rate(tournament(true, seats, blocks, seed, REPEATED))]
    assert 0.93 <= fmean([row.low <= MEAN + ELO_PER_NAT * true[row.bot] <= row.high for row in rows]) <= 0.97


SMALL = Field("leon", 4, 6, 15, "hash", "max_cards = 1")


@pytest.mark.slow
def test_the_error_bars_hold_the_truth_in_small_real_tournaments():
    """This fails if a deal's blocks are taken to be independent, or the normal distribution for Student's t."""
    played = SMALL.play(0, 180)
    found = [SMALL.standings(played, 0, 3, first) for first in range(0, 180, 3)]
    row = measured(SMALL, 3, found, SMALL.standings(played, 0, 180))
    for share in row.held:
        assert share.runs == 60
        assert 0.92 <= share.mean <= 0.98
    assert row.falsely_above.mean < 0.035
    assert row.empty == 0
    assert row.as_promised
    assert row.line().startswith("| leon 4, max_cards 1 | 6 | hash | 3 | 9")
    assert not Row(*row[:4], empty=1).as_promised
