"""The option --cluster, and what leads a run for the command line."""

from typing import TYPE_CHECKING

import click

from tourney.cli import interrupt
from tourney.cli.screen import echo

if TYPE_CHECKING:
    from tourney.runner.workers import Caller, Workers

CLUSTER = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Play on the workers of dask's scheduler at tcp://HOST:PORT or tls://HOST:PORT; local:N starts N here.",
)


def command_line() -> "Caller":
    """Returns the command line as the caller of a run."""
    from tourney.runner.workers import Caller

    return Caller(forks=True, say=lambda line: echo(line, err=True), stoppable=interrupt.stoppable)


def workers_of(
    caller: "Caller", workers: int | None, cluster: str | None = None, oversubscribe: bool = True
) -> "Workers":
    """Returns the workers that play until the command ends; to be called before any bot is loaded."""
    from tourney.runner.workers import Workers

    return click.get_current_context().with_resource(Workers(caller, workers, cluster, oversubscribe))


def say_dashboard(workers: "Workers") -> None:
    """Says where the dashboard of the cluster is, if there is one."""
    if workers.cluster is not None and (link := workers.cluster.dashboard()) is not None:
        echo(f"dashboard: {link}", err=True)
