"""What a seat of The Vole in the Valley sees, what it must not know, and what it can work out."""

from random import Random

import pytest
from hypothesis import given, settings

from tests.games.facts import facts_of
from tests.games.vole import (
    FULL,
    GAME,
    SEEDS,
    act,
    board,
    deck,
    eager,
    events,
    hand,
    last_trick,
    moments,
)
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
    assert state.view(1).as_dict()["now"]["steps"] == [
        {"seat": 0, "action": "play:5t"},
        {"seat": 0, "action": "bury"},
    ]
    assert state.view(1).as_dict()["now"]["buried"] == []
    assert state.view(0).as_dict()["now"]["buried"] == [{"drew": "7k", "buried": "1k"}]


def test_a_view_as_json():
    state = act(board(**FULL), "play:3t swap:2m play:2t play:5t bury:7k play:6t play:2k")
    assert state.view(0).as_dict() == {
        "seat": 0,
        "round": 1,
        "hand": ["1t", "7t", "9t", "11t", "1k", "3k", "5k", "10k", "4m", "6m", "8m"],
        "up": "2m",
        "leader": 1,
        "led": "2k",
        "won": [1, 1],
        "scores": [0, 0],
        "extra": [0, 0],
        "deck": 6,
        "other_hand": 10,
        "now": {
            "leader": 0,
            "dealt": ["1t", "3t", "5t", "7t", "9t", "11t", "1k", "3k", "5k", "2m", "4m", "6m", "8m"],
            "up": "10k",
            "steps": [
                {"seat": 0, "action": "play:3t"},
                {"seat": 0, "action": "swap:2m"},
                {"seat": 1, "action": "play:2t"},
                {"seat": 0, "action": "play:5t"},
                {"seat": 0, "action": "bury"},
                {"seat": 1, "action": "play:6t"},
                {"seat": 1, "action": "play:2k"},
            ],
            "tricks": [
                {"leader": 0, "cards": ["3t", "2t"], "winner": 0},
                {"leader": 0, "cards": ["5t", "6t"], "winner": 1},
            ],
            "buried": [{"drew": "7k", "buried": "7k"}],
        },
        "rounds": [],
        "over": False,
    }


def test_a_seat_remembers_the_rounds_that_are_over():
    state = GAME.start(2, GAME.options(2, {"max_rounds": 2, "target": 40}), 3)
    rng, last = Random(3), state.view(0)
    while state.seat is not None:
        last = state.view(0) if state.view(0).round == 1 else last
        state.apply(eager(state.legal(), rng))
    deal, *_ = events(state, "deal")
    dealt = sorted(deal["hands"][0], key=VOLE.card)
    one, two = state.view(0).rounds
    assert (one.leader, VOLE.text(one.up), VOLE.texts(one.dealt)) == (deal["leader"], deal["up"], dealt)
    assert (one.steps[: len(last.steps)], one.buried[: len(last.buried)]) == (last.steps, last.buried)
    assert sum(one.won) == 13
    assert [list(each.points) for each in (one, two)] == [score["points"] for score in events(state, "score")]
    shown = state.view(0).as_dict()["rounds"][0]
    assert (shown["dealt"], len(shown["tricks"])) == (dealt, 13)


def test_a_view_of_a_match_that_is_over_shows_its_end():
    view = last_trick(0, (6, 6), scores=(15, 10), extra=(0, 9)).view(1)
    assert (view.over, view.scores, view.extra, view.won) == (True, (21, 22), (0, 0), (7, 6))
    assert (view.hand, view.other_hand, view.led) == ((), 0, None)
    assert view.as_dict()["now"] is None


# what a seat must not know


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
