"""Processor time is that of all processes of a bot, and only what it uses itself."""

from pathlib import Path

import pytest

from tests.conftest import mostly_slow
from tests.helpers import bot
from tests.hosts.play import against_good, charged, written
from tourney.hosts.clocks import Timekeeper
from tourney.plugins.registry import load_game
from tourney.table.replay import trace

BURNS = """
import os, signal, threading, time
def burn(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass
def child(seconds):
    pid = os.fork()
    if pid == 0:
        burn(seconds)
        os._exit(0)
    os.waitpid(pid, 0)
def far_child(seconds, lives):
    source, target = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            burn(seconds)
            os.write(target, b"x")
            if lives:
                time.sleep(600)
        os._exit(0)
    os.read(source, 1)
class Base:
    count = 0
    def act(self, view, legal):
        self.count += 1
        if self.count == 2:
            self.use()
        return legal[-1]
class Itself(Base):
    def use(self): burn(0.7)
class Threads(Base):
    def use(self):
        threads = [threading.Thread(target=burn, args=(0.25,)) for _ in range(3)]
        for each in threads: each.start()
        for each in threads: each.join()
class ReapedChild(Base):
    def use(self): child(0.7)
class LivingOrphan(Base):
    def use(self): far_child(0.7, lives=True)
class EndedOrphan(Base):
    def use(self): far_child(0.7, lives=False)
class SleepsForEver(Base):
    def use(self): time.sleep(600)
class Sleeps(Base):
    def use(self): time.sleep(0.5)
class EachTime:
    def act(self, view, legal):
        burn(0.05)
        return legal[-1]
class BurnsAround:
    def start(self, facts): burn(0.5)
    def end(self, outcome): burn(0.5)
    def act(self, view, legal): return legal[-1]
"""
PROCESSES = [
    ("process", "Itself"),
    ("process", "ReapedChild"),
    ("process", "EndedOrphan"),
    pytest.param("process", "LivingOrphan", marks=pytest.mark.slow),
    pytest.param("sandbox", "Threads", marks=pytest.mark.slow),
]


def played(folder: Path, name: str, host: str = "process", **limits):
    with written(BURNS, folder, name, host, **limits) as opened_host:
        return against_good(opened_host)


@pytest.mark.parametrize(("host", "name"), PROCESSES)
def test_a_bot_is_charged_for_the_time_of_all_its_processes(host, name, tmp_path):
    assert charged(written(BURNS, tmp_path, name, host, cpu_ms=300)) == ("timeout", "used more than cpu_ms")


@pytest.mark.parametrize("host", mostly_slow(["process", "sandbox"], "process"))
def test_neither_sleeping_nor_the_start_nor_the_end_costs_processor_time(host, tmp_path):
    good = against_good(bot("Good"))
    assert played(tmp_path, "Sleeps", host, cpu_ms=300) == good
    assert played(tmp_path, "BurnsAround", host, cpu="300ms") == good


def test_the_bank_is_for_all_decisions_together(tmp_path):
    (fault,) = played(tmp_path, "EachTime", cpu="125ms").faults
    assert (fault.kind, fault.detail) == ("timeout", "its processor clock ran out")
    assert fault.decision > 2
    assert played(tmp_path, "EachTime", cpu="125ms+100ms").faults == ()


@pytest.mark.parametrize(("limits", "asked"), [({"cpu_ms": 150}, 2), ({}, None)])
def test_every_decision_is_timed_also_the_one_that_runs_out_of_time_and_nothing_else(limits, asked, tmp_path):
    keeper = Timekeeper()
    with written(BURNS, tmp_path, "Itself", **limits) as host:
        record = against_good(host, keeper)
    acts = [each for each in trace(record, load_game("vole")) if each["kind"] == "act" and each["seat"] == 1]
    assert keeper.take()[1]["bot-1"].decisions == (asked or len(acts))


@pytest.mark.slow
def test_a_bot_that_sleeps_for_ever_is_caught_by_the_clock(tmp_path):
    bots = written(BURNS, tmp_path, "SleepsForEver", cpu_ms=150)
    assert charged(bots) == ("timeout", "took longer than 10 times its processor time")
