"""Whatever happens to the processes of a run, it writes the same bytes and leaves nothing behind."""

import os
import signal
import subprocess
import sys

import pytest

from tests.cli.runs import MARK, begin, journal_started, marked, same_run, wait_for, workers_of
from tests.conftest import ROOT
from tests.hosts import machine, processes

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


def test_nothing_is_left_where_the_workers_the_forkserver_and_the_main_process_are_killed(write, tmp_path):
    config = write(deals="500", bots='["first"]', extra=FORKS.format(ROOT / "tests" / "storm" / "bots.py"))
    mark = f"killed-{tmp_path}"
    process = begin(tmp_path, config, "--out", "run", "--workers", 2, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    workers = workers_of(process)
    for pid in [processes.read(workers[0]).parent, *workers]:
        os.kill(pid, signal.SIGKILL)
    process.kill()
    process.communicate()
    wait_for(lambda: not marked(mark))


def test_a_run_whose_forkserver_is_killed_ends_at_once_and_resumes_to_the_same_bytes(write, tourney, tmp_path):
    config = write(deals="500", bots='["first", "random"]')
    mark = f"lost-{tmp_path}"
    process = begin(tmp_path, config, "--out", "run", "--workers", 2, **{MARK: mark})
    wait_for(lambda: journal_started(tmp_path / "run"))
    os.kill(processes.read(workers_of(process)[0]).parent, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 4
    assert "--resume" in errors.splitlines()[-1]
    wait_for(lambda: not marked(mark))
    assert tourney("run", config, "--out", "run", "--resume").returncode == 0
    assert tourney("run", config, "--out", "whole").returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")
