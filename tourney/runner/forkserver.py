"""The forkserver: a process that forks the workers and never loads a bot.

A forked worker has all modules and games that the forkserver has loaded, so it starts within milliseconds. What a bot
does when it is loaded (start threads, open files and devices) would not survive a fork, so each worker loads its bots
itself. The forkserver of `multiprocess` is not used: it loads the main module again, cannot be a fork of this process,
and is not replaced when it is killed.
"""

import gc
import os
import select
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, NoReturn

from multiprocess.connection import Connection, Pipe
from multiprocess.reduction import recv_handle, send_handle

from tourney.config import Tournament
from tourney.errors import RunError
from tourney.hosts.retries import MOST_ATTEMPTS
from tourney.runner import worker
from tourney.runner.worker import receive, send

LOST = (EOFError, OSError)
"""The exceptions that say that the other end of a pipe is closed."""
START_S = 60.0
"""How long a new forkserver may take, in seconds, to load its modules and answer its first request."""
ANSWER_S = 10.0
"""How long it may take to answer later requests, in seconds; it only forks, so a slower one must have been stopped."""
UNKNOWN = 255
"""The exit code of a process whose forkserver, which would know it, is gone."""


class _StartWorker(NamedTuple):
    """A request to fork a worker; the answer is its process id."""

    tournament: Tournament
    logs: Path | None
    number: int


class Reap(NamedTuple):
    """A request for the exit code of a worker that has ended."""

    pid: int


class Forkserver:
    """Starts workers. A context manager that, on exit, ends the forkserver but not the workers."""

    def __init__(self, fork: bool = False) -> None:
        """Starts the forkserver.

        Args:
            fork: Whether to fork this process, which is quick and must be done before it loads a bot, rather than to
                start a new Python process. A forkserver that is killed is replaced by a new Python process.
        """
        self._answer_s = START_S
        if not fork:
            self._spawn()
            return
        self._pipe, theirs = Pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            self._pipe.close()
            _serve(theirs, parent)
        theirs.close()

    def _spawn(self) -> None:
        self._pipe, theirs = Pipe()
        code = f"import sys; sys.path[:] = {sys.path}; from tourney.runner.forkserver import main; main()"
        numbers = [str(theirs.fileno()), str(os.getpid())]
        os.set_inheritable(theirs.fileno(), True)
        self.pid = os.posix_spawn(sys.executable, [sys.executable, "-c", code, *numbers], os.environ)
        theirs.close()

    def __enter__(self) -> "Forkserver":
        """Returns the forkserver itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the forkserver."""
        os.kill(self.pid, signal.SIGKILL)  # before the pipe is closed, from which it would conclude that we are gone
        os.waitpid(self.pid, 0)
        self._pipe.close()

    def start(self, tournament: Tournament, logs: Path | None, number: int) -> "Child":
        """Starts a worker; for the arguments see `worker.main`.

        Raises:
            RunError: The forkserver is killed each time.
        """
        for _ in range(MOST_ATTEMPTS):
            ours, theirs = Pipe()
            try:
                send(self._pipe, _StartWorker(tournament, logs, number))
                send_handle(self._pipe, theirs.fileno(), self.pid)
                return Child(self, ours, self._answer())
            except LOST:
                ours.close()
                self._replace()
            finally:
                theirs.close()
        raise RunError("workers cannot be started: the forkserver is killed each time; find out by whom, then resume")

    def exit_code(self, pid: int) -> int:
        """Returns the exit code of a worker that has ended, and reaps its process; to be called once."""
        try:
            send(self._pipe, Reap(pid))
            return self._answer()
        except LOST:
            self._replace()
            return UNKNOWN

    def _answer(self) -> int:
        if not self._pipe.poll(self._answer_s):
            raise EOFError
        self._answer_s = ANSWER_S
        answer: int = receive(self._pipe)
        return answer

    def _replace(self) -> None:
        """Kills the forkserver, which does not answer, and starts another one."""
        self._answer_s = START_S
        self.__exit__()
        self._spawn()


class Child:
    """The process of a worker."""

    def __init__(self, forkserver: Forkserver, pipe: Connection, pid: int) -> None:
        """Refers to a running process; its id stays its own until the forkserver reaps it."""
        self.pipe = pipe
        self.pid = pid
        self.sentinel = os.pidfd_open(pid)
        """A file descriptor (pidfd) that becomes readable when the process ends."""
        self.exit_code: int | None = None
        self._forkserver = forkserver

    def is_alive(self) -> bool:
        """Tells whether the process has not ended yet."""
        return self.exit_code is None and not select.select([self.sentinel], [], [], 0)[0]

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""
        if self.exit_code is not None:
            return
        for send_signal in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):  # it has ended, or has not made its group yet
                send_signal(self.pid, signal.SIGKILL)
        select.select([self.sentinel], [], [])
        self.exit_code = self._forkserver.exit_code(self.pid)
        os.close(self.sentinel)
        self.pipe.close()


def main() -> None:
    """Runs the forkserver in a new process; the arguments are its end of the pipe and the main process's id."""
    pipe, parent = map(int, sys.argv[1:])
    os.set_inheritable(pipe, False)
    _serve(Connection(pipe), parent)


def _serve(pipe: Connection, parent: int) -> NoReturn:
    """Answers requests until the main process has ended; then kills what is left of the workers' groups, and ends.

    Workers end themselves with the main process, and a watchdog sees to the group of one that was killed. This is for
    groups whose worker and watchdog were both killed before the main process was.
    """
    workers: dict[int, None] = {}  # as long as they are not reaped, no other process gets their ids
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        main_process = os.pidfd_open(parent)
        gc.freeze()  # what is loaded stays, and its memory is shared with the workers until it is written to
        while True:
            match receive(pipe):
                case _StartWorker() as request:
                    pid = _fork_worker(pipe, main_process, request)
                    workers[pid] = None
                    send(pipe, pid)
                case Reap(pid):
                    workers.pop(pid, None)
                    send(pipe, _reap(pid))
    except LOST:
        for pid in workers:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _fork_worker(pipe: Connection, main_process: int, request: _StartWorker) -> int:
    """Forks a worker, and returns its process id."""
    end = recv_handle(pipe)
    pid = os.fork()
    if pid:
        os.close(end)
        return pid
    try:
        pipe.close()
        os.set_inheritable(end, False)
        worker.main(Connection(end), main_process, *request)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _reap(pid: int) -> int:
    """Returns the exit code of a child that has ended."""
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # it was a child of an earlier forkserver
        return UNKNOWN
