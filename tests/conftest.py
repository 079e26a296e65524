"""Settings and helpers that all tests share."""

import contextlib
import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from tourney.cli.main import main

ROOT = Path(__file__).parent.parent
TOURNEY = str(Path(sys.executable).with_name("tourney"))
BAD = Path(__file__).parent / "bad" / "bots.py"

# examples are the same on every run, and few enough for the fast suite
settings.register_profile(
    "default", max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """How many processes `pytest -n auto` takes: one more than there are processors, for many tests mostly wait."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else (os.cpu_count() or 1) + 1


def pytest_report_header() -> str:
    """Says whether what plays matches is compiled; it refuses to test what was compiled from other sources."""
    compiled = [path for path in (ROOT / "tourney").rglob("*.so") if "__mypyc" not in path.name]
    for path in compiled:
        source = path.with_name(path.name.split(".")[0] + ".py")
        if not source.exists() or source.stat().st_mtime > path.stat().st_mtime:
            raise pytest.UsageError(f"{path} is older than its source; make compile, or make uncompile")
    return "tourney: compiled" if compiled else "tourney: pure Python"


def tournament_text(name: str, **keys: str) -> str:
    """A tournament file of The Vole in the Valley, with the keys that are given instead of the usual ones."""
    lines = {"name": f'"{name}"', "seed": "3", "deals": "4", "bots": '["random", "first", "steady"]'} | keys
    extra = lines.pop("extra", "")
    game = lines.pop("game", '[[game]]\nname = "vole"\noptions = { target = 6 }')
    return "\n".join([*[f"{key} = {value}" for key, value in lines.items() if value], game, extra, ""])


READERS = ("standings", "matches", "replay", "verify", "diff")
"""Commands that read runs and start no process and no bot."""


@pytest.fixture
def tourney(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the `tourney` command in the test's folder, as a user would.

    What only reads runs is called within the tests' process, for a start takes longer than all that it does then. With
    an environment of its own it is started, as all other commands are.
    """

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        argv = [*map(str, arguments)]
        if argv[0] in READERS and "--bots" not in argv and not environment:
            return called(argv, tmp_path)
        return subprocess.run(
            [TOURNEY, *argv],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


def called(argv: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """What the command comes to in that folder, without a process of its own; an exception is told as Python does."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(main, argv, prog_name="tourney")
    foreign = isinstance(result.exception, Exception)
    told = "".join(traceback.format_exception(result.exception)) if foreign else ""
    return subprocess.CompletedProcess(["tourney", *argv], result.exit_code, result.stdout, result.stderr + told)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a tournament file of The Vole in the Valley, with the keys that are given instead of the usual ones."""

    def write(name: str = "small", **keys: str) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(tournament_text(name, **keys), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """The folder of the finished run of a tournament file, which is played once for all tests; not to be changed."""
    runs: dict[str, Path] = {}

    def kept(config: Path) -> Path:
        text = config.read_text(encoding="utf-8")
        if text not in runs:
            folder = tmp_path_factory.mktemp("kept") / "run"
            subprocess.run([TOURNEY, "run", config, "--out", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
            runs[text] = folder
        return runs[text]

    return kept


@pytest.fixture
def played(kept: Callable[[Path], Path], tmp_path: Path) -> Callable[..., Path]:
    """Puts the finished run of a tournament file into a folder of the test's; many tests begin with the same run."""

    def played(config: Path, out: str = "run") -> Path:
        return Path(shutil.copytree(kept(config), tmp_path / out))

    return played


@pytest.fixture
def finished(write: Callable[..., Path], played: Callable[..., Path]) -> Path:
    """The folder of a small run that is finished, for the test alone."""
    return played(write(), "done")
