"""The users whose commands run in the sandbox."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.programs import as_user

LIMITS = {"memory_mb": 256, "reserved_mb": 512, "threads": 16, "open_files": 64, "file_mb": 4, "scratch_mb": 8}
"""What the tests limit commands to."""


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
