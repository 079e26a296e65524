"""Who is to blame when a worker is lost, and by when it has to be heard of again."""

import pytest

from tourney.runner.pool.local import Worker
from tourney.runner.pool.worker import NO_MEMORY, BotCall, NextCall


@pytest.fixture
def worker():
    return Worker(None, None, 0)


def test_each_call_has_its_own_time(worker):
    worker.note(NextCall(BotCall(0, 7, 1), 1000))
    until = worker.deadline
    worker.note(NextCall(BotCall(0, 7, None), 10))
    assert worker.deadline < until


@pytest.mark.parametrize("seat", [1, None])
def test_what_took_too_long_is_to_blame(worker, seat):
    worker.note(NextCall(BotCall(0, 6, 0), 1000))
    worker.note(NextCall(BotCall(0, 7, seat), 1000))
    assert worker.culprit(timed_out=True) == BotCall(0, 7, seat)


def test_who_was_asked_before_the_memory_was_used_up_is_to_blame(worker):
    worker.note(NextCall(BotCall(0, 7, 1), 1000))
    worker.note(NextCall(BotCall(0, 7, None), 1000))
    worker.exit_code = NO_MEMORY
    assert worker.culprit(timed_out=False) == BotCall(0, 7, 1)


def test_a_bot_that_was_asked_in_an_earlier_play_is_not_to_blame(worker):
    worker.note(NextCall(BotCall(0, 7, 1), 1000))
    worker.note(NextCall(BotCall(0, 0, None), 1000))
    worker.exit_code = NO_MEMORY
    assert worker.culprit(timed_out=False) == BotCall(0, 0, None)
