"""Our package as it is measured: in pure Python, and compiled, each in a folder of its own outside of the checkout."""

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tests.bench.timing import Used, used

ROOT = Path(__file__).parent.parent.parent
TOURNEY = str(Path(sys.executable).with_name("tourney"))
NEEDED = ("hatchling", "mypyc", "setuptools")
"""What compiles, beside a C compiler."""
TELLER = """
from pathlib import Path

from tourney import table


class Teller:
    def act(self, view, legal):
        Path(__file__).with_name("told").write_text(table.__file__)
        return legal[0]
"""
TOLD = """
name = "told"
seed = 1
deals = 1
bots = ["teller.py:Teller", "random"]
[[game]]
name = "vole"
"""


class Build(NamedTuple):
    """The sources of the checkout, in one of the two ways they can be run."""

    name: str
    folder: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """For processes that are to run this build."""
        return os.environ | {"PYTHONPATH": os.pathsep.join([str(self.folder), str(ROOT)])}

    def inside(self, what: str, *arguments: object) -> Any:
        """What `tests.bench.inside` measures in a process of this build."""
        command = [sys.executable, "-m", "tests.bench.inside", what, *map(str, arguments)]
        # in its folder: workers, and what is run by -m, look for modules in the current one before all others
        told = subprocess.run(command, cwd=self.folder, env=self.environment, check=True, stdout=subprocess.PIPE).stdout
        return orjson.loads(told)

    def used(self, *command: str, watch: Callable[[int], object] | None = None) -> Used:
        """What a command has taken, with this build."""
        return used(command, self.folder, self.environment, watch)

    def plays_itself(self) -> bool:
        """Whether a worker plays by this build's table: a bot of its own tells where that is."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "teller.py").write_text(TELLER, encoding="utf-8")
            (folder / "teller.toml").write_text(TOLD, encoding="utf-8")
            self.used(TOURNEY, "run", str(folder / "teller.toml"), "--out", str(folder / "run"), "--quiet")
            module = Path((folder / "told").read_text(encoding="utf-8"))
        return module.is_relative_to(self.folder) and (module.suffix == ".py") == (self.name == "pure")


def builds(folder: Path, pure_only: bool = False, level: int = 3) -> tuple[list[Build], list[str]]:
    """The builds that can be measured here, made under the folder, and what is missing for the others.

    `level` is how much the C compiler optimizes.
    """
    pure, fast = [Build(name, folder / name) for name in ("pure", "compiled")]
    found, missing = [pure], []
    for build in (pure, fast):
        for package in ("tourney", "bots/tourney_bots"):
            to = build.folder / Path(package).name
            shutil.copytree(ROOT / package, to, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        compileall.compile_dir(build.folder, quiet=1)  # bytecode, so that no run spends its time on that
    if not pure_only:
        reason = _compiled(pure.folder, fast.folder, level)
        found, missing = ([pure], [f"the compiled build: {reason}"]) if reason else ([pure, fast], [])
    for build in found:
        assert build.plays_itself(), f"workers play by something else than the {build.name} build"
    return found, missing


def _compiled(sources: Path, target: Path, level: int) -> str | None:
    """Compiles what can be compiled; why that cannot be done, if so."""
    if lacking := [name for name in NEEDED if find_spec(name) is None]:
        return f"{', '.join(lacking)} not installed; `make .venv/installed-dev` installs what compiles"
    sys.path.append(str(ROOT / ".ci"))
    from hatch_build import compiled, missing_compiler  # noqa: PLC0415 - imports what may not be installed

    if (reason := missing_compiler()) is not None:
        return reason
    try:
        compiled(sources, target, level)
    except subprocess.CalledProcessError:
        return "it could not be compiled; what is printed above tells why"
    return None
