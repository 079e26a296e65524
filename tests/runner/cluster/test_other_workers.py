"""Workers of a cluster that differ from the machine that a run is started on: real processes."""

import subprocess
import sys

import pytest

from tests.cli.runs import journal
from tests.cli.test_pythons import python
from tests.conftest import ROOT, tournament_text
from tests.runner.cluster.dask_processes import run, scheduler, workers

OTHERS = [version for version in ("3.13", "3.11") if python(version) is not None]


@pytest.mark.slow
def test_workers_of_two_pythons_write_the_same_bytes(tmp_path):
    here = "3.13" if sys.version.startswith("3.13") else "3.11"
    others = [version for version in OTHERS if version != here]
    if not others:
        pytest.skip("no other Python is installed here")
    subprocess.run([python(others[0]), "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    binaries = tmp_path / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-compile", f"{ROOT}[cluster]"], check=True)
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    def act(self, view, legal):\n        return legal[len(legal) // 2]\n"
    )
    (tmp_path / "t.toml").write_text(tournament_text("t", bots='["random", "steady", "mine.py:Mine"]'))
    run(tmp_path, "t.toml", "--quiet", "--out", "here")
    (tmp_path / "other").mkdir()
    with (
        scheduler(tmp_path) as (address, _),
        workers(tmp_path, address, 1),
        workers(tmp_path / "other", address, 1, python=str(binaries / "tourney")),
    ):
        run(tmp_path, "t.toml", "--out", "there", "--cluster", address)
    assert journal(tmp_path / "there") == journal(tmp_path / "here")
