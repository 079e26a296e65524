"""Who plays, for the command line and the library alike: processes of this machine, or the workers of a cluster."""

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
    """Who has a run, a gate or an analysis played: the command line or the library."""

    forks: bool  # whether workers may be forked from this process, which does nothing else
    say: Callable[[str], None]  # shows a line about the workers of a cluster
    interruptible: Callable[[str], AbstractContextManager[Callable[[str], None]]]
    """Given how to continue, a context that notes Ctrl-C; what it yields raises the error, given how far things are."""


class Workers(ExitStack):
    """The workers that play. A context manager that ends them, or leaves the cluster."""

    def __init__(self, frontend: Frontend, workers: int | str | None = None) -> None:
        """Reads who plays: a number of processes, by default one per processor, or the address of a cluster.

        A number that ends in `!`, such as `8!` or `local:8!`, may exceed the processors although time is limited.
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
        self.count: int  # how many matches are played at the same time, once `choose` was called
        self._processes: int  # how many workers play them, on this machine
        self.cluster: Cluster | None = None
        self.frontend = frontend
        self._forkserver: Forkserver | None = None
        self._of_cluster = self.enter_context(ExitStack())
        if frontend.forks and self._address is None:
            self._forkserver = self.enter_context(Forkserver(fork=True))

    def choose(self, tournament: Tournament, performer: Performer | None = None) -> None:
        """Chooses how many workers play, or connects to the cluster; a cluster plays with this performer alone."""
        parallel = tournament.parallel if performer is None else None
        if self._address is None:
            self._processes = self._checked_count(tournament, performer)
            self.count = parallel or self._processes
            return
        if parallel is not None:
            raise ConfigError("parallel: the workers of a cluster play one match each; leave it out, or the cluster")
        from tourney.runner.cluster.cluster import Cluster  # noqa: PLC0415 - few runs use a cluster
        from tourney.runner.cluster.scheduler import local_cluster  # noqa: PLC0415

        self._of_cluster.close()  # of those who played before
        address, security = self._address, None
        if self._asked is not None:
            count = self._checked_count(tournament, performer)
            address, security = self._of_cluster.enter_context(local_cluster(count))
        cluster = Cluster(address, tournament, self.frontend.say, performer, security=security)
        self.cluster = self._of_cluster.enter_context(cluster)
        self.count = self.cluster.slots

    def _checked_count(self, tournament: Tournament, performer: Performer | None) -> int:
        """How many workers to start on this machine, by default one for each processor."""
        processors, workers = own_processors(), self._asked or 0
        if workers > processors and performer is None and tournament.bounds_time and not self._oversubscribe:
            raise ConfigError(
                f"workers: {workers} is more than the {processors} processors here, and bots that wait for one run out "
                f"of time; use at most {processors}, or write {workers}{MORE} if their limits leave room for that"
            )
        return workers or processors

    def pool(
        self,
        tournament: Tournament,
        faults: FaultMonitor | None = None,
        logs: Path | None = None,
        performer: Performer | None = None,
    ) -> OrderedPool:
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
    """The N of `local:N` if that is allowed, None for a scheduler's address; a `ConfigError` for anything else."""
    if local and address.startswith(LOCAL):
        count = address.removeprefix(LOCAL)
        if not (count.isascii() and count.isdecimal() and 1 <= int(count[:6]) <= MOST_WORKERS):
            raise ConfigError(f"{name}{address}: write local:N with a number of workers from 1 to {MOST_WORKERS}")
        return int(count)
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not 1 <= int(parts[1]) <= 65535:
        forms = (
            "a number, tcp://HOST:PORT, tls://HOST:PORT or local:N" if local else "tcp://HOST:PORT or tls://HOST:PORT"
        )
        raise ConfigError(f"{name}{address}: invalid address; write {forms}, as in tcp://192.168.1.5:8786")
    return None
