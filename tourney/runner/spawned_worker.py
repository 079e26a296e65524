"""Workers that `multiprocess` starts as new Python processes: the portable way beside `tourney.runner.forkserver`.

Such a worker notices by the end of a pipe that the main process is gone, and ends itself with its group. A guard does
that for workers that cannot, as they are stopped or hang outside Python.
"""

import os
import signal
import sys
import traceback
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from multiprocess import get_context, resource_tracker
from multiprocess.connection import Connection, Pipe
from multiprocess.process import parent_process

from tourney import standard_streams
from tourney.config import Tournament
from tourney.errors import system_limit
from tourney.hosts import process_groups
from tourney.hosts.process_groups import GroupGuard
from tourney.runner import worker
from tourney.runner.worker import receive, send

SAFE_PATH = "PYTHONSAFEPATH"
"""The variable of the environment that keeps Python from looking for modules in the working folder."""
CANNOT_START = "workers cannot be started"
"""How messages begin that say why."""


class _Order(NamedTuple):
    """What a new worker is for; see `worker.main`."""

    tournament: Tournament
    logs: Path | None
    number: int
    job: worker.Job | None


class WorkerSpawner:
    """Starts workers. A context manager that, on exit, ends the guard but not the workers."""

    def __init__(self) -> None:
        """Starts nothing yet."""
        self._guard = GroupGuard()
        self._workers: weakref.WeakSet[SpawnedWorker] = weakref.WeakSet()
        # before `multiprocess` waits for them when this process ends
        self._end = weakref.finalize(self, _kill_all, self._workers)

    def __enter__(self) -> "WorkerSpawner":
        """Returns the spawner itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the guard."""
        self._guard.close()

    def start(
        self, tournament: Tournament, logs: Path | None, number: int, job: worker.Job | None = None
    ) -> "SpawnedWorker":
        """Starts a worker; for the arguments see `worker.main`.

        Raises:
            SystemLimitError: The system allows no more processes or open files.
        """
        try:
            self._guard.start()
            ours, theirs = Pipe()
            with theirs:
                process = get_context("spawn").Process(target=_main, args=(theirs, os.environ.get(SAFE_PATH)))
                with _without_main_module(), _without_working_folder(), _without_tracker(), _without_interrupt():
                    process.start()
        except OSError as error:
            raise system_limit(error, CANNOT_START) or error from None
        self._guard.begin(process.pid)
        with suppress(OSError):  # it has died, which its sentinel reports
            send(ours, _Order(tournament, logs, number, job))
        started = SpawnedWorker(process, ours, self._guard)
        self._workers.add(started)
        return started


@contextmanager
def _without_main_module() -> Iterator[None]:
    """Hides the main module, which a new process would otherwise load again, whatever a script does there."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def _without_working_folder() -> Iterator[None]:
    """Keeps a new process from taking modules of the working folder for those that are installed."""
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    try:
        yield
    finally:
        _set_safe_path(before)


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(SAFE_PATH, None)
    else:
        os.environ[SAFE_PATH] = value


@contextmanager
def _without_tracker() -> Iterator[None]:
    """Starts no process that tracks shared memory and semaphores, as there are none here."""
    if sys.platform == "win32":  # which needs none
        yield
        return
    before = resource_tracker.getfd
    with open(os.devnull, "wb") as nowhere:
        resource_tracker.getfd = nowhere.fileno
        try:
            yield
        finally:
            resource_tracker.getfd = before


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Blocks Ctrl-C in this thread and in the process that is started, where it would be a traceback until it loads."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _kill_all(workers: "weakref.WeakSet[SpawnedWorker]") -> None:
    for each in list(workers):
        each.kill()


class SpawnedWorker:
    """The process of a worker."""

    def __init__(self, process: Any, pipe: Connection, guard: GroupGuard) -> None:
        """Refers to a running process of `multiprocess`, and the pipe to it."""
        self.pipe = pipe
        self.pid: int = process.pid
        self.sentinel: int = process.sentinel
        """What becomes readable when the process, and whatever bots there have forked, has ended."""
        self.exit_code: int | None = None
        self._process = process
        self._guard = guard

    def is_alive(self) -> bool:
        """Tells whether the process has not ended yet."""
        return self.exit_code is None and bool(self._process.is_alive())

    def wake(self) -> None:
        """Continues the process, and the rest of its group, in case that somebody has stopped it."""
        process_groups.go_on(self.pid)

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""
        if self.exit_code is not None:
            return
        process_groups.kill(self.pid)
        self._process.kill()
        self._process.join()
        self.exit_code = self._process.exitcode
        self._guard.end(self.pid)
        self._process.close()
        self.pipe.close()


def _main(pipe: Connection, safe_path: str | None) -> None:
    """Runs a worker in its new process, for whose bots the environment has that `PYTHONSAFEPATH`."""
    try:
        _set_safe_path(safe_path)
        process_groups.lead()
        standard_streams.secure()
        nothing = os.open(os.devnull, os.O_RDONLY)
        if nothing:
            os.dup2(nothing, 0)
            os.close(nothing)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        worker.main(pipe, parent_process().sentinel, *receive(pipe))
        os._exit(0)
    except (EOFError, OSError):  # the main process is gone
        os._exit(1)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)
