"""The first process inside every sandbox: it restricts itself, and then becomes the command.

It runs in a bare interpreter (`python -I -S`), so it imports nothing but the standard library and its neighbours; and
little of the former, since that is done at each start of a bot and took half of the time.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import struct
import sys

from tourney.hosts.sandbox import mounts, seccomp
from tourney.hosts.sandbox.syscalls import checked, die_with_parent

try:  # noqa: SIM105 - `contextlib` would have to be imported
    import resource
except ImportError:  # Windows has none
    pass

TYPE_CHECKING = False  # type checkers take it for True; `typing` would have to be imported for its own
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

STARTED = "TOURNEY_STARTED"
"""The environment variable that may hold the number of a file descriptor. A byte goes there once nothing is left to do
that the system may refuse, and before there is anything of the command's, which so can neither write nor stop it."""
FAILED = 126
"""The exit code where the process cannot be restricted, or the command cannot be started."""

_PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 8, 38, 47
_CAP_DAC_READ_SEARCH = 2
_CAPABILITY_VERSION_3 = 0x20080522
_SAID = 3
_STACK_BYTES = 8 << 20
_TIMERS = 256  # with the signals that wait; the kernel keeps something for each


def main() -> NoReturn:
    """Restricts this process as the first arguments say (see `launcher.in_words`), and runs the others."""
    pieces = int(sys.argv[1])
    try:
        spec = marshal.loads(bytes.fromhex("".join(sys.argv[2 : 2 + pieces])))  # noqa: S302 - it is the launcher's
        restrict(spec, os.environ.pop(STARTED, None))
    except OSError as error:
        fail(f"cannot be locked in: {error.strerror}")
    os.environ.pop("PWD", None)  # bubblewrap sets it, unasked
    command = sys.argv[2 + pieces :]
    try:
        os.execvp(command[0], command)  # noqa: S606 - the sandbox starts the command that it is given
    except OSError as error:
        fail(f"{command[0]} cannot be started: {error.strerror}")


def restrict(spec: Mapping[str, Any], started: str | None = None, is_fork: bool = False) -> None:
    """Takes from this process, for good, every right that the spec does not leave it.

    Args:
        spec: The rights; see `launcher.SandboxedCommand`.
        started: What the variable `STARTED` holds.
        is_fork: Whether this process is a fork of `template`, which has its namespaces already.

    Raises:
        OSError: A step fails.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    _close_files(started)
    os.umask(0o077)
    _lead_session()
    checked(libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    if spec["backend"] != "bubblewrap" and not is_fork:
        _enter_namespaces(libc, spec)
    owner = os.getuid() if spec["uid"] is None else spec["uid"]
    _take_scratch(libc, spec, owner)
    if spec["uid"] is not None:
        _become(libc, owner)
    elif not _keep(libc, 0):
        raise OSError(ctypes.get_errno(), "the rights in the user namespace cannot be dropped")
    os.chdir(spec["scratch"])
    _say_set_up(started)
    _limit(spec)
    if spec["backend"] != "bubblewrap":
        from tourney.hosts.sandbox import landlock  # noqa: PLC0415 - bubblewrap does what it does

        landlock.restrict(libc, spec["reads"], spec["hides"], spec["scratch"])
    if spec["backend"] != "bubblewrap" or is_fork:
        die_with_parent(libc)
    seccomp.restrict(libc, spec["thread_joins"])


def _close_files(started: str | None) -> None:
    """Closes all files but the standard streams, and the one in which is said when this process is set up."""
    kept = _SAID
    if started is not None:
        os.dup2(int(started), kept)
        kept += 1
    close_from(kept)


def close_from(first: int) -> None:
    """Closes all files of this process from that descriptor on."""
    os.closerange(first, max(256, resource.getrlimit(resource.RLIMIT_NOFILE)[0]))


def _enter_namespaces(libc: ctypes.CDLL, spec: Mapping[str, Any]) -> None:
    """Moves this process to the namespaces of its backend, as bubblewrap does by itself."""
    from tourney.hosts.sandbox import namespaces  # noqa: PLC0415 - bubblewrap does what it does

    if spec["uid"] is None:
        # the kernel counts a user's processes anew in each user namespace, so that one bot's do not bind another
        namespaces.own_users(libc, mapped=spec["backend"] == "namespaces")
    if spec["backend"] == "namespaces":
        die_with_parent(libc)
        namespaces.enter(libc, spec["reads"], spec["hides"], spec["scratch"])


def _take_scratch(libc: ctypes.CDLL, spec: Mapping[str, Any], owner: int) -> None:
    """Makes the scratch folder, or the process's user the owner of one on disk."""
    if spec["backend"] != "landlock":
        try:
            mounts.mount_scratch(libc, spec["scratch"], owner, spec["scratch_mb"], spec["scratch_files"])
        except PermissionError:
            if spec["backend"] != "bubblewrap":  # which has mounted one, without a limit on files
                raise
    elif spec["uid"] is not None:
        os.chown(spec["scratch"], owner, owner)


def _lead_session() -> None:
    """Makes this process lead a session of its own."""
    try:  # noqa: SIM105 - `contextlib` would have to be imported
        os.setsid()
    except PermissionError:  # it leads its process group already
        pass


def _say_set_up(started: str | None) -> None:
    """Says that this process is set up, and closes the file for that."""
    if started is not None:
        os.write(_SAID, b"1")
        os.close(_SAID)


def _limit(spec: Mapping[str, Any]) -> None:
    """Sets the resource limits of this process."""
    limits = {
        resource.RLIMIT_CORE: 1,  # no core file; 1 rather than 0 also keeps it from a program that collects them
        resource.RLIMIT_STACK: _STACK_BYTES,
        resource.RLIMIT_NOFILE: spec["open_files"],
        resource.RLIMIT_FSIZE: spec["file_mb"] << 20,
        resource.RLIMIT_NPROC: spec["threads"],
        resource.RLIMIT_SIGPENDING: _TIMERS,
    }
    if spec["memory_mb"] is not None:
        limits[resource.RLIMIT_DATA] = spec["memory_mb"] << 20
        limits[resource.RLIMIT_AS] = (spec["memory_mb"] + spec["reserved_mb"]) << 20
    for what, value in limits.items():
        hard = resource.getrlimit(what)[1]
        least = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(what, (least, least))


def _become(libc: ctypes.CDLL, uid: int) -> None:
    """Becomes a user that nobody else is, but keeps root's right to read the files that are shown.

    No limit on processes holds for root. Without the right to read, a bot in a folder of root's could not be loaded.
    A container often lacks that right; then only what all users may read can be read.
    """
    checked(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps")
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    except OSError as error:
        raise OSError(error.errno, f"root may not become another user ({error.strerror})") from error
    if _keep(libc, 1 << _CAP_DAC_READ_SEARCH):
        checked(libc.prctl(_PR_CAP_AMBIENT, 2, _CAP_DAC_READ_SEARCH, 0, 0), "ambient capabilities")
    elif not _keep(libc, 0):
        raise OSError(ctypes.get_errno(), "the rights of root cannot be dropped")


def _keep(libc: ctypes.CDLL, rights: int) -> bool:
    """Keeps these capabilities and no others; returns False if the process does not have them."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    return bool(libc.capset(header, struct.pack("=6I", rights, rights, rights, 0, 0, 0)) == 0)


def fail(why: str) -> NoReturn:
    """Ends this process with one line on stderr."""
    sys.stderr.write(f"tourney: {why}\n")
    sys.stderr.flush()
    os._exit(FAILED)
