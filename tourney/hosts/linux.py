"""What Linux says of processes and does with them, beyond what every POSIX system offers.

Processes that die with their parent, orphans, ends of other processes, and what a process hands down. On other systems
the functions do nothing, and return 0 or nothing, unless they say otherwise.
"""

import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

AVAILABLE = sys.platform == "linux"
"""Whether this is Linux, without which there is no sandbox, no cluster, and no limit of memory or processor time.

A Python that was built for an older Linux than 5.3 (2019), such as some of uv and conda, lacks calls that are made
without it here.
"""
BY_SIGNAL = 128
"""What shells and sandboxes add to the number of a signal to report it as an exit status."""
_DEATH_SIGNAL, _SUBREAPER = 1, 36
_EXITING = 0x4  # PF_EXITING in the flags of a process
_PROCESSOR_CLOCK = 2  # CPUCLOCK_SCHED; with the complement of a process's id it names the clock of all its threads
_CHILDREN_TIME = slice(13, 15)  # cutime and cstime in what the system says of a process, from its state on
_TICKS = os.sysconf("SC_CLK_TCK") if AVAILABLE else 0
_CHUNK = 1 << 13
_REST_S = 0.1
"""How long it is waited at the most, in seconds, until a process that is being stopped has stopped."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_PIDFD_OPEN = 434  # the number of this call of the system
_CLOSE_ON_EXEC = 1  # MFD_CLOEXEC
_LIMITS = sorted([value for name, value in vars(resource).items() if name.startswith("RLIMIT_")])
_libc: Any = ctypes.CDLL(None, use_errno=True) if AVAILABLE else None
_prctl = getattr(_libc, "prctl", None)


def die_with_parent(parent: int) -> None:
    """Has this process killed when its parent, the process with the id `parent`, ends."""
    _at_end_of_parent(parent, signal.SIGKILL)


def begin_trial(parent: int) -> None:
    """Prepares this process to become a program that is only tried: it dies with its parent, and ignores SIGINT.

    Python that is interrupted while it starts ends as if the program had failed, which nobody can tell from a failure.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(parent)


def outlive_parent(parent: int) -> None:
    """Lets this process outlive its parent, the process with the id `parent`; if it is stopped then, it is continued.

    So a process that has to see to something when its parent has ended does so even where somebody has stopped it.
    """
    _at_end_of_parent(parent, signal.SIGCONT)


def _at_end_of_parent(parent: int, number: int) -> None:
    """Has the kernel send this process a signal when its parent ends; kills it if the parent has ended before."""
    if _prctl is None:
        return
    _prctl(_DEATH_SIGNAL, number, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans(wanted: bool = True) -> None:
    """Makes this process the parent of its descendants whose own parents end, for `kill_orphans`; or no longer."""
    if _prctl is None:
        return
    _prctl(_SUBREAPER, int(wanted), 0, 0, 0)
    (_adopting.add if wanted else _adopting.discard)(os.getpid())


_adopting: set[int] = set()


def kill_orphans(but: frozenset[int] = frozenset(), but_session: int | None = None) -> None:
    """Kills all children and then their orphans, if this process adopts orphans.

    The processes with the ids `but` are spared, and those of the session with the id `but_session`.
    """
    if os.getpid() not in _adopting:
        return
    while left := [pid for pid in own_children() if pid not in but and _session(pid) != but_session]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def ending_signal(exit_code: int) -> int:
    """Returns the number of the signal that ended a process, or 0 if it ended by itself.

    The exit code of our own child is the negative number; that of a shell or a sandbox is the number plus 128.
    """
    return -exit_code if exit_code < 0 else max(0, exit_code - BY_SIGNAL)


def signal_name(number: int) -> str:
    """Returns the name of the signal of that number."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def kill_group(leader: int) -> None:
    """Kills what is left of the group that a process leads, or has led; nothing happens if there is no such group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def own_children() -> list[int]:
    """Returns the ids of the processes that the main thread of this process is the parent of."""
    return _children(f"/proc/{os.getpid()}/task/{os.getpid()}")


def _children(thread: str) -> list[int]:
    """Returns the ids of the processes that a thread, given by its folder in /proc, is the parent of."""
    if not AVAILABLE:
        return []
    return [int(pid) for pid in _read(f"{thread}/children").split()]


def _read(path: str) -> bytes:
    """Returns what is in a file of the system; quicker than `Path.read_bytes`, as some are read at each decision."""
    file = os.open(path, os.O_RDONLY)
    try:
        whole = b""
        while part := os.read(file, _CHUNK):
            whole += part
        return whole
    finally:
        os.close(file)


def _session(pid: int) -> int:
    """Returns the id of the session of a process; 0 if there is no such process."""
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def descendants(pid: int) -> Iterator[int]:
    """Yields the ids of all processes that a process has started, and of those that these have started."""
    with suppress(OSError):  # it has ended meanwhile, or there are no such folders
        for thread in os.listdir(f"/proc/{pid}/task") if AVAILABLE else ():
            for child in _children(f"/proc/{pid}/task/{thread}"):
                yield child
                yield from descendants(child)


def suspend_descendants(pid: int) -> list[int]:
    """Stops all processes that a process has started, and those that these have started; returns their ids.

    A process that belongs to another user cannot be stopped, and goes on.
    """
    stopped: list[int] = []
    while new := [each for each in descendants(pid) if each not in stopped]:  # what a new one has started is new, too
        for each in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGSTOP)
        stopped += new
        if len(stopped) > 1:  # one that is ending does not stop, and hands on its children while they are looked for
            _wait_for_rest(new)
    return stopped


