"""How `steady` plays, and how much it wins against bots that draw lots."""

from collections import Counter
from random import Random

import pytest
from tourney_bots.steady import Steady

from tests.games.facts import facts_of
from tests.games.test_bang import position
from tests.games.test_cold_blooded import five
from tests.games.test_leon import dealt
from tests.games.test_voleur import at_tricks
from tests.helpers import play_match
from tourney import testing
from tourney.contracts.bot import SeatFacts
from tourney.contracts.cards import BANG, STANDARD
from tourney.contracts.game import Game, State
from tourney.plugins.registry import load_game
from tourney.standings.points import points
from tourney.table.replay import trace

HIDDEN = {"revokes": "hidden", "max_cards": 5}


def advice(game: Game, state: State) -> str:
    """What a steady player in the seat to move does, having seen it all."""
    seat, bot = state.seat, Steady()
    view = state.view(seat)
    bot.start(SeatFacts(game, view.options, len(state.scores), seat, Random(0)))
    return game.text(bot.act(view, state.legal()))


@pytest.mark.parametrize(
    ("game", "seats", "options", "least"),
    [
        ("vole", 2, {}, 0.7),
        ("bang", 2, {}, 0.9),
        *[("voleur", seats, {}, 0.9) for seats in (2, 5)],
        *[("leon", 2, HIDDEN | {"mode": mode}, 0.9) for mode in ("attack", "defence", "simple")],
        ("leon", 4, HIDDEN, 0.9),
    ],
)
def test_it_is_far_better_than_lots_and_never_sanctioned(game, seats, options, least):
    won = []
    for seed in range(36):
        mine = seed % seats
        names = ["steady" if seat == mine else "random" for seat in range(seats)]
        record = play_match(*names, game=game, options=options, seed=seed)
        assert record.faults == ()
        events = trace(record, load_game(game))
        assert not [event for event in events if event["kind"] == "sanction" and event["seat"] == mine]
        won.append(points(record.places)[mine])
    assert sum(won) >= least * len(won)


@pytest.mark.parametrize("seats", range(4, 9))
def test_it_beats_random_on_either_side_of_cold_blooded(seats):
    wins, game, options = Counter(), load_game("cold-blooded"), {"target": 1}
    for seed in range(60):
        for side in ("guards", "assassins"):
            roles = facts_of(game.start(seats, game.options(seats, options), seed))["roles"]
            names = ["steady" if (role == "assassin") == (side == "assassins") else "random" for role in roles]
            record = play_match(*names, game=game.name, options=options, seed=seed)
            score = next(event["points"] for event in trace(record, game) if event["kind"] == "score")
            wins[side] += score[names.index("steady")]
    # random against random the assassins win about three games of four
    assert wins["assassins"] >= 54
    assert wins["guards"] >= 36


def cold(hands, roles="dggaa", **options):
    return five(hands, "shell bomb sacrifice shell", roles, **options)


def led(hand):
    """Seat 0 of Voleur leads, after a trick."""
    return at_tricks("Ac Tc 2d 3d", hand, up="Kh", discards=("2c 3c", "2s 3s"))


def privileged(scores, discards=("4s 5s", "8s 9d"), **options):
    """Seat 0 of Voleur, with a triple of queens, is to choose its privilege after these tricks."""
    return at_tricks("Qs Qd Qc Ah", "7s 7d 2d 3d", up="Kh", discards=discards, scores=scores, **options)


TRICKS = "play:Qs play:2d play:Qd play:3d play:Qc play:7s play:Ah play:7d"
ELSEWHERE = " ".join([name for name in BANG.names if name[0] not in "57"])
LAID = "pass pass pass bomb pass sniper:3"
MISSED = "say:nothing pass say:nothing pass say:nothing pass say:guard sniper:0 shell"
NAMING = {"hands": ["4c 5c 6c 7c 8c", "As Ks 5s 2c 3d"], "up": "X", "phase": "trump"}

