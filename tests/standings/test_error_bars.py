"""The error bars of ratings, points and the cross-table: what they count as one observation, and where they hold."""

from fractions import Fraction
from math import comb, inf, log
from random import Random

import pytest

from tests.standings.simulate import counted, record
from tourney.standings.crosstable import cross_table
from tourney.standings.ranking import points_intervals
from tourney.standings.ratings import ELO_PER_NAT, MEAN, Ratings

ONE = [Fraction(1)]


def ratings(records, weights=ONE):
    return Ratings(counted(records).batches(), weights)


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


@pytest.mark.parametrize("seats", [2, 3, 7])
@pytest.mark.parametrize("deals", [2, 9])
def test_where_every_block_comes_out_even_the_intervals_have_no_width(seats, deals):
    bots = "abcdefg"[:seats]
    turns = [bots[turn:] + bots[:turn] for turn in range(seats)]
    counts = counted([record(deal, seated, range(1, seats + 1)) for deal in range(deals) for seated in turns])
    found = Ratings(counts.batches(), ONE)
    for bot in found.bots:
        rating = found.of(bot)
        assert (rating.low, rating.elo, rating.high) == (MEAN, MEAN, MEAN)
        assert points_intervals(counts.batches(), ONE)[bot] == (0.5, 0.5)
        if bot:
            assert found.above(bot - 1, bot) == 0.5
            assert found.difference(bot - 1, bot) == (0, 0, 0)
    # who sits next to whom comes before the other in all matches but one; so cells are even with two seats alone
    if seats == 2:
        pair = cross_table(counts, ONE)["a", "b"]
        assert (pair.low, pair.percent, pair.high) == (50, 50, 50)


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


def test_a_large_field_is_fitted_to_the_maximum_and_its_error_bars_are_those_of_smaller_ones():
    """Of 300 bots each plays on 10 deals against others that are as strong: random pairs, as in no Swiss."""
    rng = Random(2)
    played = []
    bots = [f"bot-{number:03d}" for number in range(300)]
    for deal in range(10):
        rng.shuffle(bots)
        for bot, other in zip(bots[::2], bots[1::2], strict=True):
            played += [
                record(deal, seats, (1, 2) if rng.random() < 0.5 else (2, 1)) for seats in ((bot, other), (other, bot))
            ]
    found = ratings(played)
    rated = [found.of(bot) for bot in found.bots]
    assert 0.92 <= sum([each.low <= MEAN <= each.high for each in rated]) / len(rated) <= 0.98
    # the expected wins of each bot are those that it has, but for what the prior takes
    elo = {bot: each.elo for bot, each in zip(sorted(bots), rated, strict=True)}
    excess = dict.fromkeys(bots, 0.0)
    for each in played:
        one, other = each.seats
        surplus = (each.places == (1, 2)) - 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400))
        excess[one] += surplus
        excess[other] -= surplus
    assert max([abs(excess[bot] - (elo[bot] - MEAN) * ELO_PER_NAT / 1000**2) for bot in bots]) < 1e-6
