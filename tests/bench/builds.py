"""Builds of the package to measure: pure Python and compiled, of the checkout or of another commit.

Each build is a folder of its own outside of the checkout, with the packages, and with metadata that declare the plugins
of its commit.
"""

import compileall
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tests.bench.timing import ResourceUse, resource_use

ROOT = Path(__file__).parent.parent.parent
TOURNEY = str(Path(sys.executable).with_name("tourney"))
COMPILER_PACKAGES = ("hatchling", "mypyc", "setuptools")  # what compiles, besides a C compiler
WITNESS = """
import sys
from pathlib import Path
class Witness:
    def act(self, view, legal):
        table = sys.modules.get("tourney.table.table") or sys.modules["tourney.table"]  # the latter in older commits
        Path(__file__).with_name("table").write_text(table.__file__)
        return legal[0]
"""
"""A bot that writes down from which file the table was loaded that asks it."""
WITNESS_TOURNAMENT = """
name = "witness"
seed = 1
deals = 1
bots = ["witness.py:Witness", "random"]
[[game]]
name = "vole"
"""


class Build(NamedTuple):
    """A folder with the packages, in one of the two ways in which they can be run."""

    name: str  # `pure` or `compiled`
    folder: Path

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ | {"PYTHONPATH": os.pathsep.join([str(self.folder), str(ROOT)])}

    def measure(self, what: str, *arguments: object) -> Any:
        """Returns what `tests.bench.in_build` measures in a process that runs this build."""
        command = [sys.executable, "-m", "tests.bench.in_build", what, *map(str, arguments)]
        # started in the folder, as workers, and modules run by -m, look there before everywhere else
        keys = {"cwd": self.folder, "env": self.environment}
        return orjson.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, **keys).stdout)

    def use(self, *command: str) -> ResourceUse:
        return resource_use(command, self.folder, self.environment)

    def plays_by_its_own_table(self) -> bool:
        """Returns whether the matches of a `tourney run` with this build are played by the table in its folder."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "witness.py").write_text(WITNESS, encoding="utf-8")
            (folder / "witness.toml").write_text(WITNESS_TOURNAMENT, encoding="utf-8")
            self.use(TOURNEY, "run", str(folder / "witness.toml"), "--out", str(folder / "run"), "--quiet")
            module = Path((folder / "table").read_text(encoding="utf-8"))
        return module.is_relative_to(self.folder) and (module.suffix == ".py") == (self.name == "pure")


def builds(
    folder: Path, pure_only: bool = False, level: int = 3, sources: Path = ROOT
) -> tuple[list[Build], list[str]]:
    """Makes the builds that can be made here, and returns them, with what is missing for the others.

    `folder` is where the builds are put, `level` how much the C compiler optimizes, and `sources` the root of the
    repository's files.
    """
    pure, fast = [Build(name, folder / name) for name in ("pure", "compiled")]
    found, missing = [pure], list[str]()
    for build in (pure, fast):
        for package in ("tourney", "bots/tourney_bots"):
            to = build.folder / Path(package).name
            shutil.copytree(sources / package, to, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        write_metadata(sources / "pyproject.toml", build.folder)
        compileall.compile_dir(build.folder, quiet=1)  # bytecode, so that no run spends its time on that
    if not pure_only:
        reason = _compile(sources, pure.folder, fast.folder, level)
        found, missing = ([pure], [f"the compiled build: {reason}"]) if reason else ([pure, fast], [])
    for build in found:
        assert build.plays_by_its_own_table(), f"workers play by something else than the {build.name} build"
    return found, missing


def checked_out(revision: str, folder: Path) -> Path:
    """Writes the files of a commit into a folder, and returns the folder."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder


def write_metadata(pyproject: Path, folder: Path) -> None:
    """Writes the metadata of an installed distribution; a process that runs the build sees them instead of ours."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    info = folder / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *[f"{name} = {value}" for name, value in entries.items()]]
    (info / "entry_points.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _compile(root: Path, sources: Path, target: Path, level: int) -> str | None:
    """Compiles what the commit in `root` compiles; returns the reason if that cannot be done."""
    if lacking := [name for name in COMPILER_PACKAGES if find_spec(name) is None]:
        return f"{', '.join(lacking)} not installed; `make .venv/installed-dev` installs what compiles"
    spec = spec_from_file_location("bench_build_hook", root / ".ci" / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    if (reason := hook.missing_compiler()) is not None:
        return str(reason)
    try:
        hook.compiled(sources, target, level)
    except subprocess.CalledProcessError:
        return "it could not be compiled; what is printed above tells why"
    return None
