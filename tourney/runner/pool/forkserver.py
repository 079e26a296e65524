"""The forkserver: a process that forks the workers and never loads a bot.

A forked worker shares all modules and games that the forkserver has loaded, so it starts within milliseconds. The
effects of loading a bot would not survive a fork, so each worker loads its bots itself. The forkserver of
`multiprocess` loads the main module again, cannot be a fork of this process, and does not report how a worker ended.
"""

import errno
import gc
import os
import select
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn, TypeAlias

from multiprocess.connection import Connection, Pipe
from multiprocess.reduction import recv_handle, send_handle

from tourney.base import streams
from tourney.base.errors import HelperLostError, RunError, system_limit
from tourney.config import Tournament
from tourney.hosts import linux
from tourney.runner.pool import worker
from tourney.runner.pool.worker import receive, send
from tourney.runner.processes import python_call

LOST = (EOFError, OSError)  # the other end of a pipe is closed
ANSWER_S = 60.0  # how long a forkserver may take to answer, module loading included
IGNORED = [
    getattr(signal, f"SIG{name}")
    for name in ("HUP", "INT", "QUIT", "ALRM", "TERM", "USR1", "USR2", "VTALRM", "PROF", "IO")
]
"""The signals that a forkserver ignores: it ends with the main process."""
CANNOT_START = "workers cannot be started"
ENDED = "the process that starts the workers has died"

_Arguments: TypeAlias = tuple[Tournament, Path | None, int, worker.Performer | None]  # the last of `worker.main`
_Request: TypeAlias = tuple[int, Sequence[int], _Arguments] | int
"""Forks a worker with this many lanes that ignores these signals, as the main process does under nohup: the answer is
its process id, or the system's error number, negated. Or kills the worker with this id: the answer is its exit code.
"""


class Forkserver:
    """Starts workers. A context manager that, on exit, stops the forkserver and all workers."""

    def __init__(self, fork: bool = False) -> None:
        self._ignored = [number for number in IGNORED if signal.getsignal(number) == signal.SIG_IGN]
        self._adopts = fork
        self._workers: set[int] = set()
        if fork:
            self._others = frozenset(linux.own_children()) if linux.AVAILABLE else frozenset()  # not ours
            linux.adopt_orphans()  # bots' processes whose forkserver, worker and spawner are killed together
        with _limits_named():
            self._pipe, pipe = Pipe()
            self.deaths, deaths = Pipe(duplex=False)  # readable when a worker or the forkserver has ended
            self.pid = os.fork()
        if not self.pid:
            try:
                self._pipe.close()
                self.deaths.close()
                if fork:
                    _serve(pipe, deaths)
                _ignore()  # now: loading takes a while, and Ctrl-C reaches it too
                for each in (pipe, deaths):
                    os.set_inheritable(each.fileno(), True)
                os.execv(sys.executable, python_call(main, pipe.fileno(), deaths.fileno()))  # noqa: S606 - no shell involved
            finally:
                os._exit(1)
        pipe.close()
        deaths.close()

    def __enter__(self) -> "Forkserver":
        return self

    def __exit__(self, *error: object) -> None:
        self._pipe.close()  # then it kills the workers and exits
        os.kill(self.pid, signal.SIGCONT)
        os.waitpid(self.pid, 0)
        self.deaths.close()
        if self._adopts:
            if linux.AVAILABLE:
                for worker_pid in self._workers.intersection(linux.own_children()):
                    # the forkserver was killed; a worker's children become ours once it has ended
                    linux.kill_group(worker_pid)
                    os.waitpid(worker_pid, 0)
                linux.kill_orphans(self._others, os.getsid(0))  # bots have their own sessions; workers have ours
            linux.adopt_orphans(False)

    def start(
        self, tournament: Tournament, logs: Path | None, number: int, performer: worker.Performer | None, lanes: int = 1
    ) -> tuple[list[Connection], int]:
        """Starts a worker; returns the pipes of its lanes and its process id, see `worker.main`."""
        ours: list[Connection] = []
        theirs: list[Connection] = []
        try:
            with _limits_named():
                for _ in range(lanes):
                    for ends, end in zip((ours, theirs), Pipe(), strict=True):
                        ends.append(end)
            send(self._pipe, (lanes, self._ignored, (tournament, logs, number, performer)))
            for end in theirs:
                send_handle(self._pipe, end.fileno(), self.pid)
            answer = self._answer()
        except LOST as error:
            for end in ours:
                end.close()
            raise system_limit(error, CANNOT_START) or HelperLostError(ENDED) from None
        finally:
            for end in theirs:
                end.close()
        if answer < 0:
            failed = OSError(-answer, os.strerror(-answer))
            raise system_limit(failed, CANNOT_START) or RunError(f"{CANNOT_START}: {failed.strerror}; then resume")
        self._workers.add(answer)
        return ours, answer

    def kill(self, pid: int) -> int:
        """Kills a worker with everything it has started, unless it has ended; returns its exit code."""
        try:
            send(self._pipe, pid)
            return self._answer()
        except LOST:  # workers end with it, except one that hangs outside Python
            linux.kill_group(pid)
            return -signal.SIGKILL

    def _answer(self) -> int:
        os.kill(self.pid, signal.SIGCONT)  # a bot may have stopped it
        if not self._pipe.poll(ANSWER_S):
            raise EOFError
        answer: int = receive(self._pipe)
        return answer

    def take_deaths(self) -> list[int]:
        """The process ids of the workers that have ended since the last call."""
        deaths = []
        try:
            while self.deaths.poll():
                deaths.append(receive(self.deaths))
        except LOST:
            raise HelperLostError(ENDED) from None
        return deaths


