"""Ratings of bots, the likelihood that they maximise, and the points of seats."""

from fractions import Fraction
from math import exp, inf

import pytest
from scipy.stats import t as student

from tests.standings.simulate import counted, rate, record, tournament
from tourney.standings import intervals, luce, ratings
from tourney.standings.ranking import seat_points

FIVE = {"a": 0.9, "b": 0.4, "c": 0.0, "d": -0.3, "e": -1.0}
LOPSIDED = [
    {((5,), (2,)): 4475, ((5,), (1,), (3,), (2,)): 1, ((3,), (4,), (0,), (5,)): 39},
    {((4,), (0,), (2,), (3,)): 1, ((5,), (1,), (4,), (3,)): 4, ((5,), (4,)): 1301, ((5,), (2,), (3,), (1,)): 30443},
    {((3,), (2,)): 10314, ((4,), (3,)): 19, ((3,), (0,), (5,)): 88390, ((4,), (5,), (2,)): 1, ((0,), (5,)): 19},
]


@pytest.mark.parametrize("orders", LOPSIDED)
def test_the_fit_reaches_the_maximum_where_newtons_steps_go_too_far(orders):
    strengths, _ = luce.Posterior(luce.combined([orders]), 6).fit(4.0, [0.0] * 6)
    gradient, _ = luce.slopes(orders, [exp(t) for t in strengths])
    assert all([abs(up - t / 16) < 1e-6 for up, t in zip(gradient, strengths, strict=True)])


def test_the_anchor_holds_still_and_the_others_keep_their_distances():
    played = list(tournament(FIVE, 2, 200, seed=7))
    free = {row.bot: row for row in rate(played)}
    held = {row.bot: row for row in rate(played, anchor=("c", 1000))}
    assert (held["c"].rating, held["c"].low, held["c"].high) == (1000, 1000, 1000)
    for bot in "abde":
        assert held[bot].rating - 1000 == pytest.approx(free[bot].rating - free["c"].rating, abs=1e-9)
        # a difference of two is less sure than one of them and the mean of all
        assert held[bot].high - held[bot].low > free[bot].high - free[bot].low
    assert [row.above_next for row in held.values()] == [row.above_next for row in free.values()]


def test_an_anchor_that_has_not_played_has_no_effect():
    played = list(tournament(FIVE, 2, 50, seed=8))
    counts = counted([*played, record(60, "az", (1, 2), game="other")], "g")
    found = ratings.Ratings(counts.batches(), [Fraction(1)], (counts.names.index("z"), 1000.0))
    assert found.anchor is None
    assert [found.of(bot).elo for bot in found.bots] == [
        row.rating for row in sorted(rate(played), key=lambda r: r.bot)
    ]


def test_a_game_of_one_block_has_no_error_bars_whatever_else_was_played():
    played = [record(block, "ab", (1, 2), game="rare" if block == 7 else "usual") for block in range(20)]
    rare = seat_points(counted(played))[0]
    assert (rare.points, rare.low, rare.high) == (100, -inf, inf)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 30, 127])
def test_students_t_is_that_of_scipy(freedom):
    assert intervals.quantile_975(freedom) == pytest.approx(student.ppf(0.975, freedom), abs=2e-6)
    for t in (-3.0, -0.2, 0.0, 1.5):
        assert intervals.cdf(t, freedom) == pytest.approx(student.cdf(t, freedom), abs=1e-12)
    assert intervals.quantile_975(0) == inf
