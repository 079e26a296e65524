"""A bot whose decisions have a limit of time is stopped between them, with all its processes."""

import time

import pytest

from tests.cli.runs import wait_for
from tests.helpers import bot
from tests.hosts import processes
from tests.hosts.play import against_good, match_with, written

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
