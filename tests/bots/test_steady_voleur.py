"""The rules of thumb by which `steady` plays Voleur."""

import pytest

from tests.bots.test_steady import advice
from tourney import testing
from tourney.contracts.cards import STANDARD
from tourney.games.voleur import Voleur, VoleurState

GAME = Voleur()


def state_with(*hands: str, up: str, discards: tuple[str, ...] = (), scores=None, **options) -> VoleurState:
    """A state before the first trick; without discards, one in which the hands are yet to discard."""
    phase = "play" if discards else "discard"
    facts = {"hands": hands, "up": up, "discards": discards, "phase": phase, "scores": scores}
    return testing.position(GAME, seats=len(hands), options=options, **facts)


def play(state: VoleurState, text: str) -> None:
    testing.act(GAME, state, " ".join([f"play:{card}" for card in text.split()]))


@pytest.mark.parametrize(
    ("hand", "kept"),
    [("9h 9c 2s 9d Kc As", "9h 9c 9d As"), ("3d 4d 5d 6d As Ah", "3d 4d 5d 6d"), ("2c 4d 6h 8s Td Qc", "6h 8s Td Qc")],
)
def test_it_keeps_the_best_combination_and_then_the_highest_cards(hand, kept):
    state = state_with(hand, "2d 3c 4s 5h 7c Jc", up="Kh")
    for _ in range(2):
        state.apply(GAME.action(advice(GAME, state)))
    assert sorted(STANDARD.texts(state.view(0).hand)) == sorted(kept.split())


DISCARDS = ("2c 3c", "2s 3s")


def test_it_saves_its_highest_trump_for_the_fourth_trick():
    state = state_with("Ah 9h 4h 3h", "6d 7d Ts Qs", up="Kh", discards=DISCARDS)
    played = []
    while state.view(0).phase == "play":
        if state.seat == 0:
            played.append(advice(GAME, state))
            state.apply(GAME.action(played[-1]))
        else:
            state.apply(state.legal()[0])
    assert played[-1] == "play:Ah"
    assert state.view(0).tricks[-1].winner == 0


@pytest.mark.parametrize("hand", ["4s Jc Kc Ah", "4s 9c Jc Ah"])
def test_it_wins_a_led_trick_with_a_card_that_it_need_not_save_and_as_cheaply_as_it_can(hand):
    state = state_with("Ac Tc 2d 3d", hand, up="Kh", discards=DISCARDS)
    play(state, "Ac 4s Tc")
    assert advice(GAME, state) == "play:Jc"


def choosing(scores, discards=("4s 5s", "8s 9d"), **options) -> VoleurState:
    """Seat 0, with a triple of queens, is about to choose its privilege."""
    state = state_with("Qs Qd Qc Ah", "7s 7d 2d 3d", up="Kh", discards=discards, scores=scores, **options)
    play(state, "Qs 2d Qd 3d Qc 7s Ah 7d")
    return state


def test_it_steals_where_that_sets_it_apart_most():
    assert advice(GAME, choosing((10, 30))) == "steal:1"


def test_it_takes_the_card_that_makes_far_more_than_there_is_to_steal():
    assert advice(GAME, choosing((0, 0), discards=("4s Qh", "8s 9d"))) == "take:Qh"


def test_it_wins_a_match_at_once_rather_than_rob_for_a_greater_lead():
    state = choosing((44, 2), discards=("4s 5s", "8s Js"), target=50)
    assert advice(GAME, state) == "keep"
    assert advice(GAME, choosing((44, 2), discards=("4s 5s", "8s Js"), target=60)) == "steal:1"
