"""Seatings: in a block every entrant sits equally often in every seat."""

from contextlib import nullcontext
from itertools import permutations

import pytest

from tests.schedule.drawn import tournament
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


@pytest.mark.parametrize(
    ("which", "seats", "says"),
    [("all", 8, ""), (6, 3, ""), (6, 4, "use 8"), (2, 3, "use 3"), (1, 4, "use 4"), (100, 3, "use 6"), (7, 2, "use 2"),
     (12, 3, "at most 6"), ("all", 9, "seatings = 18"), (MOST_SEATINGS * 10, 10, f"at most {MOST_SEATINGS}")],
)  # fmt: skip
def test_seatings_that_cannot_be_are_refused_with_a_remedy(which, seats, says):
    with pytest.raises(ConfigError, match=f"^seatings: .*{says}") if says else nullcontext():
        validate_seatings(which, GameSetup("bang", seats, {}))
