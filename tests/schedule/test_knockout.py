"""Knockout: the bracket, its byes, and who goes on."""

from collections import Counter
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.schedule.drawn import drawn, in_order, meetings, settle, tournament
from tourney.schedule.base import schedule
from tourney.standings.points import units


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
