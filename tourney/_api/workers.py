"""Who plays for a call of the library: worker processes of this machine, or the workers of a cluster."""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tourney._api.configuration import worker_count
from tourney.cluster.address import cluster_address, local_workers
from tourney.config import Tournament
from tourney.errors import ConfigError
from tourney.runner.job_pool import PackablePerformer
from tourney.runner.loop import StartPool
from tourney.runner.ordered_pool import OrderedPool

if TYPE_CHECKING:
    from tourney.cluster.cluster import Cluster

GIVEN = "cluster="


class ChosenWorkers(NamedTuple):
    """Who plays."""

    slots: int
    """How many matches are played at the same time."""
    start_pool: StartPool | None
    """What makes the pool of a cluster; None where processes of this machine play."""


def check_cluster(cluster: str | None, workers: int | None, oversubscribe: bool) -> None:
    """Checks that what a call says of its workers goes together.

    Raises:
        ConfigError: It does not.
    """
    if cluster is None:
        return
    cluster_address(GIVEN, cluster)
    if workers is not None:
        raise ConfigError(
            "workers is for this machine alone; leave it out with cluster, whose workers all play (local:N says how "
            "many)"
        )
    if oversubscribe and local_workers(cluster) is None:
        raise ConfigError("oversubscribe is for this machine; leave it out with cluster")


@contextmanager
def chosen_workers(
    tournament: Tournament, cluster: str | None, workers: int | None, oversubscribe: bool
) -> Iterator[ChosenWorkers]:
    """Yields who plays; connects to a cluster before, and leaves it afterwards.

    What is to be said of its workers are warnings of Python.

    Raises:
        ConfigError: There can be no such workers, or dask is not installed.
        RunError: No scheduler answers, or a worker does not have the same code.
        ClusterLostError: No worker has come.
    """
    if cluster is None:
        yield ChosenWorkers(worker_count(tournament, workers, oversubscribe), None)
        return
    from tourney.cluster.connection import require_dask  # noqa: PLC0415 - few programs need it, and it is an extra

    require_dask()
    from tourney.cluster.pool import ClusterPool  # noqa: PLC0415

    with ExitStack() as stack:
        connected = stack.enter_context(_connection(tournament, cluster, oversubscribe, stack, None))
        yield ChosenWorkers(connected.slots, lambda faults, logs: ClusterPool(tournament, connected, faults, logs))


@contextmanager
def cluster_job_pool(tournament: Tournament, cluster: str, performer: PackablePerformer) -> Iterator[OrderedPool]:
    """Yields the pool whose workers deal with items in a cluster, not started yet; as `chosen_workers` in all else."""
    from tourney.cluster.connection import require_dask  # noqa: PLC0415 - few programs need it, and it is an extra

    require_dask()
    from tourney.cluster.pool import ClusterJobPool  # noqa: PLC0415

    with ExitStack() as stack:
        connected = stack.enter_context(_connection(tournament, cluster, True, stack, performer))
        yield ClusterJobPool(tournament, connected, performer)


def _connection(
    tournament: Tournament, address: str, oversubscribe: bool, stack: ExitStack, performer: PackablePerformer | None
) -> "Cluster":
    from tourney.cluster.cluster import Cluster  # noqa: PLC0415
    from tourney.cluster.local_cluster import LocalCluster  # noqa: PLC0415

    if (count := local_workers(address)) is not None:
        worker_count(tournament, count, oversubscribe)
        address = stack.enter_context(LocalCluster(count)).address
    return Cluster(address, tournament, lambda line: warnings.warn(line, stacklevel=2), performer)
