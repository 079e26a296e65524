"""What a seat learns of what others do: nothing that its view does not show."""

from itertools import product
from random import Random

import pytest

from tests.contract.test_games import midway
from tests.helpers import play_match
from tourney.cli.render.observer import Witness
from tourney.plugins import game_names, load_game
from tourney.replay import Replay, Step


def seen(game, seat, state, action):
    return Witness(game, seat).sees(Step(1, state.seat, action, tuple(state.legal()), None, False, state)).action


@pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
def test_two_matches_that_look_the_same_are_told_the_same(game):
    """The other match is imagined from the seat's view: what it says of the other seats is mostly wrong."""
    compared = 0
    for number in range(60):
        rng = Random(number)
        seats = game.seats[number % len(game.seats)]
        state = midway(game, seats, number, rng)
        seat = (state.seat + 1) % seats
        world = game.imagine(state.view(seat), rng)
        if world.seat != state.seat:
            continue
        for action, other in product(state.legal()[:4], world.legal()[:4]):
            if after(state, action).view(seat) == after(world, other).view(seat):
                compared += 1
                assert seen(game, seat, state, action) == seen(game, seat, world, other)
    assert compared >= 10


def after(state, action):
    state = state.copy()
    state.apply(action)
    return state


def lines(name, seat, *bots, **keys):
    """What a seat sees of each decision of others, with what it learns later."""
    record = play_match(*bots, game=name, **keys)
    witness = Witness(load_game(name), seat)
    return {step.decision: (step, witness.sees(step)) for step in Replay(record, load_game(name)).steps()}


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_what_is_buried_stays_buried_and_what_is_played_is_seen(seed):
    sights = lines("vole", 0, "random", "random", seed=seed)
    texts = {}
    for step, sight in sights.values():
        text = load_game("vole").text(step.action)
        if step.seat == 1:
            texts.setdefault(text.partition(":")[0], set()).add(sight.action == text)
            assert sight.action == ("bury:?" if text.startswith("bury") else text)
    assert texts.items() >= {"play": {True}, "bury": {False}, "swap": {True}}.items()
    assert not [secret for _, sight in sights.values() for secret in sight.shown]


def test_secret_bids_are_learned_when_the_round_is_over():
    sights = lines("leon", 0, "steady", "random", "random", options={"max_cards": 3})
    bids = [number for number, (step, _) in sights.items() if load_game("leon").text(step.action).startswith("bid")]
    for number in bids:
        step, sight = sights[number]
        assert sight.action == (load_game("leon").text(step.action) if step.seat == 0 else "bid:?")
    shown = {secret.decision: secret.text for _, sight in sights.values() for secret in sight.shown}
    assert shown == {
        number: load_game("leon").text(sights[number][0].action) for number in bids if sights[number][0].seat != 0
    }


def test_the_first_trick_of_voleur_is_learned_when_all_have_played():
    sights = lines("voleur", 2, "random", "random", "steady", options={"target": 10})
    assert sights[1][1].action is None
    assert sights[2][1].action == "discard:?"
    for number in (7, 8):
        assert sights[number][1].action == "play:?"
        learned = [secret.text for secret in sights[9][1].shown if secret.decision == number]
        assert learned == [load_game("voleur").text(sights[number][0].action)]
