"""The users whose commands the tests of the sandbox run: the one of the tests, and an ordinary one."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.hosts import machine

LIMITS = {"memory_mb": 256, "reserved_mb": 512, "threads": 16, "open_files": 64, "file_mb": 4, "scratch_mb": 8}
"""What the tests limit commands to."""


@dataclass(frozen=True)
class Account:
    """A user, an interpreter that this user may run, and a folder that belongs to this user."""

    user: str
    python: str
    folder: Path

    def run(self, spec: dict[str, Any], path: str = "", **keys: Any) -> subprocess.CompletedProcess[str]:
        """Runs sandbox_launch.py to its end, with this PATH if one is given."""
        given = self.keys()
        given["env"] |= {"PATH": path} if path else {}
        argv = [*self.argv(), json.dumps(spec)]
        return subprocess.run(argv, capture_output=True, timeout=600, check=False, **given, **keys)

    def start(self, spec: dict[str, Any]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.argv(), json.dumps(spec)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **self.keys()
        )

    def argv(self) -> list[str]:
        return [self.python, str(self.folder / "sandbox_launch.py")]

    def keys(self) -> dict[str, Any]:
        """The arguments of `subprocess`; the environment holds what must not reach the command."""
        path = os.environ.get("PATH", "")
        env = {"PATH": path, "PYTHONPATH": str(self.folder / "lib"), "SECRET": "card", "PYTHONDONTWRITEBYTECODE": "1"}
        return {"text": True, "env": env, **machine.as_user(self.user == "ordinary")}


def open_to_all(folder: Path, owner: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, owner, owner)
        path.chmod(0o755 if path.is_dir() else 0o644)