def _wait_for_rest(pids: Iterable[int]) -> None:
    """Waits until processes that are being stopped have stopped or ended; not for those that take long."""
    until = time.monotonic() + _REST_S
    for pid in pids:
        while _stat(pid)[0] in (b"R", b"S") and time.monotonic() < until:
            time.sleep(_REST_S / 1000)


def resume(pids: Iterable[int]) -> None:
    """Lets processes go on that were stopped."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)


def processor_s(pid: int) -> float:
    """Returns for how many seconds processors have worked for a process and for its ended children; 0 if it is gone.

    Children count when the process has waited for them, to 20 ms; those that no one waits for, since the process
    ignores their ends, are lost.
    """
    found = _stat(pid)
    if len(found) < _CHILDREN_TIME.stop:
        return 0.0
    children = sum([int(ticks) for ticks in found[_CHILDREN_TIME]]) / _TICKS
    with suppress(OSError):  # it has ended meanwhile
        return children + time.clock_gettime(~pid << 3 | _PROCESSOR_CLOCK)
    return children


def cores(pid: int = 0) -> int:
    """Returns on how many cores a process may run, by default this one; 0 if it is gone, or if that is not known."""
    try:
        return len(os.sched_getaffinity(pid)) if AVAILABLE else 0
    except OSError:
        return 0


def keep_to_core(number: int) -> None:
    """Has this thread, and what it starts from now on, run on one core, chosen by the number among those it may use."""
    if not AVAILABLE:
        return
    allowed = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {allowed[number % len(allowed)]})


def boot_id() -> str:
    """Returns what the system calls its present start, the same for all containers on it; empty if it is not known."""
    if not AVAILABLE:
        return ""
    try:
        return _read("/proc/sys/kernel/random/boot_id").decode().strip()
    except OSError:
        return ""


def death_fd(pid: int) -> int:
    """Returns a file descriptor that becomes readable when that process ends, whoever holds its pipes.

    Its id must still be its own: that of a child, of the parent, or of one whose parent does not reap it meanwhile.
    """
    return os.pidfd_open(pid) if hasattr(os, "pidfd_open") else _checked(_libc.syscall(_PIDFD_OPEN, pid, 0))


def _checked(result: int) -> int:
    """Returns the result of a call of the C library; raises an `OSError` if the call has failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def is_working(pid: int) -> bool:
    """Returns whether a process computes, waits for a disk or is ending, rather than waits for something to do."""
    state, *rest = _stat(pid)
    return state in (b"R", b"D") or (len(rest) > 5 and int(rest[5]) & _EXITING != 0)


def _stat(pid: int) -> list[bytes]:
    """Returns what the system says of a process, from its state on; an empty state if there is no such process."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return [b""]


def held_kb(pid: int) -> int:
    """Returns how much memory a process holds that no file gives back, in kilobytes; 0 if there is no such process.

    It counts what the limit on data does not: memory that is shared, or that was written to and then made read-only.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
    except OSError:
        return 0
    return sum([int(line.split()[1]) for line in lines if line.startswith((b"RssAnon:", b"RssShmem:", b"VmSwap:"))])


def open_files() -> list[int]:
    """Returns the file descriptors of this process, and the one that they were read from, which is closed again."""
    return [int(name) for name in os.listdir("/proc/self/fd" if AVAILABLE else "/dev/fd")]


def shared_with_forks() -> tuple[Any, ...]:
    """Returns what this process and its forks have in common or cannot both have, to be compared.

    That is its threads, its children, its open files with their offsets, and its shared memory that can be written to.
    Where the system does not tell, what is returned equals nothing.
    """
    if not AVAILABLE:
        return (object(),)
    files = []
    for file in open_files():
        with suppress(FileNotFoundError):  # the descriptor that the list was read from
            files.append((file, os.readlink(f"/proc/self/fd/{file}")))
    maps = [line.split() for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()]
    shared = [line for line in maps if line[1][1] == "w" and line[1][3] == "s"]
    return len(os.listdir("/proc/self/task")), own_children(), sorted(files), shared


def handed_down() -> tuple[Any, ...]:
    """Returns what this process hands down to its forks and other processes can change in it, to be compared.

    That is its limits, cores, scheduling and priority, its cgroups, and how soon it is killed for want of memory.
    """
    everywhere = [resource.getrlimit(limit) for limit in _LIMITS], os.getpriority(os.PRIO_PROCESS, 0)
    if not AVAILABLE:
        return everywhere
    return (
        everywhere,
        os.sched_getaffinity(0),
        os.sched_getscheduler(0),
        os.sched_getparam(0),
        Path("/proc/self/cgroup").read_bytes(),
        Path("/proc/self/oom_score_adj").read_bytes(),
    )


def memory_file(name: str) -> int:
    """Returns the file descriptor of a new file in memory; the name is only for those who look at open files."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    return _checked(_libc.memfd_create(name.encode(), _CLOSE_ON_EXEC))


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
