"""The first code of ours inside every sandbox: it gives up bubblewrap's remaining rights before the command runs.

It runs in a bare interpreter (`python -I -S`) at each start of a bot, so it imports little, and only the standard
library.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
import sys

TYPE_CHECKING = False  # type checkers take it for True; importing `typing` would take time
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

SCRATCH = "/scratch"
FAILED = 126  # exit code if the sandbox cannot be set up, or the command cannot be started

_SET_UP = 3  # a pipe of the spawner's, which a bot never holds; `spawner.SET_UP`
_WIRE = 5, 6  # they become stdin and stdout; bubblewrap's own processes hold theirs; `spawner.WIRE`
_NO_SUID, _NO_DEVICES = 2, 4
_PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 8, 47, 2
_CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522


def restrict(uid: int | None, scratch: str, limits: Mapping[int, int]) -> None:
    """Takes from this process, for good, every right that the command must not have, and reports that it is set up.

    `uid` is the user to become if root started the sandbox; `scratch` the options for mounting the scratch folder.
    The process ends if a step fails.
    """
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        _mount_scratch(libc, scratch)
        _drop_rights(libc, uid)
        os.chdir(SCRATCH)
        for what, value in limits.items():
            hard = resource.getrlimit(what)[1]
            most = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(what, (most, most))
    except OSError as error:
        _fail(f"the sandbox cannot be set up: {error.strerror}")
    try:
        os.write(_SET_UP, b"1")
        os.close(_SET_UP)
        for number, end in enumerate(_WIRE):
            os.dup2(end, number)
            os.close(end)
    except OSError:  # no spawner has started it
        return


def run(command: list[str]) -> NoReturn:
    """Becomes the command."""
    try:
        os.execvp(command[0], command)  # noqa: S606 - the sandbox starts the given command
    except OSError as error:
        _fail(f"{command[0]} cannot be started: {error.strerror}")


def _mount_scratch(libc: ctypes.CDLL, options: str) -> None:
    """Mounts a scratch folder with a bound on files over bubblewrap's, which stays if AppArmor forbids that."""
    flags = ctypes.c_ulong(_NO_SUID | _NO_DEVICES)
    try:  # noqa: SIM105 - `contextlib` would have to be imported
        _checked(libc.mount(b"tmpfs", SCRATCH.encode(), b"tmpfs", flags, options.encode()), "the scratch folder")
    except PermissionError:
        pass


def _drop_rights(libc: ctypes.CDLL, uid: int | None) -> None:
    """Drops all capabilities; as root, unbound by a limit on processes, becomes a user who can read visible files."""
    if uid is not None:
        _checked(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps")
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        if _keep(libc, 1 << _CAP_DAC_READ_SEARCH):
            _checked(libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_READ_SEARCH, 0, 0), "capabilities")
            return
    if not _keep(libc, 0):
        raise OSError(ctypes.get_errno(), "capabilities cannot be dropped")


def _keep(libc: ctypes.CDLL, capabilities: int) -> bool:
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    return bool(libc.capset(header, struct.pack("=6I", *[capabilities] * 3, 0, 0, 0)) == 0)


def _checked(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what} ({os.strerror(number)})")


def _fail(why: str) -> NoReturn:
    sys.stderr.write(f"tourney: {why}\n")
    sys.stderr.flush()
    os._exit(FAILED)
