"""What a seat of The Vole in the Valley sees, what it must not know, and what it can work out."""

from random import Random

import pytest
from hypothesis import given, settings

from tests.games.facts import facts_of
from tests.games.vole import FULL, GAME, SEEDS, act, board, deck, hand, moments
from tourney.contracts.cards import VOLE
from tourney.games.vole import VoleState

# what a seat sees


@pytest.mark.parametrize("answer", ["play:5m", "play:3m"])
def test_a_trick_is_in_progress_until_its_ability_is_settled(answer):
    view = act(board(**FULL, leader=0), f"play:4m {answer}").view(0)
    assert (view.tricks, view.leader, VOLE.text(view.led), view.won) == ((), 0, "4m", (0, 0))


def test_a_seat_sees_that_the_other_drew_and_buried_and_not_which():
    state = act(board(**FULL), "play:5t")
    assert (state.view(0).deck, state.view(1).deck) == (5, 5)
    assert (state.view(0).other_hand, state.view(1).other_hand) == (13, 13)
    assert "7k" in hand(state, 0)
    act(state, "bury:1k")
    assert (state.view(1).deck, state.view(1).other_hand) == (6, 12)
    assert state.view(1).as_dict()["now"]["steps"] == [{"seat": 0, "action": "play:5t"}, {"seat": 0, "action": "bury"}]
    assert state.view(1).as_dict()["now"]["buried"] == []
    assert state.view(0).as_dict()["now"]["buried"] == [{"drew": "7k", "buried": "1k"}]


def test_a_view_of_a_match_that_is_over_shows_its_end():
    state = board("4t", "2t", won=(6, 6), scores=(15, 10), extra=(0, 9))
    view = act(state, "play:4t play:2t").view(1)
    assert (view.over, view.scores, view.extra, view.won) == (True, (21, 22), (0, 0), (7, 6))
    assert (view.hand, view.other_hand, view.led) == ((), 0, None)
    assert view.as_dict()["now"] is None


# what a seat can work out, and imagines by


def retraced(state: VoleState) -> VoleState:
    """The round of the state played again from what both seats saw of it; every step must be legal."""
    seen = [state.view(seat).as_dict()["now"] for seat in (0, 1)]
    burials = [[pair["buried"] for pair in now["buried"]] for now in seen]
    draws = [[pair["drew"] for pair in now["buried"]] for now in seen]
    if drawn := facts_of(state)["drawn"]:
        draws[state.seat].append(drawn)
    steps = [(step["seat"], step["action"]) for step in seen[0]["steps"]]
    dealt = [draws[seat].pop(0) for seat, action in steps if action in ("play:5t", "play:5k", "play:5m")]
    dealt += deck(state)[: 6 - len(dealt)]
    hands = [" ".join(now["dealt"]) for now in seen]
    again = board(*hands, seen[0]["up"], " ".join(dealt), seen[0]["leader"])
    assert sorted([*" ".join(hands).split(), seen[0]["up"], *dealt]) == sorted(VOLE.names)
    for seat, action in steps:
        assert again.seat == seat
        act(again, f"bury:{burials[seat].pop(0)}" if action == "bury" else action)
    return again


@given(state=moments(), seed=SEEDS)
@settings(max_examples=200)
def test_what_is_imagined_can_have_come_about_by_the_rules(state, seed):
    assert facts_of_the_round(retraced(state)) == facts_of_the_round(state)
    for me in (0, 1):
        each = GAME.imagine(state.view(me), Random(seed))
        assert facts_of_the_round(retraced(each)) == facts_of_the_round(each)


def facts_of_the_round(state: VoleState) -> list:
    facts = facts_of(state)
    return [state.seat, *[facts[name] for name in ("hands", "up", "deck", "drawn", "steps", "buried", "leader", "led")]]
