"""The same bytes on every supported version of Python that is installed here."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import journal
from tests.conftest import ROOT
from tests.programs import PYTHONS, python


def installed(version: str, folder: Path, what: object = ROOT) -> Path:
    """The folder of the programs of an environment of that Python, in which tourney is installed."""
    subprocess.run([python(version), "-m", "venv", "--without-pip", folder / "venv"], check=True)
    binaries = folder / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-compile", what], check=True)
    return binaries


@pytest.mark.slow
@pytest.mark.parametrize("version", [pytest.param(each, marks=pytest.mark.needs(f"Python {each}")) for each in PYTHONS])
def test_another_python_writes_the_same_bytes(version, shared_run, tmp_path):
    config = ROOT / "configs" / "quick.toml"
    tourney = installed(version, tmp_path) / "tourney"
    subprocess.run([tourney, "run", config, "--out", "there", "--quiet"], cwd=tmp_path, check=True)
    assert journal(shared_run(config)) == journal(tmp_path / "there")
