"""How `steady` plays Bang."""

from random import Random

import pytest
from tourney_bots.steady import Steady

from tourney.contracts.bot import SeatFacts
from tourney.contracts.cards import BANG
from tourney.games.bang import Bang, BangState
from tourney.testing import position

GAME = Bang()


def bot(seat: int, seats: int, **options) -> Steady:
    made = Steady()
    made.start(SeatFacts(GAME, GAME.options(seats, options), seats, seat, Random(1)))
    return made


def before_a_card(stocks: tuple[str, ...], pile: str = "", seen: str = "", mover: int = 0) -> BangState:
    """A match in which the next card is about to be turned; all know where the cards of `seen` are."""
    return position(GAME, seats=len(stocks), stocks=stocks, pile=pile, seen=seen, mover=mover)


def answers(state: BangState) -> str:
    seat = state.seat
    bots = bot(seat, len(state.scores))
    return GAME.text(bots.act(state.view(seat), state.legal()))


def test_it_anticipates_a_remembered_card_that_is_a_reason():
    assert answers(before_a_card(("5c 9h 2h", "3d 4d"), "6c 5d", seen="5c")) == "anticipate"
    assert answers(before_a_card(("5c 9h 2h", "3d 4d"), "5d 6c", seen="5c")) == "anticipate"


def test_it_weighs_a_card_never_seen_by_the_odds_and_the_pile():
    assert answers(before_a_card(("5c 9h 2h", "3d 4d"), "7c 5d")) == "wait"
    elsewhere = " ".join(name for name in BANG.names if name[0] not in "57")
    assert answers(before_a_card(("5c 7h 2h", "3d 4d"), "7c 5d", seen=elsewhere)) == "anticipate"


def test_it_has_nothing_to_lose_without_cards():
    assert answers(before_a_card(("", "3d 4d"), "7c 5d", mover=1)) == "anticipate"
    assert answers(before_a_card(("4c", "3d 4d"), "7c 5d", mover=0)) == "anticipate"
    assert answers(before_a_card(("4c", "3d 4d"), "7c 5d", mover=1)) == "wait"


@pytest.mark.parametrize("bang_on", [["pair", "sandwich"], ["marriage", "ten", "run"], []])
def test_it_bangs_exactly_when_there_is_a_reason(bang_on):
    options = {"bang_on": bang_on, "anticipation": False, "max_turns": 300}
    reasons = 0
    for seed in range(4):
        state = GAME.start(3, GAME.options(3, options), seed)
        bots = [bot(seat, 3, **options) for seat in range(3)]
        while state.seat is not None:
            view = state.view(state.seat)
            action = bots[state.seat].act(view, state.legal())
            assert GAME.text(action) == ("bang" if view.reason else "hold")
            reasons += view.reason
            state.apply(action)
    assert (reasons > 0) == bool(bang_on)
