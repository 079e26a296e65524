"""The clocks of a match: whose time is up, and when, for times that are given."""

import time
from collections.abc import Sequence
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.base.errors import ConfigError
from tourney.hosts.clocks import MatchTime, SeatClock, Timekeeper
from tourney.hosts.faults import ChargedError
from tourney.hosts.limits import MOST_S, Limits, TimeControl

TICK = 1 / 64  # times are whole numbers of these, so that sums of floats are exact
CALLS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 90)), max_size=60)
"""Who is asked, by turns, and for how many ticks."""
SEATS = st.lists(st.sampled_from([64, 64, 64, 20, 100, 150]), min_size=1, max_size=5)
"""The `match_s` of each seat, in ticks."""
MOVE, BANK, MATCH = "took longer than move_ms", "its clock ran out", "its match took too long"
CPU = "took longer than 10 times its processor time"


def clocks_of(*limits: Limits) -> list[SeatClock]:
    return MatchTime(limits, Timekeeper()).clocks


def shared(ticks: Sequence[int]) -> list[SeatClock]:
    return clocks_of(*[Limits(match_s=each * TICK) for each in ticks])


def ask(clock: SeatClock, took_s: float, processor_s: float = 0.0, decides: bool = True) -> bool:
    """Asks the seat for that long; returns whether it may not be asked any more, or was asked for too long."""
    try:
        clock.begin(clock.limits.move_ms, "move_ms", decides)
    except ChargedError:
        return True
    up = took_s >= clock.bound_s(clock.limits.move_ms, decides)
    clock.finish(took_s, processor_s)
    return up


@given(st.integers(1, 8), CALLS)
def test_nobody_is_out_before_it_has_used_its_share_and_more_than_the_others(seats, calls):
    clocks = shared([64] * seats)
    for turn, ticks in calls:
        clock = clocks[turn % seats]
        counted = [each for each in clocks if not each.overdrawn]
        if clock.overdrawn:
            continue
        ask(clock, min(ticks * TICK, clock.bound_s(None, True)))  # a host does not let it think for longer
        out = [each for each in counted if each.overdrawn]
        stays = [each for each in counted if not each.overdrawn]
        others = [each.used_s for each in stays if each is not clock]  # it may have gone on afterwards
        assert min([each.used_s for each in out], default=inf) >= max([1 / len(counted), *others])
        assert sum([each.used_s for each in stays]) < 1


@given(SEATS, CALLS, st.sampled_from([{"move_ms": 9000}, {"clock": "9s"}, {"cpu_ms": 9000}, {"cpu": "9s"}]))
def test_seats_with_a_limit_of_their_own_change_nothing_for_the_others(most, calls, own):
    alone, among = shared(most), clocks_of(*[Limits(match_s=each * TICK) for each in most], Limits(match_s=1, **own))
    for turn, ticks in calls:
        seat = turn % (len(most) + 1)
        ask(among[seat], ticks * TICK)
        if seat < len(most):
            ask(alone[seat], ticks * TICK)
        assert [each.bound_s(None, True) for each in alone] == [each.bound_s(None, True) for each in among[:-1]]
        assert [each.overdrawn for each in alone] == [each.overdrawn for each in among[:-1]]
    assert not among[-1].overdrawn


