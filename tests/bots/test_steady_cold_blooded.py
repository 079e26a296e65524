"""How `steady` plays Cold Blooded."""

from collections import Counter
from random import Random

import pytest
from tourney_bots.steady import Steady

from tests.games.facts import facts_of
from tests.games.test_cold_blooded import five
from tourney import testing
from tourney.contracts.bot import SeatFacts
from tourney.plugins.registry import load_game

GAME = load_game("cold-blooded")


def advice(state):
    """What a steady player in the seat to move does, having seen it all."""
    bot = Steady()
    view = state.view(state.seat)
    bot.start(SeatFacts(GAME, view.options, view.seats, state.seat, Random(0)))
    return GAME.text(bot.act(view, state.legal()))


@pytest.mark.parametrize(
    ("roles", "hands", "actions", "answer"),
    [
        # an assassin shoots the Duke
        ("dggaa", "bomb bomb bomb sniper bomb", "draw draw draw", "sniper:0"),
        # a guard shoots whoever shot at the Duke
        ("dggaa", "shell sniper bomb bomb sniper", "pass pass pass pass sniper:0 shell pass", "sniper:4"),
        # a guard shoots the player of a bomb first
        ("dggaa", "shell sniper bomb sniper bomb", "pass pass pass sniper:0 shell bomb pass", "sniper:4"),
        # a guard dies for the Duke, and for nobody else
        ("dggaa", "bomb bomb sacrifice sniper bomb", "pass pass pass sniper:0", "sacrifice"),
        ("dggaa", "bomb bomb sacrifice sniper bomb", "pass pass pass sniper:1", "stay"),
        # an assassin dies for a laid bomb, but not for the Duke
        ("dggaa", "sniper bomb bomb bomb sacrifice", "pass pass pass bomb pass sniper:3", "sacrifice"),
        ("dggaa", "bomb bomb bomb sniper sacrifice", "pass pass pass sniper:0", "stay"),
        # the Duke keeps a shell, and trades it with nobody
        ("dggaa", "shell knife bomb bomb bomb", "", "pass"),
        ("dggaa", "shell knife bomb bomb bomb", "pass trade:0", "decline"),
        # an assassin brings the others back
        ("dggaa", "sniper bomb bomb bomb uprising", "sniper:3 hide pass pass", "uprising"),
        # a knife is for the Duke of four seats
        ("ggaa", "bomb bomb knife bomb bomb", "pass pass", "knife:duke"),
    ],
)
def test_what_it_does(roles, hands, actions, answer):
    assert advice(testing.act(GAME, five(hands, "shell bomb sacrifice shell", roles), actions)) == answer


def test_a_seat_that_missed_the_duke_is_accused():
    state = five("shell bomb bomb sniper bomb", "shell bomb sacrifice shell", talk=True)
    testing.act(GAME, state, "say:nothing pass say:nothing pass say:nothing pass say:guard sniper:0 shell")
    assert advice(state) == "say:accuse:3"


@pytest.mark.parametrize("seats", range(4, 9))
def test_steady_beats_random_on_either_side(seats):
    wins = Counter()
    for seed in range(60):
        for side in ("guards", "assassins"):
            state = GAME.start(seats, GAME.options(seats, {"target": 1}), seed)
            roles = facts_of(state)["roles"]
            steady = [(role == "assassin") == (side == "assassins") for role in roles]
            bots = []
            for seat in range(seats):
                bots.append(Steady())
                bots[-1].start(SeatFacts(GAME, state.view(seat).options, seats, seat, Random(seed)))
            rng = Random(seed)
            while state.seat is not None:
                legal = state.legal()
                if steady[state.seat]:
                    state.apply(bots[state.seat].act(state.view(state.seat), legal))
                else:
                    state.apply(legal[int(rng.random() * len(legal))])
            wins[side] += state.view(0).as_dict()["games"][0]["winner"] == side
    # random against random the assassins win about three games of four
    assert wins["assassins"] >= 54
    assert wins["guards"] >= 36
