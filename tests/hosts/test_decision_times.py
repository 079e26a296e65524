"""Times of decisions, counted in buckets."""

from fractions import Fraction
from statistics import median_low

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.hosts.decision_times import DecisionTimes, Durations, MeasuredTimes, duration_text

TIMES = st.lists(st.integers(1, 10**13), min_size=1, max_size=50)


def counted(*parts: list[int]) -> Durations:
    found = Durations()
    for part in parts:
        found.count(part)
    return found


@given(TIMES)
def test_the_mean_and_the_worst_are_exact_and_the_median_is_to_two_percent(times):
    found = counted(times)
    assert found.decisions == len(times)
    assert Fraction(found.total_ns, found.decisions) == Fraction(sum(times), len(times))
    assert found.mean_ns == pytest.approx(sum(times) / len(times))
    assert found.worst_ns == max(times)
    assert found.median_ns == pytest.approx(median_low(times), rel=0.0222)


@given(TIMES, TIMES)
def test_what_several_workers_have_counted_adds_up(some, others):
    both = counted(some)
    theirs = counted(others)
    both.add(theirs)
    assert both == counted(some + others) == counted(some, [], others)
    assert theirs == counted(others), "it stays as it was"


@given(TIMES)
def test_what_is_counted_is_the_same_once_it_was_written_and_read(times):
    found = DecisionTimes(counted(times), counted(times[:1]))
    assert msgspec.json.decode(msgspec.json.encode(found), type=DecisionTimes) == found


def test_a_time_that_the_clock_cannot_tell_from_none_or_has_lost_counts():
    noted = MeasuredTimes([], [])
    noted.note(0.0, None)
    noted.note(1.5, 0.0)
    noted.note(1.0, -0.25)
    taken = noted.take()
    assert (taken.clock.decisions, taken.clock.worst_ns) == (3, 1_500_000_000)
    assert (taken.processor.decisions, taken.processor.worst_ns) == (2, 1)
    assert noted.take() == DecisionTimes(), "they are taken once"


@pytest.mark.parametrize(
    ("nanoseconds", "text"),
    [(1, "0.0 us"), (12_340, "12.3 us"), (1_000_000, "1.0 ms"), (999_900_000, "999.9 ms"), (61e9, "61.0 s")],
)
def test_a_time_is_told_in_the_unit_that_suits_it(nanoseconds, text):
    assert duration_text(nanoseconds) == text
