"""What this machine can run, found without the code under test."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
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


def need_memory_cgroups() -> Path:
    """The root of cgroups (version 2); skips the test where none with a limit of memory can be made there."""
    found = _memory_cgroups()
    if isinstance(found, str):
        pytest.skip(f"memory cgroups: {found}")
    return found


@cache
def _memory_cgroups() -> Path | str:
    """The folder, or the reason why there is none."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="ascii").splitlines()]
    root = next((Path(point) for _, point, kind, *_ in mounts if kind == "cgroup2"), None)
    if root is None:
        return "cgroups of version 2 are not mounted"
    if "0::/" not in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines():
        return "the tests do not run in the root cgroup"
    if "memory" not in (root / "cgroup.controllers").read_text(encoding="ascii").split():
        return "version 2 has no memory controller here"
    probe = root / f"probe-{os.getpid()}"
    try:
        (root / "cgroup.subtree_control").write_text("+memory")
        probe.mkdir()
    except OSError as error:
        return str(error)
    try:
        (probe / "memory.max").write_text(str(1 << 30))
    except OSError as error:
        return str(error)
    finally:
        probe.rmdir()
    return root
