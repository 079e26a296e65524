"""The recheck finds the first decision at which a bot does not do what is recorded."""

from itertools import count

import pytest

from tests.helpers import bot, play_match
from tourney.contracts.bot import Bot
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import load_game
from tourney.review.recheck import recheck
from tourney.table.replay import Replay
from tourney.table.table import play

VOLE = load_game("vole")


def match(bot_name):
    return Match("vole-00000-0", GameSetup("vole", 2, {"target": 6}), 0, 5, ("random", bot_name))


@pytest.mark.parametrize("bad", ["RaisesLater", "RaisesInMake", "RaisesInStart", "RaisesInEnd", "SaysIllegal"])
def test_a_repeated_fault_is_no_difference(bad):
    record = play_match("random", bad, options={"target": 6})
    assert record.faults
    assert recheck(record, VOLE, [bot("random"), bot(bad)]) == [None, None]


def seats(record):
    return [step.seat for step in Replay(record, VOLE).steps()]


@pytest.mark.parametrize("bad", ["KillsItself", "KillsItselfInStart", "KillsItselfInEnd", "Hangs"])
def test_a_decision_that_ended_a_process_is_not_tried_again(bad):
    """It would end this process, too."""
    good = play(match(bad), VOLE, [bot("random"), bot("Good")])
    seat_1 = [step for step, seat in enumerate(seats(good), 1) if seat == 1]
    decision = {"KillsItselfInEnd": len(seats(good)) + 1, "Hangs": seat_1[2]}.get(bad, seat_1[0])
    at = (0, 1) if bad == "KillsItselfInStart" else (decision, 1)
    record = play(match(bad), VOLE, [bot("random"), bot(bad)], {at: ("crash", "its process died")})
    assert [fault.kind for fault in record.faults] == ["crash"]
    assert recheck(record, VOLE, [bot("random"), bot(bad)]) == [None, None]


class Fickle(Bot):
    """Plays differently in every match but its first, from its fifth decision on."""

    numbers = count(1)

    def __init__(self):
        self.number = next(self.numbers)
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        return legal[0] if self.number == 1 or self.asked < 5 else legal[-1]


def test_the_first_differing_decision_is_found_for_its_bot_alone():
    makers = [bot("random"), Fickle]
    record = play(match("fickle"), VOLE, makers)
    harmless, difference = recheck(record, VOLE, makers)
    mine = [number for number, seat in enumerate(seats(record), 1) if seat == 1]
    assert harmless is None
    assert difference.decision in mine[4:]
    assert difference.recorded == record.actions.split(" ")[difference.decision - 1]
    assert difference.now != difference.recorded


def test_new_and_vanished_faults_are_differences():
    good = play_match("random", "Good", options={"target": 6})
    _, difference = recheck(good, VOLE, [bot("random"), bot("RaisesLater")])
    mine = [number for number, seat in enumerate(seats(good), 1) if seat == 1]
    assert difference.decision == mine[3]
    assert difference.now.startswith("error, ValueError at bots.py:")
    other = play_match("random", "first", options={"target": 6})
    _, difference = recheck(other, VOLE, [bot("random"), bot("RaisesLater")])
    assert difference.now.startswith("play:"), "it played differently before it failed"
    bad = play_match("random", "RaisesLater", options={"target": 6})
    _, difference = recheck(bad, VOLE, [bot("random"), bot("Good")])
    assert difference.decision == bad.faults[0].decision
    assert difference.recorded == f"error, {bad.faults[0].detail}"
