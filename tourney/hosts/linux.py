"""What Linux is asked for that Python has no words for: who dies with whom, who takes in orphans."""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

_DEATH_SIGNAL, _SUBREAPER = 1, 36
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_libc = ctypes.CDLL(None, use_errno=True)
_prctl = _libc.prctl


def die_with_parent(parent: int, wanted: bool = True) -> None:
    """This process is killed when its parent, the process of that number, ends."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL if wanted else 0, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def take_in_orphans(wanted: bool = True) -> None:
    """Whatever descends from this process becomes its child when its own parent ends, for `end_orphans` to end."""
    _prctl(_SUBREAPER, int(wanted), 0, 0, 0)
    (_takes_in.add if wanted else _takes_in.discard)(os.getpid())


_takes_in: set[int] = set()


def end_orphans(but: frozenset[int] = frozenset()) -> None:
    """Kills all children but those, and what becomes one by that, if this process takes in orphans."""
    if os.getpid() not in _takes_in:
        return
    while left := [pid for pid in _children() if pid not in but]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def _children() -> list[int]:
    """The processes that this process's main thread is the parent of."""
    me = os.getpid()
    return [int(pid) for pid in Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii").split()]


def keep_freed_memory(up_to: int = 32 << 20) -> None:
    """This process uses memory that it has freed again, up to so many bytes, rather than give it back each time.

    Nothing happens where the C library has no such choice.
    """
    choose = getattr(_libc, "mallopt", lambda *_: 0)
    choose(_TRIM_THRESHOLD, up_to)
    choose(_MMAP_THRESHOLD, up_to)


def data_bytes() -> int:
    """The memory of this process that its limit on data counts."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmData:")[1].split()[0]) * 1024
