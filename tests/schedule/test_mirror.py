"""Mirror: the two that are compared play the same seats on the same deals, in the same company."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.schedule.drawn import tournament
from tourney.schedule.base import schedule

NEW, OLD = "bot-0", "bot-1"


@given(st.integers(2, 10), st.integers(1, 4), st.integers(0, 2**128 - 1))
def test_two_share_the_table_and_then_change_places(seats, deals, seed):
    plan = schedule(tournament(2, [seats], deals, seed, form="mirror"))
    blocks = list(plan.blocks())
    assert plan.size() == (deals, 2 * deals)
    assert len({block.seed for block in blocks}) == len(blocks) == deals
    for block in blocks:
        table, mirror = block.seatings
        assert {table.count(NEW), table.count(OLD)} == {seats // 2, (seats + 1) // 2}
        assert all({one, other} == {NEW, OLD} for one, other in zip(table, mirror, strict=True))


@given(st.integers(1, 7), st.integers(2, 8), st.integers(0, 2**128 - 1))
def test_with_a_field_each_sits_in_every_seat_of_the_same_tables(field, seats, seed):
    plan = schedule(tournament(2 + field, [seats], 3, seed, form="mirror"))
    assert plan.size() == (3, 3 * 2 * seats)
    for block in plan.blocks():
        ours, theirs = block.seatings[:seats], block.seatings[seats:]
        assert [seating.index(NEW) for seating in ours] == [0, *range(seats - 1, 0, -1)]
        assert [[OLD if name == NEW else name for name in seating] for seating in ours] == list(map(list, theirs))
        company = Counter(ours[0]) - Counter([NEW])
        assert OLD not in company
        assert len(company) == min(field, seats - 1)
        assert max(company.values()) - min(company.values()) <= 1
