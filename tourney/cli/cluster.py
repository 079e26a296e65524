"""The option --cluster: who plays instead of worker processes of this one, and what is said of it."""

from typing import TYPE_CHECKING

import click

from tourney.cli import interrupt
from tourney.cli.screen import echo
from tourney.errors import ConfigError

if TYPE_CHECKING:
    from tourney.cluster.cluster import Cluster
    from tourney.config import Tournament
    from tourney.runner.job_pool import PackablePerformer
    from tourney.runner.loop import StartPool
    from tourney.runner.ordered_pool import OrderedPool


def _cluster(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Returns the value of the option, if it is one."""
    if value is None:
        return None
    from tourney.cluster.address import cluster_address

    return cluster_address("--cluster ", value)


def _starts_here(cluster: str) -> bool:
    """Returns whether the workers of the cluster with that address are started on this machine."""
    from tourney.cluster.address import local_workers

    return local_workers(cluster) is not None


CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    callback=_cluster,
    help="Play on the workers of dask's scheduler at tcp://HOST:PORT or tls://HOST:PORT; local:N starts N here.",
)


class Players:
    """Who plays: worker processes of this one, or the workers of a cluster; until the command ends."""

    def __init__(self, cluster: str | None, workers: int | None, oversubscribe: bool | None) -> None:
        """Takes the values of the options; to be made before any bot is loaded.

        Args:
            cluster: The address of the cluster, if one plays.
            workers: How many worker processes were asked for.
            oversubscribe: Whether there may be more than processors; None if that does no harm.

        Raises:
            ConfigError: They do not go together.
        """
        from tourney.runner.forkserver import Forkserver

        if cluster is not None and workers is not None:
            raise ConfigError(
                "--workers is for this machine alone; leave it out with --cluster, whose workers all play "
                "(local:N says how many)"
            )
        if cluster is not None and oversubscribe and not _starts_here(cluster):
            raise ConfigError("--oversubscribe is for this machine; leave it out with --cluster")
        self.workers = 1
        """How many play at the same time; chosen by `prepare`."""
        self.connected: Cluster | None = None
        """The cluster, once `prepare` has connected to it."""
        self._cluster = cluster
        self._asked = workers
        self._oversubscribe = oversubscribe is not False
        self._context = click.get_current_context()
        self.starter = None if cluster else self._context.with_resource(Forkserver(fork=True))

    def prepare(self, tournament: "Tournament", quiet: bool, performer: "PackablePerformer | None" = None) -> None:
        """Chooses how many workers play; connects to the cluster, if there is one, and says where its dashboard is.

        Args:
            tournament: What the workers are told of.
            quiet: Whether the dashboard is left unsaid.
            performer: What deals with items that are no blocks; None where blocks are played.

        Raises:
            TourneyError: There can be no such workers, or the cluster cannot play the tournament.
        """
        from tourney.runner.processors import choose_workers

        if self._cluster is None:
            self.workers = choose_workers(tournament, self._asked, self._oversubscribe)
            return
        self.connected = self._connect(self._cluster, tournament, performer)
        self.workers = self.connected.slots
        if not quiet and (link := self.connected.dashboard()) is not None:
            echo(f"dashboard: {link}", err=True)

    def _connect(self, address: str, tournament: "Tournament", performer: "PackablePerformer | None") -> "Cluster":
        from tourney.cluster.address import local_workers
        from tourney.cluster.cluster import Cluster
        from tourney.cluster.connection import require_dask
        from tourney.cluster.local_cluster import LocalCluster
        from tourney.runner.processors import choose_workers

        require_dask()
        with interrupt.raised():
            if (workers := local_workers(address)) is not None:
                choose_workers(tournament, workers, self._oversubscribe)
                address = self._context.with_resource(LocalCluster(workers)).address
            cluster = Cluster(address, tournament, lambda line: echo(line, err=True), performer)
            return self._context.with_resource(cluster)

    def job_pool(self, tournament: "Tournament", performer: "PackablePerformer") -> "OrderedPool":
        """Returns the pool whose workers deal with items, not started yet."""
        if self.connected is None:
            from tourney.runner.job_pool import ItemJob, JobPool

            return JobPool(tournament, self.workers, ItemJob(performer), self.starter)
        from tourney.cluster.pool import ClusterJobPool

        return ClusterJobPool(tournament, self.connected, performer)

    def start_pool(self, tournament: "Tournament") -> "StartPool | None":
        """Returns what makes the pool of the cluster; None without one."""
        if (cluster := self.connected) is None:
            return None
        from tourney.cluster.pool import ClusterPool

        return lambda faults, logs: ClusterPool(tournament, cluster, faults, logs)
