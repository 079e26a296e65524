"""What the tests of the hosts share: a look at what is left of bots, and users who run the sandbox."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.runs import MARK, marked, wait_for
from tests.conftest import ROOT
from tests.hosts import machine
from tests.hosts.machine import Account, open_to_all
from tourney.hosts import linux

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


@pytest.fixture(scope="module", params=["own", pytest.param("ordinary", marks=pytest.mark.slow)])
def account(request: pytest.FixtureRequest) -> Iterator[Account]:
    """A user who may run the sandbox here."""
    machine.need_sandbox(request.param == "ordinary")
    python = str(Path(sys.executable).resolve())
    if request.param == "ordinary":
        if os.geteuid() != 0:
            pytest.skip("the tests run as an ordinary user already")
        found = shutil.which("python3", path="/usr/local/bin:/usr/bin")
        version = found and subprocess.check_output([found, "-c", "import sys; print(sys.version_info >= (3, 11))"])
        if version != b"True\n":
            pytest.skip("no Python 3.11 or later that every user may run")
        python = str(found)
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
        open_to_all(folder, machine.NOBODY if request.param == "ordinary" else os.geteuid())
        yield Account(request.param, python, folder)
    finally:
        shutil.rmtree(folder)
