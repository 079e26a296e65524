"""Processes of bots that are kept for several matches, or stopped between their decisions."""

import os
import re
import signal
import time
from pathlib import Path

import pytest

from tests.cli.runs import marked, wait_for
from tests.conftest import mostly_slow
from tests.helpers import bot
from tests.hosts import processes
from tests.hosts.play import against_good, bad_wire, match_with, written

LOADED = """
import os, sys, threading, time
from tourney.contracts.bot import Bot
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
sys.stderr.write(f"loaded as {os.getpid()}\\n")
MATCHES = []
class Kept(Bot):
    def __init__(self):
        self.asked = 0
    def start(self, facts):
        MATCHES.append(facts.seat)
        print("match", len(MATCHES), "of process", os.getpid())
        if facts.clock:
            print("left", round(facts.clock.left_s))
    def act(self, view, legal):
        self.asked += 1
        assert MATCHES
        return legal[-1]
    def end(self, outcome):
        print("asked", self.asked)
class Raises(Kept):
    def act(self, view, legal):
        if len(MATCHES) == 2:
            raise ValueError
        return legal[-1]
"""
EXPECTED = {way: [1, 1, 1] for way in ("answers reset wrongly", "ends before reset", "ignores reset")}
EXPECTED["plain"] = [1, 2, 3]


@pytest.fixture
def kept(tmp_path):
    """Opens the host of a Python bot that is kept; its module starts a thread when it is loaded."""
    return lambda name, **keys: written(LOADED, tmp_path, name, log=tmp_path / "log.txt", keep=True, **keys)


def numbers(log: Path) -> list[int]:
    """Which match of its process each match was; the log is complete once the host is closed."""
    return [int(match) for match in re.findall(r"match (\d+) of process", log.read_text())]


def only_bot(mark: str) -> int:
    """The process of the bot that is kept: it has started none itself."""
    (pid,) = [pid for pid in marked(mark) if not processes.descendants(pid)]
    return pid


def same_matches(host, *seeds: int) -> None:
    """Plays on these deals, and compares with the same bot in this process."""
    for seed in seeds:
        assert match_with(host, bot("Good"), seed=seed) == match_with(bot("Good"), bot("Good"), seed=seed)


@pytest.mark.parametrize("way", mostly_slow(EXPECTED, "plain", "answers reset wrongly", "ends before reset"))
def test_a_program_plays_the_same_whatever_it_does_at_reset(tmp_path, way):
    log = tmp_path / "log.txt"
    with bad_wire(way, log=log, keep=True, move_ms=60_000, start_ms=60_000) as host:
        same_matches(host, 1, 2, 3)
    assert numbers(log) == EXPECTED[way]
    assert ("reset was not answered" in log.read_text()) == (way in ("answers reset wrongly", "ignores reset"))


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_python_bot_is_loaded_once_and_made_anew_with_all_its_time_for_each_match(kept, tmp_path, host):
    with kept("Kept", host=host, clock="10m") as found:
        same_matches(found, 1, 2, 3)
    log = tmp_path / "log.txt"
    assert numbers(log) == [1, 2, 3]
    assert log.read_text().count("loaded as") == 1
    assert len(set(re.findall(r"asked (\d+)", log.read_text()))) > 1, "each counts from 0"
    assert re.findall(r"left (\d+)", log.read_text()) == ["600"] * 3


@pytest.mark.parametrize("limits", [{"clock": "10m"}, pytest.param({}, marks=pytest.mark.slow)])
def test_between_matches_a_kept_bot_is_stopped_and_nothing_is_left_in_the_end(kept, tmp_path, nothing_left, limits):
    with kept("Kept", **limits) as host:
        for _ in range(2):
            match_with(host, bot("Good"))
            pid = only_bot(nothing_left)
            wait_for(lambda pid=pid: processes.read(pid).state == "T")
    assert numbers(tmp_path / "log.txt") == [1, 2]


def test_after_a_fault_it_is_started_anew(kept, tmp_path):
    with kept("Raises") as host:
        faults = [[fault.kind for fault in match_with(host, bot("Good")).faults] for _ in range(4)]
    assert faults == [[], ["error"], [], ["error"]]
    assert numbers(tmp_path / "log.txt") == [1, 2, 1, 2]


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_kept_bot_that_is_killed_between_matches_is_replaced_and_a_stopped_one_goes_on(kept, nothing_left, sign):
    with kept("Kept") as host:
        for seed in (1, 2, 3):
            same_matches(host, seed)
            os.kill(only_bot(nothing_left), sign)


@pytest.mark.slow
def test_the_time_for_loading_is_not_that_of_the_first_match():
    with bad_wire("a slow hello", keep=True, start_ms=3000, match_s=3) as host:
        assert match_with(host, bot("Good")).faults == ()


HAS_COMPANY = """
import os, threading, time
def spin():
    while True: pass
class Bot:
    def start(self, facts):
        threading.Thread(target=spin, daemon=True).start()
        if os.fork() == 0:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0: spin()
                spin()
            os._exit(0)
    def act(self, view, legal):
        return legal[-1]
"""
WAKES_ITSELF = """
import ctypes, signal
class Bot:
    def start(self, facts):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
        libc = ctypes.CDLL(None)
        timer = ctypes.c_void_p()
        if not libc.timer_create(1, (ctypes.c_int * 16)(0, 0, signal.SIGCONT, 0), ctypes.byref(timer)):
            libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 1_000_000, 0, 1_000_000), None)
    def act(self, view, legal):
        return legal[-1]
"""


@pytest.mark.parametrize(
    ("text", "host", "least"),
    [
        pytest.param(HAS_COMPANY, "process", 4, id="process"),
        pytest.param(WAKES_ITSELF, "sandbox", 1, id="sandbox", marks=pytest.mark.slow),
    ],
)
@pytest.mark.usefixtures("nothing_left")
def test_between_its_decisions_all_processes_of_a_bot_are_stopped(text, host, least, tmp_path):
    seen = []

    class Looks:
        def act(self, view, legal):
            spawner = next(each for each in processes.descendants().values() if processes.SPAWNER in each.command)
            assert spawner.state != "T"
            company = processes.descendants(spawner.pid)
            wait_for(lambda: all([each is None or each.state in "TZ" for each in map(processes.read, company)]))
            for _ in range(10 if host == "sandbox" else 0):  # and stay so
                time.sleep(0.005)
                assert all([each is None or each.state in "TZ" for each in map(processes.read, company)])
            seen.append(len(company))
            return legal[-1]

    with written(text, tmp_path, host=host, move_ms=60_000) as opened_host:
        record = match_with(Looks, opened_host)
    assert record == against_good(bot("Good"))
    assert max(seen) >= least
