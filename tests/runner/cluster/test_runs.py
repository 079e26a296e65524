"""Runs on a cluster of real processes: the same bytes as on one machine, whatever dies."""

import os
import random
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import tourney
from tests._api.test_run import config, highest
from tests.cli.runs import MARK, alive, begin, copy_bots, journal, journal_started, marked, wait_for
from tests.cli.test_pythons import installed
from tests.conftest import BAD, ROOT, TOURNEY, tournament_text
from tests.programs import PYTHONS, python
from tests.runner.cluster.dask_processes import end, run, scheduler, workers
from tourney.hosts import linux
from tourney.journal.times import load

BOTS = """
import sys
import time
class Sleeper:
    def act(self, view, legal):
        time.sleep(0.01)
        return legal[-1]
class Talks:
    def act(self, view, legal):
        print(len(legal), "legal actions", file=sys.stderr)
        return legal[0]
"""
MIXED = """
[limits]
max_faults = 3
[[bot]]
name = "apart"
use = "talks.py:Talks"
host = "process"
[[bot]]
name = "prints"
use = "talks.py:Talks"
[[bot]]
name = "raises"
use = "bots.py:RaisesLater"
[[bot]]
name = "program"
command = ["{python}", "-S", "wire.py", "nonsense"]
"""


def mixed(folder: Path, more: str = MIXED) -> Path:
    """A tournament of bots that run inline, in processes, as a program, and in files; some print, and some fail."""
    copy_bots(folder)
    shutil.copy(BAD.with_name("wire.py"), folder)
    (folder / "talks.py").write_text(BOTS, encoding="utf-8")
    extra = more.replace("{python}", sys.executable)
    file = folder / "mixed.toml"
    file.write_text(tournament_text("mixed", bots='["first", "steady"]', deals="3", extra=extra), encoding="utf-8")
    return file


def sleeping(folder: Path, **keys: str) -> Path:
    """A tournament that takes long and costs little: the bot in the file sleeps."""
    (folder / "sleeper.py").write_text(BOTS, encoding="utf-8")
    extra = '[[bot]]\nname = "sleeper"\nuse = "sleeper.py:Sleeper"'
    file = folder / "sleeping.toml"
    file.write_text(tournament_text("sleeping", bots='["first", "random"]', extra=extra, **keys), encoding="utf-8")
    return file


def logged(run: Path) -> set[str]:
    """The lines that the bot in a process has logged; how often depends on what was played ahead, and in vain."""
    return set((run / "logs" / "apart.txt").read_text(encoding="utf-8").splitlines())


@pytest.mark.slow
def test_a_local_cluster_plays_charges_and_logs_as_one_machine_does(tmp_path):
    file = mixed(tmp_path)
    here = run(tmp_path, file, "--out", "run-1", "--workers", "1")
    there = run(tmp_path, file, "--out", "run-2", "--workers", "local:2")
    runs = (tmp_path / "run-1", tmp_path / "run-2")
    assert journal(runs[1]) == journal(runs[0])
    assert b'"kind":"out"' in journal(runs[0])
    assert there.stdout == here.stdout.replace("run-1", "run-2")
    assert "Traceback" not in there.stderr
    assert load(runs[1]).bots.keys() == load(runs[0]).bots.keys()
    assert logged(runs[1]) == logged(runs[0]) != set()
    printed = [line for line in there.stderr.splitlines() if line.startswith("[prints] ")]
    assert 100 <= len(printed) <= 202, "a hundred lines of each worker, and a last one"
    assert "[prints] " in here.stderr


@pytest.mark.slow
def test_a_class_is_sent_to_the_workers(tmp_path):
    for name, where in (("here", {"workers": 1}), ("there", {"workers": "local:1"})):
        tourney.run(config("random", highest()), out=tmp_path / name, **where)
    assert journal(tmp_path / "there") == journal(tmp_path / "here")


@pytest.mark.slow
@pytest.mark.needs("another Python")
def test_workers_of_two_pythons_write_the_same_bytes(tmp_path):
    other = next(version for version in PYTHONS if python(version))
    tourney = installed(other, tmp_path, f"{ROOT}[cluster]") / "tourney"
    file = sleeping(tmp_path)
    run(tmp_path, file, "--quiet", "--out", "here")
    (tmp_path / "other").mkdir()
    with (
        scheduler(tmp_path) as (address, _),
        workers(tmp_path, address, 1),
        workers(tmp_path / "other", address, 1, python=str(tourney)),
    ):
        run(tmp_path, file, "--out", "there", "--workers", address)
    assert journal(tmp_path / "there") == journal(tmp_path / "here")


@pytest.mark.slow
def test_workers_and_their_children_are_killed_at_random_and_the_bytes_stay(tmp_path):
    file = sleeping(tmp_path, deals="40")
    run(tmp_path, file, "--out", "here", "--workers", "8!")
    rng, killed = random.Random(5), 0
    with scheduler(tmp_path) as (address, _), workers(tmp_path, address, 3) as parent:
        process = begin(tmp_path, file, "--out", "there", "--workers", address)
        wait_for(lambda: process.poll() is not None or journal_started(tmp_path / "there"))
        while process.poll() is None and killed < 30:
            if found := list(linux.descendants(parent)):
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    killed += 1
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.4 * rng.random())
        told = process.communicate()[1]
    assert process.returncode == 0, told
    assert killed == 30, "the run was over too soon"
    assert journal(tmp_path / "there") == journal(tmp_path / "here")


@pytest.mark.slow
def test_a_run_whose_scheduler_was_killed_is_resumed_without_a_cluster(tmp_path):
    file = sleeping(tmp_path, deals="25")
    with scheduler(tmp_path) as (address, process), workers(tmp_path, address):
        main = begin(tmp_path, file, "--out", "run", "--workers", address)
        wait_for(lambda: main.poll() is not None or journal_started(tmp_path / "run"))
        end(process)
        told = main.communicate()[1].splitlines()
        assert main.returncode == 4, told
        assert told[-1].startswith(f"tourney: {address}: lost the connection to the scheduler; continue with: ")
        assert told[-1].endswith(f"--out run --workers {address} --resume")
        wait_for(lambda: b"stopped, and so did the workers" in (tmp_path / "workers.log").read_bytes())
    for arguments in (["run", "--resume"], ["here"]):
        run(tmp_path, file, "--workers", "8!", "--out", *arguments)
    assert journal(tmp_path / "run") == journal(tmp_path / "here")


@pytest.mark.slow
def test_nothing_is_left_of_a_local_cluster_when_the_main_process_is_killed(tmp_path):
    file, mark = sleeping(tmp_path, deals="2000"), f"cluster-{tmp_path}"
    (scratch := tmp_path / "scratch").mkdir()
    command = [TOURNEY, "run", file, "--out", "run", "--workers", "local:2"]
    environment, quiet = os.environ | {MARK: mark, "TMPDIR": str(scratch)}, subprocess.DEVNULL
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=quiet, stderr=quiet) as process:
        wait_for(lambda: process.poll() is not None or journal_started(tmp_path / "run"))
        process.kill()
        process.wait()
        assert not alive(process.pid)
    wait_for(lambda: not marked(mark))
    assert [each.name for each in scratch.iterdir()] == []
