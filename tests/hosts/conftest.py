"""What the tests of the hosts share: a look at what is left of bots, and users who run the sandbox."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import MARK, marked, wait_for
from tests.conftest import ROOT
from tests.hosts.machine import Account, open_to_all
from tests.programs import NOBODY, python_of_all
from tourney.hosts import linux

USERS = [
    pytest.param("own", marks=pytest.mark.needs("bubblewrap")),
    pytest.param("ordinary", marks=[pytest.mark.slow, pytest.mark.needs("an ordinary user")]),
]
HERE = Path(__file__).parent


@pytest.fixture
def nothing_left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Adopts orphans, as a worker does; the mark of all processes that the test starts, none of which may be left."""
    mark = f"bots-{tmp_path}"
    monkeypatch.setenv(MARK, mark)
    before = linux.own_children()
    linux.adopt_orphans()
    yield mark
    linux.adopt_orphans(False)
    monkeypatch.delenv(MARK)
    wait_for(lambda: not marked(mark))
    for orphan in set(linux.own_children()).difference(before):
        os.waitpid(orphan, os.WNOHANG)


@pytest.fixture(scope="module", params=USERS)
def account(request: pytest.FixtureRequest) -> Iterator[Account]:
    """A user who may run the sandbox here."""
    python = python_of_all() if request.param == "ordinary" else str(Path(sys.executable).resolve())
    assert python is not None
    folder = Path(tempfile.mkdtemp(prefix="tourney-test-"))
    try:
        world = folder / "world"
        for name in ("run/journal.jsonl", "run/inside.py", "bots/mine.py", "bots/theirs.py"):
            (world / name).parent.mkdir(parents=True, exist_ok=True)
            (world / name).write_text("card", encoding="utf-8")
        shutil.copytree(world / "run", world / "bots" / "results")
        for name in ("__init__.py", "base", "hosts"):
            source = ROOT / "tourney" / name
            target = folder / "lib" / "tourney" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        for name in ("sandbox_launch.py", "sandbox_probe.py"):
            shutil.copy(HERE / name, folder)
        open_to_all(folder, NOBODY if request.param == "ordinary" else os.geteuid())
        yield Account(request.param, python, folder)
    finally:
        shutil.rmtree(folder)
