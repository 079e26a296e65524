"""How `steady` plays, game by game, and how much it wins against bots that draw lots."""

from collections import Counter
from random import Random

import pytest
from tourney_bots.steady import Steady

from tests.games.facts import facts_of, set_up
from tests.games.test_cold_blooded import five
from tests.helpers import play_match
from tourney import testing
from tourney.contracts.bot import SeatFacts
from tourney.contracts.cards import BANG, STANDARD
from tourney.contracts.game import Game, State
from tourney.games.bang import Bang, BangState
from tourney.games.voleur import Voleur, VoleurState
from tourney.plugins.registry import load_game
from tourney.standings.points import points
from tourney.table.replay import trace

BANG_GAME, VOLEUR_GAME = Bang(), Voleur()
LEON_GAME, COLD_GAME = load_game("leon"), load_game("cold-blooded")
LEON = {"revokes": "hidden", "max_cards": 5}


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
        *[("leon", 2, LEON | {"mode": mode}, 0.9) for mode in ("attack", "defence", "simple")],
        ("leon", 4, LEON, 0.9),
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


# Bang


def before_a_card(stocks: tuple[str, ...], pile: str = "", seen: str = "", mover: int = 0) -> BangState:
    """A match in which the next card is about to be turned; all know where the cards of `seen` are."""
    return testing.position(BANG_GAME, seats=len(stocks), stocks=stocks, pile=pile, seen=seen, mover=mover)


def test_it_anticipates_a_remembered_card_that_is_a_reason():
    assert advice(BANG_GAME, before_a_card(("5c 9h 2h", "3d 4d"), "6c 5d", seen="5c")) == "anticipate"
    assert advice(BANG_GAME, before_a_card(("5c 9h 2h", "3d 4d"), "5d 6c", seen="5c")) == "anticipate"


def test_it_weighs_a_card_never_seen_by_the_odds_and_the_pile():
    assert advice(BANG_GAME, before_a_card(("5c 9h 2h", "3d 4d"), "7c 5d")) == "wait"
    elsewhere = " ".join(name for name in BANG.names if name[0] not in "57")
    assert advice(BANG_GAME, before_a_card(("5c 7h 2h", "3d 4d"), "7c 5d", seen=elsewhere)) == "anticipate"


def test_it_has_nothing_to_lose_without_cards():
    assert advice(BANG_GAME, before_a_card(("", "3d 4d"), "7c 5d", mover=1)) == "anticipate"
    assert advice(BANG_GAME, before_a_card(("4c", "3d 4d"), "7c 5d", mover=0)) == "anticipate"
    assert advice(BANG_GAME, before_a_card(("4c", "3d 4d"), "7c 5d", mover=1)) == "wait"


@pytest.mark.parametrize("bang_on", [["pair", "sandwich"], ["marriage", "ten", "run"], []])
def test_it_bangs_exactly_when_there_is_a_reason(bang_on):
    options = {"bang_on": bang_on, "anticipation": False, "max_turns": 300}
    reasons = 0
    for seed in range(4):
        state = BANG_GAME.start(3, BANG_GAME.options(3, options), seed)
        while state.seat is not None:
            reason, action = state.view(state.seat).reason, advice(BANG_GAME, state)
            assert action == ("bang" if reason else "hold")
            reasons += reason
            state.apply(BANG_GAME.action(action))
    assert (reasons > 0) == bool(bang_on)


# Le Léon


def leon_answer(
    *hands: str, trump: str = "h", bid: int | None = None, won: int = 0, played: str = "", **options
) -> str:
    """What steady answers in the seat that is to act, after the plays; that seat has bid and won so much."""
    seats = len(hands)
    state = testing.position(LEON_GAME, seats=seats, options=options, hands=hands, up=f"2{trump}")
    seat = testing.act(LEON_GAME, state, played).seat
    facts = facts_of(state)
    if bid is None:
        facts["phase"] = "bid"
    else:
        facts["bids"][seat], facts["won"][seat] = bid, won
    return advice(LEON_GAME, set_up(LEON_GAME, seats, LEON_GAME.options(seats, options), **facts))


@pytest.mark.parametrize("mode", ["attack", "defence", "simple"])
@pytest.mark.parametrize(("hand", "bid"), [("2s 3s 4s", "bid:0"), ("Ah Kh Qh", "bid:3"), ("Ah 3s 4s", "bid:1")])
def test_it_bids_in_leon_what_its_cards_are_worth(mode, hand, bid):
    assert leon_answer(hand, "3c 4c 5c", "3d 4d 5d", "6c 7c 8c", mode=mode) == bid


def test_it_names_its_best_suit_as_trumps():
    hands = ["4c 5c 6c 7c 8c", "As Ks 5s 2c 3d"]
    assert advice(LEON_GAME, testing.position(LEON_GAME, seats=2, hands=hands, up="X", phase="trump")) == "trump:s"


@pytest.mark.parametrize(
    ("hands", "given", "answers"),
    [
        # it wins cheaply while it needs every trick
        ("8c 2d / Ac 9c", {"bid": 2, "played": "play:8c"}, ["play:9c"]),
        # it stops winning once its bid is made
        ("Tc 2d 3d / Ac 9c 3c", {"bid": 1, "won": 1, "played": "play:Tc"}, ["play:9c"]),
        # the Léon wins the trick that it needs, and loses the one that it must not win
        ("Ac / X", {"bid": 1, "played": "play:Ac"}, ["leon:Ah"]),
        ("3c / X", {"bid": 0, "played": "play:3c"}, ["leon:2d", "leon:2s"]),
        # it follows suit though it need not
        ("Tc 2d / Ac Kh", {"bid": 0, "played": "play:Tc", "revokes": "hidden"}, ["play:Ac"]),
    ],
)
def test_what_it_plays_in_leon(hands, given, answers):
    assert leon_answer(*hands.split(" / "), **given) in answers


