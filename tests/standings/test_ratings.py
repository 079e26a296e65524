"""Ratings of bots, the likelihood that they maximise, and the points of seats."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import exp, inf, isclose, isfinite, log, sqrt
from random import Random

import choix
import pytest

from tests.standings.simulate import counted, rate, record, tournament
from tourney.standings import counts as deal_batches
from tourney.standings import intervals, luce, ratings
from tourney.standings.counts import DealBatches
from tourney.standings.ranking import seat_points
from tourney.standings.ratings import ELO_PER_NAT, PRIOR_SD

FIVE = {"a": 0.9, "b": 0.4, "c": 0.0, "d": -0.3, "e": -1.0}


def only_ratings(records, **keys):
    return {row.bot: row.rating for row in rate(records, **keys)}


def likelihood(order, strengths):
    """Returns the log-likelihood of one order by the definition; ties are the mean over the orders that fit."""
    orders = [[]]
    for group in order:
        orders = [[*before, *after] for before in orders for after in permutations(group)]
    logs = [
        sum([strengths[bot] - log(sum([exp(strengths[other]) for other in each[i:]])) for i, bot in enumerate(each)])
        for each in orders
    ]
    return sum(logs) / len(logs)


@pytest.mark.parametrize(
    "order",
    [((0,), (1,)), ((0, 1),), ((2,), (0,), (1,)), ((1,), (0, 2)), ((0, 2), (1,), (3,)), ((3,), (0, 1, 2), (4, 5))],
)
def test_the_likelihood_of_a_match_is_that_of_the_definition(order):
    strengths = [0.3, -0.8, 1.1, 0.0, -0.2, 0.6]
    choices = luce.choices(order)
    value = sum([weight * strengths[bot] for bot, weight in choices.chosen]) - sum(
        [weight * log(sum([exp(strengths[bot]) for bot in members])) for members, weight in choices.sets]
    )
    assert isclose(value, likelihood(order, strengths), abs_tol=1e-12)


def test_the_gradient_is_that_of_the_likelihood():
    strengths = [0.3, -0.8, 1.1, 0.0]
    orders = Counter({((0,), (1, 2), (3,)): 3, ((3,), (0,)): 2})
    found, _ = luce.slopes(orders, [exp(t) for t in strengths])
    for bot in range(4):
        up, down = [[t + by * (i == bot) for i, t in enumerate(strengths)] for by in (1e-5, -1e-5)]
        rise = sum([count * (likelihood(order, up) - likelihood(order, down)) for order, count in orders.items()])
        assert isclose(found[bot], rise / 2e-5, abs_tol=1e-7)


LOPSIDED = [
    {((5,), (2,)): 4475, ((5,), (1,), (3,), (2,)): 1, ((3,), (4,), (0,), (5,)): 39},
    {((4,), (0,), (2,), (3,)): 1, ((5,), (1,), (4,), (3,)): 4, ((5,), (4,)): 1301, ((5,), (2,), (3,), (1,)): 30443},
    {((3,), (2,)): 10314, ((4,), (3,)): 19, ((3,), (0,), (5,)): 88390, ((4,), (5,), (2,)): 1, ((0,), (5,)): 19},
]


@pytest.mark.parametrize("orders", LOPSIDED)
def test_the_fit_reaches_the_maximum_where_newtons_steps_go_too_far(orders):
    strengths, _ = luce.fit(luce.combined([orders]), 6, 4.0)
    gradient, _ = luce.slopes(orders, [exp(t) for t in strengths])
    assert all([abs(up - t / 16) < 1e-6 for up, t in zip(gradient, strengths, strict=True)])


def test_three_wins_in_four_are_191_points():
    found = only_ratings([record(i, "ab", (2, 1) if i % 4 == 0 else (1, 2)) for i in range(4000)])
    assert isclose(found["a"] - found["b"], 400 * log(3) / log(10), abs_tol=0.1)
    assert isclose(found["a"] + found["b"], 3000)


def test_four_seats_agree_with_choix():
    played = list(tournament(FIVE, 4, 500, seed=2))
    names = sorted(FIVE)
    orders = [
        tuple([names.index(bot) for _, bot in sorted(zip(each.places, each.seats, strict=True))]) for each in played
    ]
    agree(only_ratings(played), choix.ilsr_rankings(5, orders, alpha=0, tol=1e-10))


def test_the_prior_is_that_of_choix():
    few = [record(i, "ab", (1, 2)) for i in range(5)] + [record(5, "bc", (1, 2)), record(6, "ca", (1, 2))]
    pairs = [(0, 1)] * 5 + [(1, 2), (2, 0)]
    found = choix.opt_pairwise(3, pairs, alpha=(ELO_PER_NAT / PRIOR_SD) ** 2 / 2, method="BFGS", tol=1e-9)
    agree(only_ratings(few), found)


def agree(found, strengths):
    mean = sum(strengths) / len(strengths)
    for bot, strength in zip(sorted(found), strengths, strict=True):
        assert abs(found[bot] - 1500 - ELO_PER_NAT * (strength - mean)) < 0.1


@pytest.mark.parametrize("seats", [2, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_known_strengths_are_recovered(seats):
    rows = rate(tournament(FIVE, seats, 6000 // seats, seed=3))
    assert [row.bot for row in rows] == list("abcde")
    for row in rows:
        true = 1500 + ELO_PER_NAT * FIVE[row.bot]
        assert abs(row.rating - true) < 15
        assert row.low < row.rating < row.high < row.low + 60
    assert all([row.above_next > 0.99 for row in rows[:-1]])
    assert rows[-1].above_next is None


@pytest.mark.parametrize("limit", [40, 1000])
def test_the_order_of_the_records_does_not_change_a_digit(limit, monkeypatch):
    monkeypatch.setattr(deal_batches, "MAX_BATCHES", limit)
    played = [*tournament(FIVE, 4, 100, seed=4, repeated=0.5), *tournament(FIVE, 2, 100, seed=5)]
    played += [record(300 + i, "abcde", (1, 1, 3, 3, 3)) for i in range(20)]
    rows = rate(played)
    shuffled = list(played)
    Random(1).shuffle(shuffled)
    assert rate(shuffled) == rows
    assert rate(reversed(played)) == rows


@pytest.mark.parametrize("step", [1, 4096])
def test_blocks_stay_whole_and_batches_stay_few_however_many_blocks_there_are(step):
    found = DealBatches(set, set.update)
    for block in range(0, 3 * deal_batches.MAX_BATCHES * step, step):
        for match in range(2):
            found.of(block).add((block, match))
    assert deal_batches.MAX_BATCHES / 4 < len(found) <= deal_batches.MAX_BATCHES
    assert sum(map(len, found)) == 6 * deal_batches.MAX_BATCHES
    assert all([{(block, 1 - match) for block, match in batch} == batch for batch in found])


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


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "expected"), [((1, 1), 0), ((3, 1), 400 * log(3) / log(10) / 2)])
def test_over_several_games_a_rating_is_the_weighted_mean(weights, expected):
    """One bot wins three in four in one game, and loses as many in the other, of which there are ten times as many."""
    won = [record(i, "ab", (2, 1) if i % 4 == 0 else (1, 2)) for i in range(400)]
    lost = [record(400 + i, "ab", (1, 2) if i % 4 == 0 else (2, 1), game="h") for i in range(4000)]
    found = {row.bot: row for row in rate([*won, *lost], weights=weights)}
    assert found["a"].rating - found["b"].rating == pytest.approx(expected, abs=0.2)
    # the error of a mean of independent numbers
    alone = [rate(played)[0] for played in (won, lost)]
    parts = [weight / sum(weights) * (row.high - row.low) for weight, row in zip(weights, alone, strict=True)]
    assert found["a"].high - found["a"].low == pytest.approx(sqrt(parts[0] ** 2 + parts[1] ** 2), rel=0.15)


def test_one_block_gives_a_rating_without_error_bars():
    first, second = rate([record(0, "ab", (1, 2)), record(0, "ba", (1, 2)), record(0, "ab", (1, 2))])
    assert first.rating > 1500 > second.rating
    assert (first.low, first.high, first.above_next) == (-inf, inf, None)
    _, held = rate([record(0, "ab", (1, 2))], anchor=("b", 1000))
    assert (held.rating, held.low, held.high) == (1000, 1000, 1000)


def test_an_unbeaten_bot_stays_finite_and_its_interval_is_wide():
    played = [record(i, "ab", (1, 2)) for i in range(30)] + [
        record(30 + i, "bc", (1 + i % 2, 2 - i % 2)) for i in range(30)
    ]
    rows = rate(played)
    assert rows[0].bot == "a"
    assert 1700 < rows[0].rating < 3000
    assert 200 < rows[0].high - rows[0].low < 3000
    assert rows[0].high - rows[0].rating == pytest.approx(rows[0].rating - rows[0].low, rel=0.15)


def test_groups_that_never_met_are_as_uncertain_as_the_prior():
    rows = rate([record(i, "ab" if i % 2 else "cd", (1, 2) if i % 6 < 3 else (2, 1)) for i in range(600)])
    assert all([isfinite(row.low) and isfinite(row.high) for row in rows])
    # half the distance of two groups of two: a quarter of the variance of a difference of two means
    assert all([row.high - row.low == pytest.approx(2 * 1.96 * PRIOR_SD / 2, rel=0.15) for row in rows])


def points_of_seats(records):
    return seat_points(counted(records))


def test_seats_of_a_fair_game_have_equal_points_and_the_first_of_an_unfair_one_has_more():
    rng = Random(8)
    played = []
    for block in range(400):
        for turn in range(3):
            order = rng.sample(range(1, 4), 3)
            played.append(record(block, "abc"[turn:] + "abc"[:turn], order, game="fair"))
            played.append(record(1000 + block, "ab", (1, 2) if rng.random() < 0.7 else (2, 1), game="unfair"))
    rows = points_of_seats(played)
    assert [(row.game, row.seats, row.seat, row.matches) for row in rows] == [
        *[("fair", 3, seat, 1200) for seat in range(3)],
        *[("unfair", 2, seat, 1200) for seat in range(2)],
    ]
    assert all([row.low < 50 < row.high < row.low + 6 for row in rows[:3]])
    assert rows[3].low < 70 < rows[3].high
    assert rows[3].points + rows[4].points == pytest.approx(100)


def test_intervals_of_seats_depend_on_blocks_and_not_on_matches():
    once, again = [
        points_of_seats(
            [record(block, "ab", (1, 2) if block % 3 else (2, 1)) for block in range(100) for _ in range(times)]
        )[0]
        for times in (1, 9)
    ]
    assert once.high - once.low == pytest.approx(again.high - again.low)
    assert once.high - once.low == pytest.approx(2 * 1.984 * 100 * sqrt(0.66 * 0.34 / 99), rel=0.001)


def test_a_game_of_one_block_has_no_error_bars_whatever_else_was_played():
    rare = points_of_seats(
        [record(block, "ab", (1, 2), game="rare" if block == 7 else "usual") for block in range(20)]
    )[0]
    assert (rare.points, rare.low, rare.high) == (100, -inf, inf)


def test_students_t_is_that_of_the_tables():
    # 97.5 % points of Student's t from the usual tables
    for freedom, point in ((1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (30, 2.042), (120, 1.980)):
        assert intervals.quantile_975(freedom) == pytest.approx(point, abs=5e-4)
        assert intervals.cdf(point, freedom) == pytest.approx(0.975, abs=1e-4)
        assert intervals.cdf(-point, freedom) == pytest.approx(0.025, abs=1e-4)
    assert intervals.quantile_975(0) == inf
