"""Environments and folders that tests need and that take long to make."""

import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import orjson
from packaging.requirements import Requirement

from tourney.base import files as regular_files

ROOT = Path(__file__).parent.parent


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Makes a folder by a function unless another worker has; a worker that comes meanwhile waits."""
    with folder.with_suffix(".lock").open("w") as lock:
        while not regular_files.lock(lock.fileno()):
            time.sleep(0.05)
        if not folder.exists():
            unfinished = folder.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            make(unfinished)
            unfinished.rename(folder)
    return folder


def fresh_environment(folder: Path, *paths: Path) -> Path:
    """Makes an environment with the packages of this one, pip too, and the `paths`; returns its Python."""
    # without pip, which takes longer to be installed than all the rest
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    lines = [sysconfig.get_path("purelib"), *map(str, paths)]
    (site / "here.pth").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder / "venv" / "bin" / "python"


def installed_wheel(folder: Path, extra: str) -> Path:
    """Builds the wheel, installs it in an environment with nothing but what it requires; returns its Python."""
    pip = [sys.executable, "-m", "pip"]
    options = ["-q", "--disable-pip-version-check", "--no-index", "--no-deps"]
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*pip, "wheel", *options, "--no-build-isolation", "-w", folder, ROOT], env=plain, check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([*pip, "--python", python, "install", *options, "--no-compile", wheel], env=plain, check=True)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    (own,) = metadata.distributions(path=[str(site)])
    seen, waiting = set(), [(own, extra)]
    while waiting:
        distribution, extra = waiting.pop()
        for needed in map(Requirement, distribution.requires or ()):
            applies = needed.marker is None or needed.marker.evaluate({"extra": extra})
            new = {(needed.name, each) for each in needed.extras or {""}} - seen if applies else set()
            seen |= new
            waiting += [(metadata.distribution(name), each) for name, each in sorted(new)]
    for name in sorted({name for name, _ in seen}):
        distribution = metadata.distribution(name)
        for top in sorted({file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}):
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(distribution.locate_file(top))))
    return python


class Builds(NamedTuple):
    """What `tests.bench.builds` has made of the checkout."""

    folder: Path
    names: list[str]  # the builds, each in a folder of its own
    missing: list[str]  # what is missing for the others
    compiled_before: list[Path]  # the compiled modules that the checkout had before


MAKE_BUILDS = """
import sys
from pathlib import Path
import orjson
from tests.bench.builds import ROOT, builds
before = sorted(map(str, (ROOT / "tourney").rglob("*.so")))
folder = Path(sys.argv[1])
made, missing = builds(folder, level=0)
(folder / "builds.json").write_bytes(orjson.dumps([[build.name for build in made], missing, before]))
"""


def made_builds(shared: Path) -> Builds:
    """Makes the builds, without optimization, unless another worker has."""

    def make(folder: Path) -> None:
        command = [sys.executable, "-c", MAKE_BUILDS, folder]  # a process of its own, as it waits for all its children
        done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    folder = made_once(shared / "builds", make)
    names, missing, before = orjson.loads((folder / "builds.json").read_bytes())
    return Builds(folder, names, missing, [Path(path) for path in before])
