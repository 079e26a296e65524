"""What a seat learns of what others do, as the game says it: nothing that its view does not show."""

import pytest

from tests.games.test_plain_game import Bidder, High
from tests.helpers import SHORT, play_match
from tourney.contracts.bot import Bot
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import walk
from tourney.table.sentences import Sentences
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


class Revokes(Bot):
    """Plays a card that it may not play, whenever it holds one."""

    def act(self, view, legal):
        held = [self.facts.game.action(f"play:{card}") for card in view.as_dict()["hand"] if card != "X"]
        return next((card for card in held if legal[0] in held and card not in legal), legal[0])


def test_of_a_card_that_is_not_allowed_the_others_see_what_counts():
    game = load_game("leon")
    record = play(Match("leon-00000-0", GameSetup("leon", 2, {}), 0, 5, ("a", "b")), game, [Revokes] * 2)
    assert record.faults == ()
    told = set()
    for seat in (None, 0, 1):
        sentences = Sentences(record, game, seat)
        for found in walk(record, game, seat):
            if found.step is not None and found.step.action not in found.step.legal:
                counted, note = game.text(found.step.legal[0]), sentences.note(found, found.step)
                is_open = seat in (None, found.step.seat)
                assert (found.action, note) == (counted, f"not allowed, counts as {counted}" if is_open else "")
                assert sentences.action(found, found.step) == (game.text(found.step.action) if is_open else counted)
                told.add((seat, found.step.seat))
    assert len(told) == 6
