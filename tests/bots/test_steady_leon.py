"""The rules of thumb by which `steady` plays Le Léon."""

import pytest

from tests.bots.test_steady import advice
from tests.games.facts import facts_of, set_up
from tourney import testing
from tourney.plugins.registry import load_game

GAME = load_game("leon")


def answer(*hands: str, trump: str = "h", bid: int | None = None, won: int = 0, played: str = "", **options) -> str:
    """What steady answers in the seat that is to act, after the plays; that seat has bid and won so much."""
    seats = len(hands)
    state = testing.position(GAME, seats=seats, options=options, hands=hands, up=f"2{trump}")
    seat = testing.act(GAME, state, played).seat
    facts = facts_of(state)
    if bid is None:
        facts["phase"] = "bid"
    else:
        facts["bids"][seat], facts["won"][seat] = bid, won
    return advice(GAME, set_up(GAME, seats, GAME.options(seats, options), **facts))


@pytest.mark.parametrize("mode", ["attack", "defence", "simple"])
@pytest.mark.parametrize(("hand", "bid"), [("2s 3s 4s", "bid:0"), ("Ah Kh Qh", "bid:3"), ("Ah 3s 4s", "bid:1")])
def test_it_bids_what_its_cards_are_worth(mode, hand, bid):
    assert answer(hand, "3c 4c 5c", "3d 4d 5d", "6c 7c 8c", mode=mode) == bid


def test_it_names_its_best_suit_as_trumps():
    hands = ["4c 5c 6c 7c 8c", "As Ks 5s 2c 3d"]
    assert advice(GAME, testing.position(GAME, seats=2, hands=hands, up="X", phase="trump")) == "trump:s"


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
def test_what_it_plays(hands, given, answers):
    assert answer(*hands.split(" / "), **given) in answers
