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

from tests.cli.runs import MARK, alive, copy_bots, journal, journal_started, marked, wait_for
from tests.conftest import BAD, TOURNEY, tournament_text
from tests.runner.cluster.dask_processes import end, scheduler, workers
from tourney.hosts import linux
from tourney.journal.times import load

ROUND_ROBIN = {"deals": "1"}
LADDER = {"format": '"ladder"', "max_matches": "30", "deals": "1"}
SLEEPER = """
import time

class Sleeper:
    def act(self, view, legal):
        time.sleep(0.01)
        return legal[-1]
"""
TALKS = """
import sys


class Talks:
    def act(self, view, legal):
        print(len(legal), "legal actions", file=sys.stderr)
        return legal[0]
"""
MIXED = """
[[bot]]
name = "apart"
use = "random"
host = "process"

[[bot]]
name = "raises"
use = "bots.py:RaisesLater"

[[bot]]
name = "dies"
use = "bots.py:KillsItselfLater"

[[bot]]
name = "program"
command = ["{python}", "-S", "wire.py", "nonsense"]
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a scheduler with two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    with scheduler(folder) as (address, _), workers(folder, address):
        yield address


def config(folder: Path, **keys: str) -> Path:
    """A tournament of bots that run inline, in processes, as a program, and in a file, some of which fail."""
    copy_bots(folder)
    shutil.copy(BAD.with_name("wire.py"), folder)
    file = folder / "mixed.toml"
    extra = {"extra": MIXED.replace("{python}", sys.executable)}
    file.write_text(tournament_text("mixed", **({"bots": '["first", "steady"]'} | extra | keys)), encoding="utf-8")
    return file


def run(folder: Path, *arguments: object, code: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [TOURNEY, "run", *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    return done


def sleeping(folder: Path, **keys: str) -> Path:
    """A tournament that takes long and costs little: the bot in the file sleeps."""
    (folder / "sleeper.py").write_text(SLEEPER, encoding="utf-8")
    extra = '[[bot]]\nname = "sleeper"\nuse = "sleeper.py:Sleeper"'
    file = folder / "sleeping.toml"
    file.write_text(tournament_text("sleeping", bots='["first", "random"]', extra=extra, **keys), encoding="utf-8")
    return file


def begin_run(folder: Path, *arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [TOURNEY, "run", *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize("keys", [ROUND_ROBIN, LADDER], ids=["round-robin", "ladder"])
def test_a_cluster_writes_the_same_bytes_as_one_machine(cluster, tmp_path, keys):
    file = config(tmp_path, **keys)
    here = run(tmp_path, file, "--out", "run-1")
    there = run(tmp_path, file, "--out", "run-2", "--cluster", cluster)
    assert journal(tmp_path / "run-2") == journal(tmp_path / "run-1")
    assert there.stdout == here.stdout.replace("run-1", "run-2")
    assert load(tmp_path / "run-2").bots.keys() == load(tmp_path / "run-1").bots.keys()


@pytest.mark.slow
def test_what_bots_print_and_log_on_a_cluster_comes_to_where_a_run_here_has_it(cluster, tmp_path):
    (tmp_path / "talks.py").write_text(TALKS, encoding="utf-8")
    extra = """
[[bot]]
name = "prints"
use = "talks.py:Talks"

[[bot]]
name = "logs"
use = "talks.py:Talks"
host = "process"
"""
    file = tmp_path / "talks.toml"
    file.write_text(tournament_text("talks", bots='["first"]', extra=extra, deals="4"), encoding="utf-8")
    here = run(tmp_path, file, "--quiet", "--out", "here", "--workers", "1")
    there = run(tmp_path, file, "--quiet", "--out", "there", "--cluster", cluster)
    assert journal(tmp_path / "there") == journal(tmp_path / "here")
    logs = [sorted((tmp_path / name / "logs" / "logs.txt").read_text().splitlines()) for name in ("here", "there")]
    assert logs[0] == logs[1]
    assert any(["legal actions" in line for line in logs[0]])
    printed = [line for line in there.stderr.splitlines() if line.startswith("[prints] ")]
    assert 100 <= len(printed) <= 202, "a hundred lines of each worker, and a last one"
    assert here.stderr.startswith("[prints] ")


@pytest.mark.slow
def test_who_is_disqualified_is_out_from_the_same_match_on(cluster, tmp_path):
    file = config(
        tmp_path, deals="6", extra='[limits]\nmax_faults = 3\n[[bot]]\nname = "raises"\nuse = "bots.py:RaisesLater"'
    )
    run(tmp_path, file, "--out", "here")
    run(tmp_path, file, "--out", "there", "--cluster", cluster)
    assert b'"kind":"out"' in journal(tmp_path / "here")
    assert journal(tmp_path / "there") == journal(tmp_path / "here")


@pytest.mark.slow
def test_an_analysis_and_a_gate_are_the_same_on_a_cluster(cluster, tmp_path):
    copy_bots(tmp_path)
    found = []
    for name, more in (("here", []), ("there", ["--cluster", cluster])):
        gate = ["gate", "steady", "--against", "random", "--game", "vole", "--out", name, "--max-deals", "20"]
        done = subprocess.run([TOURNEY, *gate, *more], cwd=tmp_path, capture_output=True, text=True, check=False)
        match = journal(tmp_path / name).split(b'"')[3].decode()
        analyse = [TOURNEY, "analyse", name, match, "--playouts", "4", *more]
        subprocess.run(analyse, cwd=tmp_path, capture_output=True, check=True)
        analysis = (tmp_path / name / "analysis.jsonl").read_bytes()
        found.append((done.returncode, journal(tmp_path / name), analysis))
    assert found[0] == found[1]


@pytest.mark.slow
def test_workers_and_their_children_are_killed_at_random_and_the_bytes_stay(tmp_path):
    file = sleeping(tmp_path, deals="40")
    run(tmp_path, file, "--out", "here", "--workers", "8", "--oversubscribe")
    rng = random.Random(5)
    killed = 0
    with scheduler(tmp_path) as (address, _), workers(tmp_path, address, 3) as parent:
        process = begin_run(tmp_path, file, "--out", "there", "--cluster", address)
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
        main = begin_run(tmp_path, file, "--out", "run", "--cluster", address)
        wait_for(lambda: main.poll() is not None or journal_started(tmp_path / "run"))
        end(process)
        told = main.communicate()[1].splitlines()
        assert main.returncode == 4, told
        assert told[-1].startswith(f"tourney: {address}: the scheduler is gone; continue with: ")
        assert told[-1].endswith(f"--out run --resume --cluster {address}")
        wait_for(lambda: b"has ended, and the workers with it" in (tmp_path / "workers.log").read_bytes())
    for arguments in (["run", "--resume"], ["here"]):
        run(tmp_path, file, "--workers", "8", "--oversubscribe", "--out", *arguments)
    assert journal(tmp_path / "run") == journal(tmp_path / "here")


@pytest.mark.slow
def test_nothing_is_left_of_a_local_cluster_when_the_main_process_is_killed(tmp_path):
    file = sleeping(tmp_path, deals="2000")
    mark = f"cluster-{tmp_path}"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [TOURNEY, "run", file, "--out", "run", "--cluster", "local:2"]
    environment = os.environ | {MARK: mark, "TMPDIR": str(scratch)}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=quiet, stderr=quiet) as process:
        wait_for(lambda: process.poll() is not None or journal_started(tmp_path / "run"))
        process.kill()
        process.wait()
        assert not alive(process.pid)
    wait_for(lambda: not marked(mark))
    assert [each.name for each in scratch.iterdir()] == []
