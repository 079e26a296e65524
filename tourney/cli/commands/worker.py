"""`tourney worker`: plays for a cluster on this machine."""

import click

from tourney.cli.screen import echo


@click.command("worker")
@click.argument("address")
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]")
def command(address: str, workers: int | None) -> None:
    """Start workers for the scheduler at ADDRESS, tcp://HOST:PORT or tls://HOST:PORT, until it ends.

    They play for whoever starts a tournament with --workers ADDRESS. Any other way to start workers of dask does as
    well, such as dask worker ADDRESS, where tourney is installed in the same version. Whoever reaches the scheduler can
    run code on this machine: see tourney docs cluster.
    """
    from tourney.runner.cluster.scheduler import serve
    from tourney.runner.workers import check_address, own_processors

    check_address("ADDRESS ", address, local=False)
    serve(address, workers or own_processors(), lambda line: echo(line, err=True))
    echo(f"the scheduler at {address} stopped, and so did the workers", err=True)
