"""Which sandboxes this machine can run, found without the code under test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

NOBODY = 65534
OLDEST_LANDLOCK = 3
"""The version of landlock of Linux 6.2, the first that guards against truncation."""
ASK = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(444, None, 0, 1))  # landlock_create_ruleset: the version of landlock
inside, _, users = open("/proc/self/uid_map").readline().split()
if os.geteuid() == 0 and int(inside) == 0 and int(users) == 2**32 - 1:
    os.setgroups([])
    os.setresuid(NOBODY, NOBODY, NOBODY)
    print(0)
else:
    print(libc.unshare(0x10000000))  # CLONE_NEWUSER
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
        return dict.fromkeys(("bubblewrap", "landlock"), "system calls are filtered on x86-64 and arm64 only")
    return {"bubblewrap": _no_bubblewrap(ordinary), "landlock": _no_landlock(ordinary, python)}


def need(backend: str, ordinary: bool = False, python: str = sys.executable) -> None:
    """Skips the test where the backend cannot work on this machine."""
    if reason := backends(ordinary, python)[backend]:
        pytest.skip(f"{backend}: {reason}")


def need_any() -> None:
    """Skips the test where no backend can work on this machine."""
    found = backends()
    if all(found.values()):
        pytest.skip("; ".join([f"{backend}: {reason}" for backend, reason in found.items()]))


def _no_bubblewrap(ordinary: bool) -> str:
    program = shutil.which("bwrap")
    if program is None:
        return "bwrap is not in PATH"
    own = [] if os.geteuid() == 0 and not ordinary else ["--unshare-user"]
    command = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", *own, "--ro-bind", "/", "/", "true"]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    return tried.stderr.strip() if tried.returncode else ""


def _no_landlock(ordinary: bool, python: str) -> str:
    command = [python, "-I", "-S", "-c", ASK]
    tried = subprocess.run(command, capture_output=True, text=True, check=False, **as_user(ordinary))
    if tried.returncode:
        return f"no other user: {tried.stderr.strip().splitlines()[-1]}"
    version, user = map(int, tried.stdout.split())
    if version < OLDEST_LANDLOCK:
        return f"the kernel answers version {version} of landlock"
    return "user namespaces are not permitted" if user else ""
