"""Hierarchical ratings: what they rest on, and what they say where results say little."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from tests.standings.simulate import counted, record, tournament
from tourney.standings import hierarchy, luce
from tourney.standings.hierarchy import Posterior, Tally
from tourney.standings.ratings import MEAN, Ratings

ONE = [Fraction(1)]


def field(bots: int = 8, seats: int = 2, blocks: int = 60, spread: float = 2.0) -> list[Counter]:
    """Returns the batches of simulated blocks between bots that get stronger by their numbers."""
    strengths = {f"bot-{i:02}": spread * i / (bots - 1) for i in range(bots)}
    return counted(tournament(strengths, seats, blocks, 1, 0.5)).batches()[0]


@pytest.mark.parametrize("seats", [2, 4])
def test_a_tally_takes_blocks_in_any_order(seats):
    batches, tally = field(seats=seats), Tally()
    for batch in Random(1).sample(batches, len(batches)):
        tally.add(Counter(dict(reversed(batch.items()))))
    one, other = Posterior([batches], ONE), Posterior([tally], ONE)
    assert [one.tau, *map(one.of, one.bots)] == [other.tau, *map(other.of, other.bots)]


def test_ratings_are_shrunk_and_their_intervals_narrower_but_less_the_more_was_played():
    shares = []
    for blocks in (30, 300):
        batches = field(blocks=blocks)
        (elo, low, high), plain = Posterior([batches], ONE).of(7), Ratings([batches], ONE).of(7)
        assert high - low < plain.high - plain.low
        shares.append((elo - MEAN) / (plain.elo - MEAN))
    assert 0.5 < shares[0] < 0.9 < shares[1] < 1


def test_a_small_field_is_thought_to_be_less_spread_and_schedules_keep_the_flat_prior():
    small, large = [[field(bots, blocks=40)] for bots in (4, 8)]
    assert Posterior(small, ONE).tau < 0.97 * Posterior(small, ONE, flat=True).tau
    assert Posterior(large, ONE).tau == Posterior(large, ONE, flat=True).tau


def test_a_bot_may_have_two_seats_of_a_table():
    tables = [("a", "a", "b"), ("b", "b", "a")] * 30
    records = [record(deal, seats, (1, 2, 3)) for deal, seats in enumerate(tables)]
    even = Posterior(counted(records).batches(), ONE)
    assert even.difference(0, 1).elo == pytest.approx(0, abs=1e-3)
    rows = luce.Information(luce.Pattern(2, [(0, 0), (0, 1)]), [4.0, 3.0], [-1.0, -0.5]).lower_rows()
    assert rows == [[2.0], [-0.5, 3.0]]
    assert luce.Information(luce.Pattern(2, [(0, 0), (0, 1)]), [4.0, 3.0], [-1.0, -0.5]).times([1, 0]) == [2.0, -0.5]


def test_a_bot_that_has_not_played_has_the_prior_and_an_anchor_keeps_differences():
    free, held = Posterior([field()], ONE), Posterior([field()], ONE, (3, 2000.0))
    assert (free.elo(8), free.difference_error(8, None)) == (MEAN, free.tau)
    assert free.difference_error(8, 0) == pytest.approx((free.tau**2 + free.difference_error(0, None) ** 2) ** 0.5)
    assert held.of(3) == (2000, 2000, 2000)
    assert [end - 2000 for end in held.of(5)] == pytest.approx(free.difference(5, 3))


def test_a_field_in_which_one_side_won_all_is_not_sure_how_far_it_is_apart():
    batches = counted([record(deal, "ab", (1, 2)) for deal in range(5) for _ in range(2)]).batches()
    assert 0.8 < Posterior(batches, ONE).above(0, 1) < 0.995
    assert 100 < Posterior(batches, ONE).difference(0, 1).elo < 1500
    assert Posterior([batches[0][:1]], ONE).above(0, 1) is None  # a single deal


def test_only_the_same_bot_is_surely_equal_where_every_block_came_out_even():
    even = counted([record(deal, "ab", places) for deal in range(9) for places in ((1, 2), (2, 1))]).batches()
    assert [Posterior(even, ONE, bot_ids=ids).difference(0, 1).high > 5 for ids in ("ab", "aa")] == [True, False]
    many = counted([record(deal, "ab", places) for deal in range(700) for places in ((1, 2), (2, 1))]).batches()
    assert Posterior(many, ONE, bot_ids="aa").difference(0, 1).high < 1


def test_a_rating_over_several_games_is_the_weighted_mean():
    games = [field(spread=1.0), field(spread=3.0)]
    one, two, both = [Posterior(its, [Fraction(1), Fraction(3)][: len(its)]) for its in (games[:1], games[1:], games)]
    assert both.elo(7) == pytest.approx((one.elo(7) + 3 * two.elo(7)) / 4)
    assert (two.tau > 2 * one.tau, 4 * both.tau) == (True, pytest.approx(one.tau + 3 * two.tau))
    assert both.difference_error(7, None) == pytest.approx(
        (one.difference_error(7, None) ** 2 + (3 * two.difference_error(7, None)) ** 2) ** 0.5 / 4
    )


def test_large_fields_get_nearly_the_same_ratings_and_errors(monkeypatch):
    exact = Posterior([field(30, blocks=900)], ONE)
    monkeypatch.setattr(hierarchy, "EXACT", 29)
    near = Posterior([field(30, blocks=900)], ONE)
    for bot in range(1, 30):
        assert near.elo(bot) == pytest.approx(exact.elo(bot), abs=5)
        assert near.difference_error(bot, None) == pytest.approx(exact.difference_error(bot, None), rel=0.05)
        assert near.difference_error(bot, 0) == pytest.approx(exact.difference_error(bot, 0), rel=0.05)
