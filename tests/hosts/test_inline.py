"""Limits on bots in the worker's own process."""

import signal

import pytest

from tests.helpers import BAD, bot
from tests.hosts.play import PATIENT_MS, against_good, match_with, spec_of, written
from tourney.hosts.base import create_host
from tourney.hosts.limits import Limits
from tourney.plugins.registry import load_game
from tourney.table.replay import check

RUNG = """
import os, signal
class Bot:
    def act(self, view, legal):
        os.kill(os.getpid(), signal.SIGALRM)
        return legal[0]
"""


def timed(name: str, **limits):
    spec = spec_of(name, f"{BAD.name}:{name}", "inline", limits=Limits(**limits))
    return create_host(spec, None)


@pytest.mark.parametrize(
    ("name", "limit"), [("HangsAtOnce", "move_ms"), ("SwallowsItsEnd", "move_ms"), ("HangsInStart", "start_ms")]
)
def test_a_bot_that_takes_too_long_is_interrupted_and_charged(name, limit):
    record = against_good(timed(name, **{limit: 50}))
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.detail) == (1, "timeout", f"took longer than {limit}")
    tame = against_good(bot("Raises"))
    assert (record.actions, record.scores, record.places) == (tame.actions, tame.scores, tame.places)
    check(record, load_game("vole"))


def test_the_signal_of_the_clock_from_somebody_else_interrupts_and_charges_nobody(tmp_path):
    with written(RUNG, tmp_path, host="inline", move_ms=PATIENT_MS) as host:
        assert not against_good(host).faults


@pytest.mark.parametrize("limits", [{}, {"move_ms": 60_000}, {"start_ms": 60_000}])
def test_without_limits_there_is_no_clock_and_a_clock_changes_nothing_for_a_bot_in_time(limits, monkeypatch):
    started, real = [], signal.setitimer
    monkeypatch.setattr(signal, "setitimer", lambda *call: started.append(call) or real(*call))
    for name in ("Good", "Raises", "RaisesInEnd"):
        assert against_good(timed(name, **limits)) == against_good(bot(name))
    assert bool(started) == bool(limits)


def test_the_clock_stands_still_while_the_garbage_of_another_bot_is_collected(monkeypatch):
    monkeypatch.setenv("SLOW_S", str(PATIENT_MS * 1.2 / 1000))
    assert match_with(bot("LeavesSlowGarbage"), timed("CollectsGarbage", move_ms=PATIENT_MS)).faults == ()


def test_what_a_bot_has_forked_is_ended_by_the_signal_that_interrupts_bots_and_does_not_go_on_as_a_worker():
    assert against_good(timed("ForksAndSignals", move_ms=60_000)).faults == ()
