"""The forkserver: a process that forks the workers and never loads a bot.

A forked worker has all modules and games that the forkserver has loaded, so it starts within milliseconds. What a bot
does when it is loaded (start threads, open files and devices) would not survive a fork, so each worker loads its bots
itself. The forkserver of `multiprocess` is not used: it loads the main module again, cannot be a fork of this process,
and is not replaced when it is killed.
"""

import errno
import gc
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple, NoReturn
from weakref import WeakSet

from multiprocess.connection import Connection, Pipe
from multiprocess.reduction import recv_handle, send_handle

from tourney import standard_streams
from tourney.config import Tournament
from tourney.errors import RunError, system_limit
from tourney.hosts import linux
from tourney.hosts.retries import MOST_ATTEMPTS, OWN_STARTS, may_be_from_outside
from tourney.runner import worker
from tourney.runner.worker import receive, send

LOST = (EOFError, OSError)
"""The exceptions that say that the other end of a pipe is closed."""
START_S = 60.0
"""How long a new forkserver may take, in seconds, to load its modules and answer its first request."""
ANSWER_S = 10.0
"""How long it may take to answer later requests, in seconds; it only forks."""
WAKE_S = 1.0
"""After how many seconds without an answer it is continued, in case that somebody has stopped it."""
IGNORED = [
    getattr(signal, f"SIG{name}")
    for name in ("HUP", "INT", "QUIT", "ALRM", "TERM", "USR1", "USR2", "VTALRM", "PROF", "IO")
    if hasattr(signal, f"SIG{name}")
]
"""The signals that neither a forkserver nor a watchdog heeds: they end with the processes that they are for."""
CANNOT_START = "workers cannot be started"
"""How messages begin that say why."""
UNKNOWN = 255
"""The exit code of a process whose forkserver, which would know it, is gone."""


class _StartWorker(NamedTuple):
    """A request to fork a worker; the answer is its process id, or the negative number of the system's error."""

    tournament: Tournament
    logs: Path | None
    number: int
    ignored: Sequence[int]
    """The signals that the main process was told to ignore, as by nohup."""
    job: worker.Job | None


class Reap(NamedTuple):
    """A request for the exit code of a worker that has ended."""

    pid: int


class _Watch(NamedTuple):
    """A request to see to a worker that an earlier forkserver has started, with a new watchdog; there is no answer."""

    pid: int


