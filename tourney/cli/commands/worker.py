"""`tourney worker`: plays for a cluster on this machine."""

import click

from tourney.cli.screen import echo


def _address(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
    """Returns the address of a scheduler, if it is one."""
    from tourney.runner.cluster.connection import check_address

    check_address("ADDRESS ", value, local=False)
    return value


@click.command("worker", short_help="Play for a cluster on this machine.")
@click.argument("address", callback=_address)
@click.option("--workers", type=click.IntRange(1, 1024), help="Worker processes.  [default: one per processor]")
def command(address: str, workers: int | None) -> None:
    """Start workers for the scheduler at ADDRESS, tcp://HOST:PORT or tls://HOST:PORT, until it ends.

    They play for whoever starts a tournament with --cluster ADDRESS. Any other way to start workers of dask does as
    well, such as dask worker ADDRESS, where tourney is installed in the same version. Whoever reaches the scheduler can
    run code on this machine: tourney docs cluster tells what to do about that.
    """
    from tourney.runner.cluster.local import serve
    from tourney.runner.workers import own_processors

    serve(address, workers or own_processors(), lambda line: echo(line, err=True))
    echo(f"the scheduler at {address} has ended, and the workers with it", err=True)
