"""How `steady` plays Cold Blooded."""

from collections import Counter
from random import Random

import pytest
from tourney_bots.steady import Steady

from tests.games.facts import facts_of
from tourney import testing
from tourney.contracts.bot import SeatFacts
from tourney.games.cold_blooded.rules import CARDS
from tourney.plugins.registry import load_game

GAME = load_game("cold-blooded")
ROLES = {"d": "duke", "g": "guard", "a": "assassin"}


def table(roles, hands, deck=("shell", "bomb", "sacrifice", "shell"), turn=None, **options):
    """Seat i has the role and the card i; the Duke, or seat 0, is to move.

    Everyone has had the first turn, if `turn` does not say otherwise.
    """
    seats = len(roles)
    counts = Counter([*hands, *deck])
    return testing.position(
        GAME,
        seats=seats,
        options={"talk": False, "deck": {card: counts[card] for card in CARDS}} | options,
        roles=[ROLES[role] for role in roles],
        hands=hands[:seats],
        dummy=hands[4] if seats == 4 else None,
        deck=" ".join(deck),
        turn=turn,
    )


def act(state, *actions):
    return testing.act(GAME, state, " ".join(actions))


def advice(state):
    """What a steady player in the seat to move does, having seen it all."""
    bot = Steady()
    view = state.view(state.seat)
    bot.start(SeatFacts(GAME, view.options, view.seats, state.seat, Random(0)))
    return GAME.text(bot.act(view, state.legal()))


def test_an_assassin_shoots_the_duke():
    assert advice(act(table("dggaa", ["bomb", "bomb", "bomb", "sniper", "bomb"]), *["draw"] * 3)) == "sniper:0"


def test_a_guard_shoots_whoever_shot_at_the_duke():
    state = table("dggaa", ["shell", "sniper", "bomb", "bomb", "sniper"])
    act(state, *["pass"] * 4, "sniper:0", "shell", "pass")
    assert state.seat == 1
    assert advice(state) == "sniper:4"


def test_a_guard_shoots_the_player_of_a_bomb_first():
    state = table("dggaa", ["shell", "sniper", "bomb", "sniper", "bomb"])
    act(state, *["pass"] * 3, "sniper:0", "shell", "bomb", "pass")
    assert state.seat == 1
    assert advice(state) == "sniper:4"


@pytest.mark.parametrize(("victim", "answer"), [(0, "sacrifice"), (1, "stay")])
def test_a_guard_dies_for_the_duke_and_for_nobody_else(victim, answer):
    state = table("dggaa", ["bomb", "bomb", "sacrifice", "sniper", "bomb"])
    act(state, *["pass"] * 3, f"sniper:{victim}")
    assert state.seat == 2
    assert advice(state) == answer


def test_an_assassin_dies_for_a_laid_bomb_but_not_for_the_duke():
    state = table("dggaa", ["sniper", "bomb", "bomb", "bomb", "sacrifice"])
    act(state, *["pass"] * 3, "bomb", "pass", "sniper:3")
    assert state.seat == 4
    assert advice(state) == "sacrifice"
    state = act(table("dggaa", ["bomb", "bomb", "bomb", "sniper", "sacrifice"]), *["pass"] * 3, "sniper:0")
    assert advice(state) == "stay"


def test_the_duke_keeps_a_shell_and_trades_it_with_nobody():
    state = table("dggaa", ["shell", "knife", "bomb", "bomb", "bomb"])
    assert advice(state) == "pass"
    assert advice(act(state, "pass", "trade:0")) == "decline"


def test_an_assassin_brings_the_others_back():
    state = act(table("dggaa", ["sniper", "bomb", "bomb", "bomb", "uprising"]), "sniper:3", "hide", "pass", "pass")
    assert advice(state) == "uprising"


def test_a_knife_is_for_the_duke_of_four_seats():
    state = act(table("ggaa", ["bomb", "bomb", "knife", "bomb", "bomb"]), "pass", "pass")
    assert advice(state) == "knife:duke"


def test_a_seat_that_missed_the_duke_is_accused():
    state = table("dggaa", ["shell", "bomb", "bomb", "sniper", "bomb"], talk=True)
    act(state, *["say:nothing", "pass"] * 3, "say:guard", "sniper:0", "shell")
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
