"""What this machine can run, found without the code under test, and the users whose commands run in the sandbox."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534
LIMITS = {"memory_mb": 256, "reserved_mb": 512, "threads": 16, "open_files": 64, "file_mb": 4, "scratch_mb": 8}
"""What the tests limit commands to."""


def as_user(ordinary: bool) -> dict[str, Any]:
    """Returns the arguments with which `subprocess` starts a process as an ordinary user, or else as whoever tests.

    Root is in a group of root's, as after a login.
    """
    own = {"extra_groups": [0]} if os.geteuid() == 0 else {}
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ordinary else own


@cache
def no_sandbox(ordinary: bool = False) -> str:
    """The reason why there is no sandbox on this machine, for an ordinary user if that is asked; empty if there is."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        return "system calls are filtered on x86-64 and arm64 only"
    program = shutil.which("bwrap")
    if program is None:
        return "bwrap is not in PATH"
    own = [] if os.geteuid() == 0 and not ordinary else ["--unshare-user"]
    command = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", *own, "--ro-bind", "/", "/", "true"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    return tried.stderr.strip() if tried.returncode else ""


def need_sandbox(ordinary: bool = False) -> None:
    if reason := no_sandbox(ordinary):
        pytest.skip(reason)


@dataclass(frozen=True)
class Account:
    """A user, an interpreter that this user may run, and a folder that belongs to this user."""

    user: str
    python: str
    folder: Path

    def start(self, spec: dict[str, Any], path: str = "", **keys: Any) -> subprocess.Popen[str]:
        """Starts sandbox_launch.py, with this PATH if one is given; what else is in its environment is a secret."""
        argv = [self.python, str(self.folder / "sandbox_launch.py"), json.dumps(spec)]
        env = {"PATH": path or os.environ.get("PATH", ""), "PYTHONPATH": str(self.folder / "lib"), "SECRET": "card"}
        keys |= dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | as_user(self.user == "ordinary")
        return subprocess.Popen(argv, text=True, env=env | {"PYTHONDONTWRITEBYTECODE": "1"}, **keys)

    def run(self, spec: dict[str, Any], typed: str = "", **keys: Any) -> subprocess.CompletedProcess[str]:
        with self.start(spec, **keys) as process:
            output, errors = process.communicate(typed)
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def open_to_all(folder: Path, owner: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, owner, owner)
        path.chmod(0o755 if path.is_dir() else 0o644)
