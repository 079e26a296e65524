"""The helpers for authors of games, tried on a game that knows nothing of them."""

import time
from types import SimpleNamespace

import pytest

from tests.games.test_plain_game import High, HighState
from tourney import testing
from tourney.base.errors import ActionError, ConfigError
from tourney.contracts.rng import seed_text
from tourney.plugins.registry import load_game
from tourney.testing.bots import MutatesWhatItGets
from tourney.testing.game_check import GameCheck, check_game, check_tables
from tourney.testing.matches import EndlessMatchError, deal_seeds, difference, short


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


def test_moves_are_made_by_their_text_and_logged_as_the_table_does_and_none_is_legal_at_the_end():
    state = testing.position(GAME, seats=2)
    assert testing.legal(GAME, state) == [f"bid:{number}" for number in range(10)]
    assert testing.act(GAME, state, "bid:4 sulk") is state
    assert state.log == [(0, 4, tuple(range(10))), (1, 10, tuple(range(10)))]
    assert testing.events(GAME, state, "deal") == testing.legal(GAME, state) == []
    assert testing.events(GAME, state) == [
        {"kind": "act", "seat": 0, "action": "bid:4"},
        {"kind": "act", "seat": 1, "action": "sulk"},
    ]
    assert testing.events(GAME, GAME.start(2, None, 7)) == [{"kind": "deal", "secret": GAME.start(2, None, 7).secret}]


@pytest.mark.parametrize(
    ("actions", "message"),
    [("bid:99", "did you mean"), ("bid:1 bid:2 bid:3", "bid:3 comes too late; the match is over")],
)
def test_a_move_that_cannot_be_made_is_refused(actions, message):
    with pytest.raises(ActionError, match=message):
        testing.act(GAME, testing.position(GAME, seats=2), actions)


@pytest.mark.parametrize(
    ("view", "legal"), [(SimpleNamespace(), (0,)), (0, [0]), ({}, (0,))], ids=["view", "legal actions", "mapping"]
)
def test_a_bot_that_can_change_what_it_gets_says_so(view, legal):
    with pytest.raises(AssertionError, match="should not have worked"):
        MutatesWhatItGets().act(view, legal)


def test_a_check_tries_each_deal_in_time_and_refuses_wrong_options():
    with pytest.raises(ConfigError, match='no key "targt"'):
        next(check_game("vole", 1, given={"targt": 1}))
    vole, seeds, seen = load_game("vole"), deal_seeds(3), []
    for is_one, tried in ((False, seeds), (True, seeds[:1])):
        check_tables(GameCheck("", "", lambda _, seed: seen.append(seed), is_one), vole, 2, {}, seeds)
        assert seen == tried
        seen.clear()
    with pytest.raises(EndlessMatchError, match=rf"2 seats, seed {seed_text(seeds[0])}: it took longer than 0.05 s"):
        check_tables(GameCheck("", "", lambda _table, _seed: time.sleep(60)), vole, 2, {}, seeds, 0.05)
    assert (short("x" * 58), short("x" * 59)) == (f'"{"x" * 58}"', f'"{"x" * 56}...')
    assert difference({"a": 1, "b": 2}, {"a": 1, "c": 3}) == "b is 2 in one, null in the other"
    assert difference({"a": 1}, {"a": 1}) == ""
