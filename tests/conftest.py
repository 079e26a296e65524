"""Settings and helpers that all tests share."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent.parent
TOURNEY = str(Path(sys.executable).with_name("tourney"))
BAD = Path(__file__).parent / "bad" / "bots.py"

# examples are the same on every run, and few enough for the fast suite
settings.register_profile(
    "default", max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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


@pytest.fixture
def tourney(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the `tourney` command in the test's folder, as a user would."""

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TOURNEY, *map(str, arguments)],
            cwd=tmp_path,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a tournament file of The Vole in the Valley, with the keys that are given instead of the usual ones."""

    def write(name: str = "small", **keys: str) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(tournament_text(name, **keys), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run that is finished; not to be written to."""
    folder = tmp_path_factory.mktemp("finished")
    config = folder / "small.toml"
    config.write_text(tournament_text("small"), encoding="utf-8")
    subprocess.run([TOURNEY, "run", config, "--out", folder / "run", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return folder / "run"


@pytest.fixture
def finished(finished_once: Path, tmp_path: Path) -> Path:
    """The folder of a small run that is finished, for the test alone."""
    return Path(shutil.copytree(finished_once, tmp_path / "done"))
