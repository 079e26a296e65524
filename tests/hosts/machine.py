"""Which sandboxes this machine can run, found without the code under test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.left_out import PORTABLE

NOBODY = 65534
BACKENDS = ("bubblewrap", "namespaces", "landlock")
OLDEST_LANDLOCK = 3
"""The version of landlock of Linux 6.2, the first that guards against truncation."""
ASK = """
import contextlib, ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
version = libc.syscall(444, None, 0, 1)  # landlock_create_ruleset: the version of landlock
inside, _, users = open("/proc/self/uid_map").readline().split()
root = os.geteuid() == 0 and int(inside) == 0 and int(users) == 2**32 - 1
user, group = os.getuid(), os.getgid()
lone = 0 if root else libc.unshare(0x10000000)  # CLONE_NEWUSER
if not root:
    with contextlib.suppress(OSError):
        for name, ids in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            open(f"/proc/self/{name}", "w").write(ids)
# CLONE_NEWNS and CLONE_NEWPID, MS_REC and MS_SLAVE
apart = libc.unshare(0x20020000) or libc.mount(b"none", b"/", None, 0x84000, None)
apart = apart or libc.mount(b"tmpfs", b"/proc", b"tmpfs", 0, None)
if root:
    os.setgroups([])
    os.setresuid(NOBODY, NOBODY, NOBODY)
print(version, lone, apart)
""".replace("NOBODY", str(NOBODY))


def as_user(ordinary: bool) -> dict[str, Any]:
    """Returns the arguments with which `subprocess` starts a process as an ordinary user, if that is wanted."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if ordinary else {}


@cache
def backends(ordinary: bool = False, python: str = sys.executable) -> Mapping[str, str]:
    """Returns the reason why each backend of the sandbox cannot work on this machine, by its name; empty where it can.

    `ordinary` asks as an ordinary user where root runs the tests; `python` must be one that this user may run.
    """
    if os.uname().machine not in ("x86_64", "aarch64"):
        return dict.fromkeys(BACKENDS, "system calls are filtered on x86-64 and arm64 only")
    landlock, namespaces = _no_own_means(ordinary, python)
    return {"bubblewrap": _no_bubblewrap(ordinary), "namespaces": namespaces, "landlock": landlock}


def need(backend: str, ordinary: bool = False, python: str = sys.executable) -> None:
    """Skips the test where the backend cannot work on this machine."""
    _need_linux()
    if reason := backends(ordinary, python)[backend]:
        pytest.skip(f"{backend}: {reason}")


def _need_linux() -> None:
    if PORTABLE:
        pytest.skip("the sandbox needs Linux")


def need_any() -> None:
    """Skips the test where no backend can work on this machine."""
    _need_linux()
    found = backends()
    if all(found.values()):
        pytest.skip("; ".join([f"{backend}: {reason}" for backend, reason in found.items()]))


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


def _no_bubblewrap(ordinary: bool) -> str:
    program = shutil.which("bwrap")
    if program is None:
        return "bwrap is not in PATH"
    own = [] if os.geteuid() == 0 and not ordinary else ["--unshare-user"]
    command = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", *own, "--ro-bind", "/", "/", "true"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    return tried.stderr.strip() if tried.returncode else ""


def _no_own_means(ordinary: bool, python: str) -> tuple[str, str]:
    """Returns the reasons against landlock alone, and with namespaces."""
    command = [python, "-I", "-S", "-c", ASK]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    if tried.returncode:
        reason = f"no other user: {tried.stderr.strip().splitlines()[-1]}"
        return reason, reason
    version, user, apart = map(int, tried.stdout.split())
    if version < OLDEST_LANDLOCK:
        reason = f"the kernel answers version {version} of landlock"
        return reason, reason
    reason = "user namespaces are not permitted" if user else ""
    return reason, reason or ("namespaces with mounts are not permitted" if apart else "")
