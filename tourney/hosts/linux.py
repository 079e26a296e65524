"""System calls of Linux that Python does not offer: processes that die with their parent, and orphans."""

import ctypes
import fcntl
import os
import signal
from contextlib import suppress
from pathlib import Path

_DEATH_SIGNAL, _SUBREAPER = 1, 36
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl


def die_with_parent(parent: int) -> None:
    """Has this process killed when its parent, the process with the id `parent`, ends."""
    _at_end_of_parent(parent, signal.SIGKILL)


def outlive_parent(parent: int) -> None:
    """Lets this process outlive its parent, the process with the id `parent`; if it is stopped then, it is continued.

    So a process that has to see to something when its parent has ended does so even where somebody has stopped it.
    """
    _at_end_of_parent(parent, signal.SIGCONT)


def _at_end_of_parent(parent: int, number: int) -> None:
    """Has the kernel send this process a signal when its parent ends; kills it if the parent has ended before."""
    _prctl(_DEATH_SIGNAL, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans(wanted: bool = True) -> None:
    """Makes this process the parent of its descendants whose own parents end, for `kill_orphans`; or no longer."""
    _prctl(_SUBREAPER, int(wanted), 0, 0, 0)
    (_adopting.add if wanted else _adopting.discard)(os.getpid())


_adopting: set[int] = set()


def kill_orphans(but: frozenset[int] = frozenset()) -> None:
    """Kills all children and then their orphans, if this process adopts orphans; spares those with the ids in `but`."""
    if os.getpid() not in _adopting:
        return
    while left := [pid for pid in _children() if pid not in but]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    """Returns the ids of the processes that the main thread of this process is the parent of."""
    me = os.getpid()
    return [int(pid) for pid in Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii").split()]


def lock(descriptor: int) -> bool:
    """Locks an open file for this process, until it is closed; returns False if another process has locked it.

    Raises:
        OSError: Files cannot be locked there.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def keep_freed_memory(up_to: int = 32 << 20) -> None:
    """Has this process keep freed memory, up to that many bytes, for its next use, rather than return it each time.

    Nothing happens where the C library has no such option.
    """
    choose = getattr(_libc, "mallopt", lambda *_: 0)
    choose(_TRIM_THRESHOLD, up_to)
    choose(_MMAP_THRESHOLD, up_to)


def data_bytes() -> int:
    """Returns the number of bytes of this process that count for its limit on data."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmData:")[1].split()[0]) * 1024
