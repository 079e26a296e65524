"""The modules that play matches do the same compiled by mypyc as in pure Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hatch_build import compiled, missing_compiler

from tests.conftest import ROOT

PLAYING = [
    f"tests/{name}"
    for name in ("games", "contract", "golden", "referee", "bots", "test_doctests.py", "test_golden.py", "test_rng.py")
]
"""The tests of the compiled modules, and of the bots that play with them."""


def sources(folder: Path) -> Path:
    """Copies the packages into the folder, without compiled modules; returns the folder."""
    for package in ("tourney", "bots"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return folder


def tourney(folder: Path, *arguments: object) -> str:
    """Runs `tourney` from the packages in the folder; returns what it prints."""
    path = os.pathsep.join([str(folder), str(folder / "bots")])
    command = [sys.executable, "-m", "tourney", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": path}
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


compilable = pytest.mark.skipif(missing_compiler() is not None, reason="there is no C compiler here")


@pytest.fixture(scope="module")
def fast(tmp_path_factory) -> Path:
    """A folder with the packages, compiled."""
    folder = sources(tmp_path_factory.mktemp("compiled") / "fast")
    compiled(ROOT, folder, level=0)
    return folder


@pytest.mark.slow
@compilable
def test_compiled_and_in_pure_python_it_writes_the_same_bytes(fast, tmp_path):
    pure = sources(tmp_path / "pure")
    for folder, kind in ((pure, "pure Python"), (fast, "compiled")):
        assert kind in tourney(folder, "--version")
        tourney(folder, "run", ROOT / "configs" / "all.toml", "--out", "run", "--quiet")
    assert (pure / "run" / "journal.jsonl").read_bytes() == (fast / "run" / "journal.jsonl").read_bytes()
    assert (pure / "run" / "manifest.json").read_bytes() == (fast / "run" / "manifest.json").read_bytes()


@pytest.mark.slow
@compilable
def test_the_tests_of_the_compiled_modules_pass_on_the_compiled_build(fast):
    for name in ("tests", ".ci", "docs", "configs", "pyproject.toml"):
        whole = ROOT / name
        (shutil.copytree if whole.is_dir() else shutil.copy)(whole, fast / name)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *PLAYING]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(fast), str(fast / "bots")])}
    result = subprocess.run(command, cwd=fast, env=environment, check=False, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout
    assert "(compiled)" in tourney(fast, "--version")
