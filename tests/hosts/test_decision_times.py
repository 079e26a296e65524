"""Times of decisions, counted in buckets."""

from statistics import mean, median_low

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.hosts.clocks import TIMED_BLOCKS, Timekeeper
from tourney.hosts.timing import DecisionTimes, duration_text, timed

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


def test_a_time_that_the_clock_cannot_tell_from_none_counts():
    assert counted([0, 1_500_000_000]).decisions == 2


def test_a_bot_that_raises_is_timed_as_well():
    times_ns: list[int] = []

    def raises(_view: object, _legal: object) -> int:
        raise KeyError

    with pytest.raises(KeyError):
        timed(raises, times_ns)(None, [])
    assert [0 <= each < 60_000_000_000 for each in times_ns] == [True]


def test_the_first_block_of_each_entrant_is_timed_and_a_sample_of_the_others():
    keeper = Timekeeper()
    chosen = []
    for number, names in enumerate([["a", "b"], ["a", "b"], ["c", "b"], *[["a", "c"]] * (2 * TIMED_BLOCKS)]):
        keeper.choose(number, names)
        if keeper.times_all:
            chosen.append(number)
    assert chosen == [0, 2, TIMED_BLOCKS, 2 * TIMED_BLOCKS]


def test_a_keeper_hands_out_what_it_has_noted_once():
    keeper = Timekeeper()
    keeper.times_of("a").append(7)
    keeper.times_of("quiet")
    keeper.late_timeouts += 1
    assert keeper.take()[:2] == (1, {"a": counted([7])})
    assert keeper.take()[:2] == (0, {})


def test_a_duration_has_the_unit_that_suits_it():
    shown = [duration_text(each) for each in (0, 12_345, 999_900, 1e6, 999_900_000, 1e9, 61e9)]
    assert shown == ["0.0 us", "12.3 us", "999.9 us", "1.0 ms", "999.9 ms", "1.0 s", "61.0 s"]
