"""What a seat learns of what others do, as the game says it: nothing that its view does not show."""

import pytest

from tests.games.test_plain_game import Bidder, High
from tests.helpers import SHORT, play_match
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import walk
from tourney.table.table import play

GAMES = pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)


@GAMES
def test_a_seat_sees_its_own_decisions_whole_and_learns_nothing_twice(game):
    record = play_match(*["random"] * game.seats[-1], game=game.name, options=SHORT[game.name])
    for seat in range(0, game.seats[-1], 3):
        known = set()
        for found in walk(record, game, seat):
            if found.step is not None and found.step.seat == seat:
                assert found.seen == game.text(found.step.action)
            for earlier in found.revealed:
                assert earlier.number <= found.number
                assert (earlier.number, earlier.step is None) not in known
                known.add((earlier.number, earlier.step is None))


def test_of_a_game_that_says_nothing_every_action_is_seen():
    match = Match("high-00000-0", GameSetup("high", 2, {}), 0, 7, ("low", "adder"))
    record = play(match, High(), [lambda: Bidder(3), lambda: Bidder(None)])
    found = list(walk(record, High(), 1))
    assert [each.event.get("kind") for each in found] == ["deal", None, None]
    assert [each.seen for each in found] == ["deal", *record.actions.split()]
    assert not any(each.revealed for each in found)
