"""Process groups and the guard that ends them, as the portable way has them."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import pytest

from tests.cli.runs import MARK, alive, marked, wait_for
from tests.conftest import ROOT
from tourney.hosts import linux
from tourney.hosts.linux import GroupGuard


@contextmanager
def sleeper():
    """A process that leads a group and sleeps."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def mark(monkeypatch, tmp_path):
    """Marks all processes that the test starts."""
    found = f"guard-{tmp_path}"
    monkeypatch.setenv(MARK, found)
    return found


def test_a_group_of_which_a_process_is_stopped():
    with sleeper() as process:
        assert not linux.is_any_stopped(process.pid)
        process.send_signal(signal.SIGSTOP)
        wait_for(lambda: linux.is_any_stopped(process.pid))


def test_a_guard_that_somebody_has_stopped_holds_nobody_up(mark):
    guard = GroupGuard()
    guard.start()
    (pid,) = marked(mark)
    with sleeper() as process:
        for _ in range(3):
            os.kill(pid, signal.SIGSTOP)
            for _ in range(5_000):  # more than a pipe holds
                guard.begin(process.pid)
                guard.end(process.pid)
        guard.begin(process.pid)
        os.kill(pid, signal.SIGSTOP)
        guard.close()
        assert process.wait() == -signal.SIGKILL
    assert not marked(mark)


@pytest.mark.parametrize("holds", [False, True], ids=["alone", "a fork holds the pipe"])
def test_a_guard_kills_the_groups_of_a_process_that_is_gone(holds, mark):
    guarded = f"""
import os, subprocess, sys, time
from tourney.hosts.linux import GroupGuard
guard = GroupGuard()
guard.start()
process = subprocess.Popen(["sleep", "600"], start_new_session=True)
guard.begin(process.pid)
if {holds} and os.fork() == 0:
    time.sleep(600)
print(process.pid, flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", guarded], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        pid = int(process.stdout.readline())
        assert len(marked(mark)) == 3 + holds
        process.kill()
        wait_for(lambda: not alive(pid))
        wait_for(lambda: len(marked(mark)) == holds)
        for left in marked(mark):
            with suppress(ProcessLookupError):
                os.kill(left, signal.SIGKILL)
