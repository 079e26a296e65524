"""How `steady` plays Bang."""

import pytest

from tests.bots.test_steady import advice
from tourney.contracts.cards import BANG
from tourney.games.bang import Bang, BangState
from tourney.testing import position

GAME = Bang()


def before_a_card(stocks: tuple[str, ...], pile: str = "", seen: str = "", mover: int = 0) -> BangState:
    """A match in which the next card is about to be turned; all know where the cards of `seen` are."""
    return position(GAME, seats=len(stocks), stocks=stocks, pile=pile, seen=seen, mover=mover)


def test_it_anticipates_a_remembered_card_that_is_a_reason():
    assert advice(GAME, before_a_card(("5c 9h 2h", "3d 4d"), "6c 5d", seen="5c")) == "anticipate"
    assert advice(GAME, before_a_card(("5c 9h 2h", "3d 4d"), "5d 6c", seen="5c")) == "anticipate"


def test_it_weighs_a_card_never_seen_by_the_odds_and_the_pile():
    assert advice(GAME, before_a_card(("5c 9h 2h", "3d 4d"), "7c 5d")) == "wait"
    elsewhere = " ".join(name for name in BANG.names if name[0] not in "57")
    assert advice(GAME, before_a_card(("5c 7h 2h", "3d 4d"), "7c 5d", seen=elsewhere)) == "anticipate"


def test_it_has_nothing_to_lose_without_cards():
    assert advice(GAME, before_a_card(("", "3d 4d"), "7c 5d", mover=1)) == "anticipate"
    assert advice(GAME, before_a_card(("4c", "3d 4d"), "7c 5d", mover=0)) == "anticipate"
    assert advice(GAME, before_a_card(("4c", "3d 4d"), "7c 5d", mover=1)) == "wait"


@pytest.mark.parametrize("bang_on", [["pair", "sandwich"], ["marriage", "ten", "run"], []])
def test_it_bangs_exactly_when_there_is_a_reason(bang_on):
    options = {"bang_on": bang_on, "anticipation": False, "max_turns": 300}
    reasons = 0
    for seed in range(4):
        state = GAME.start(3, GAME.options(3, options), seed)
        while state.seat is not None:
            reason, action = state.view(state.seat).reason, advice(GAME, state)
            assert action == ("bang" if reason else "hold")
            reasons += reason
            state.apply(GAME.action(action))
    assert (reasons > 0) == bool(bang_on)
