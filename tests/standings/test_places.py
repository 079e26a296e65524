"""The places that bots may truly have: against draws, in fields that are large, and what standings say of them."""

from fractions import Fraction
from math import isinf

import numpy as np
import pytest

from tests.standings.simulate import counted, record, tournament
from tourney.standings import places
from tourney.standings.hierarchy import Posterior
from tourney.standings.places import place_intervals
from tourney.standings.ratings import ELO_PER_NAT


def ratings(bots=8, blocks=60, spread=1.0):
    strengths = {f"bot-{i:02}": spread * i / (bots - 1) for i in range(bots)}
    return Posterior(counted(tournament(strengths, 2, blocks, 1, 0.5)).batches(), [Fraction(1)])


@pytest.mark.parametrize(
    ("bots", "blocks", "spread"),
    [(4, 20, 0.0), (8, 60, 1.0), (12, 400, 2.0), pytest.param(40, 800, 3.0, marks=pytest.mark.slow)],
)
def test_places_are_those_of_draws_from_the_ratings(bots, blocks, spread):
    found = ratings(bots, blocks, spread)
    halves = [(found.difference(bot, None).high - found.difference(bot, None).low) / 2 for bot in found.bots]
    centre, errors = [found.difference(bot, None).elo for bot in found.bots], np.array(halves) / 1.96
    drawn = np.random.default_rng(1).normal(centre, errors, (4000, bots))
    ranks = bots - drawn.argsort(axis=1).argsort(axis=1)
    ends = np.quantile(ranks, [0.025, 0.975], axis=0, method="inverted_cdf")
    for bot, low, high in zip(found.bots, *ends, strict=True):
        assert place_intervals(found, found.bots)[bot][:2] == pytest.approx((low, high), abs=2)
        assert place_intervals(found, found.bots)[bot].best == pytest.approx(np.mean(ranks[:, bot] == 1), abs=0.1)


def test_large_fields_get_nearly_the_same_places(monkeypatch):
    found = ratings(30, 500, 2.0)
    exact = place_intervals(found, found.bots)
    monkeypatch.setattr(places, "GROUPS", 15)
    for bound, number in (("MOST_EXACT", 5), ("MOST_PAIRS", 20)):
        monkeypatch.setattr(places, bound, number)
        near = place_intervals(found, found.bots)
        assert all(near[bot] == pytest.approx(exact[bot], abs=2) for bot in found.bots)


def test_the_bots_that_may_be_the_best_of_many_close_ones_hold_it_and_those_that_may_be_the_last_as_well():
    its = place_intervals(found := ratings(30, 300, 0.3), found.bots).values()
    for key, end in (("low", 1), ("high", 30)):
        chances = [(getattr(each, key) == end, each.best if end == 1 else each.last) for each in its]
        assert sum([chance for is_there, chance in chances if is_there]) / sum([each for _, each in chances]) >= 0.975
        assert not all([is_there for is_there, _ in chances])


def test_equal_bots_may_have_any_place_and_bots_that_always_win_have_their_own():
    pairs = [(one, other) for one in "abc" for other in "abc" if one != other]
    even = [record(deal, pair, (1, 2)) for deal in range(40) for pair in pairs]
    assert spans(even, [0, 1, 2]) == dict.fromkeys(range(3), (1, 3))
    sure = [record(deal, pair, (1, 2) if pair < pair[::-1] else (2, 1)) for deal in range(40) for pair in pairs]
    assert spans(sure, [0, 1, 2]) == {0: (1, 1), 1: (2, 2), 2: (3, 3)}
    assert spans(sure[:6], [0, 1, 2]) == {}  # a single deal
    assert spans(sure, [1, 2]) == {1: (1, 1), 2: (2, 2)}  # the first has left


def test_the_spread_of_a_field_is_0_for_equal_bots_and_unknown_after_a_single_deal():
    equal, apart = ratings(8, 200, 0.0).spread(), ratings(8, 200, 3.0).spread()
    assert equal.low == 0 < equal.elo < equal.high < 150
    assert 100 < apart.low < apart.elo < apart.high < 600
    assert isinf(ratings(4, 1, 0.0).spread().high)
    large = ratings(100, 3000, 2.0).spread()  # of the likeliest tau alone
    assert 80 < large.low < 2 / 12**0.5 * ELO_PER_NAT < large.high < 140


def spans(records, bots):
    return {bot: its[:2] for bot, its in place_intervals(rated(records), bots).items()}


def rated(records):
    return Posterior(counted(records).batches(), [Fraction(1)])
