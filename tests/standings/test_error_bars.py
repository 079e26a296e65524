"""The error bars of ratings, points and the cross-table: what they count as one observation, and where they hold."""

from fractions import Fraction
from itertools import product
from math import comb, inf, log
from random import Random

import pytest

from tests.standings.simulate import add, counted, record
from tourney.standings.counts import OutcomeCounts, merged
from tourney.standings.crosstable import cross_table
from tourney.standings.ranking import points_intervals
from tourney.standings.ratings import ELO_PER_NAT, MEAN, Ratings

ONE = [Fraction(1)]


@pytest.mark.parametrize(("deals", "chance"), [(10, 0.9), (20, 0.95), (20, 0.75), (100, 0.99), (100, 0.98)])
def test_the_error_bars_of_bots_that_hardly_lose_hold(deals, chance):
    """Without half a block of upsets they would hold in 62 of 100 cases, for 99 wins of 100."""
    rating = points = cell = 0.0
    for won in range(deals + 1):
        likely = comb(deals, won) * chance**won * (1 - chance) ** (deals - won)
        if likely < 1e-5:
            continue
        counts = counted([record(deal, "ab", (1, 2) if deal < won else (2, 1)) for deal in range(deals)])
        _, low, high = Ratings(counts.batches(), ONE).difference(0, 1)
        rating += likely * (low <= ELO_PER_NAT * log(chance / (1 - chance)) <= high)
        low, high = points_intervals(counts.batches(), ONE)[0]
        points += likely * (low <= chance <= high)
        pair = cross_table(counts, ONE)["a", "b"]
        cell += likely * (pair.low <= 100 * chance <= pair.high)
    assert rating > 0.93
    assert points == pytest.approx(cell)
    assert points > 0.93


@pytest.mark.parametrize("deals", [5, 10, 20])
def test_the_error_bars_of_bots_that_seldom_differ_hold(deals):
    """In 7 of 100 blocks they differ, and three in four of those are won wholly, the others lost."""
    held = [0.0, 0.0, 0.0]
    for won, lost in product(range(6), range(4)):
        even = deals - won - lost
        likely = comb(deals, won) * comb(deals - won, lost) * 0.93**even * 0.0525**won * 0.0175**lost
        places = [*[((1, 2), (2, 1))] * even, *[((1, 2), (1, 2))] * won, *[((2, 1), (2, 1))] * lost]
        counts = counted([record(deal, "ab", place) for deal, block in enumerate(places) for place in block])
        _, *rating = Ratings(counts.batches(), ONE).difference(0, 1)
        pair = cross_table(counts, ONE)["a", "b"]
        ends = rating, points_intervals(counts.batches(), ONE)[0], (pair.low, pair.high)
        true = ELO_PER_NAT * log(0.5175 / 0.4825), 0.5175, 51.75
        for i, (low, high) in enumerate(ends):
            held[i] += likely * (low <= true[i] <= high)
    assert min(held) > 0.93


@pytest.mark.parametrize("seats", [2, 3, 7])
@pytest.mark.parametrize("deals", [2, 9])
def test_where_every_block_comes_out_even_the_intervals_of_the_same_bot_have_no_width_and_those_of_others_have(
    seats, deals
):
    bots = "abcdefg"[:seats]
    turns = [bots[turn:] + bots[:turn] for turn in range(seats)]
    counts = counted([record(deal, seated, range(1, seats + 1)) for deal in range(deals) for seated in turns])
    same = "x" * seats
    found, others = Ratings(counts.batches(), ONE, bot_ids=same), Ratings(counts.batches(), ONE)
    for bot in found.bots:
        rating = found.of(bot)
        assert (rating.low, rating.elo, rating.high) == (MEAN, MEAN, MEAN)
        assert others.of(bot).low < MEAN < others.of(bot).high
        assert points_intervals(counts.batches(), ONE, same)[bot] == (0.5, 0.5)
        low, high = points_intervals(counts.batches(), ONE)[bot]
        assert low < 0.5 < high
        if bot:
            assert found.above(bot - 1, bot) == others.above(bot - 1, bot) == 0.5
            assert found.difference(bot - 1, bot) == (0, 0, 0)
            assert others.difference(bot - 1, bot).low < 0
    # who sits next to whom comes before the other in all matches but one; so cells are even with two seats alone
    if seats == 2:
        pair, other = cross_table(counts, ONE, same)["a", "b"], cross_table(counts, ONE)["a", "b"]
        assert (pair.low, pair.percent, pair.high) == (50, 50, 50)
        assert other.low < 50 < other.high


def test_a_single_deal_leaves_every_interval_unknown():
    counts = counted([record(0, "ab", (1, 2)), record(0, "ba", (1, 2)), record(0, "ab", (1, 2))])
    found, held = Ratings(counts.batches(), ONE), Ratings(counts.batches(), ONE, (1, 1000.0))
    assert found.above(0, 1) is None
    assert found.evidence(0, 1).freedom == 0
    assert found.of(0).elo > MEAN > found.of(1).elo
    assert found.of(0)[1:] == held.of(0)[1:] == (-inf, inf)
    assert held.of(1) == (1000, 1000, 1000)
    assert points_intervals(counts.batches(), ONE)[0] is None
    pair = cross_table(counts, ONE)["a", "b"]
    assert (pair.low, pair.high) == (None, None)


def test_counts_are_the_same_in_any_order_and_in_however_few_batches():
    rng, pairs, results = Random(1), ("ab", "bc", "ca"), ((1, 2), (2, 1), (1, 1))
    played = [record(deal, pair, rng.choice(results)) for deal in range(400) for pair in pairs]
    whole = merged(counted(played).batches()[0])
    for most in (1, 3, 400):
        found = OutcomeCounts("abc", [played[0].setup], most)
        for each in rng.sample(played, len(played)):
            add(found, each)
        assert (merged(found.batches()[0]), sum(found.shares().values())) == (whole, pytest.approx(1.5))
        assert most / 3 < len(found.batches()[0]) <= most
