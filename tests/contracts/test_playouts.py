"""A match is played on to its end or to the next score, and comes to what the table would have come to."""

import pytest

from tests.helpers import bot, play_match, tables
from tourney.contracts.playouts import has_score, play_out
from tourney.plugins.registry import load_game
from tourney.table.replay import Replay


@pytest.mark.parametrize(("name", "seats"), tables())
def test_the_same_bots_come_to_the_end_that_the_table_records(name, seats):
    game = load_game(name)
    record = play_match(*["first"] * seats, game=name)
    state = game.start(seats, game.options(seats, {}), 5)
    first = bot("first")()
    assert play_out(state, lambda state, legal: first.act(state.view(state.seat), legal))
    assert (state.seat, state.scores, state.places) == (None, record.scores, record.places)
    steps = [(step.seat, step.action, step.legal) for step in Replay(record, game).steps()]
    assert [entry for entry in state.log if isinstance(entry[0], int)] == steps


def test_it_stops_after_the_most_decisions_and_can_go_on():
    game = load_game("vole")
    state = game.start(2, game.options(2, {}), 5)
    seen = []

    def choose(state, legal):
        seen.append(state.seat)
        return legal[0]

    assert not play_out(state, choose, 10)
    assert len(seen) == 10
    assert state.seat is not None
    assert play_out(state, choose)
    assert not has_score(state.log[:20])


def test_it_stops_at_each_score():
    game = load_game("vole")
    state = game.start(2, game.options(2, {"target": 21}), 5)
    before = state.scores
    while state.seat is not None:
        assert play_out(state, lambda _state, legal: legal[-1], until_score=True)
        assert state.scores != before
        before = state.scores
    assert play_out(state, lambda _state, _legal: pytest.fail("it is over"))
