"""Builds a wheel for every Python at hand, and plays in a fresh environment with each, to the same bytes.

The wheels come into dist/. Each is installed where no compiler is on the path, must be a compiled one, and plays the
tournament of `make run`, and so do the sources of the checkout in pure Python; all journals must be the same.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = "3.11", "3.12", "3.13", "3.14"
QUIET = "--quiet", "--disable-pip-version-check"
CONFIG = ROOT / "configs" / "quick.toml"


def interpreter(version: str) -> str | None:
    """Returns a Python of that version, on the path or among those of pyenv; None if there is none."""
    found = [shutil.which(f"python{version}")]
    found += map(str, sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}")))
    for each in found:  # one on the path may be a shim with nothing behind it
        if each and subprocess.run([each, "-c", ""], capture_output=True, check=False).returncode == 0:  # noqa: S603
            return each
    return None


def main() -> None:
    """Builds and tries the wheels; ends with 1 where one does not do what the others and the checkout do."""
    digests: dict[str, str] = {}
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            print(f"{version}: not at hand")
            continue
        print(f"{version}: building a wheel, which takes a minute or two", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            wheel = built(python, Path(folder))
            environment = installed(python, wheel, Path(folder))
            said, digests[version] = played(environment, Path(folder) / "run")
            environment["PYTHONPATH"] = str(sources(Path(folder) / "sources"))
            pure, digests[f"{version} pure"] = played(environment, Path(folder) / "run-pure")
        print(f"{version}: dist/{wheel.name}, {said}, journal {digests[version]}", flush=True)
        print(f"{version}: the checkout, {pure}, journal {digests[f'{version} pure']}", flush=True)
        if "(compiled)" not in said:
            sys.exit(f"{version}: the wheel is not compiled")
        if "(pure Python)" not in pure:
            sys.exit(f"{version}: the sources of the checkout are not played")
    if len(set(digests.values())) != 1:
        sys.exit("the journals differ")


def built(python: str, folder: Path) -> Path:
    """Builds the wheel for a Python; returns where it is."""
    run(
        python, "-m", "pip", "wheel", *QUIET, "--no-deps", "-w", folder, ROOT, env=os.environ | {"TOURNEY_COMPILE": "1"}
    )
    wheel = next(folder.glob("*.whl"))
    (ROOT / "dist").mkdir(exist_ok=True)
    return Path(shutil.move(wheel, ROOT / "dist" / wheel.name))


def installed(python: str, wheel: Path, folder: Path) -> dict[str, str]:
    """Installs a wheel in a fresh environment in a folder; returns the variables by which it is used."""
    run(python, "-m", "venv", folder / "venv")
    programs = folder / "venv" / "bin"
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CC")}
    bare["PATH"] = str(programs)  # no compiler is there
    run(programs / "pip", "install", *QUIET, "--only-binary", ":all:", wheel, env=bare)
    return bare


def sources(folder: Path) -> Path:
    """Copies the packages of the checkout into a folder, without compiled modules; returns the folder."""
    for package in (ROOT / "tourney", ROOT / "bots" / "tourney_bots"):
        shutil.copytree(package, folder / package.name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    return folder


def played(environment: Mapping[str, str], out: Path) -> tuple[str, str]:
    """Plays with what is installed there; returns what its version says, and a hash of the journal."""
    tourney = Path(environment["PATH"]) / "tourney"
    run(tourney, "run", CONFIG, "--out", out, "--quiet", env=environment)
    said = run(tourney, "--version", env=environment)
    return said.strip(), blake2b((out / "journal.jsonl").read_bytes(), digest_size=8).hexdigest()


def run(*command: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Runs a command outside of the checkout; returns what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    main()
