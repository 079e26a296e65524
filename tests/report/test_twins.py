"""The other matches of a block: where they part, and how far apart two bots with the same cards are."""

from itertools import islice

import msgspec
import orjson
import pytest

from tests.conftest import mostly_slow
from tests.helpers import SHORT, play_match
from tourney.plugins.registry import game_names, load_game
from tourney.report.match_data import match_data
from tourney.table.replay import Replay


def rotated(game, seats=None, **options):
    """A block: the records of two bots in each of the seats in turn, on one deal."""
    seats = seats or load_game(game).seats[0]
    names = ["steady", *["random"] * (seats - 1)]
    options = SHORT[game] | options
    turns = [names[-i:] + names[:-i] for i in range(seats)]
    return [play_match(*turn, game=game, options=options) for turn in turns]


def decision(record, number):
    """The step of that number, with the view of its seat."""
    step = next(islice(Replay(record, load_game(record.game)).steps(), number - 1, None))
    return step.seat, step.action, step.state.view(step.seat)


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole", "leon"))
def test_twins_part_at_the_first_decision_at_which_a_seat_that_saw_the_same_did_otherwise(game):
    record, *twins = rotated(game)
    found = orjson.loads(match_data(record, load_game(game), twins=twins))["twins"]
    assert [each["scores"] for each in found] == [list(twin.scores) for twin in twins]
    for twin, each in zip(twins, found, strict=True):
        parts = each["parts"]
        for number in range(1, parts["decision"]):
            assert decision(record, number) == decision(twin, number)
        (seat, action, view), (other_seat, other_action, other_view) = [
            decision(match, parts["decision"]) for match in (record, twin)
        ]
        assert (seat, view) == (other_seat, other_view)
        assert action != other_action
        assert (parts["seat"], parts["gap"]) == (seat, abs(record.scores[seat] - twin.scores[seat]))


def test_a_bot_that_fails_parts_from_one_that_decides_what_the_house_does():
    record = play_match("RaisesLater", "random")
    (fault,) = record.faults
    twin = msgspec.structs.replace(record, faults=())
    (found,) = orjson.loads(match_data(record, load_game("vole"), twins=[twin]))["twins"]
    assert (found["parts"]["decision"], found["parts"]["seat"]) == (fault.decision, fault.seat)


def test_a_page_for_one_seat_says_nothing_of_twins_and_a_match_alone_has_none():
    record, twin = rotated("vole")
    assert "twins" not in orjson.loads(match_data(record, load_game("vole"), 0, twins=[twin]))
    assert orjson.loads(match_data(record, load_game("vole")))["twins"] == []
    same = orjson.loads(match_data(record, load_game("vole"), twins=[record]))["twins"]
    assert [each["parts"] for each in same] == [None]
