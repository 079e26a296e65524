"""Who is to blame when a worker is lost, and by when it has to be heard of again."""

import pytest

from tourney.runner.pool.local import LaneHandle, Worker
from tourney.runner.pool.worker import NO_MEMORY, BotCall, NextCall

BOT, OTHER, GAME = BotCall(0, 7, 1), BotCall(0, 6, 0), BotCall(0, 7, None)
AGAIN = BotCall(0, 0, None)  # the game, asked as the match is played once more


def test_each_call_has_its_own_time():
    lane = LaneHandle(Worker(None, [], 0), None)
    lane.note(NextCall(BOT, 1000))
    until = lane.deadline
    lane.note(NextCall(GAME, 10))
    assert lane.deadline < until


@pytest.mark.parametrize(
    ("calls", "exit_code", "culprit"),
    [
        ((OTHER, BOT), None, BOT),
        ((OTHER, GAME), None, GAME),
        ((BOT, GAME), NO_MEMORY, BOT),
        ((BOT, AGAIN), NO_MEMORY, AGAIN),
    ],
    ids=["the bot", "the game", "who was asked before the memory was used up", "nobody of an earlier play"],
)
def test_who_is_to_blame(calls, exit_code, culprit):
    lane = LaneHandle(Worker(None, [], 0), None)
    for call in calls:
        lane.note(NextCall(call, 1000))
    lane.worker.exit_code = exit_code
    assert lane.culprit(timed_out=exit_code is None) == culprit