class Forkserver:
    """Starts workers. A context manager that, on exit, ends the forkserver but not the workers."""

    def __init__(self, fork: bool = False) -> None:
        """Starts the forkserver.

        Args:
            fork: Whether this process is there for the run alone, so that it may be forked, which is quick and must be
                done before it loads a bot, and may adopt orphans. Otherwise the forkserver is a new Python process, and
                so is one that replaces a forkserver that was killed.
        """
        self._answer_s = START_S
        self._children: WeakSet[Child] = WeakSet()
        self._ignored = [number for number in IGNORED if signal.getsignal(number) == signal.SIG_IGN]
        self._adopts = fork
        if not fork:
            self._spawn()
            return
        self._others = frozenset(linux.own_children())  # which are none of ours
        linux.adopt_orphans()  # the processes of bots whose forkserver, worker and spawner are killed together
        with _limits_told():
            self._pipe, theirs = Pipe()
            parent = os.getpid()
            self.pid = os.fork()
        if not self.pid:
            self._pipe.close()
            _serve(theirs, parent)
        theirs.close()

    def _spawn(self) -> None:
        code = f"import sys; sys.path[:] = {sys.path}; from tourney.runner.forkserver import main; main()"
        parent = os.getpid()
        with _limits_told():
            self._pipe, theirs = Pipe()
            command = [sys.executable, "-c", code, str(theirs.fileno()), str(parent)]
            os.set_inheritable(theirs.fileno(), True)
            self.pid = os.fork()
        if not self.pid:
            try:
                # now, since it takes a while to load, and may meanwhile be stopped, or interrupted with its parent
                linux.outlive_parent(parent)
                _ignore()
                os.execv(sys.executable, command)  # noqa: S606 - no shell is meant
            finally:
                os._exit(1)
        theirs.close()

    def __enter__(self) -> "Forkserver":
        """Returns the forkserver itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the forkserver."""
        self._end()
        if self._adopts:
            linux.kill_orphans(self._others, os.getsid(0))  # each bot has a session of its own; workers have ours
            linux.adopt_orphans(False)

    def _end(self) -> int:
        """Ends the forkserver, and returns its exit code."""
        os.kill(self.pid, signal.SIGKILL)  # before the pipe is closed, from which it would conclude that we are gone
        _, status = os.waitpid(self.pid, 0)
        self._pipe.close()
        return os.waitstatus_to_exitcode(status)

    def start(self, tournament: Tournament, logs: Path | None, number: int, job: worker.Job | None = None) -> "Child":
        """Starts a worker; for the arguments see `worker.main`.

        Raises:
            RunError: The forkserver is killed each time.
            SystemLimitError: The system allows no more processes or open files.
        """
        ended = 0  # how often the forkserver has ended by itself
        for _ in range(MOST_ATTEMPTS):
            with _limits_told():
                ours, theirs = Pipe()
            try:
                send(self._pipe, _StartWorker(tournament, logs, number, self._ignored, job))
                send_handle(self._pipe, theirs.fileno(), self.pid)
                return self._child(ours, self._answer())
            except LOST as error:
                ours.close()
                if limit := system_limit(error, CANNOT_START):
                    raise limit from None
                ended += not may_be_from_outside(self._replace())
                if ended == OWN_STARTS:
                    raise RunError(f"{CANNOT_START}: the forkserver ends by itself; what it said is above") from None
            finally:
                theirs.close()
        raise RunError(f"{CANNOT_START}: the forkserver is killed each time; find out by whom, then resume")

    def _child(self, pipe: Connection, answer: int) -> "Child":
        """Returns the worker that the forkserver has started, by its answer."""
        if answer < 0:
            error = OSError(-answer, os.strerror(-answer))
            raise system_limit(error, CANNOT_START) or RunError(f"{CANNOT_START}: {error.strerror}; then resume")
        child = Child(self, pipe, answer)
        self._children.add(child)
        return child

    def exit_code(self, pid: int) -> int:
        """Returns the exit code of a worker that has ended, and reaps its process; to be called once."""
        try:
            send(self._pipe, Reap(pid))
            return self._answer()
        except LOST:
            self._replace()
            return UNKNOWN

    def _answer(self) -> int:
        until = time.monotonic() + self._answer_s
        while not self._pipe.poll(WAKE_S):
            if time.monotonic() > until:
                raise EOFError
            os.kill(self.pid, signal.SIGCONT)
        self._answer_s = ANSWER_S
        answer: int = receive(self._pipe)
        return answer

    def _replace(self) -> int:
        """Kills the forkserver, which does not answer, and starts another one; returns the exit code of the former."""
        self._answer_s = START_S
        code = self._end()
        self._spawn()
        for child in self._children:
            if child.is_alive():
                send(self._pipe, _Watch(child.pid))
            elif child.exit_code is None:
                child.kill_group()  # which nobody else does if its watchdog was stopped
        return code


@contextmanager
def _limits_told() -> Iterator[None]:
    """Raises a `SystemLimitError` where the system allows no more open files, processes or memory."""
    try:
        yield
    except OSError as error:
        raise system_limit(error, CANNOT_START) or error from None


def _ignore(numbers: Sequence[int] = IGNORED) -> None:
    """Has this process ignore those of the signals, and end at the others of them."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN if number in numbers else signal.SIG_DFL)


class Child:
    """The process of a worker."""

    def __init__(self, forkserver: Forkserver, pipe: Connection, pid: int) -> None:
        """Refers to a running process; its id stays its own until the forkserver reaps it."""
        self.pipe = pipe
        self.pid = pid
        self.sentinel = linux.death_fd(pid)
        """A file descriptor (pidfd) that becomes readable when the process ends."""
        self.exit_code: int | None = None
        self._forkserver = forkserver

    def is_alive(self) -> bool:
        """Tells whether the process has not ended yet."""
        return self.exit_code is None and not select.select([self.sentinel], [], [], 0)[0]

    def wake(self) -> None:
        """Continues the process, and the rest of its group, in case that somebody has stopped it."""
        with suppress(ProcessLookupError, PermissionError):  # it has ended, or has not made its group yet
            os.killpg(self.pid, signal.SIGCONT)

    def kill_group(self) -> None:
        """Kills what is left of the process's group, whether or not the process itself has ended."""
        _kill_groups([self.pid])

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""
        if self.exit_code is not None:
            return
        self.kill_group()
        with suppress(ProcessLookupError, PermissionError):  # it has ended
            os.kill(self.pid, signal.SIGKILL)
        select.select([self.sentinel], [], [])
        self.exit_code = self._forkserver.exit_code(self.pid)
        os.close(self.sentinel)
        self.pipe.close()


