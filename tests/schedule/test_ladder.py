"""Ladder: whoever is undecided plays on against neighbours, and a reader of the journal finds the same rounds."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.schedule.drawn import drawn, follow, in_order, meetings, record, settle, tournament, with_sweep
from tourney.contracts.game import places_by
from tourney.schedule import ladder as ladder_tables
from tourney.schedule.base import schedule
from tourney.standings.sweeps import sweep_results

LUCK = st.integers(0, 2**32)
LADDERS = (st.integers(2, 8), st.integers(2, 4), st.integers(1, 2), st.integers(1, 10), LUCK)


def ladder(entrants: int, seats: int = 2, games: int = 1, deals: int = 10, **keys):
    return tournament(entrants, [seats] * games, deals, form="ladder", **{"max_matches": 3000} | keys)


def played(given_tournament, places=None):
    """Plays a ladder to the end; returns its rounds, its records, and the schedule."""
    plan, rng = schedule(given_tournament), Random(0)
    rounds, records = [], []
    for blocks in plan.rounds():
        rounds.append(list(blocks))
        for match in [match for block in rounds[-1] for match in block.matches()]:
            records.append(drawn(match, rng) if places is None else record(match, places(match)))
            plan.add(records[-1])
    return rounds, records, plan


@settings(max_examples=6)
@given(*LADDERS, st.data())
def test_rounds_are_of_full_tables_until_all_are_decided_and_a_reader_of_the_records_finds_them(
    entrants, seats, games, deals, luck, data
):
    assume(entrants >= seats)
    given_tournament = ladder(entrants, seats, games, deals, seed=luck, max_matches=1500)
    rounds, records, plan = played(given_tournament)
    blocks = [block for its in rounds for block in its]
    assert [block.number for block in blocks] == list(range(len(blocks)))
    assert len(records) <= 1500 == plan.size().matches
    seen: set[int] = set()
    for its in rounds:
        tables = [frozenset(group) for group in meetings(its)]
        assert len(set(tables)) == len(tables)
        assert {frozenset(block.seatings[0]) for block in its} == set(tables)
        assert all(len(group) == seats for group in tables)
        for game in {block.setup.game for block in its}:
            seeds = [block.seed for block in its if block.setup.game == game]
            assert not seen & set(seeds)
            assert len(set(seeds)) >= deals
            assert sorted(seeds, key=seeds.index) == seeds  # deal by deal
            seen |= set(seeds)
    options = given_tournament.format_options
    undecided = [pair for pair in plan.neighbours() if pair.verdict(options.sure, options.equal_elo) is None]
    assert plan.is_over(len(records))
    assert not undecided or len(records) > 500, "it ended although another round would have fitted"
    # stopped anywhere, also within a block, it continues with the same round
    stop = data.draw(st.integers(0, len(records) - 1))
    reader = schedule(given_tournament)
    begun = follow(reader, records[:stop])
    assert begun == blocks[: len(begun)]
    assert not reader.is_over(stop)
    done = stop - stop % len(blocks[0].seatings)
    assert list(next(reader.rounds())) == next(its for its in rounds if records[done].block <= its[-1].number)


@pytest.mark.parametrize("seats", [2, 3])
def test_the_best_of_a_sweep_is_chosen_before_it_meets_the_default_on_fresh_deals(seats):
    eight = ladder(8, seats, 2, settle="best", sure=0.9, max_matches=4000)
    given_tournament = with_sweep(eight, "bot-0", x=[0, 1, 2, 3])  # beside stronger ones
    plan, rng, blocks = schedule(given_tournament), Random(1), []
    for round_blocks in plan.rounds():
        before = sweep_results(given_tournament, plan.selection().posterior) if blocks else []
        final = list(round_blocks)
        is_final = plan.round_name(plan.round_of(final[0].number) - 1) == "final"
        assert not is_final or not {block.seed for block in blocks} & {block.seed for block in final}
        settle(plan, final, in_order(*range(8)) if is_final else lambda match: drawn(match, rng).places)
        blocks += final
    assert sum([len(block.seatings) for block in blocks]) <= 4000
    (found,) = sweep_results(given_tournament, *plan.selection())
    assert [replace(found, gain=None, fresh_deals=0)] == before
    assert (found.best, found.gain.elo, found.fresh_deals) == ("bot-3", -1000, len(final) // 2)


@pytest.mark.parametrize(
    ("gaps", "undecided", "seats", "expected"),
    [
        ([9, 9, 9], [1], 2, [(1, 2)]), ([9, 9, 9], [0, 1, 2], 2, [(0, 1), (1, 2), (2, 3)]),
        ([9, 9, 9, 9, 9], [0, 1, 2, 3, 4], 3, [(0, 1, 2), (2, 3, 4), (3, 4, 5)]), ([5, 9, 4, 9], [1], 3, [(1, 2, 3)]),
        ([4, 9, 5, 9], [1], 3, [(0, 1, 2)]), ([5, 9, 5, 9], [1], 3, [(0, 1, 2)]), ([9, 9, 1], [0], 4, [(0, 1, 2, 3)]),
        ([1, 9, 9], [2], 3, [(1, 2, 3)]), ([9, 1, 9, 9], [0, 2], 4, [(0, 1, 2, 3)]),
    ],
)  # fmt: skip
def test_free_seats_go_to_the_nearest_by_rating(gaps, undecided, seats, expected):
    assert [tuple(ranks) for ranks in ladder_tables.groups(gaps, undecided, seats)] == expected


@pytest.mark.parametrize("seats", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_a_stricter_sure_and_a_larger_max_matches_begin_with_the_same_matches(seats):
    found = [
        played(ladder(5, seats, sure=sure, max_matches=most))[1]
        for sure, most in ((0.5, 1000), (0.9, 1000), (0.97, 2000), (0.99, 4000), (0.9999, 8000))
    ]
    assert all(one == other[: len(one)] for one, other in pairwise(found))
    assert len(found[0]) < len(found[-1])


def stopped(plan) -> list[str]:
    (column,) = plan.columns()
    assert column.values == dict.fromkeys(column.values)
    return list(column.labels.values())


def test_entrants_with_exactly_equal_results_are_equal_as_soon_as_anything_is_decided():
    _, _, plan = played(ladder(4, equal_elo=0.0), lambda _: (1, 1))
    assert stopped(plan) == ["equal"] * 4
    assert [(pair.difference, pair.error) for pair in plan.neighbours()] == [(0, 0)] * 3
    assert plan.describe_undecided().startswith("0 of 3 ")
    assert plan.neighbours()[0].deals < 60


@pytest.mark.parametrize(
    ("most", "expected"), [(3000, ["sure", "equal", "equal", "sure"]), (80, ["max_matches"] * 4)], ids=["all", "few"]
)
def test_why_each_entrant_stopped(most, expected):
    """bot-0 wins all, bot-1 and bot-2 draw, and bot-3 loses all."""
    given_tournament = ladder(4, max_matches=most, equal_elo=1.0)
    plan = schedule(given_tournament)
    assert stopped(plan) == ["plays on"] * 4
    assert plan.describe_undecided().startswith("3 of 3 ")
    worth = {"bot-0": 2, "bot-1": 1, "bot-2": 1, "bot-3": 0}
    _, _, plan = played(given_tournament, lambda match: places_by([worth[name] for name in match.seats]))
    assert stopped(plan) == expected
    assert plan.is_over(0)