def test_a_worker_announces_how_long_it_may_be_silent_beyond_what_it_may_be_anyway():
    announced = []
    keeper = Timekeeper(announced.append, silent_s=600)
    (clock,) = MatchTime([Limits(match_s=9000)], keeper).clocks
    clock.expect(300)
    keeper.note_sent()
    for _ in range(2):  # what is announced already is not announced again
        clock.expect(300)
        clock.expect(1200)
        clock.begin_alone(1800, "took too long to be loaded")
        clock.begin(None, "move_ms", decides=True)
    assert [int(found) // least for least, found in zip((600, 1200, 1800, 9000), announced, strict=True)] == [1] * 4


def test_what_is_on_a_clock_of_its_own_is_no_time_of_the_match():
    first, second = shared([64, 64])
    assert first.begin_alone(600, "took too long to be loaded") > time.monotonic() + 300
    assert first.timeout().detail == "took too long to be loaded"
    first.begin(None, "start_ms", decides=False)
    first.finish(0.0)
    assert [each.bound_s(None, True) for each in (first, second)] == [1, 1]


def test_a_seat_is_not_charged_as_another_used_its_time_up_while_it_was_asked():
    first, second, third = shared([64] * 3)
    ask(first, 40 * TICK)
    assert second.bound_s(None, True) == 40 * TICK, "until it has used as much as the other"
    ask(second, 34 * TICK)
    assert (first.overdrawn, second.overdrawn) == (True, False)
    assert second.bound_s(None, True) == 30 * TICK
    ask(third, 30 * TICK)
    assert second.overdrawn


def test_of_two_that_have_used_as_much_the_one_that_is_asked_is_out():
    first, second = shared([64, 64])
    ask(first, 32 * TICK)
    ask(second, 32 * TICK)
    assert (first.overdrawn, second.overdrawn) == (False, True)


def test_a_seat_whose_bot_is_out_is_counted_no_more():
    first, second = shared([64, 64])
    ask(first, 30 * TICK)
    first.leave()
    assert second.bound_s(None, True) == 64 * TICK


def test_a_seat_whose_time_is_up_has_time_to_hear_the_outcome():
    first, second = shared([64, 64])
    ask(first, 60 * TICK)
    ask(second, 4 * TICK)
    assert first.overdrawn
    assert first.bound_s(None, decides=False) == 1
    first.begin(None, "move_ms", decides=False)
    with pytest.raises(ChargedError, match="its match took too long"):
        first.begin(None, "move_ms", decides=True)


@given(
    st.integers(1, 200), st.integers(0, 20), st.lists(st.tuples(st.integers(0, 150), st.booleans()), max_size=30),
    st.booleans(),
)  # fmt: skip
def test_a_bank_is_used_up_by_decisions_alone_and_each_adds_its_increment(bank, increment, calls, by_processor):
    key = "cpu" if by_processor else "clock"
    clock, other = clocks_of(*[Limits(**{key: f"{bank * 125}ms+{increment * 125}ms"})] * 2)
    left = float(bank)
    for took, decides in calls:
        seconds = took / 8
        begun_with = left / 8
        if by_processor:
            clock.begin(None, "move_ms", decides)
            assert not decides or clock.processor_left_s == begun_with
            clock.finish(0.0, seconds)
        else:
            assert not decides or clock.bound_s(None, True) == begun_with
            clock.begin(None, "move_ms", decides)
            clock.finish(seconds)
        left = max(0.0, left - took) + increment if decides else left
        assert clock.left_s() == left / 8 >= 0
        reading = clock.reading()
        assert (reading.left_s, reading.increment_s) == (left / 8, increment / 8)
        assert reading.is_processor_time == by_processor
        assert clock.bound_s(None, decides=False) == clock.limits.match_s
        assert other.left_s() == bank / 8, "it was not asked"


@pytest.mark.parametrize(
    ("limits", "bound_s", "charge"),
    [({"move_ms": 500}, 0.5, MOVE), ({"move_ms": 500, "clock": "10s"}, 0.5, MOVE), ({"match_s": 7}, 7, MATCH),
     ({"move_ms": 500, "clock": "100ms"}, 0.1, BANK), ({"move_ms": 500, "match_s": 0.25}, 0.5, MOVE),
     ({"clock": "10m", "match_s": 1}, 600, BANK), ({"cpu_ms": 500}, 5, CPU), ({"cpu_ms": 20}, 1, CPU),
     ({"cpu_ms": 500, "cpu": "200ms"}, 2, CPU), ({"cpu_ms": 500, "move_ms": 60}, 0.06, MOVE)],
)  # fmt: skip
def test_a_decision_may_take_as_long_as_the_strictest_limit_lets_it_which_the_charge_names(limits, bound_s, charge):
    (clock,) = clocks_of(Limits(**limits))
    assert clock.bound_s(clock.limits.move_ms, decides=True) == bound_s
    clock.begin(clock.limits.move_ms, "move_ms", decides=True)
    error = clock.timeout()
    assert (error.kind, error.detail) == ("timeout", charge)


@pytest.mark.parametrize(
    ("text", "bank_s", "increment_s"),
    [("10s+50ms", 10, 0.05), ("2m", 120, 0), ("250ms", 0.25, 0), (f"1.5s+{MOST_S}s", 1.5, MOST_S), ("1s+0ms", 1, 0)],
)
def test_a_time_control_is_read_from_text(text, bank_s, increment_s):
    assert TimeControl.parse(text, "clock") == (bank_s, increment_s)


@pytest.mark.parametrize(
    "text",
    ["", "10", "s", "10 s", "10s+", "+50ms", "10s+50", "-1s", "0s", "0s+1s", "1d", "10S", "1e3s", "nans", "infs",
     "10s+50ms+1ms", "10s-1ms", "10s\n", f"{MOST_S + 1}s", f"1s+{MOST_S + 1}s", "9" * 400 + "s", "x" * 5000,
     "\u0661s", "10s+\n50ms"],
)  # fmt: skip
def test_a_text_that_is_no_time_control_is_refused_with_one_line(text):
    with pytest.raises(ConfigError) as raised:
        TimeControl.parse(text, "limits.clock")
    message = str(raised.value)
    assert message.startswith("limits.clock: ")
    assert len(message) < 600
    assert "\n" not in message