@contextmanager
def _limits_named() -> Iterator[None]:
    """Raises a `SystemLimitError` if the system allows no more open files, processes or memory."""
    try:
        yield
    except OSError as error:
        raise system_limit(error, CANNOT_START) or error from None


def _ignore(numbers: Sequence[int] = IGNORED) -> None:
    """Makes this process ignore these signals, and end on the others in `IGNORED`."""
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN if number in numbers else signal.SIG_DFL)


def main(pipe: int, deaths: int) -> None:
    """Runs the forkserver in a new process, with its ends of the two pipes."""
    streams.secure()
    for each in (pipe, deaths):
        os.set_inheritable(each, False)
    _serve(Connection(pipe), Connection(deaths, readable=False))


def _serve(pipe: Connection, deaths: Connection) -> NoReturn:
    try:
        _ignore()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        gc.freeze()  # loaded objects stay, in memory shared with the workers until written to
        _Server(pipe, deaths).run()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


class _Server:
    def __init__(self, pipe: Connection, deaths: Connection) -> None:
        self._pipe = pipe
        self._deaths = deaths
        self._alive: set[int] = set()
        self._exit_codes: dict[int, int] = {}  # of dead workers, until the main process has asked
        self._life, self._life_end = os.pipe()  # workers read from it until the forkserver, its only writer, is gone
        self._wakeup, wakeup = os.pipe()
        os.set_blocking(wakeup, False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        self._own = (self._life_end, self._wakeup, wakeup)

    def run(self) -> None:
        """Answers requests and reports worker deaths until the main process has ended; then kills all workers."""
        with suppress(*LOST):
            while True:
                ready, _, _ = select.select([self._pipe, self._wakeup], [], [])
                if self._wakeup in ready:
                    os.read(self._wakeup, 1 << 13)
                    self._reap()
                if self._pipe in ready:
                    request: _Request = receive(self._pipe)
                    send(self._pipe, self._kill(request) if isinstance(request, int) else self._start(*request))
        for pid in self._alive:
            linux.kill_group(pid)
        linux.kill_orphans()

    def _start(self, lanes: int, ignored: Sequence[int], arguments: _Arguments) -> int:
        if not arguments[0].in_worker:
            linux.adopt_orphans()
        ends: list[int] = []
        for _ in range(lanes):
            with suppress(RuntimeError):  # no descriptor is received if too many are open
                ends.append(recv_handle(self._pipe))
        try:
            if len(ends) < lanes:
                return -errno.EMFILE
            pid = self._fork(ends, ignored, arguments)
        except OSError as error:
            return -(error.errno or errno.EAGAIN)
        finally:
            for end in ends:
                os.close(end)
        self._alive.add(pid)
        return pid

    def _fork(self, ends: Sequence[int], ignored: Sequence[int], arguments: _Arguments) -> int:
        pid = os.fork()
        if pid:
            with suppress(OSError):  # it has created its group itself, or has ended
                os.setpgid(pid, pid)
            return pid
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _ignore(ignored)
            self._pipe.close()
            self._deaths.close()
            for each in self._own:
                os.close(each)
            for end in ends:
                os.set_inheritable(end, False)
            worker.main([Connection(end) for end in ends], self._life, *arguments)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)

    def _reap(self) -> None:
        for pid in sorted(self._alive):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._note_end(pid, status)
                send(self._deaths, pid)

    def _kill(self, pid: int) -> int:
        if pid in self._alive:
            linux.kill_group(pid)
            self._note_end(*os.waitpid(pid, 0))
        return self._exit_codes.pop(pid)

    def _note_end(self, pid: int, status: int) -> None:
        """Notes a reaped worker's exit code, and kills the processes it left behind."""
        self._alive.remove(pid)
        self._exit_codes[pid] = os.waitstatus_to_exitcode(status)
        linux.kill_group(pid)
        linux.kill_orphans(frozenset(self._alive))
