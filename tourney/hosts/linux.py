"""What only Linux offers for processes: death signals, orphans, memory, processor time, cgroups.

On other systems the functions do nothing, and return 0 or nothing, unless stated otherwise.
"""

import ctypes
import errno
import os
import resource
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

AVAILABLE = sys.platform == "linux"
"""Whether this is Linux; elsewhere there are no sandboxes, no clusters, and no limits of memory or processor time."""
BY_SIGNAL = 128  # added to a signal's number by shells and sandboxes, to report it as an exit status
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PF_EXITING = 0x4  # in the flags of a process
_CPUCLOCK_SCHED = 2  # with the complement of a process's id it names the clock of all its threads
_CHILDREN_TIME = slice(13, 15)  # cutime and cstime in /proc/PID/stat, counted from the state
_TICKS = os.sysconf("SC_CLK_TCK") if AVAILABLE else 0
_CHUNK = 1 << 13
_STOP_S = 0.1
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_SYS_PIDFD_OPEN = 434
_HELD = (b"RssAnon:", b"RssShmem:", b"VmSwap:", b"VmPTE:")
_BUFFERS_KB = {"pipe:": 64, "socket:": 312}  # what the kernel holds for a full one, of the size that it has at first
_EPOLL = "anon_inode:[eventpoll]"
_EPOLL_BYTES = 3  # of the kernel, for each letter by which /proc lists an epoll's targets
_libc: Any = ctypes.CDLL(None, use_errno=True) if AVAILABLE else None
_adopting: set[int] = set()


def die_with_parent(parent: int) -> None:
    """Gets this process killed when its parent, with the id `parent`, ends."""
    _signal_at_end_of(parent, signal.SIGKILL)


def begin_trial(parent: int, memory_mb: int | None = None) -> None:
    """Makes this process one of a program on trial, in at most `memory_mb` of memory, that dies with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # interrupted while it starts, Python ends as if it had failed
    die_with_parent(parent)
    if memory_mb is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (memory_mb << 20,) * 2)


def outlive_parent(parent: int) -> None:
    """Gets this process woken by SIGCONT, rather than killed, when its parent, with that id, ends."""
    _signal_at_end_of(parent, signal.SIGCONT)


def _signal_at_end_of(parent: int, number: int) -> None:
    if not AVAILABLE:
        return
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
    if os.getppid() != parent:  # it has ended already
        os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans(wanted: bool = True) -> None:
    """Makes this process the parent of its descendants whose own parents end, for `kill_orphans`; or undoes it."""
    if not AVAILABLE:
        return
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0)
    (_adopting.add if wanted else _adopting.discard)(os.getpid())


def kill_orphans(but: frozenset[int] = frozenset(), but_session: int | None = None) -> None:
    """Kills all children and then their orphans, if this process adopts orphans.

    The processes with the ids `but` are spared, and the session with the id `but_session`.
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


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def kill_group(leader: int) -> None:
    """Kills what is left of the group that a process leads, or has led."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def ending_signal(exit_code: int) -> int:
    """Returns the number of the signal that ended a process, or 0 if it ended by itself.

    The exit code of our own child is the negative number; a shell or a sandbox reports the number plus 128.
    """
    return -exit_code if exit_code < 0 else max(0, exit_code - BY_SIGNAL)


def signal_name(number: int) -> str:
    """Returns a signal's name."""
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"signal {number}"


def own_children() -> list[int]:
    """Returns the ids of the children of this process's main thread."""
    return _children(f"/proc/{os.getpid()}/task/{os.getpid()}")


def descendants(pid: int) -> Iterator[int]:
    """Yields the ids of all children of a process, of their children, and so on."""
    with suppress(OSError):  # it has ended, or there is no /proc
        for thread in os.listdir(f"/proc/{pid}/task") if AVAILABLE else ():
            for child in _children(f"/proc/{pid}/task/{thread}"):
                yield child
                yield from descendants(child)


def _children(thread: str) -> list[int]:
    return [int(pid) for pid in _read(f"{thread}/children").split()] if AVAILABLE else []


def _read(path: str) -> bytes:
    """Returns a file's content; quicker than `Path.read_bytes`, because some are read at each decision."""
    file = os.open(path, os.O_RDONLY)
    try:
        whole = b""
        while part := os.read(file, _CHUNK):
            whole += part
        return whole
    finally:
        os.close(file)


def _stat(pid: int) -> list[bytes]:
    """Returns the words of /proc/PID/stat, from the state on; an empty state if there is no such process."""
    try:
        return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return [b""]


