"""How cards, actions and events of games read for people."""

import pytest

from tests.games.test_plain_game import High
from tourney.cli.render.transcript import card_painter
from tourney.contracts.wording import Wording, value_text
from tourney.plugins.registry import game_names, load_game

NAMES = ["ann", "bob", "cid"]


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
    assert (wording.repeats(event), wording.listed(event)) == (False, None)
    assert card_painter(High(), colours=True) is None


def test_what_a_seat_sees_of_bang_and_of_cold_blooded_is_told_in_sentences():
    bang = load_game("bang")
    facts = {"stocks": ["2c 4c", "2d", "2h"], "pile": "3c Qd", "debt": 2, "creditor": 0, "mover": 1}
    state = bang.position(3, bang.options(3, {}), **facts)
    told = [" ".join(bang.wording.situation(state.view(seat), name)) for seat in (1, 2)]
    assert "bob owe ann 2 cards." in told[0], "bob is the person at the table, whose name is you"
    assert "bob owes ann 2 cards." in told[1]
    assert all(["The pile, top card last: 3c Qd." in each for each in told])
    cold = load_game("cold-blooded")
    view = cold.start(5, cold.options(5, {}), 1).view(0)
    told = " ".join(cold.wording.situation(view, str))
    assert view.role == "duke" or f"{view.duke} is the Duke" in told
    assert f"hold the {view.card}" in told
    state = cold.start(5, cold.options(5, {"talk": False}), 1)
    seat, card = state.seat, state.view(state.seat).card
    state.play(cold.action("draw"))
    at_the_bottom = f"card {len(state.view(seat).deck)} of the deck is the {card}"
    assert at_the_bottom in " ".join(cold.wording.situation(state.view(seat), str))
    ours = [load_game(each) for each in ("vole", "voleur", "leon", "bang", "cold-blooded")]
    assert [game.wording.goal.count(". ") for game in ours] == [1] * 5, "two sentences"


def test_a_trick_is_told_with_what_was_played_in_it():
    wording = load_game("leon").wording
    plays = [wording.to_trick(action) for action in ("play:9h", "leon:Th", "leon", "bid:3", "trump:h")]
    assert plays == ["9h", "leon:Th", "leon", None, None]
    assert wording.trick(1, plays[:3], {"winner": 1}, name) == "trick 1: 9h leon:Th leon, taken by bob"
    assert load_game("cold-blooded").wording.to_trick("play:9h") is None


@pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
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
