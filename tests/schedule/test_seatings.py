"""Seatings: in a block every entrant sits equally often in every seat."""

from collections import Counter
from itertools import permutations

import pytest

from tests.schedule.drawn import in_order, settle, tournament
from tourney.base.errors import ConfigError
from tourney.config.tournament import MOST_SEATINGS, validate_seatings
from tourney.contracts.match import GameSetup
from tourney.schedule.base import schedule
from tourney.schedule.seatings import seating_count, seatings


@pytest.mark.parametrize("seats", range(2, 9))
def test_all_is_every_permutation(seats):
    group = tuple("abcdefgh"[:seats])
    every = sorted(permutations(group))
    assert sorted(seatings(group, "all", 1)) == every
    assert sorted(seatings(group, len(every), 1)) == every
    assert seating_count("all", seats) == len(every)


def test_a_number_draws_base_orders_by_the_deal_alone():
    first = list(schedule(tournament(6, [4], deals=3, seatings=8)).blocks())
    orders: dict[int, set[str]] = {}
    for block in first:
        group = sorted(block.seatings[0])
        orders.setdefault(block.seed, set()).add(str([[group.index(name) for name in each] for each in block.seatings]))
    assert {len(its) for its in orders.values()} == {1}
    assert len({min(its) for its in orders.values()}) > 1
    assert next(schedule(tournament(7, [4], deals=3, seatings=8)).blocks()) == first[0]


@pytest.mark.parametrize("form", ["swiss", "knockout", "ladder"])
@pytest.mark.parametrize(("entrants", "seats", "deals"), [(6, 2, 1), (7, 2, 3), (9, 3, 2)])
def test_with_one_seating_a_block_the_leader_does_not_always_sit_in_the_same_seat(form, entrants, seats, deals):
    """bot-0 wins everything, so it is the best of every table."""
    own = {"swiss": {"rounds": 6}, "ladder": {"max_matches": 100}, "knockout": {}}[form]
    plan = schedule(tournament(entrants, [seats], deals, form=form, seatings="fixed", **own))
    sat: Counter[tuple[str, int]] = Counter()
    for rounds in plan.rounds():
        blocks = list(rounds)
        sat.update((name, seat) for block in blocks for seat, name in enumerate(block.seatings[0]))
        settle(plan, blocks, in_order(*range(entrants)))
    for name in {name for name, _ in sat} if form == "swiss" else {"bot-0"}:
        counts = [sat[name, seat] for seat in range(seats)]
        assert max(counts) - min(counts) <= 2


@pytest.mark.parametrize(
    ("which", "seats", "says"),
    [(6, 4, "use 8"), (2, 3, "use 3"), (1, 4, "use 4"), (100, 3, "use 6"), (7, 2, "use 2"), (12, 3, "at most 6"),
     ("all", 9, "seatings = 18"), (MOST_SEATINGS * 10, 10, f"at most {MOST_SEATINGS}")],
)  # fmt: skip
def test_seatings_that_cannot_be_are_refused_with_a_remedy(which, seats, says):
    with pytest.raises(ConfigError, match=f"^seatings: .*{says}"):
        validate_seatings(which, GameSetup("bang", seats, {}))


def test_as_many_seatings_as_there_are_can_be():
    validate_seatings("all", GameSetup("bang", 8, {}))
    validate_seatings(6, GameSetup("bang", 3, {}))
