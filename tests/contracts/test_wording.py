"""How cards, actions and events of games read for people."""

import re
from random import Random

import pytest

from tests.games.test_plain_game import High
from tests.helpers import SHORT, play_match
from tourney.cli.render.transcript import Transcript, card_painter
from tourney.contracts.wording import Wording, by_seat, value_text
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import Replay, walk

NAMES = ["ann", "bob", "cid"]
GAMES = pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)


def name(seat):
    return NAMES[seat]


def test_a_game_that_says_nothing_has_its_events_told_as_keys_and_values():
    wording = High().wording
    assert type(wording) is Wording
    event = {"kind": "auction", "seat": 1, "bids": [1, 2], "open": True, "leader": 2, "winner": None}
    assert wording.sentence(event, name) == "auction: bob, bids 1 2, open yes, leader 2, winner none"
    assert wording.sentence({"kind": "score", "points": [1]}, name) == "score: points 1"
    assert wording.heading({"kind": "deal", "secret": 4}) == "deal"
    assert wording.heading({"kind": "deal", "round": 4}) == "round 4"
    assert wording.trick(2, [], {"winner": None}, name) == "trick 2: taken by nobody"
    assert wording.to_trick("play:9t") is None
    view = High().start(2, None, 1).view(0)
    assert (wording.choices(view), wording.situation(view, name), wording.goal) == ({}, (), "")
    assert (wording.decider(view), wording.stakes(view, name)) == (None, ())
    said = [wording.phrase(action, name).by("ann") for action in ("play:9t", "bid:3", "give_up")]
    assert said == ["ann plays 9t", "ann: bid 3", "ann: give up"]
    assert (wording.repeats(event), wording.listed(event)) == (False, None)
    assert card_painter(High(), colours=True) is None


def test_a_trick_is_told_with_what_was_played_in_it():
    wording = load_game("leon").wording
    plays = [wording.to_trick(action) for action in ("play:9h", "leon:Th", "leon", "bid:3", "trump:h")]
    assert plays == ["9h", "Léon(Th)", "Léon", None, None]
    assert wording.trick(1, plays[:3], {"winner": 1}, name) == "trick 1: 9h Léon(Th) Léon, taken by bob"
    assert load_game("cold-blooded").wording.to_trick("play:9h") is None


ROLES = {
    "roles": ["duke", "guard", "guard", "assassin", "assassin"],
    "hands": ["sniper", *["shell"] * 4],
    "deck": "bomb",
}


@GAMES
def test_a_sentence_tells_a_seat_all_that_it_sees_now_and_nothing_that_it_cannot_know(game):
    def told(state, action):
        before, state = state.view(seat), state.copy()
        state.log.clear()
        state.play(action)
        view, seen = state.view(seat), [game.observe(state, at, seat).text for at in range(len(state.log))]
        log = [entry for entry, kind in zip(state.log, seen, strict=True) if kind not in (None, "deal")]
        why = [game.wording.why(game.event(entry), view, str) for entry in log if isinstance(entry[0], str)]
        asked = game.wording.decider(view), game.wording.stakes(view, str), game.wording.situation(view, str)
        return (view, seen), [
            game.wording.phrase(seen[0] or "", str),
            *why,
            *game.wording.effects(before, view, str),
            asked,
        ]

    record, same = play_match(*["random"] * game.seats[0], game=game.name, options=SHORT[game.name]), 0
    for step in Replay(record, game).steps():
        seat = step.decision % game.seats[0]
        view, (seen, said) = step.state.view(seat), told(step.state, step.action)
        twin = game.imagine(view, Random(step.decision))
        alike = [words for looks, words in [told(twin, action) for action in twin.legal()] if looks == seen]
        same += alike.count(said)
        assert len(alike) == alike.count(said)
        text, facts = " ".join(game.wording.situation(view, str)), view.as_dict()
        assert by_seat(facts.get("scores", []), str) in text
        shown = str([facts.get(key, "") for key in ("hand", "card", "pile", "discards", "sizes")]).replace("None", "")
        assert {*re.findall(r"\w+", shown)} <= {*re.findall(r"\w+", text)}
    assert same


def test_a_knife_that_a_seat_takes_for_a_trade_is_told_as_one():
    record = play_match(*["random"] * 5, game="cold-blooded", options={"target": 3, "deck": {"knife": 40}}, seed=2)
    teller, game = Transcript(record, load_game("cold-blooded"), 1), load_game("cold-blooded")
    told = [(found, " ".join(teller.lines(found))) for found in walk(record, game, 1)]
    seen = [(found.seen[:5], line) for found, line in told if found.action[:5] == "knife" and found.step.seat != 1]
    assert {(kind, "trades cards with" in line) for kind, line in seen} == {("trade", True), ("knife", False)}


@GAMES
def test_cards_get_the_signs_of_their_deck_and_lines_stay_as_wide(game):
    deck, paint = game.wording.deck, card_painter(game, colours=False)
    if deck is None:
        assert paint is None
        return
    line = " ".join(["play:" + name for name in deck.names])
    signed = paint(line)
    assert len(signed) == len(line)
    for suit, (letter, sign) in enumerate(zip(deck.suits, deck.signs, strict=True)):
        for rank in deck.ranks:
            assert f"play:{rank}{sign}" in signed
            assert f"play:{rank}{letter}" not in signed
        assert deck.colours[suit]
    for joker in deck.jokers:
        assert f"play:{joker}" in signed
    assert deck.sorted(reversed(deck.names)) == list(deck.names)


def test_cards_of_another_deck_stay_letters():
    assert card_painter(load_game("vole"), colours=False)("9t 9h 12t x9t") == "9♜ 9h 12t x9t"


def test_long_runs_of_one_value_are_written_once():
    assert value_text([None] * 9 + [1, 1]) == "none x9 1 1"
    assert value_text({"a": [], "b": {"c": False}}) == "(a -, b (c no))"
