"""What Linux says of processes and does with them, beyond what Python offers everywhere.

Processes that die with their parent, orphans, ends and stops of other processes, and what a process hands down. Where
it is not `AVAILABLE`, the portable way takes its place (docs/platforms).
"""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

with suppress(ImportError):  # Windows has none
    import resource


PORTABLE = "TOURNEY_PORTABLE"
"""The environment variable that hides all this, if it is neither empty nor 0, to try the portable way on Linux."""
AVAILABLE = sys.platform == "linux" and os.environ.get(PORTABLE, "0") in ("", "0")
"""Whether what only Linux has can be used; nothing else reads the variable.

It is one question for all of it, since all of it is there from Linux 5.3 (2019) on. A Python that was built for an
older Linux, such as some of uv and conda, lacks calls that are made without it here. What a newer Linux may lack has a
question of its own: memory cgroups (`cgroup.parent_of_cgroups`) and the sandbox (`sandbox.launcher.check`). Where the
system keeps no account, functions here return 0 or nothing.
"""
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
_LIMITS = sorted([value for name, value in vars(resource).items() if name.startswith("RLIMIT_")]) if AVAILABLE else []
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
    """Kills all children and then their orphans, if this process adopts orphans."""
    if os.getpid() not in _adopting:
        return
    while left := [pid for pid in own_children() if pid not in but and _session(pid) != but_session]:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in left:
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def own_children() -> list[int]:
    """Returns the ids of the processes that the main thread of this process is the parent of."""
    return _children(f"/proc/{os.getpid()}/task/{os.getpid()}")


def _children(thread: str) -> list[int]:
    """Returns the ids of the processes that a thread, given by its folder in /proc, is the parent of."""
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
    """Has this thread, and what it starts from now on, run on only one of the cores that it may run on."""
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


def is_stopped(pid: int, traced: bool = False) -> bool:
    """Returns whether a process does nothing until it gets SIGCONT; with `traced`, also whether a debugger holds it."""
    state, *_ = _stat(pid)
    return state in ((b"T", b"t") if traced else (b"T",))


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
    return [int(name) for name in os.listdir("/proc/self/fd")]


def shared_with_forks() -> tuple[Any, ...]:
    """Returns what this process and its forks have in common or cannot both have, to be compared.

    That is its threads, its children, its open files with their offsets, and its shared memory that can be written to.
    """
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
    return (
        [resource.getrlimit(limit) for limit in _LIMITS],
        os.sched_getaffinity(0),
        os.sched_getscheduler(0),
        os.sched_getparam(0),
        os.getpriority(os.PRIO_PROCESS, 0),
        Path("/proc/self/cgroup").read_bytes(),
        Path("/proc/self/oom_score_adj").read_bytes(),
    )


def message_sockets() -> tuple[socket.socket, socket.socket]:
    """Returns two connected sockets that keep messages apart."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


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


# Processes together with what they have started, by what every system offers: groups, and the end of a pipe.
#
# This is the portable way beside `tourney.hosts.linux`. A process that leaves its group, as by `setsid`, is not
# reached. Windows has no groups: there a process is ended with those that it is still the parent of.

_GUARD = """
import os, select, signal, sys
for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except OSError:  # SIGKILL and SIGSTOP
        pass
groups, rest = set(), b""
while True:
    if select.select([0], [], [], 1)[0]:
        data = os.read(0, 1 << 13)
        if not data:
            break
        *lines, rest = (rest + data).split(b"\\n")
        for line in lines:
            (groups.add if line[:1] == b"+" else groups.discard)(int(line[1:]))
    elif os.getppid() != int(sys.argv[1]):
        break
for leader in groups:
    for kill in (os.killpg, os.kill):  # it may not have made its group yet
        try:
            kill(leader, signal.SIGKILL)
        except OSError:
            pass
