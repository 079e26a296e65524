"""The same bytes on every supported version of Python that is installed here."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import journal
from tests.conftest import ROOT

OTHERS = [version for version in ("3.11", "3.12", "3.13", "3.14") if not sys.version.startswith(f"{version}.")]


def python(version: str) -> str | None:
    """An interpreter of that version, on the path or among those of pyenv."""
    found = [shutil.which(f"python{version}")]
    found += map(str, (Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
    for each in found:
        if each and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:
            return each
    return None


def installed(version: str, folder: Path, what: object = ROOT) -> Path:
    """The folder of the programs of an environment of that Python, in which tourney is installed."""
    subprocess.run([python(version), "-m", "venv", "--without-pip", folder / "venv"], check=True)
    binaries = folder / "venv" / "bin"
    pip = [sys.executable, "-m", "pip", "--python", binaries / "python", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-compile", what], check=True)
    return binaries


@pytest.mark.slow
@pytest.mark.parametrize("version", OTHERS)
def test_another_python_writes_the_same_bytes(version, shared_run, tmp_path):
    if python(version) is None:
        pytest.skip(f"Python {version} is not installed here")
    config = ROOT / "configs" / "quick.toml"
    tourney = installed(version, tmp_path) / "tourney"
    subprocess.run([tourney, "run", config, "--out", "there", "--quiet"], cwd=tmp_path, check=True)
    assert journal(shared_run(config)) == journal(tmp_path / "there")
