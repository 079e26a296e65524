"""`tourney serve`: runs as live pages in the browser."""

import signal
import webbrowser
from contextlib import suppress

import click

from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.screen import echo
from tourney.report.writing import require_extra


@click.command("serve", cls=FinishingCommand)
@click.argument("target", metavar="[RUN|FOLDER]", required=False, shell_complete=opt.complete_run)
@opt.address(8000)
@click.option(
    "--name", "names", metavar="HOST", multiple=True,
    help="A name by which requests may call the server, such as that of a proxy before it; repeatable.",
)  # fmt: skip
@click.option("--open", "is_open", is_flag=True, help="Open it in the browser.")
def command(target: str | None, address: tuple[str, int] | None, names: tuple[str, ...], is_open: bool) -> None:
    """Show the runs in FOLDER, by default results/, to people with a browser; or RUN alone, which may be a league.

    There is a list of the runs, the report of each, a list of its matches, and a page of every match. While a run is
    being played, its pages come up to date by themselves, however many watch them. Nothing can be changed by them, and
    they tell nothing that a report does not tell. Ctrl-C ends it.

    Only this machine can reach them, unless --address says otherwise. tourney docs serve tells how to put them behind a
    proxy.
    """
    require_extra()
    from tourney.web.serve import find, serve

    root = find(target)

    def ready(url: str, reachable: bool) -> None:
        if reachable:
            echo(
                f"warning: anyone who can reach {url} sees the runs; use a firewall or --address 127.0.0.1",
                err=True,
            )
        echo(f"serving {root} at {url}")
        if is_open:
            webbrowser.open(url)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with interrupt.handled(), suppress(KeyboardInterrupt):
        serve(root, address or ("127.0.0.1", 8000), names, ready, lambda line: echo(line, err=True))
