"""Gauntlet: every challenger against every group of the field."""

from collections import Counter
from itertools import combinations

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.schedule.drawn import tournament
from tourney.schedule.formats import schedule


@given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 4), st.integers(1, 2))
def test_every_challenger_meets_every_group_of_the_field_and_no_challenger(entrants, seats, challengers, deals):
    assume(entrants - challengers >= seats - 1)
    names = [f"bot-{i}" for i in range(entrants)]
    chosen = tuple(names[::2][:challengers])
    plan = schedule(tournament(entrants, [seats], deals, form="gauntlet", challengers=chosen))
    listed = list(plan.blocks())
    field = [name for name in names if name not in chosen]
    expected = [tuple(sorted([one, *others])) for one in chosen for others in combinations(field, seats - 1)]
    assert Counter(tuple(sorted(block.seatings[0])) for block in listed) == dict.fromkeys(expected, deals)
    assert plan.size() == (len(listed), sum(len(block.seatings) for block in listed))
    for block in listed:
        for name in block.seatings[0]:
            assert sorted(seating.index(name) for seating in block.seatings) == list(range(seats))
    seeds = [block.seed for block in listed]
    assert len(set(seeds)) == deals


def test_an_entrant_more_leaves_the_deals_as_they_are():
    small = schedule(tournament(4, [3], 3, form="gauntlet", challengers=("bot-0",))).blocks()
    large = schedule(tournament(6, [3], 3, form="gauntlet", challengers=("bot-0",))).blocks()
    played = {(block.seed, block.seatings) for block in large}
    assert all((block.seed, block.seatings) in played for block in small)
