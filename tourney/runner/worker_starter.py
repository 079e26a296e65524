"""What starts workers, and their processes as the pool sees them; how that is done depends on the system."""

from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from multiprocess.connection import Connection

from tourney.config import Tournament
from tourney.hosts import linux
from tourney.runner.forkserver import Forkserver
from tourney.runner.worker import Job


class WorkerProcess(Protocol):
    """The process of a worker."""

    pipe: Connection
    """The pipe to it."""
    pid: int
    sentinel: int
    """What `multiprocess.connection.wait` waits for until the process ends. What a bot there has forked may outlast the
    process and hold that up, unless this is Linux; `is_alive` knows better."""
    exit_code: int | None
    """Known once it was killed or has ended, and `kill` was called."""

    def is_alive(self) -> bool:
        """Tells whether the process has not ended yet."""

    def wake(self) -> None:
        """Continues the process, and the rest of its group, in case that somebody has stopped it."""

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""


class WorkerStarter(Protocol):
    """Starts workers. A context manager that, on exit, ends what it needs for that, but not the workers."""

    def start(self, tournament: Tournament, logs: Path | None, number: int, job: Job | None = None) -> WorkerProcess:
        """Starts a worker; for the arguments see `tourney.runner.worker.main`.

        Raises:
            RunError: What starts them is killed each time.
            SystemLimitError: The system allows no more processes or open files.
        """

    def __enter__(self) -> Self:
        """Returns the starter itself."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends what it needs."""


def worker_starter(fork: bool = False) -> WorkerStarter:
    """Returns what starts workers on this system.

    Args:
        fork: Whether it may be a fork of this process, which is quick and must be made before it loads a bot.
    """
    if linux.AVAILABLE:
        return Forkserver(fork)
    from tourney.runner.spawned_worker import WorkerSpawner  # noqa: PLC0415 - Linux has no use for it

    return WorkerSpawner()
