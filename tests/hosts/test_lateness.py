"""A bot that runs out of time since the machine is late has its match played again, and is charged if that goes on."""

import os
import signal
import subprocess
from contextlib import contextmanager, suppress

import pytest

from tests.helpers import bot
from tests.hosts.play import SHORT, against_good, opened
from tourney.hosts.base import BotSpec
from tourney.hosts.clocks import Timekeeper
from tourney.hosts.lateness import Lateness
from tourney.match import GameSetup, Match
from tourney.plugins import load_game
from tourney.table import LATE_PLAYS, play

SPINNERS = 16
WORKS = """
import os, signal, time

def signal_spinners(number):
    for pid in os.environ["SPINNERS"].split():
        os.kill(int(pid), number)

class Works:
    count = 0
    def start(self, facts):
        self.plays = len([name for name in os.listdir(".") if name.startswith("play-")])
        open(f"play-{self.plays}", "x").close()
        if self.plays == 0:
            signal_spinners(signal.SIGCONT)
        elif self.plays == int(os.environ["QUIET_PLAY"]):
            signal_spinners(signal.SIGKILL)
    def act(self, view, legal):
        self.count += 1
        if self.count == 2:
            quiet = self.plays == int(os.environ["QUIET_PLAY"])
            until = time.thread_time() + (0.01 if quiet else 0.3)  # little, as others may keep the core busy
            while time.thread_time() < until:
                pass
        return legal[-1]
"""
LIMITS = [("inline", {"move_ms": 1500}), ("process", {"move_ms": 1500}), ("process", {"clock": "1500ms"})]


@contextmanager
def busy_core(monkeypatch):
    """Keeps this process and what it starts on a core on which much else runs as soon as the bot continues it."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    # sessions of their own: the system may share a core out among sessions first
    command = ["sh", "-c", "kill -STOP $$; while :; do :; done"]
    spinners = [subprocess.Popen(command, start_new_session=True) for _ in range(SPINNERS)]
    try:
        for each in spinners:
            os.waitid(os.P_PID, each.pid, os.WSTOPPED)
        monkeypatch.setenv("SPINNERS", " ".join([str(each.pid) for each in spinners]))
        yield
    finally:
        os.sched_setaffinity(0, before)
        for each in spinners:
            with suppress(ProcessLookupError):
                os.kill(each.pid, signal.SIGKILL)
            each.wait()


def played(folder, monkeypatch, quiet_play: int, host: str, limits: dict):
    """The record of a match in which the machine is late until that play of it, and what was noted of time."""
    (folder / "works.py").write_text(WORKS, encoding="utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("QUIET_PLAY", str(quiet_play))
    keeper = Timekeeper()
    match = Match("vole-00000-0", GameSetup("vole", 2, SHORT), 0, 5, ("bot-0", "bot-1"))
    spec = BotSpec("works", host, "works.py:Works", {}, (), folder, ("vole",))
    with busy_core(monkeypatch), opened(spec, None, **limits) as opened_host:
        return play(match, load_game("vole"), [bot("Good"), opened_host], keeper=keeper), keeper


@pytest.mark.slow
@pytest.mark.parametrize(("host", "limits"), LIMITS, ids=[f"{host}-{'-'.join(limits)}" for host, limits in LIMITS])
def test_a_match_is_played_again_where_the_machine_was_late(host, limits, tmp_path, monkeypatch):
    record, keeper = played(tmp_path, monkeypatch, 1, host, limits)
    assert record == against_good(bot("Good"))
    assert keeper.played_again >= 1
    assert keeper.late_timeouts == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "detail"),
    [({"move_ms": 1000}, "took longer than move_ms"), ({"match_s": 1}, "its match took too long")],
)
def test_a_bot_is_charged_where_the_machine_is_late_each_time(limits, detail, tmp_path, monkeypatch):
    record, keeper = played(tmp_path, monkeypatch, -1, "process", limits)
    (fault,) = record.faults
    assert (fault.kind, fault.detail) == ("timeout", detail)
    assert (keeper.played_again, keeper.late_timeouts) == (LATE_PLAYS, 1)


def test_time_for_which_processors_work_for_a_bot_is_no_lateness():
    """Whatever its threads wait for each other."""
    waited, worked = iter([0, 0, 600]), iter([0, 0, 600])
    lateness = Lateness(lambda: next(waited), lambda: next(worked))
    lateness.skip()
    lateness.begin()
    assert lateness.end() == 0


def test_the_machine_was_not_late_for_longer_than_the_call_took():
    waited = iter([0, 600])
    lateness = Lateness(lambda: next(waited), lambda: 0)
    lateness.begin()
    assert 0 < lateness.end() < 600