def suspend_descendants(pid: int) -> list[int]:
    """Stops all descendants of a process, and returns their ids; another user's processes continue."""
    stopped: list[int] = []
    while new := [each for each in descendants(pid) if each not in stopped]:  # a new process may have started more
        for each in new:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(each, signal.SIGSTOP)
        stopped += new
        if len(stopped) > 1:  # one that is ending does not stop, and hands on its children while they are looked for
            until = time.monotonic() + _STOP_S
            for each in new:
                while _stat(each)[0] in (b"R", b"S") and time.monotonic() < until:
                    time.sleep(_STOP_S / 1000)
    return stopped


def resume(pids: Iterable[int]) -> None:
    """Resumes stopped processes."""
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)


def is_working(pid: int) -> bool:
    """Whether a process computes, waits for a disk or is ending, rather than waits for something to do."""
    state, *rest = _stat(pid)
    return state in (b"R", b"D") or (len(rest) > 5 and int(rest[5]) & _PF_EXITING != 0)


def processor_s(pid: int) -> float:
    """Returns the processor time of a process and of its ended children, in seconds; 0 if it is gone.

    Children count once the process has waited for them, to 20 ms; where it ignores their ends, they are lost.
    """
    fields = _stat(pid)
    if len(fields) < _CHILDREN_TIME.stop:
        return 0.0
    children = sum([int(ticks) for ticks in fields[_CHILDREN_TIME]]) / _TICKS
    with suppress(OSError):  # it has ended in the meantime
        return children + time.clock_gettime(~pid << 3 | _CPUCLOCK_SCHED)
    return children


def cores(pid: int = 0) -> int:
    """Returns how many cores a process may use, by default this one; 0 if it is gone, or if that is unknown."""
    try:
        return len(os.sched_getaffinity(pid)) if AVAILABLE else 0
    except OSError:
        return 0


def keep_to_core(number: int) -> None:
    """Pins this thread, and its future children, to one core, chosen by the number among those it may use."""
    if AVAILABLE:
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[number % len(allowed)]})


def death_fd(pid: int) -> int:
    """Returns a file descriptor that becomes readable when that process ends, even if others hold its pipes.

    Its id must still be its own: a child's, the parent's, or one whose parent does not reap it in the meantime.
    """
    if hasattr(os, "pidfd_open"):  # Pythons that were built for an older Linux lack it
        return os.pidfd_open(pid)
    fd: int = _libc.syscall(_SYS_PIDFD_OPEN, pid, 0)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def held_kb(pid: int) -> int:
    """Returns how much memory a process holds that no file gives back, in kilobytes; 0 if there is no such process.

    It counts what the limit on data does not: memory that is shared, or that was written to and then made read-only,
    page tables, and what its pipes, its sockets and the lists of what it waits for can hold in the kernel.
    """
    try:
        lines = Path(f"/proc/{pid}/status").read_bytes().splitlines()
    except OSError:
        return 0
    held = [int(line.split()[1]) for line in lines if line.startswith(_HELD)]
    with suppress(OSError):  # it has ended in the meantime, or is another user's
        files: set[str] = set()  # a pipe that is open at both ends is one
        for number in os.listdir(f"/proc/{pid}/fd"):
            with suppress(FileNotFoundError):
                files.add(file := os.readlink(f"/proc/{pid}/fd/{number}"))
                if file == _EPOLL:
                    held.append(_EPOLL_BYTES * len(_read(f"/proc/{pid}/fdinfo/{number}")) >> 10)
        held += [kb for file in files for kind, kb in _BUFFERS_KB.items() if file.startswith(kind)]
    return sum(held)


def data_bytes() -> int:
    """Returns how many bytes of this process count for its limit on data."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmData:")[1].split()[0]) * 1024


def keep_freed_memory(up_to: int = 32 << 20) -> None:
    """Makes the C library keep freed memory, up to that many bytes, for its next use, if it has such an option."""
    choose = getattr(_libc, "mallopt", lambda *_: 0)
    choose(_M_TRIM_THRESHOLD, up_to)
    choose(_M_MMAP_THRESHOLD, up_to)


def open_files() -> list[int]:
    """Returns this process's file descriptors, and the closed one that they were read from."""
    return [int(name) for name in os.listdir("/proc/self/fd" if AVAILABLE else "/dev/fd")]


