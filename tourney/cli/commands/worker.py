"""`tourney worker`: plays for a cluster on this machine."""

import click

from tourney.cli.screen import say


@click.command("worker")
@click.argument("address")
@click.option(
    "--workers", type=click.IntRange(1, 1024), help="Number of worker processes.  [default: one per processor]"
)
def command(address: str, workers: int | None) -> None:
    """Start cluster workers for the scheduler at ADDRESS, and stop when it stops.

    ADDRESS is tcp://HOST:PORT or tls://HOST:PORT. The workers serve anyone who starts a tournament with --workers
    ADDRESS. You can also start them in other ways, such as `dask worker ADDRESS`, with the same version of tourney.

    Anyone who can reach the scheduler can run code on this machine; see `tourney docs cluster`.
    """
    from tourney.runner.cluster.scheduler import serve
    from tourney.runner.workers import check_address, own_processors

    check_address("ADDRESS ", address, local=False)
    serve(address, workers or own_processors(), say)
    say(f"the scheduler at {address} stopped, and so did the workers")
