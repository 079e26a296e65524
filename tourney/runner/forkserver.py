"""Where workers come from: a process that forks them when it is asked to, and in which no bot is ever loaded.

A forked worker has all modules and games that the forkserver had, so it starts within milliseconds. What a bot does
where it is loaded (start threads, open files and devices) would not survive a fork; so each worker loads its bots
itself.
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
"""What is raised where the other end of a pipe is gone."""
ANSWER_S = 10.0
"""A forkserver that has not answered after so long (it forks, and no more) is given up: somebody has stopped it."""
UNKNOWN = 255
"""The exit code of a process where its forkserver, which would know, is gone as well."""


class _Start(NamedTuple):
    """The forkserver is to start a worker; it answers with the number of its process."""

    tournament: Tournament
    logs: Path | None
    number: int


class Reap(NamedTuple):
    """The forkserver is to answer with the exit code of a worker, which has ended."""

    pid: int


class Forkserver:
    """Starts workers. To be used as a context manager: leaving it ends the forkserver, but not the workers."""

    def __init__(self, fork: bool = False) -> None:
        """Begins at once, as a new Python process; with `fork` as a copy of this one, which is quick.

        The copy must be made before this process loads a bot. Should somebody kill it, a new process takes its place.
        """
        if not fork:
            self._renew()
            return
        self._pipe, theirs = Pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            self._pipe.close()
            _serve(theirs, parent)
        theirs.close()

    def _renew(self) -> None:
        self._pipe, theirs = Pipe()
        code = f"import sys; sys.path[:] = {sys.path}; from tourney.runner.forkserver import main; main()"
        numbers = [str(theirs.fileno()), str(os.getpid())]
        os.set_inheritable(theirs.fileno(), True)
        self._pid = os.posix_spawn(sys.executable, [sys.executable, "-c", code, *numbers], os.environ)
        theirs.close()

    def __enter__(self) -> "Forkserver":
        """Itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the forkserver."""
        self._pipe.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def start(self, tournament: Tournament, logs: Path | None, number: int) -> "Child":
        """A new worker; the arguments are those of its `main`. A `RunError` if that cannot be."""
        for _ in range(MOST_ATTEMPTS):
            ours, theirs = Pipe()
            try:
                send(self._pipe, _Start(tournament, logs, number))
                send_handle(self._pipe, theirs.fileno(), self._pid)
                return Child(self, ours, self._answer())
            except LOST:
                ours.close()
                self._replace()
            finally:
                theirs.close()
        raise RunError("workers cannot be started, what starts them is killed each time; find out by whom, then resume")

    def exit_code(self, pid: int) -> int:
        """That of a worker which has ended; asked once."""
        try:
            send(self._pipe, Reap(pid))
            return self._answer()
        except LOST:
            self._replace()
            return UNKNOWN

    def _answer(self) -> int:
        if not self._pipe.poll(ANSWER_S):
            raise EOFError
        answer: int = receive(self._pipe)
        return answer

    def _replace(self) -> None:
        self.__exit__()
        self._renew()


class Child:
    """A worker's process."""

    def __init__(self, forkserver: Forkserver, pipe: Connection, pid: int) -> None:
        """The forkserver buries it when it is asked to, and not before: its number is its own until then."""
        self.pipe = pipe
        self.pid = pid
        self.sentinel = os.pidfd_open(pid)
        """Can be read from when the process has ended."""
        self.exit_code: int | None = None
        self._nursery = forkserver

    def is_alive(self) -> bool:
        """Whether it has not ended."""
        return self.exit_code is None and not select.select([self.sentinel], [], [], 0)[0]

    def kill(self) -> None:
        """Ends the process with all that it has started, and waits for that."""
        if self.exit_code is not None:
            return
        for end in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):  # it is gone, or has not made its group yet
                end(self.pid, signal.SIGKILL)
        select.select([self.sentinel], [], [])
        self.exit_code = self._nursery.exit_code(self.pid)
        os.close(self.sentinel)
        self.pipe.close()


def main() -> None:
    """The forkserver as a process of its own: the numbers of its end of the pipe and of the main process are given."""
    pipe, parent = map(int, sys.argv[1:])
    os.set_inheritable(pipe, False)
    _serve(Connection(pipe), parent)


def _serve(pipe: Connection, parent: int) -> NoReturn:
    """Does what it is asked to until the pipe is closed, and ends the process."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        main_process = os.pidfd_open(parent)
        gc.freeze()  # what is loaded stays, and its memory is shared as long as nobody writes to it
        while True:
            match receive(pipe):
                case _Start() as told:
                    send(pipe, _forked(pipe, main_process, told))
                case Reap(pid):
                    send(pipe, _buried(pid))
    except LOST:
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _forked(pipe: Connection, main_process: int, told: _Start) -> int:
    """The number of a new worker's process."""
    end = recv_handle(pipe)
    pid = os.fork()
    if pid:
        os.close(end)
        return pid
    try:
        pipe.close()
        os.set_inheritable(end, False)
        worker.main(Connection(end), main_process, *told)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _buried(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # it was a child of another forkserver, which is gone
        return UNKNOWN
