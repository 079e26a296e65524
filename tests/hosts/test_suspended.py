"""A bot whose decisions have a limit of time is stopped between them, with all its processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import MARK, marked, wait_for
from tests.helpers import bot
from tests.hosts import machine
from tests.hosts.play import ROOT, against_good, match_with, opened
from tourney.hosts import linux
from tourney.hosts.base import BotSpec

HAS_COMPANY = """
import os, threading, time

def spin():
    while True: pass

class Company:
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
ALONE = """
class Company:
    def act(self, view, legal):
        return legal[-1]
"""


@pytest.fixture(autouse=True)
def mark(monkeypatch, tmp_path):
    """Adopts orphans, as a worker does; no process of a bot may be left in the end."""
    found = f"suspended-{tmp_path}"
    monkeypatch.setenv(MARK, found)
    linux.adopt_orphans()
    yield found
    linux.adopt_orphans(False)
    monkeypatch.delenv(MARK)
    wait_for(lambda: not marked(found))


def state(pid: int) -> str:
    """The letter by which the system tells what a process is doing; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return ""


def tree(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    found = [int(each) for file in Path(f"/proc/{pid}/task").glob("*/children") for each in file.read_text().split()]
    return [*found, *[below for each in found for below in tree(each)]]


def company() -> list[int]:
    """The processes of the bot that plays, in this process."""
    spawner = next(pid for pid in tree(os.getpid()) if b"tourney.hosts.process.spawner" in command(pid))
    assert state(spawner) != "T"
    return tree(spawner)


@pytest.mark.parametrize(
    ("text", "host", "least"),
    [
        (HAS_COMPANY, "process", 4),
        pytest.param(ALONE, "sandbox", 1, marks=pytest.mark.slow),
    ],
    ids=["process", "sandbox"],
)
def test_between_its_decisions_all_processes_of_a_bot_are_stopped(text, host, least, tmp_path):
    if host != "process":
        machine.need_sandbox()
    file = tmp_path / "company.py"
    file.write_text(text, encoding="utf-8")
    spec = BotSpec("company", host, "company.py:Company", {}, (), tmp_path, ("vole",), (file,))
    seen = []

    class Looks:
        def act(self, view, legal):
            pids = company()
            wait_for(lambda: {state(pid) for pid in pids} <= {"T", "Z"})
            seen.append(len(pids))
            return legal[-1]

    with opened(spec, None, move_ms=60_000) as opened_host:
        record = match_with(Looks, opened_host)
    assert record == against_good(bot("Good"))
    assert max(seen) >= least


def command(pid: int) -> bytes:
    """The words that have started a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
def test_nothing_is_left_when_the_worker_is_killed_between_the_decisions_of_a_bot(mark):
    worker = """
import os, signal
from tests.hosts.play import match_with, process
class Kills:
    count = 0
    def act(self, view, legal):
        self.count += 1
        if self.count == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return legal[-1]
with process("LeavesChild", move_ms=60_000) as host:
    match_with(Kills, host)
"""
    ended = subprocess.run([sys.executable, "-c", worker], cwd=ROOT, check=False, env={**os.environ, MARK: mark})
    assert ended.returncode == -signal.SIGKILL
    wait_for(lambda: not marked(mark))
