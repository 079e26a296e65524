"""A run whose processes are killed at random, again and again, writes the same journal and leaves no process."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.runs import MARK, journal, marked, wait_for, workers_of
from tests.conftest import BAD, TOURNEY

KILLS = 200


def victim(process: subprocess.Popen[bytes], mark: str, rng: random.Random) -> int | None:
    """Chooses a process of the run: the main process, a worker, or another one, such as a bot's child."""
    kind = rng.random()
    if kind < 0.05:
        return process.pid
    workers = workers_of(process)
    found = workers if kind < 0.75 else [pid for pid in marked(mark) if pid != process.pid and pid not in workers]
    return rng.choice(found) if found else None


def await_progress(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Waits a few seconds at most until more records are written or the run has ended."""
    before = written(folder)
    for _ in range(200):
        if process.poll() is not None or written(folder) > before + 2000:
            return
        time.sleep(0.01)


def written(folder: Path) -> int:
    file = folder / "journal.jsonl"
    return file.stat().st_size if file.exists() else 0


@pytest.mark.slow
def test_a_run_survives_two_hundred_kills_with_the_same_journal_and_no_process_left(tourney, write, tmp_path):
    names = ("LeavesChild", "KillsItselfLater", "RaisesLater")
    bots = "".join([f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{name}"\n' for name in names])
    file = write(deals="60", bots='["steady", "random"]', extra=f"{bots}[limits]\nmax_faults = 12\n")
    result = tourney("run", file, "--out", "whole")
    assert result.returncode == 0, result.stderr
    mark, rng = str(tmp_path), random.Random(11)
    killed = runs = 0
    while killed < KILLS:
        resume = ["--resume"] if (tmp_path / "hit" / "manifest.json").exists() else []
        process = subprocess.Popen(
            [TOURNEY, "run", file, "--out", "hit", "--workers", "2", "--quiet", *resume],
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | {MARK: mark},
        )
        while process.poll() is None and killed < KILLS:
            if rng.random() < 0.4:
                await_progress(tmp_path / "hit", process)
            time.sleep(rng.expovariate(20))
            if (pid := victim(process, mark, rng)) is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
        if killed == KILLS:
            process.kill()
        _, errors = process.communicate()
        assert process.returncode in (0, -signal.SIGKILL), errors.decode()
        if process.returncode == 0:
            runs += 1
            assert journal(tmp_path / "hit") == journal(tmp_path / "whole")
            (tmp_path / "hit").rename(tmp_path / f"hit-{runs}")
    assert runs or written(tmp_path / "hit"), "nothing was played between all the kills"
    assert tourney("run", file, "--out", "hit", "--resume").returncode == 0
    assert journal(tmp_path / "hit") == journal(tmp_path / "whole")
    wait_for(lambda: not marked(mark))
