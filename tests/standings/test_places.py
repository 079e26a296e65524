"""The places that bots may truly have: against draws, in fields that are large, and what standings say of them."""

from fractions import Fraction

import numpy as np
import pytest

from tests.standings.simulate import counted, record, tournament
from tourney.standings import places
from tourney.standings.hierarchy import Posterior
from tourney.standings.places import place_intervals


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
        assert place_intervals(found, found.bots)[bot] == pytest.approx((low, high), abs=2)


def test_large_fields_get_nearly_the_same_places(monkeypatch):
    found = ratings(30, 500, 2.0)
    exact = place_intervals(found, found.bots)
    monkeypatch.setattr(places, "MOST_PAIRS", 20)
    monkeypatch.setattr(places, "MOST_EXACT", 5)
    near = place_intervals(found, found.bots)
    assert all(near[bot] == pytest.approx(exact[bot], abs=2) for bot in found.bots)


def test_equal_bots_may_have_any_place_and_bots_that_always_win_have_their_own():
    pairs = [(one, other) for one in "abc" for other in "abc" if one != other]
    even = [record(deal, pair, (1, 2)) for deal in range(40) for pair in pairs]
    assert place_intervals(rated(even), [0, 1, 2]) == dict.fromkeys(range(3), (1, 3))
    sure = [record(deal, pair, (1, 2) if pair < pair[::-1] else (2, 1)) for deal in range(40) for pair in pairs]
    assert place_intervals(rated(sure), [0, 1, 2]) == {0: (1, 1), 1: (2, 2), 2: (3, 3)}
    assert place_intervals(rated(sure[:6]), [0, 1, 2]) == {}  # a single deal
    assert place_intervals(rated(sure), [1, 2]) == {1: (1, 1), 2: (2, 2)}  # the first has left


def rated(records):
    return Posterior(counted(records).batches(), [Fraction(1)])
