"""What this machine can run, found without the code under test."""

import os
import shutil
import subprocess
from functools import cache
from typing import Any

import pytest

NOBODY = 65534


def as_user(ordinary: bool) -> dict[str, Any]:
    """Returns the arguments with which `subprocess` starts a process as an ordinary user, if that is wanted."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ordinary else {}


@cache
def no_sandbox(ordinary: bool = False) -> str:
    """The reason why there is no sandbox on this machine, found without the code under test; empty if there is one.

    `ordinary` asks as an ordinary user where root runs the tests.
    """
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
    """Skips the test where this machine has no sandbox."""
    if reason := no_sandbox(ordinary):
        pytest.skip(reason)