# Voleur


def state_with(*hands: str, up: str, discards: tuple[str, ...] = (), scores=None, **options) -> VoleurState:
    """A state before the first trick; without discards, one in which the hands are yet to discard."""
    phase = "play" if discards else "discard"
    facts = {"hands": hands, "up": up, "discards": discards, "phase": phase, "scores": scores}
    return testing.position(VOLEUR_GAME, seats=len(hands), options=options, **facts)


def play(state: VoleurState, text: str) -> None:
    testing.act(VOLEUR_GAME, state, " ".join([f"play:{card}" for card in text.split()]))


@pytest.mark.parametrize(
    ("hand", "kept"),
    [("9h 9c 2s 9d Kc As", "9h 9c 9d As"), ("3d 4d 5d 6d As Ah", "3d 4d 5d 6d"), ("2c 4d 6h 8s Td Qc", "6h 8s Td Qc")],
)
def test_it_keeps_the_best_combination_and_then_the_highest_cards(hand, kept):
    state = state_with(hand, "2d 3c 4s 5h 7c Jc", up="Kh")
    for _ in range(2):
        state.apply(VOLEUR_GAME.action(advice(VOLEUR_GAME, state)))
    assert sorted(STANDARD.texts(state.view(0).hand)) == sorted(kept.split())


DISCARDS = ("2c 3c", "2s 3s")


def test_it_saves_its_highest_trump_for_the_fourth_trick():
    state = state_with("Ah 9h 4h 3h", "6d 7d Ts Qs", up="Kh", discards=DISCARDS)
    played = []
    while state.view(0).phase == "play":
        if state.seat == 0:
            played.append(advice(VOLEUR_GAME, state))
            state.apply(VOLEUR_GAME.action(played[-1]))
        else:
            state.apply(state.legal()[0])
    assert played[-1] == "play:Ah"
    assert state.view(0).tricks[-1].winner == 0


@pytest.mark.parametrize("hand", ["4s Jc Kc Ah", "4s 9c Jc Ah"])
def test_it_wins_a_led_trick_with_a_card_that_it_need_not_save_and_as_cheaply_as_it_can(hand):
    state = state_with("Ac Tc 2d 3d", hand, up="Kh", discards=DISCARDS)
    play(state, "Ac 4s Tc")
    assert advice(VOLEUR_GAME, state) == "play:Jc"


def choosing(scores, discards=("4s 5s", "8s 9d"), **options) -> VoleurState:
    """Seat 0, with a triple of queens, is about to choose its privilege."""
    state = state_with("Qs Qd Qc Ah", "7s 7d 2d 3d", up="Kh", discards=discards, scores=scores, **options)
    play(state, "Qs 2d Qd 3d Qc 7s Ah 7d")
    return state


def test_it_steals_where_that_sets_it_apart_most():
    assert advice(VOLEUR_GAME, choosing((10, 30))) == "steal:1"


def test_it_takes_the_card_that_makes_far_more_than_there_is_to_steal():
    assert advice(VOLEUR_GAME, choosing((0, 0), discards=("4s Qh", "8s 9d"))) == "take:Qh"


def test_it_wins_a_match_at_once_rather_than_rob_for_a_greater_lead():
    state = choosing((44, 2), discards=("4s 5s", "8s Js"), target=50)
    assert advice(VOLEUR_GAME, state) == "keep"
    assert advice(VOLEUR_GAME, choosing((44, 2), discards=("4s 5s", "8s Js"), target=60)) == "steal:1"


# Cold Blooded


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
def test_what_it_does_in_cold_blooded(roles, hands, actions, answer):
    state = five(hands, "shell bomb sacrifice shell", roles)
    assert advice(COLD_GAME, testing.act(COLD_GAME, state, actions)) == answer


def test_a_seat_that_missed_the_duke_is_accused():
    state = five("shell bomb bomb sniper bomb", "shell bomb sacrifice shell", talk=True)
    testing.act(COLD_GAME, state, "say:nothing pass say:nothing pass say:nothing pass say:guard sniper:0 shell")
    assert advice(COLD_GAME, state) == "say:accuse:3"


@pytest.mark.parametrize("seats", range(4, 9))
def test_steady_beats_random_on_either_side(seats):
    wins = Counter()
    for seed in range(60):
        for side in ("guards", "assassins"):
            roles = facts_of(COLD_GAME.start(seats, COLD_GAME.options(seats, {"target": 1}), seed))["roles"]
            names = ["steady" if (role == "assassin") == (side == "assassins") else "random" for role in roles]
            record = play_match(*names, game=COLD_GAME.name, options={"target": 1}, seed=seed)
            gained = next(event["points"] for event in trace(record, COLD_GAME) if event["kind"] == "score")
            wins[side] += gained[names.index("steady")]
    # random against random the assassins win about three games of four
    assert wins["assassins"] >= 54
    assert wins["guards"] >= 36
