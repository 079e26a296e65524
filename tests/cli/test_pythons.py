"""The same bytes on every version of Python that is installed here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, TOURNEY

OTHERS = [version for version in ("3.11", "3.12", "3.13") if not sys.version.startswith(f"{version}.")]


def python(version: str) -> str | None:
    """An interpreter of that version, on the path or among those of pyenv."""
    found = [shutil.which(f"python{version}")]
    found += map(str, (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    for each in found:
        if each and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:
            return each
    return None


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHERS)
def test_another_python_writes_the_same_bytes(version, tmp_path):
    interpreter = python(version)
    if interpreter is None:
        pytest.skip(f"Python {version} is not installed here")
    subprocess.run([interpreter, "-m", "venv", tmp_path / "venv"], check=True)
    binaries = tmp_path / "venv" / "bin"
    subprocess.run([binaries / "pip", "install", "-q", "--disable-pip-version-check", ROOT], check=True)
    config = ROOT / "configs" / "quick.toml"
    for name, tourney in (("here", TOURNEY), ("there", binaries / "tourney")):
        subprocess.run([tourney, "run", config, "--out", name, "--quiet"], cwd=tmp_path, check=True, env=os.environ)
    assert (tmp_path / "here" / "journal.jsonl").read_bytes() == (tmp_path / "there" / "journal.jsonl").read_bytes()