def shared_with_forks() -> tuple[Any, ...]:
    """Returns what this process and its forks share or cannot both have, to be compared.

    These are its threads, its children, its open files, and its writable shared memory. If the system does not list
    them, the returned value equals nothing.
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


# Memory cgroups (version 2). A cgroup is a folder in a kernel file system. It counts memory that no limit of a single
# process does: files in memory, shared memory, buffers of sockets and pipes.
#
# They are made only if that harms no one else's: below the root, or in a delegated part of the tree, which systemd
# marks. A folder whose cgroups have controllers may hold no processes, unless it is the root; so the processes in a
# delegated folder are moved into their own cgroup in it.

BOT, OTHERS = "tourney-bot", "tourney"
"""How the names of bots' cgroups start; the name of the cgroup of the processes that start them."""
_REMOVE_S = 5.0  # how long killed processes may take to leave their cgroup; then it is left to the next start
_MOST_MOVES = 100  # how often processes in the way are moved, because others may start in the meantime
_NUMBERS = count()


class MemoryCgroup:
    """The cgroup of one bot in one match."""

    def __init__(self, parent: Path, limit_bytes: int) -> None:
        self._folder = parent / f"{BOT}-{os.getpid()}-{next(_NUMBERS)}"
        self._folder.mkdir()
        try:
            self._write("memory.max", limit_bytes)
            self._write("memory.oom.group", 1)
            with suppress(FileNotFoundError):  # this kernel does not swap
                self._write("memory.swap.max", 0)
        except OSError:
            self._folder.rmdir()
            raise

    def _write(self, name: str, value: int) -> None:
        _write(self._folder / name, str(value))

    def add(self, pid: int) -> None:
        """Puts the process with that id, or this one for 0, and its future children into the cgroup."""
        self._write("cgroup.procs", pid)

    def kill(self) -> None:
        """Kills all processes in the cgroup at once, if the kernel can do that (since Linux 5.14)."""
        with suppress(OSError):
            self._write("cgroup.kill", 1)

    def was_exceeded(self) -> bool:
        """Whether processes were killed because this cgroup, not one around it, had reached its limit."""
        try:
            text = (self._folder / "memory.events").read_text(encoding="ascii")
        except OSError:
            return False
        events = dict([line.split() for line in text.splitlines()])
        return int(events["oom_kill"]) > 0 and int(events["oom"]) > 0

    def remove(self) -> None:
        """Removes the cgroup once its processes have ended; never raises."""
        until = time.monotonic() + _REMOVE_S
        while not _removed(self._folder) and time.monotonic() < until:
            time.sleep(0.001)


def parent_of_cgroups() -> Path | None:
    """Returns the folder in which this process can make memory cgroups; None if it cannot.

    Cgroups that were left behind there are removed.
    """
    with suppress(OSError, ValueError):  # it may not be read, or has an unknown form
        for folder in _own_folders():
            if _may_be_used(folder) and _counts_memory(folder):
                for left in folder.glob(f"{BOT}-*"):
                    maker = left.name.removeprefix(f"{BOT}-").partition("-")[0]
                    if maker.isdecimal() and not Path("/proc", maker).exists():
                        _removed(left)
                return folder
    return None


def _own_folders() -> list[Path]:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    own = "".join([line[3:] for line in lines if line.startswith("0::")])
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, kind = line.partition(" - ")
        root, point = mount.split()[3:5]
        if not kind.startswith("cgroup2 ") or root != "/" or not own:
            continue
        folder = Path(point + own)
        if str(os.getpid()) in (folder / "cgroup.procs").read_text().split():
            return [folder] if own == "/" else [folder, folder.parent]
    return []


def _may_be_used(folder: Path) -> bool:
    """Whether the folder is free to use: it is the root, or is marked as delegated."""
    if not os.access(folder, os.W_OK):
        return False
    if os.path.ismount(folder):
        return True
    for name in ("user.delegate", "trusted.delegate"):
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _counts_memory(folder: Path) -> bool:
    if "memory" not in (folder / "cgroup.controllers").read_text().split():
        return False
    control = folder / "cgroup.subtree_control"
    for _ in range(_MOST_MOVES):
        if "memory" in control.read_text().split():
            return True
        try:
            _write(control, "+memory")
        except OSError as error:
            if error.errno != errno.EBUSY or os.path.ismount(folder):  # the root's processes are not ours to move
                raise
            _move_others(folder)
    return False


def _move_others(folder: Path) -> None:
    others = folder / OTHERS
    others.mkdir(exist_ok=True)
    for pid in (folder / "cgroup.procs").read_text().split():
        with suppress(ProcessLookupError):  # it has ended in the meantime
            _write(others / "cgroup.procs", pid)


def _removed(top: Path) -> bool:
    try:
        for folder, _, _ in os.walk(top, topdown=False):
            os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CLOEXEC)  # in one piece
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)
