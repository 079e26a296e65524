"""The helpers for authors of games, tried on a game that knows nothing of them."""

import pytest

from tests.games.test_plain_game import High, HighState
from tourney import testing
from tourney.base.errors import ActionError


class HighFromTheMiddle(High):
    def position(self, seats: int, options: object, *, secret: int = 5, bids: str = "") -> HighState:
        state = HighState(seats, 1)
        state.log.clear()
        state.secret = secret
        for bid in bids.split():
            state.apply(self.action(bid))
        return state


GAME = HighFromTheMiddle()


def test_a_position_has_the_facts_that_it_was_given_and_the_game_s_defaults_for_the_rest():
    state = testing.position(GAME, seats=3, bids="bid:4 bid:2")
    assert (state.seat, state.log) == (2, [])
    assert (state.secret, state.bids) == (5, (4, 2))


def test_moves_are_made_by_their_text_and_logged_as_the_table_does():
    state = testing.position(GAME, seats=2)
    assert testing.act(GAME, state, "bid:4 sulk") is state
    assert state.log == [(0, 4, tuple(range(10))), (1, 10, tuple(range(10)))]
    assert testing.events(GAME, state, "deal") == []
    assert testing.events(GAME, state) == [
        {"kind": "act", "seat": 0, "action": "bid:4"},
        {"kind": "act", "seat": 1, "action": "sulk"},
    ]
    assert testing.events(GAME, GAME.start(2, None, 7)) == [{"kind": "deal", "secret": GAME.start(2, None, 7).secret}]


def test_what_is_legal_reads_as_text_and_nothing_is_once_the_match_is_over():
    state = testing.position(GAME, seats=2)
    assert testing.legal(GAME, state) == [f"bid:{number}" for number in range(10)]
    testing.act(GAME, state, "bid:4 bid:1")
    assert testing.legal(GAME, state) == []


@pytest.mark.parametrize(
    ("actions", "message"),
    [("bid:99", "did you mean"), ("bid:1 bid:2 bid:3", "bid:3 comes too late; the match is over")],
)
def test_a_move_that_cannot_be_made_is_refused(actions, message):
    with pytest.raises(ActionError, match=message):
        testing.act(GAME, testing.position(GAME, seats=2), actions)
