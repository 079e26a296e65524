"""Who plays, for the command line and the library alike: processes of this machine, or the workers of a cluster."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.jobs import ItemJob, JobPool, PackablePerformer, Performer
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.processors import choose_workers

if TYPE_CHECKING:
    from tourney.runner.cluster.cluster import Cluster

MOST_WORKERS = 1024


class Caller(NamedTuple):
    """For whom a run, a gate or an analysis is led."""

    forks: bool
    """Whether this process is there for the run alone, so that workers may be forked from it."""
    say: Callable[[str], None]
    """Shows a line about the workers of a cluster."""
    stoppable: Callable[[str], AbstractContextManager[Callable[[str], None]]]
    """Given how to continue, a context in which Ctrl-C is noted; what it yields raises the error if there was one,
    given how far things are."""


class Workers:
    """The workers that play. A context manager that ends them, or leaves the cluster."""

    def __init__(
        self, caller: Caller, workers: int | None = None, cluster: str | None = None, oversubscribe: bool = True
    ) -> None:
        """Checks the arguments; to be made before any bot is loaded."""
        if workers is not None and not 1 <= workers <= MOST_WORKERS:
            raise ConfigError(f"workers: {workers} must be between 1 and {MOST_WORKERS}")
        self._local: int | None = None
        if cluster is not None:
            from tourney.runner.cluster.connection import cluster_address, local_workers  # noqa: PLC0415

            cluster_address("cluster: ", cluster)
            self._local = local_workers(cluster)
            if workers is not None:
                raise ConfigError("workers is for this machine alone; leave it out with cluster (local:N has a number)")
        self.count = 1
        """How many matches are played at the same time; known once `choose` was called."""
        self.cluster: Cluster | None = None
        """The cluster, once `choose` has connected to it."""
        self._caller = caller
        self._asked = workers
        self._address = cluster
        self._oversubscribe = oversubscribe
        self._own = ExitStack()
        self._forkserver: Forkserver | None = None
        if caller.forks and cluster is None:
            self._forkserver = self._own.enter_context(Forkserver(fork=True))

    def __enter__(self) -> Self:
        """Returns the workers themselves."""
        return self

    def __exit__(self, *error: object) -> None:
        """Ends the workers, or leaves the cluster."""
        self._own.close()

    def choose(self, tournament: Tournament, performer: PackablePerformer | None = None) -> None:
        """Chooses how many workers play, or connects to the cluster."""
        if self._address is None:
            self.count = choose_workers(tournament, self._asked, self._oversubscribe)
            return
        from tourney.runner.cluster.connection import require_dask  # noqa: PLC0415 - few runs use a cluster

        require_dask()
        from tourney.runner.cluster.cluster import Cluster  # noqa: PLC0415
        from tourney.runner.cluster.local import LocalCluster  # noqa: PLC0415

        address = self._address
        if self._local is not None:
            choose_workers(tournament, self._local, self._oversubscribe)
            address = self._own.enter_context(LocalCluster(self._local)).address
        self.cluster = self._own.enter_context(Cluster(address, tournament, self._caller.say, performer))
        self.count = self.cluster.slots

    def pool(self, tournament: Tournament, faults: FaultMonitor, logs: Path | None) -> OrderedPool:
        """Returns the pool that plays blocks, not started yet; see `LocalPool` for the arguments."""
        if self.cluster is None:
            return LocalPool(tournament, self.count, faults, logs, self._forkserver)
        from tourney.runner.cluster.pool import ClusterPool  # noqa: PLC0415

        return ClusterPool(tournament, self.cluster, faults, logs)

    def job_pool(self, tournament: Tournament, performer: Performer) -> OrderedPool:
        """Returns the pool that deals with items, not started yet."""
        if self.cluster is None:
            return JobPool(tournament, self.count, ItemJob(performer), self._forkserver)
        from tourney.runner.cluster.pool import ClusterJobPool  # noqa: PLC0415

        return ClusterJobPool(tournament, self.cluster, performer)  # type: ignore[arg-type] # as `choose` was told