"""


def lead() -> None:
    """Makes this process the leader of a group, to which all belong that it starts."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def end_own() -> NoReturn:
    """Ends this process, which leads its group, with all of the group."""
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def kill(leader: int) -> None:
    """Kills what is left of the group that a process leads, or has led; nothing happens if there is no such group."""
    if hasattr(os, "killpg"):
        _send(leader, signal.SIGKILL)
    else:
        command = ["taskkill", "/F", "/T", "/PID", str(leader)]
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - a command of the system


def stop(leader: int) -> None:
    """Stops the group that a process leads, where the system can do that; `go_on` lets it go on."""
    if hasattr(signal, "SIGSTOP"):
        _send(leader, signal.SIGSTOP)


def go_on(leader: int) -> None:
    """Lets the group that a process leads go on, should it be stopped."""
    if hasattr(signal, "SIGCONT"):
        _send(leader, signal.SIGCONT)


def _send(leader: int, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # it has ended, or has not made its group yet
        os.killpg(leader, number)


def children(parent: int) -> list[int]:
    """Returns the ids of the processes that a process has started, as far as the system tells."""
    return sorted([int(pid) for pid, its_parent in _listed("ppid=") if int(its_parent) == parent])


def is_any_stopped(leader: int) -> bool:
    """Returns whether a process of the group that a process leads is stopped, as far as the system tells."""
    return any([int(group) == leader and state.startswith("T") for _, group, state in _listed("pgid=,stat=")])


def _listed(columns: str) -> list[list[str]]:
    """Returns the id of every process and what `ps` says of it in those columns; nothing where there is no `ps`."""
    program = shutil.which("ps")
    if program is None:
        return []
    with subprocess.Popen([program, "-axo", f"pid=,{columns}"], stdout=subprocess.PIPE, text=True) as ps:  # noqa: S603
        found = [line.split() for line in ps.stdout or ()]
    return [row for row in found if int(row[0]) != ps.pid]


class GroupGuard:
    """A small process that kills the groups that were begun and not ended once this process is gone.

    So nothing is left even where this process is killed together with those that would notice it. It sees by the end of
    a pipe that this process is gone, or within a second where a fork of this process holds the pipe. Windows has none.
    """

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._groups: dict[int, None] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts the guard if there is none yet; to be called before a group is begun."""
        if self._process is None and hasattr(os, "killpg"):
            self._launch()

    def begin(self, leader: int) -> None:
        """Has the group that a process leads killed when this process is gone."""
        self._groups[leader] = None
        self._tell(f"+{leader}\n")

    def end(self, leader: int) -> None:
        """Spares the group of a process that has ended: another one may get its id."""
        del self._groups[leader]
        self._tell(f"-{leader}\n")

    def close(self) -> None:
        """Ends the guard, and kills the groups that are left."""
        if self._process is not None:
            for leader in self._groups:
                kill(leader)
            self._end()

    def _end(self) -> None:
        """Ends the guard, whatever state it is in."""
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # it was killed before it has read all
            self._process.stdin.close()
        self._process = None

    def _tell(self, line: str) -> None:
        """Tells the guard a line; another is started where there is none, or where somebody has killed it."""
        if not hasattr(os, "killpg"):
            return
        try:
            if self._process is not None:
                self._write(line)
                return
        except OSError:
            self._end()
        with suppress(OSError):  # the system does not let it start now; the next line tries again
            self._launch()

    def _launch(self) -> None:
        """Starts the guard, and tells it the groups that there are."""
        self._process = subprocess.Popen(  # noqa: S603 - our own code
            [sys.executable, "-I", "-S", "-c", _GUARD, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # a group of its own, but no session: so the system continues it at the end of this process if it is stopped
            process_group=0,
        )
        with suppress(OSError):  # it was killed at once; the next line finds that out
            self._write("".join([f"+{group}\n" for group in self._groups]))

    def _write(self, lines: str) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.send_signal(signal.SIGCONT)  # one that somebody has stopped would not read
        self._process.stdin.write(lines.encode())
        self._process.stdin.flush()