def main() -> None:
    """Runs the forkserver in a new process; the arguments are its end of the pipe and the main process's id."""
    standard_streams.secure()
    pipe, parent = map(int, sys.argv[1:])
    os.set_inheritable(pipe, False)
    _serve(Connection(pipe), parent)


def _serve(pipe: Connection, parent: int) -> NoReturn:
    """Answers requests until the main process has ended; then kills what is left of the workers, and ends.

    Workers end themselves with the main process, and a watchdog sees to the group of one that was killed. This is for
    what is left where these were killed or stopped, too. It adopts what a worker with bots in processes of their own
    leaves behind.
    """
    watchdogs: dict[int, int] = {}  # by worker; as long as they are not reaped, no other process gets their ids
    try:
        _ignore()
        linux.outlive_parent(parent)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        main_process = linux.death_fd(parent)
        gc.freeze()  # what is loaded stays, and its memory is shared with the workers until it is written to
        while True:
            match receive(pipe):
                case _StartWorker() as request:
                    if not request.tournament.in_worker:
                        linux.adopt_orphans()
                    send(pipe, _start_worker(pipe, main_process, request, watchdogs))
                case _Watch(pid):
                    try:
                        watchdogs[pid] = _fork_watchdog(pid, main_process)
                    except ProcessLookupError:  # it has ended meanwhile
                        _kill_groups([pid])
                case Reap(pid):
                    send(pipe, _reap(pid, watchdogs))
    except LOST:
        _kill_groups(watchdogs)
        linux.kill_orphans()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _kill_groups(workers: Iterable[int]) -> None:
    """Kills the groups of these workers, as far as there are any."""
    for pid in workers:
        with suppress(ProcessLookupError, PermissionError):  # it has ended, or has not made its group yet
            os.killpg(pid, signal.SIGKILL)


def _start_worker(pipe: Connection, main_process: int, request: _StartWorker, watchdogs: dict[int, int]) -> int:
    """Forks a worker with its watchdog, and returns its process id, or the negative number of the system's error."""
    try:
        end = recv_handle(pipe)
    except RuntimeError:  # the system hands over no descriptor where too many are open
        return -errno.EMFILE
    try:
        pid = _fork_worker(pipe, end, main_process, request)
    except OSError as error:
        return -(error.errno or errno.EAGAIN)
    finally:
        os.close(end)
    try:
        watchdogs[pid] = _fork_watchdog(pid, main_process)
    except OSError as error:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return -(error.errno or errno.EAGAIN)
    return pid


def _fork_worker(pipe: Connection, end: int, main_process: int, request: _StartWorker) -> int:
    """Forks a worker that talks with the main process over `end`, and returns its process id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        _ignore(request.ignored)
        pipe.close()
        os.set_inheritable(end, False)
        worker.main(Connection(end), main_process, request.tournament, request.logs, request.number, request.job)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _fork_watchdog(worker_pid: int, main_process: int) -> int:
    """Forks the watchdog: a process in the worker's group that kills it when the worker or the main process has ended.

    It is no child of the worker, in which bots may wait for children. A worker that is stopped cannot end itself.
    """
    with suppress(ProcessLookupError, PermissionError):  # it has ended, or has made its group itself
        os.setpgid(worker_pid, worker_pid)
    ended = linux.death_fd(worker_pid)
    pid = os.fork()
    if pid:
        os.close(ended)
        return pid
    try:
        os.setpgid(0, worker_pid)
        for file in linux.open_files():
            if file not in (ended, main_process):
                with suppress(OSError):  # the descriptor that the list was read from
                    os.close(file)
        select.select([ended, main_process], [], [])
        os.killpg(0, signal.SIGKILL)
    finally:
        os._exit(0)


def _reap(pid: int, watchdogs: dict[int, int]) -> int:
    """Returns the exit code of a worker that has ended, and ends what it has left behind."""
    if (watchdog := watchdogs.pop(pid, None)) is not None:
        os.kill(watchdog, signal.SIGKILL)
        os.waitpid(watchdog, 0)
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # it was a child of an earlier forkserver
        code = UNKNOWN
    linux.kill_orphans(frozenset(watchdogs) | frozenset(watchdogs.values()))
    return code
