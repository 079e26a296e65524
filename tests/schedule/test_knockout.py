"""Knockout: the bracket, its byes, and who goes on."""

from collections import Counter
from math import ceil, log2
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.schedule.drawn import drawn, in_order, meetings, play, settle, tournament
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
