"""Knockout: the bracket, its byes, and who goes on."""

from collections import Counter
from fractions import Fraction
from math import ceil, log2
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.schedule.drawn import drawn, first_named_wins, in_order, meetings, play, record, settle, tournament
from tourney.schedule.base import schedule
from tourney.standings.points import units


def bracket(slots: int) -> list[int]:
    """The usual order of seeds from the top of a bracket to its bottom."""
    order = [0]
    while len(order) < slots:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


def standard_bracket(entrants: int, wins) -> list[set[frozenset[int]]]:
    """Who meets in each round of the usual bracket for two, where `wins` names the winner of a pair."""
    line: list[int | None] = [seed if seed < entrants else None for seed in bracket(2 ** ceil(log2(entrants)))]
    rounds = []
    while len(line) > 1:
        pairs = list(zip(line[::2], line[1::2], strict=True))
        rounds.append({frozenset(pair) for pair in pairs if None not in pair})
        line = [wins(*pair) if None not in pair else next(s for s in pair if s is not None) for pair in pairs]
    return rounds


@given(st.integers(2, 64), st.integers(0, 2**32))
def test_for_two_seats_it_is_the_usual_bracket(entrants, luck):
    rounds = play(tournament(entrants, [2], deals=2, form="knockout"), luck)
    found = [{frozenset(int(name[4:]) for name in pair) for pair in meetings(blocks)} for blocks in rounds]
    going_on = [{name for pair in later for name in pair} for later in found[1:]] + [set()]

    def wins(one: int, other: int) -> int:
        number = next(i for i, pairs in enumerate(found) if {one, other} in pairs)
        if number == len(found) - 1:
            return one
        return one if one in going_on[number] else other

    assert found == standard_bracket(entrants, wins)


@given(st.integers(2, 64), st.integers(2, 10), st.integers(0, 2**32))
def test_the_better_half_goes_on_until_a_full_table_is_left(entrants, seats, luck):
    assume(entrants >= seats)
    given_tournament = tournament(entrants, [seats], deals=2, form="knockout")
    plan, rng, rounds, won = schedule(given_tournament), Random(luck), [], []
    for blocks in plan.rounds():
        records = [drawn(match, rng) for block in blocks for match in block.matches()]
        rounds.append(sorted({tuple(sorted(each.seats)) for each in records}))
        won.append(Counter())
        for each in records:
            plan.add(each)
            won[-1].update(dict(zip(each.seats, units(each.places), strict=True)))
    assert len(rounds[-1]) == 1
    alive = set(given_tournament.names)
    for i, now in enumerate(rounds):
        playing = [name for table in now for name in table]
        assert len(set(playing)) == len(playing) == len(now) * seats
        assert set(playing) <= alive
        left = {name for later in rounds[i + 1 :] for table in later for name in table}
        last = i + 1 == len(rounds)
        assert last or alive - set(playing) <= left
        for table in now:
            behind = set(table) - left
            assert behind
            assert all(won[i][name] >= won[i][other] for name in set(table) & left for other in behind)
        *usual, most = sorted(len(set(table) & left) for table in now)
        assert last or (usual == [seats // 2] * len(usual) and most >= seats // 2)
        alive = left


def test_the_best_of_a_table_go_on_and_equal_ones_by_seed():
    plan = schedule(tournament(8, [4], form="knockout"))
    rounds = plan.rounds()
    first = list(next(rounds))
    assert meetings(first) == [("bot-0", "bot-3", "bot-4", "bot-7"), ("bot-1", "bot-2", "bot-5", "bot-6")]
    settle(plan, first[:1], in_order(7, 4, 0, 3))
    settle(plan, first[1:], lambda _: (1, 1, 1, 1))
    assert meetings(list(next(rounds))) == [("bot-1", "bot-2", "bot-4", "bot-7")]


@pytest.mark.parametrize(("weights", "winner"), [((), "bot-0"), ((1.0, 3.0), "bot-3"), ((3.0, 1.0), "bot-0")])
def test_games_weigh_what_the_file_says(weights, winner):
    plan = schedule(tournament(4, [2, 2], form="knockout", weights=weights))
    rounds = plan.rounds()
    settle(plan, next(rounds), lambda match: first_named_wins(match)[:: 1 if match.setup.game == "game-0" else -1])
    assert winner in {name for pair in meetings(list(next(rounds))) for name in pair}


def ranks(plan):
    """For each bot the round that it has reached, in words, and its share in the meeting in which it went out."""
    reached, last, points_after = plan.ranks_by()
    assert points_after == "points"
    return {name[4:]: (reached.labels[name], last.values[name]) for name in reached.labels}, reached.values


def test_whoever_wins_the_final_has_come_furthest_and_others_as_far_as_their_last_round():
    plan = schedule(tournament(6, [2], deals=2, form="knockout"))
    assert {reached for reached, _ in ranks(plan)[0].values()} == {"round 1"}
    for number, blocks in enumerate(plan.rounds()):
        matches = [match for block in blocks for match in block.matches()]
        for i, match in enumerate(matches):
            # of four matches the better seed wins all but one, and all in the final
            upset = i < len(matches) // 4 and number < 2
            plan.add(record(match, first_named_wins(match)[:: -1 if upset else 1]))
        if number == 0:
            assert {name for name, (reached, _) in ranks(plan)[0].items() if reached == "round 2"} == set("0123")
    found, values = ranks(plan)
    assert {name: reached for name, (reached, _) in found.items()} == {
        "0": "winner", "1": "final", "2": "round 2", "3": "round 2", "4": "round 1", "5": "round 1",
    }  # fmt: skip
    assert values["bot-0"] > values["bot-1"] > values["bot-2"] == values["bot-3"] > values["bot-4"] == values["bot-5"]
    assert found["0"][1] is None
    assert found["1"][1] == 0
    assert sum(found[name][1] for name in "23") * 4 == 2


def test_the_bracket_says_who_is_to_meet_and_who_has_advanced():
    plan = schedule(tournament(5, [2], form="knockout"))
    for number, blocks in enumerate(plan.rounds()):
        *before, now = plan.round_reports()
        assert len(before) == number
        assert {row.advanced for table in now.tables for row in table} == {None}
        settle(plan, blocks, first_named_wins)  # the better seed
    reports = plan.round_reports()
    assert [report.name for report in reports] == ["round 1", "round 2", "final"]
    assert [[[(row.bot[4:], row.advanced) for row in table] for table in each.tables] for each in reports] == [
        [[("3", True), ("4", False)]],
        [[("0", True), ("3", False)], [("1", True), ("2", False)]],
        [[("0", True), ("1", False)]],
    ]
    assert [[(row.bot[4:], row.advanced) for row in each.resting] for each in reports] == [
        [("0", True), ("1", True), ("2", True)], [], [],
    ]  # fmt: skip


def test_at_the_final_table_the_others_rank_by_their_points_there():
    plan = schedule(tournament(4, [4], form="knockout"))
    settle(plan, next(plan.rounds()), in_order(2, 0, 3, 1))
    found, _ = ranks(plan)
    assert found["2"] == ("winner", None)
    assert [found[name] for name in "031"] == [("final", Fraction(2, 3)), ("final", Fraction(1, 3)), ("final", 0)]
