"""`tourney serve`: runs as pages for people with a browser, live while they are played."""

import signal
import webbrowser
from contextlib import suppress

import click

from tourney.cli import interrupt
from tourney.cli.errors import FinishingCommand
from tourney.cli.options import complete_run
from tourney.cli.screen import echo
from tourney.report.writing import require_extra


@click.command("serve", cls=FinishingCommand)
@click.argument("target", metavar="[RUN|FOLDER]", required=False, shell_complete=complete_run)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="The port; 0 takes one that is free."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address of this machine to listen at.")
@click.option(
    "--name", "names", metavar="HOST", multiple=True,
    help="A name by which requests may call the server, such as that of a proxy before it; repeatable.",
)  # fmt: skip
@click.option("--open", "is_open", is_flag=True, help="Open it in the browser.")
def command(target: str | None, port: int, host: str, names: tuple[str, ...], is_open: bool) -> None:
    """Show the runs in FOLDER, by default results/, to people with a browser; or RUN alone, which may be a league.

    There is a list of the runs, the report of each, a list of its matches, and a page of every match. While a run is
    being played, its pages come up to date by themselves, however many watch them. Nothing can be changed by them, and
    they tell nothing that a report does not tell. Ctrl-C ends it.

    Only this machine can reach them, unless --host says otherwise. tourney docs serve tells how to put them behind a
    proxy.
    """
    require_extra()
    from tourney.web.serve import find, serve

    root = find(target)

    def ready(address: str, reachable: bool) -> None:
        if reachable:
            echo(
                f"warning: whoever reaches {address} can see the runs; a firewall or --host 127.0.0.1 keep others out",
                err=True,
            )
        echo(f"{root} is served at {address}")
        if is_open:
            webbrowser.open(address)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with interrupt.handled(), suppress(KeyboardInterrupt):
        serve(root, (host, port), names, ready, lambda line: echo(line, err=True))
