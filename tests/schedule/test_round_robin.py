"""Round-robin: every group on every deal, or a balanced choice of groups; the same list each time."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.schedule.drawn import tournament
from tourney.schedule.base import schedule
from tourney.schedule.round_robin import MOST_GROUPS, balanced_groups, group_step


@given(st.integers(2, 64), st.integers(2, 10))
def test_by_default_every_group_meets_or_as_many_as_can_be_balanced(entrants, seats):
    assume(entrants >= seats)
    plan, every = schedule(tournament(entrants, [seats])), comb(entrants, seats)
    if every <= MOST_GROUPS:
        assert plan.size().blocks == every
        assert plan.describe() == "round-robin"
    else:
        count = plan.size().blocks
        assert count % group_step(entrants, seats) == 0
        assert MOST_GROUPS - group_step(entrants, seats) < count <= MOST_GROUPS
        assert plan.describe() == f"round-robin of {count} of {every} groups"


@pytest.mark.parametrize(
    ("entrants", "seats", "groups", "spread"),
    [
        (5, 2, 10, 0), (5, 2, 5, 1), (20, 2, 50, 1), (21, 2, 63, 1), (64, 2, 160, 1),
        (6, 3, 10, 2), (7, 3, 7, 1), (9, 3, 12, 2), (9, 4, 117, 2), (12, 5, 780, 2),
        (40, 4, 200, 3), (64, 5, 320, 3), (40, 10, 40, 4),
    ],
)  # fmt: skip
def test_chosen_groups_differ_and_entrants_meet_evenly(entrants, seats, groups, spread):
    """`spread`: how much more often the pair that meets most does so than the one that meets least."""
    given_tournament = tournament(entrants, [seats], deals=2, seed=7, groups=groups)
    first, second = [list(its) for its in zip(*[iter(schedule(given_tournament).blocks())] * groups, strict=True)]
    chosen = [block.seatings[0] for block in first]
    assert chosen == [block.seatings[0] for block in second]
    assert len({tuple(sorted(group)) for group in chosen}) == groups
    played = Counter(name for group in chosen for name in group)
    assert played == dict.fromkeys(given_tournament.names, groups * seats // entrants)
    met = Counter(frozenset(pair) for group in chosen for pair in combinations(group, 2))
    times = [met[frozenset(pair)] for pair in combinations(given_tournament.names, 2)]
    assert max(times) - min(times) <= spread


@pytest.mark.parametrize(("entrants", "seats", "groups"), [(8, 2, 8), (20, 2, 20), (12, 2, 18), (12, 4, 6)])
def test_chosen_groups_connect_all_entrants(entrants, seats, groups):
    for seed in range(20):
        reached, chosen = {0}, balanced_groups(entrants, seats, groups, seed)
        for _ in range(entrants):
            reached |= {i for group in chosen if not reached.isdisjoint(group) for i in group}
        assert reached == set(range(entrants))
        assert len(set(chosen)) == groups
        assert set(Counter(i for group in chosen for i in group).values()) == {groups * seats // entrants}


def test_by_default_nobody_is_in_a_single_group():
    sizes = [schedule(tournament(bots, [seats])).size().blocks for bots, seats in ((3000, 2), (5000, 4), (10_000, 4))]
    assert sizes == [3000, 2500, 5000]
