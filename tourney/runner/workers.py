"""The workers, for the command line and the library alike: processes of this machine, or a cluster's workers."""

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.hosts import linux
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import Performer

if TYPE_CHECKING:
    from tourney.runner.cluster.cluster import Cluster

MOST_WORKERS = 1024
LOCAL, MORE = "local:", "!"
_ADDRESS = re.compile(r"(?:tcp|tls)://(?:\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]@]+):([0-9]{1,5})", re.ASCII)


class Frontend(NamedTuple):
    """The caller of a run, a gate or an analysis: the command line or the library."""

    forks: bool  # whether workers may be forked from this process
    say: Callable[[str], None]  # shows a line about a cluster's workers
    interruptible: Callable[[str], AbstractContextManager[Callable[[str], None]]]
    """Given how to continue, a context that notes Ctrl-C; it yields a function that raises it, given the progress."""


class Workers(ExitStack):
    """The workers that play. A context manager that stops them, or leaves the cluster."""

    def __init__(self, frontend: Frontend, workers: int | str | None = None) -> None:
        """Takes a number of processes, by default one per processor, or the address of a cluster.

        A number ending in `!`, such as `8!` or `local:8!`, may exceed the processors although time is limited.
        """
        super().__init__()
        given = "" if workers is None else str(workers)
        text = given.removesuffix(MORE)
        is_number = text.removeprefix("-").isdecimal()
        if is_number and not 1 <= int(text[:6]) <= MOST_WORKERS:
            raise ConfigError(f"workers: {text} must be between 1 and {MOST_WORKERS}")
        self._address = None if workers is None or is_number else text
        self._asked = int(text or 0) if self._address is None else check_address("workers: ", text)
        self._oversubscribe = given != text
        self.count: int  # concurrent matches, once `choose` was called
        self._processes: int  # worker processes on this machine
        self.cluster: Cluster | None = None
        self.frontend = frontend
        self._forkserver: Forkserver | None = None
        self._of_cluster = self.enter_context(ExitStack())
        if frontend.forks and self._address is None:
            self._forkserver = self.enter_context(Forkserver(fork=True))

    def choose(self, tournament: Tournament, performer: Performer | None = None) -> None:
        """Chooses the number of workers, or connects to the cluster, which then plays with this performer only."""
        parallel = tournament.parallel if performer is None else None
        if self._address is None:
            self._processes = self._checked_count(tournament, performer)
            self.count = parallel or self._processes
            return
        if parallel is not None:
            raise ConfigError("parallel: not supported with a cluster, whose workers play one match each")
        from tourney.runner.cluster.cluster import Cluster  # noqa: PLC0415 - few runs use a cluster
        from tourney.runner.cluster.scheduler import local_cluster  # noqa: PLC0415

        self._of_cluster.close()  # from an earlier call
        address, security = self._address, None
        if self._asked is not None:
            count = self._checked_count(tournament, performer)
            address, security = self._of_cluster.enter_context(local_cluster(count))
        cluster = Cluster(address, tournament, self.frontend.say, performer, security=security)
        self.cluster = self._of_cluster.enter_context(cluster)
        self.count = self.cluster.slots

    def _checked_count(self, tournament: Tournament, performer: Performer | None) -> int:
        processors, workers = own_processors(), self._asked or 0
        if workers > processors and performer is None and tournament.bounds_time and not self._oversubscribe:
            raise ConfigError(
                f"workers: {workers} exceeds the {processors} processors here, so bots may run out of time while "
                f"waiting for one; use at most {processors}, or {workers}{MORE} if their limits leave room for that"
            )
        return workers or processors

    def pool(
        self, tournament: Tournament, faults: FaultMonitor | None = None, logs: Path | None = None,
        performer: Performer | None = None,
    ) -> OrderedPool:  # fmt: skip
        """The pool, not started yet."""
        if self.cluster is None:
            parallel = tournament.parallel if performer is None else None
            return LocalPool(tournament, self._processes, faults, logs, self._forkserver, performer, parallel)
        from tourney.runner.cluster.cluster import ClusterPool  # noqa: PLC0415

        return ClusterPool(tournament, self.cluster, faults, logs)


def own_processors() -> int:
    """How many processors this process may use."""
    return linux.cores() or os.cpu_count() or 1


def check_address(name: str, address: str, local: bool = True) -> int | None:
    """The N of `local:N` if allowed, None for a scheduler's address; a `ConfigError` for anything else."""
    if local and address.startswith(LOCAL):
        count = address.removeprefix(LOCAL)
        if not (count.isascii() and count.isdecimal() and 1 <= int(count[:6]) <= MOST_WORKERS):
            raise ConfigError(f"{name}{address}: expected local:N with N from 1 to {MOST_WORKERS}")
        return int(count)
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not 1 <= int(parts[1]) <= 65535:
        forms = (
            "a number, tcp://HOST:PORT, tls://HOST:PORT or local:N" if local else "tcp://HOST:PORT or tls://HOST:PORT"
        )
        raise ConfigError(f"{name}{address}: invalid address; expected {forms}, for example tcp://192.168.1.5:8786")
    return None
