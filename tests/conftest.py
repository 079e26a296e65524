"""Settings and helpers that all tests share."""

import atexit
import contextlib
import gc
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff
from importlib.metadata import distributions
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, settings

from tests.environments import Builds, made_builds, made_once
from tourney.cli.main import main
from tourney.hosts import linux

pytest_plugins = ["tests.programs"]
ROOT = Path(__file__).parent.parent
TOURNEY = str(Path(sys.executable).with_name("tourney"))
os.environ.pop("COLUMNS", None)  # tables are as wide as it says
os.environ["TOURNEY_COMPILE"] = "0"  # wheels that tests build are pure Python, as compiling takes minutes
BAD = Path(__file__).parent / "misbehaving" / "bots.py"

collect_ignore = [] if find_spec("playwright") else ["browser"]  # what tests of pages need is installed by test-all

# examples are the same on every run, and few enough for the fast suite
settings.register_profile(
    "default", max_examples=10, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure() -> None:
    """Gives the tests a folder of their own for the user's secret, and hides the plugins of other distributions.

    The processes that they start inherit both.
    """
    if "TOURNEY_TEST_STATE" not in os.environ:
        for name in ("TOURNEY_TEST_STATE", "TOURNEY_TEST_PATH"):
            os.environ[name] = tempfile.mkdtemp(prefix="tourney-")
            atexit.register(shutil.rmtree, os.environ[name])
        os.environ["XDG_STATE_HOME"] = os.environ["TOURNEY_TEST_STATE"]
        hide_other_plugins(Path(os.environ["TOURNEY_TEST_PATH"]))
    if os.listdir(folder := os.environ["TOURNEY_TEST_PATH"]):  # also in a worker of xdist, which has another path
        sys.path.insert(0, folder)
        os.environ["PYTHONPATH"] = python_path(folder)


def hide_other_plugins(folder: Path) -> None:
    """Writes every other distribution with plugins that is installed here into a folder, without the plugins.

    Of distributions with the same name, Python heeds the first on its path.
    """
    for each in distributions():
        plugins = [entry for entry in each.entry_points if entry.group.startswith("tourney.")]
        bare = folder / f"{each.name.replace('-', '_')}-0.dist-info"
        if plugins and each.name != "tourney-cards" and not bare.exists():
            bare.mkdir()
            (bare / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {each.name}\nVersion: 0\n", encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew", action="store_true", help="write the golden files anew, and run no other tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("renew"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Returns the number of processes for `pytest -n auto`: two for each processor, as many tests wait."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else 2 * (os.cpu_count() or 1)


def pytest_report_header() -> str:
    """Says whether the package is compiled, and refuses to test modules that are older than their sources."""
    found = [*(ROOT / "tourney").rglob("*.so"), *(ROOT / "bots").rglob("*.so")]
    compiled = [path for path in found if "__mypyc" not in path.name]
    for path in compiled:
        source = path.with_name(path.name.split(".")[0] + ".py")
        if not source.exists() or source.stat().st_mtime > path.stat().st_mtime:
            raise pytest.UsageError(f"{path} is older than its source; make compile, or make uncompile")
    return "tourney: compiled" if compiled else "tourney: pure Python"


def mostly_slow(cases: Iterable[Any], *quick: Any) -> list[Any]:
    """Returns the cases of a parametrised test; all but the quick ones, which must be among them, marked as slow."""
    listed = list(cases)
    if unknown := [case for case in quick if case not in listed]:
        raise ValueError(f"no such cases: {unknown}")
    return [
        case if case in quick else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in listed
    ]


def tournament_text(name: str, /, **keys: str) -> str:
    """Returns a tournament file of The Vole in the Valley; `keys` replace or add to the usual ones."""
    lines = {"name": f'"{name}"', "seed": "3", "deals": "4", "bots": '["random", "first", "steady"]'} | keys
    extra = lines.pop("extra", "")
    game = lines.pop("game", '[[game]]\nname = "vole"\noptions = { target = 6 }')
    return "\n".join([*[f"{key} = {value}" for key, value in lines.items() if value], game, extra, ""])


@pytest.fixture(autouse=True)
def _nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test leaves a process that it has started, nor a file in the folders of the tests open in their process."""

    def left() -> set[int | str]:
        folder = str(tmp_path_factory.getbasetemp())
        return {*linux.own_children(), *(path for path in open_files() if path.startswith(folder))}

    before = left()
    yield
    until = time.monotonic() + 60
    while left() - before and time.monotonic() < until:
        gc.collect()  # what a caught exception still holds
        time.sleep(0.01)
    assert not left() - before


def open_files() -> Iterator[str]:
    for number in os.listdir("/proc/self/fd") if linux.AVAILABLE else ():
        with contextlib.suppress(OSError):
            yield os.readlink(f"/proc/self/fd/{number}")


APART = ("check", "debug", "worker")  # a bot may change their process, and a browser in it hold a loop of asyncio


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str | Path, str], None]:
    """Asserts that a text is that of a file in `golden/` beside the test; `make golden` writes all of these files."""

    def golden(file: str | Path, found: str) -> None:
        path = request.path.parent / "golden" / file
        if request.config.getoption("renew"):
            path.write_text(found + "\n", encoding="utf-8")
            return
        known = path.read_text(encoding="utf-8") if path.exists() else ""
        if found + "\n" != known:
            changes = unified_diff(known.splitlines(), found.splitlines(), "golden", "found", "", "", 1, "")
            told = f"{path} differs; after an intended change run `make golden`, and look at what it changes"
            pytest.fail("\n".join([told, *islice(changes, 60)]))

    return golden


@pytest.fixture
def tourney(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the `tourney` command in the test's folder: in this process, as starting Python takes long.

    A process of its own is for commands that a bot may change, and for variables that a process heeds once.
    """

    def run(*arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
        if arguments[0] in APART or any(name.startswith(("PYTHON", "PATH")) for name in environment):
            return apart(tmp_path, *arguments, **environment)
        return called([*map(str, arguments)], tmp_path, **environment)

    return run


def called(argv: list[str], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Calls a command in a folder, inside the process of the tests, which loads each file of a bot only once."""
    with contextlib.chdir(folder), mock.patch("sys.argv", ["tourney", *argv]):
        result = CliRunner(env=environment).invoke(main, argv, prog_name="tourney")
    return subprocess.CompletedProcess(["tourney", *argv], result.exit_code, result.stdout, result.stderr)


def apart(folder: Path, *arguments: object, typed: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in a folder, in a process of its own."""
    return subprocess.run(
        [TOURNEY, *map(str, arguments)],
        cwd=folder,
        env=os.environ | environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def git(place: Path, *words: str) -> str:
    """Has git do something in a folder, as an author whom the machine need not know; returns what it prints."""
    own = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *own, *words], cwd=place, check=True, capture_output=True, text=True).stdout


def commit(place: Path, files: dict[str, str] | None = None, subject: str = "Change") -> str:
    """Commits these files, and whatever else has changed in a folder, which becomes a repository; returns the name."""
    place.mkdir(parents=True, exist_ok=True)
    for name, text in (files or {}).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    if not (place / ".git").exists():
        git(place, "init", "-q")
    git(place, "add", "-A")
    git(place, "commit", "-q", "--allow-empty", "-m", subject)
    return git(place, "rev-parse", "HEAD").strip()


def with_code(result: subprocess.CompletedProcess[str], code: int = 0) -> subprocess.CompletedProcess[str]:
    """Returns how a command ended, which must be with this exit code."""
    assert result.returncode == code, (result.stdout, result.stderr)
    return result


@pytest.fixture
def plugin(tmp_path: Path) -> Callable[..., Path]:
    """Puts a distribution into a folder that can be put on Python's path, as an installer would."""

    def install(distribution: str, entry_points: str, **modules: str) -> Path:
        info = tmp_path / f"{distribution.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(entry_points)
        for name, text in modules.items():
            (tmp_path / f"{name}.py").write_text(text)
        return tmp_path

    return install


def python_path(folder: str | Path) -> str:
    """Returns the variable PYTHONPATH with a folder before those that are in it."""
    return os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))


def with_plugins(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the `tourney` command where the distributions in the folder are installed."""
    return apart(path, *arguments, PYTHONPATH=python_path(path))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a tournament file of The Vole in the Valley; keys that are given replace or add to the usual ones."""

    def write(name: str = "small", /, **keys: str) -> Path:
        path = tmp_path / f"{name}.toml"
        path.write_text(tournament_text(name, **keys), encoding="utf-8")
        return path

    return write


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of the tests share, for what is made once (`tests.environments.made_once`)."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def built(shared_folder: Path) -> Builds:
    """The package in pure Python and, where there is a C compiler, compiled."""
    return made_builds(shared_folder)


@pytest.fixture(scope="session")
def shared_run(shared_folder: Path) -> Callable[[Path], Path]:
    """Returns the folder of a finished run of a tournament file, which all tests share and none may change."""

    def shared_run(config: Path) -> Path:
        def play(folder: Path) -> None:
            called(["run", str(config), "--out", str(folder / "run"), "--quiet"], ROOT).check_returncode()

        name = "run-" + hashlib.sha256(config.read_bytes()).hexdigest()[:32]
        return made_once(shared_folder / name, play) / "run"

    return shared_run


@pytest.fixture
def played(shared_run: Callable[[Path], Path], tmp_path: Path) -> Callable[..., Path]:
    """Copies the finished run of a tournament file into the folder of the test, which may change the copy."""

    def played(config: Path, out: str = "run") -> Path:
        return Path(shutil.copytree(shared_run(config), tmp_path / out))

    return played


@pytest.fixture
def finished(write: Callable[..., Path], played: Callable[..., Path]) -> Path:
    """A copy of a small, finished run in the folder of the test."""
    return played(write(), "done")
