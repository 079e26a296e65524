"""Whatever happens to the processes of a run, it writes the same bytes and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.runs import MARK, begin, journal_started, marked, parent_of, wait_for, workers_of
from tests.conftest import ROOT
from tests.hosts import machine
from tests.left_out import PORTABLE

FORKS = """
[[bot]]
name = "pool"
use = "{}:Pool"
host = "process"
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["inline-swiss", "process-round-robin", "sandbox-knockout"])
def test_a_run_in_the_storm_writes_the_same_bytes_and_leaves_nothing(kind):
    """The short form of `make storm`, which has more kinds of runs, and more signals for each."""
    if kind.startswith("sandbox"):
        machine.need_sandbox()
    command = [sys.executable, "-m", "tests.storm", "--runs", "1", "--signals", "6", "--kinds", kind, "--seed", "11"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_is_left_where_workers_are_stopped_and_the_forkserver_and_the_main_process_killed(write, tmp_path):
    config = write(deals="2000", bots='["first", "random"]')
    mark = f"killed-{tmp_path}"
    process = begin(tmp_path, config, "--out", "run", "--workers", 2, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    workers = workers_of(process)
    process.send_signal(signal.SIGSTOP)  # or it would continue them
    for pid, number in [*[(pid, signal.SIGSTOP) for pid in workers], (parent_of(workers[0]), signal.SIGKILL)]:
        os.kill(pid, number)
    process.kill()
    process.communicate()
    wait_for(lambda: not marked(mark))


def test_nothing_is_left_where_all_processes_are_stopped_when_the_main_process_is_killed(write, tmp_path):
    extra = FORKS.format(ROOT / "tests" / "storm" / "bots.py")
    if PORTABLE:  # what is stopped while it starts is left, so nothing may start by then
        extra += "keep = true\n"
    config = write(deals="500", bots='["first"]', extra=extra)
    mark = f"stopped-{tmp_path}"
    process = begin(tmp_path, config, "--out", "run", "--workers", 1 if PORTABLE else 2, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    process.send_signal(signal.SIGSTOP)  # or it would continue the others
    wait_for(lambda: not stop_those_that_run(mark))
    process.kill()
    process.communicate()
    wait_for(lambda: not marked(mark))


def stop_those_that_run(mark: str) -> list[int]:
    """Sends SIGSTOP to the marked processes that have not stopped yet, and returns them.

    What has not stopped when the main process ends would not be continued. One that starts another cannot stop before
    that has started; its state is D.
    """
    running = []
    for pid in marked(mark):
        with suppress(OSError):  # it has ended meanwhile
            state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            if state not in "TtD":
                running.append(pid)
                os.kill(pid, signal.SIGSTOP)
    return running
