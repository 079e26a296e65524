"""Whatever happens to the processes of a run, it writes the same bytes and leaves nothing behind."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.cli.runs import MARK, begin, journal_started, marked, same_run, wait_for, workers_of
from tests.conftest import BAD, ROOT, with_code
from tests.hosts import processes

FORKS = f'[[bot]]\nname = "forks"\nuse = "{BAD}:Forks"\nhost = "process"'


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    ["inline-swiss", "process-round-robin", pytest.param("sandbox-knockout", marks=pytest.mark.needs("bubblewrap"))],
)
def test_a_run_in_the_storm_writes_the_same_bytes_and_leaves_nothing(kind):
    """The short form of `make storm`, which has more kinds of runs, and more signals for each."""
    command = [sys.executable, "-m", "tests.storm", "--runs", "1", "--signals", "6", "--kinds", kind, "--seed", "11"]
    with_code(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False))


def begun(write, folder):
    """Starts a run whose bot forks helpers that live until they are killed; returns the run and its processes."""
    config = write(deals="16", bots='["first"]', extra=FORKS)
    process = begin(folder, config, "--out", "run", "--workers", 2, **{MARK: str(folder)})
    wait_for(lambda: journal_started(folder / "run"))
    workers = workers_of(process)
    return process, processes.read(workers[0]).parent, workers


@pytest.mark.parametrize("killed", ["the main process", "the workers, the forkserver and the main process"])
def test_nothing_is_left_of_a_run_and_its_bots_where_its_processes_are_killed(write, tmp_path, killed):
    process, forkserver, workers = begun(write, tmp_path)
    for pid in [forkserver, *workers] if "workers" in killed else []:
        os.kill(pid, signal.SIGKILL)
    process.kill()
    process.communicate()
    wait_for(lambda: not marked(str(tmp_path)))


@pytest.mark.slow
@pytest.mark.parametrize("killed", ["the forkserver", "all that see to a bot"])
def test_a_run_whose_forkserver_is_killed_ends_at_once_and_resumes_to_the_same_bytes(write, tourney, tmp_path, killed):
    process, forkserver, workers = begun(write, tmp_path)
    spawners = [each.pid for each in processes.descendants(process.pid).values() if processes.SPAWNER in each.command]
    for pid in [forkserver, *(spawners + workers if "all" in killed else [])]:
        with suppress(ProcessLookupError):  # a spawner ends with its match
            os.kill(pid, signal.SIGKILL)
    _, errors = process.communicate()
    assert process.returncode == 4
    assert "--resume" in errors.splitlines()[-1]
    wait_for(lambda: not marked(str(tmp_path)))
    config = tmp_path / "small.toml"
    assert tourney("run", config, "--out", "run", "--resume").returncode == 0
    assert tourney("run", config, "--out", "whole").returncode == 0
    same_run(tmp_path / "run", tmp_path / "whole")
