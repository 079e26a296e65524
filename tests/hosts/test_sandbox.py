"""What a command cannot do in the sandbox, as root and as an ordinary user."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, with_code
from tests.hosts import sandbox_probe
from tests.hosts.machine import LIMITS, Account

REFUSED = {"EPERM", "EACCES", "ENOENT", "EROFS", "ENOSYS", "EXDEV"}
"""The errors of an attempt that is refused: forbidden, not there, a read-only file system, or unknown."""
FORBIDDEN = {"EPERM", "ENOSYS", "EINVAL"}  # the errors of a call that the filter refuses


@pytest.fixture(scope="module")
def attempts(account: Account) -> dict[str, Any]:
    world, script = account.folder / "world", account.folder / "sandbox_probe.py"
    inside = [str(world / name / "inside.py") for name in ("run", "bots/results")]
    spec = {
        "command": [account.python, "-I", str(script), str(world), str(os.getpid())],
        "reads": [str(script), str(world / "bots"), *inside],
        "hides": [str(world / "run"), str(world / "bots" / "theirs.py"), str(world / "bots" / "results")],
        "limits": LIMITS,
    }
    own = world / "bots" / "mine.py"
    os.utime(own, (0, own.stat().st_mtime))
    return dict(json.loads(with_code(account.run(spec)).stdout)) | {"time of access": own.stat().st_atime}


ANSWERS = {
    # its own files, but no other bot's, and those of the run that are its own
    "read the own bot": ["card"],
    "read the own bot in a hidden folder": ["card"],
    "read the own bot in a hidden folder of a readable one": ["card"],
    "list the run": [["inside.py"]],
    "read another bot": [*REFUSED, "empty"],
    "look past a hidden folder": ["ENOENT"],
    "look into /proc": ["ENOENT"],
    "environment": [[]],
    # a scratch folder that is its own, and bounded
    "scratch at first": [[]],
    "write into scratch": [4],
    "folder in scratch": [None],
    "large file": ["EFBIG"],
    "fill scratch": ["ENOSPC"],
    "empty files": range(4001, 4097),
    # ids that are counted anew, and not for the whole machine
    "own id": [2],
    "id of a thread": range(1000),
    # limits
    "some memory": [20],
    "memory": ["MemoryError"],
    "memory that is made read-only": range(256, 256 + 512 + 1),
    "threads": range(8, LIMITS["threads"]),
    "open files": range(32, LIMITS["open_files"]),
    "raise a limit": ["EPERM", "ValueError"],
    # what a program may ask about itself
    "stream pair": [4],
    "signal itself": [None],
    "own event loop": ["told"],
    "is root": [False],
    # the C library gets on where the kernel has no such call, see `seccomp`
    "affinity of the host": ["ENOSYS"],
    "own affinity": [True],
    # it returns at once
    "wait at a place that others have": [0],
}
"""What each attempt may come to that is not forbidden."""
ESCAPES = {
    "network": "internet",
    "the system": "write into /usr/bin",
    "runs, tournament files, other bots' files": "read another bot",
    "other processes": "look for the host",
    "temporary folders, shared memory": "write into /dev/shm",
    "scratch folder": "empty files",
    "environment": "environment",
    "memory": "memory",
    "files": "open files of one thread",
    "processes": "fork",
    "user": "become root",
}
"""An attempt for each right that docs/guarantees-and-security.md names."""


def test_an_escape_is_tried_for_each_right_on_the_page():
    page = (ROOT / "docs" / "guarantees-and-security.md").read_text(encoding="utf-8")
    table = page.split("## What a bot can reach")[1].split("##")[0]
    assert list(ESCAPES) == [line.split(" | ")[0][2:] for line in table.splitlines() if line.startswith("| ")][1:]
    assert {*ESCAPES.values()} <= {*ANSWERS, *sandbox_probe.out_of_reach(Path()), *sandbox_probe.forbidden(0)}


@pytest.mark.parametrize("attempt", ANSWERS)
def test_a_program_has_what_is_its_own_within_limits(attempts, attempt):
    assert attempts[attempt] in ANSWERS[attempt]


@pytest.mark.parametrize("attempt", sandbox_probe.out_of_reach(Path()))
def test_what_is_outside_is_neither_read_nor_written(attempts, account, attempt):
    assert attempts[attempt] in REFUSED
    assert not Path(attempt.removeprefix("write into "), "tourney-card").exists()
    for name in ("run/journal.jsonl", "bots/mine.py"):
        path = account.folder / "world" / name
        assert path.read_text(encoding="utf-8") == "card"
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


@pytest.mark.parametrize("attempt", sandbox_probe.forbidden(0))
def test_nothing_gets_out_to_the_network_or_other_processes(attempts, attempt):
    assert attempts[attempt] in FORBIDDEN


def test_reading_a_file_leaves_its_time_of_access(attempts):
    assert attempts["time of access"] == 0
