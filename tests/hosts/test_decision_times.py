"""Times of decisions, counted in buckets."""

from random import Random
from statistics import mean, median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.hosts.clocks import Timekeeper
from tourney.hosts.timing import RISK, DecisionTimes, Pace, duration_text

TIMES = st.lists(st.integers(1, 10**13), min_size=1, max_size=50)


def counted(*parts: list[int]) -> DecisionTimes:
    found = DecisionTimes()
    for part in parts:
        found.count(part)
    return found


@given(TIMES)
def test_the_worst_is_exact_and_mean_and_median_are_to_about_two_percent(times):
    found = counted(times)
    assert found.decisions == len(times)
    assert found.mean_ns == pytest.approx(mean(times), rel=0.0222)
    assert found.worst_ns == max(times)
    assert found.quantile_ns(0.5) == pytest.approx(median_low(times), rel=0.0222)


@given(TIMES, TIMES)
def test_what_several_workers_have_counted_adds_up(some, others):
    both = counted(some)
    theirs = counted(others)
    both.add(theirs)
    assert both == counted(some + others) == counted(some, [], others)
    assert theirs == counted(others), "it stays as it was"


def paced(rng, blocks, slower=1.0, spread=0.1, pauses=0.0, slow=()):
    """How long two bots take; `slower` is a factor, `pauses` how likely either is held up in a block for a long time,
    and `slow` how likely the first takes a block how many times as long."""
    pace = Pace()
    for _ in range(blocks):
        base = 20_000 * rng.lognormvariate(0, 0.3)
        one, other = [base * rng.lognormvariate(0, spread) + 1e7 * (rng.random() < pauses) / rng.random() for _ in "ab"]
        factor = slow[1] if slow and rng.random() < slow[0] else slower
        pace.count([int(one * factor)], [int(other)])
    return pace


@pytest.mark.parametrize("blocks", [11, 60])
@pytest.mark.parametrize(("spread", "pauses"), [(0.02, 0), (0.5, 0), (2.0, 0), (0.1, 0.02), (0.3, 0.3)])
def test_of_two_bots_that_are_equally_quick_none_is_called_slower(blocks, spread, pauses):
    rng = Random(blocks)
    called = [paced(rng, blocks, spread=spread, pauses=pauses).slowdown is not None for _ in range(300)]
    assert sum(called) <= 300 * RISK


@pytest.mark.parametrize(("keys", "least"), [
    ({"slower": 1.5}, 1.3), ({"slower": 37, "spread": 0.5}, 20), ({"slower": 10, "pauses": 0.005}, 3),
    ({"slow": (0.5, 100)}, 5),
])  # fmt: skip
def test_a_bot_that_takes_longer_always_or_now_and_then_is_called_slower(keys, least):
    for seed in range(20):
        slowdown = paced(Random(seed), 56, **keys).slowdown
        assert slowdown is not None
        assert slowdown.factor > max(least, slowdown.sure)


def test_too_few_blocks_say_nothing():
    pace = paced(Random(1), 10, slower=1000)
    assert (pace.is_enough, pace.slowdown) == (False, None)
    pace.add(paced(Random(2), 10, slower=1000))
    assert pace.slowdown.factor > 500


def test_a_keeper_compares_two_entrants_block_by_block():
    keeper = Timekeeper(compared=("new", "old"))
    for number in range(12):
        keeper.choose(number, ["new", "old", "other"])
        for name, times in (("new", [30, 50]), ("old", [4]), ("other", [1000])):
            keeper.times_of(name).extend(times)
        if number in (3, 11):
            pace = keeper.take()[2]
    keeper.choose(12, ["old", "other"])
    keeper.times_of("old").append(4)
    assert (pace.blocks, pace.means[:2]) == (8, (320, 32))
    assert keeper.take()[2] == Pace(), "one alone is compared with nobody"


def test_a_duration_has_the_unit_that_suits_it():
    shown = [duration_text(each) for each in (0, 12_345, 999_900, 1e6, 999_900_000, 1e9, 61e9)]
    assert shown == ["0.0 us", "12.3 us", "999.9 us", "1.0 ms", "999.9 ms", "1.0 s", "61.0 s"]
