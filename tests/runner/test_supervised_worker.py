"""Who is to blame when a worker is lost, and how long its match has taken by then."""

from types import SimpleNamespace

import pytest

from tourney.runner.supervised_worker import SupervisedWorker
from tourney.runner.worker import BotCall, NextCall


@pytest.fixture
def worker():
    return SupervisedWorker(SimpleNamespace(pipe=None, exit_code=None))


def test_a_match_that_is_played_once_more_has_all_its_time_again(worker):
    worker.note(NextCall(BotCall(0, 0, None), 0))
    worker.note(NextCall(BotCall(0, 7, 1), 1000))
    started = worker.match_started
    worker.note(NextCall(BotCall(0, 0, None), 1000))
    assert worker.match_started > started
    assert worker.asked_s == 0


def test_a_match_that_goes_on_has_only_what_is_left_of_its_time(worker):
    worker.note(NextCall(BotCall(0, 0, None), 0))
    started = worker.match_started
    worker.note(NextCall(BotCall(0, 7, 1), 0))
    worker.note(NextCall(BotCall(0, 7, None), 1000))
    assert worker.match_started == started
    assert worker.asked_s == 1000


def test_bots_that_were_asked_for_most_of_an_earlier_play_are_not_blamed_for_the_game(worker):
    worker.note(NextCall(BotCall(0, 7, 1), 1000))
    worker.note(NextCall(BotCall(0, 0, None), 1000))
    worker.note(NextCall(BotCall(0, 1, None), 1000))
    assert worker.culprit(timed_out=True).seat is None
