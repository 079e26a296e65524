"""Builds a wheel for every Python at hand, and plays in a fresh environment with each, to the same bytes.

The wheels come into dist/. Each is installed where no compiler is on the path, must be a compiled one, and plays the
tournament of `make run`; all journals must be the same.
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
    """Builds and tries the wheels; ends with 1 where one does not do what the others do."""
    digests = {}
    for version in VERSIONS:
        python = interpreter(version)
        if python is None:
            print(f"{version}: not at hand")
            continue
        with tempfile.TemporaryDirectory() as folder:
            wheel = built(python, Path(folder))
            said, digests[version] = played(python, wheel, Path(folder))
        print(f"{version}: dist/{wheel.name}, {said}, journal {digests[version]}", flush=True)
        if "(compiled)" not in said:
            sys.exit(f"{version}: the wheel is not compiled")
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


def played(python: str, wheel: Path, folder: Path) -> tuple[str, str]:
    """Installs a wheel in a fresh environment and plays; returns what its version says, and a hash of the journal."""
    run(python, "-m", "venv", folder / "venv")
    programs = folder / "venv" / "bin"
    bare = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CC")}
    bare["PATH"] = str(programs)  # no compiler is there
    run(programs / "pip", "install", *QUIET, "--only-binary", ":all:", wheel, env=bare)
    run(programs / "tourney", "run", CONFIG, "--out", folder / "run", "--quiet", env=bare)
    said = run(programs / "tourney", "--version", env=bare)
    return said.strip(), blake2b((folder / "run" / "journal.jsonl").read_bytes(), digest_size=8).hexdigest()


def run(*command: str | Path, env: Mapping[str, str] | None = None) -> str:
    """Runs a command outside of the checkout; returns what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    main()
