"""How `steady` plays Cold Blooded."""

from collections import Counter

import pytest

from tests.bots.test_steady import advice
from tests.games.facts import facts_of
from tests.games.test_cold_blooded import five
from tests.helpers import play_match
from tourney import testing
from tourney.plugins.registry import load_game
from tourney.table.replay import trace

GAME = load_game("cold-blooded")


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
    state = five(hands, "shell bomb sacrifice shell", roles)
    assert advice(GAME, testing.act(GAME, state, actions)) == answer


def test_a_seat_that_missed_the_duke_is_accused():
    state = five("shell bomb bomb sniper bomb", "shell bomb sacrifice shell", talk=True)
    testing.act(GAME, state, "say:nothing pass say:nothing pass say:nothing pass say:guard sniper:0 shell")
    assert advice(GAME, state) == "say:accuse:3"


@pytest.mark.parametrize("seats", range(4, 9))
def test_steady_beats_random_on_either_side(seats):
    wins = Counter()
    for seed in range(60):
        for side in ("guards", "assassins"):
            roles = facts_of(GAME.start(seats, GAME.options(seats, {"target": 1}), seed))["roles"]
            names = ["steady" if (role == "assassin") == (side == "assassins") else "random" for role in roles]
            record = play_match(*names, game=GAME.name, options={"target": 1}, seed=seed)
            points = next(event["points"] for event in trace(record, GAME) if event["kind"] == "score")
            wins[side] += points[names.index("steady")]
    # random against random the assassins win about three games of four
    assert wins["assassins"] >= 54
    assert wins["guards"] >= 36