SITUATIONS = {
    "bang": [
        # it anticipates a remembered card that is a reason
        (position("5c 9h 2h", "3d 4d", pile="6c 5d", seen="5c"), "", "anticipate"),
        (position("5c 9h 2h", "3d 4d", pile="5d 6c", seen="5c"), "", "anticipate"),
        # it weighs a card never seen by the odds and the pile
        (position("5c 9h 2h", "3d 4d", pile="7c 5d"), "", "wait"),
        (position("5c 7h 2h", "3d 4d", pile="7c 5d", seen=ELSEWHERE), "", "anticipate"),
        # it has nothing to lose without cards
        (position("", "3d 4d", pile="7c 5d", mover=1), "", "anticipate"),
        (position("4c", "3d 4d", pile="7c 5d", mover=0), "", "anticipate"),
        (position("4c", "3d 4d", pile="7c 5d", mover=1), "", "wait"),
    ],
    "cold-blooded": [
        # an assassin shoots the Duke
        (cold("bomb bomb bomb sniper bomb"), "draw draw draw", "sniper:0"),
        # a guard shoots whoever shot at the Duke
        (cold("shell sniper bomb bomb sniper"), "pass pass pass pass sniper:0 shell pass", "sniper:4"),
        # a guard shoots the player of a bomb first
        (cold("shell sniper bomb sniper bomb"), "pass pass pass sniper:0 shell bomb pass", "sniper:4"),
        # a guard dies for the Duke, and for nobody else
        (cold("bomb bomb sacrifice sniper bomb"), "pass pass pass sniper:0", "sacrifice"),
        (cold("bomb bomb sacrifice sniper bomb"), "pass pass pass sniper:1", "stay"),
        # an assassin dies for a laid bomb, but not for the Duke
        (cold("sniper bomb bomb bomb sacrifice"), LAID, "sacrifice"),
        (cold("bomb bomb bomb sniper sacrifice"), "pass pass pass sniper:0", "stay"),
        # the Duke keeps a shell, and trades it with nobody
        (cold("shell knife bomb bomb bomb"), "", "pass"),
        (cold("shell knife bomb bomb bomb"), "pass trade:0", "decline"),
        # an assassin brings the others back
        (cold("sniper bomb bomb bomb uprising"), "sniper:3 hide pass pass", "uprising"),
        # a knife is for the Duke of four seats
        (cold("bomb bomb knife bomb bomb", "ggaa"), "pass pass", "knife:duke"),
        # a seat that missed the Duke is accused
        (cold("shell bomb bomb sniper bomb", talk=True), MISSED, "say:accuse:3"),
    ],
    "leon": [
        # it bids what its cards are worth
        *[
            (dealt(hand, "3c 4c 5c", "3d 4d 5d", "6c 7c 8c", phase="bid", mode=mode), "", bid)
            for mode in ("attack", "defence", "simple")
            for hand, bid in (("2s 3s 4s", "bid:0"), ("Ah Kh Qh", "bid:3"), ("Ah 3s 4s", "bid:1"))
        ],
        # it names its best suit as trumps
        (testing.position(load_game("leon"), seats=2, **NAMING), "", "trump:s"),
        # it wins cheaply while it needs every trick
        (dealt("8c 2d", "Ac 9c", bids=(0, 2)), "play:8c", "play:9c"),
        # it stops winning once its bid is made
        (dealt("Tc 2d 3d", "Ac 9c 3c", bids=(0, 1), facts={"won": (0, 1)}), "play:Tc", "play:9c"),
        # the Léon wins the trick that it needs, and loses the one that it must not win
        (dealt("Ac", "X", bids=(0, 1)), "play:Ac", "leon:Ah"),
        (dealt("3c", "X", bids=(0, 0)), "play:3c", "leon:2d leon:2s"),
        # it follows suit though it need not
        (dealt("Tc 2d", "Ac Kh", bids=(0, 0), revokes="hidden"), "play:Tc", "play:Ac"),
    ],
    "voleur": [
        # it wins a led trick with a card that it need not save, and as cheaply as it can
        (led("4s Jc Kc Ah"), "play:Ac play:4s play:Tc", "play:Jc"),
        (led("4s 9c Jc Ah"), "play:Ac play:4s play:Tc", "play:Jc"),
        # it steals where that sets it apart most
        (privileged((10, 30)), TRICKS, "steal:1"),
        # it takes the card that makes far more than there is to steal
        (privileged((0, 0), ("4s Qh", "8s 9d")), TRICKS, "take:Qh"),
        # it wins a match at once rather than rob for a greater lead
        (privileged((44, 2), ("4s 5s", "8s Js"), target=50), TRICKS, "keep"),
        (privileged((44, 2), ("4s 5s", "8s Js"), target=60), TRICKS, "steal:1"),
    ],
}


@pytest.mark.parametrize(
    ("name", "state", "actions", "answers"), [(name, *case) for name, cases in SITUATIONS.items() for case in cases]
)
def test_what_it_does(name, state, actions, answers):
    game = load_game(name)
    assert advice(game, testing.act(game, state.copy(), actions)) in answers.split()


@pytest.mark.parametrize("bang_on", [["pair", "sandwich"], ["marriage", "ten", "run"], []])
def test_it_bangs_exactly_when_there_is_a_reason(bang_on):
    game, reasons = load_game("bang"), 0
    options = {"bang_on": bang_on, "anticipation": False, "max_turns": 300}
    for seed in range(4):
        state = game.start(3, game.options(3, options), seed)
        while state.seat is not None:
            reason, action = state.view(state.seat).reason, advice(game, state)
            assert action == ("bang" if reason else "hold")
            reasons += reason
            state.apply(game.action(action))
    assert (reasons > 0) == bool(bang_on)


@pytest.mark.parametrize(
    ("hand", "kept"),
    [("9h 9c 2s 9d Kc As", "9h 9c 9d As"), ("3d 4d 5d 6d As Ah", "3d 4d 5d 6d"), ("2c 4d 6h 8s Td Qc", "6h 8s Td Qc")],
)
def test_it_keeps_the_best_combination_and_then_the_highest_cards(hand, kept):
    game = load_game("voleur")
    state = testing.position(game, seats=2, hands=[hand, "2d 3c 4s 5h 7c Jc"], up="Kh", phase="discard")
    for _ in range(2):
        state.apply(game.action(advice(game, state)))
    assert sorted(STANDARD.texts(state.view(0).hand)) == sorted(kept.split())


def test_it_saves_its_highest_trump_for_the_fourth_trick():
    game, state = load_game("voleur"), at_tricks("Ah 9h 4h 3h", "6d 7d Ts Qs", up="Kh", discards=("2c 3c", "2s 3s"))
    while state.view(0).phase == "play":
        state.apply(game.action(advice(game, state)) if state.seat == 0 else state.legal()[0])
    assert STANDARD.card("Ah") in state.view(0).tricks[-1].cards
    assert state.view(0).tricks[-1].winner == 0
