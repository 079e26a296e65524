"""`tourney serve`: runs as live pages in the browser."""

import signal
import webbrowser
from contextlib import suppress

import click

from tourney.base.errors import ConfigError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.screen import say
from tourney.journal import folder
from tourney.report.writing import Shown, require_extra


@click.command("serve", cls=FinishingCommand)
@click.argument("target", metavar="[RUN|FOLDER]", required=False, shell_complete=opt.complete_run)
@opt.address(8000)
@opt.NAMES
@click.option("--open", "is_open", is_flag=True, help="Open the page in your browser.")
@opt.AT
def command(
    target: str | None, address: tuple[str, int] | None, names: tuple[str, ...], is_open: bool, at: str | None
) -> None:
    """Serve live reports of the runs in FOLDER (default: results/), or of RUN alone.

    You get a list of runs, each run's report, a list of its matches, and a page per match. While a run is playing, its
    pages update themselves, for any number of viewers. The pages are read-only and show no more than a report does.
    At a decision of a match, you can ask for the points of every action, and watch how `steady` continues after one.
    With --at, a league played tonight can be shown step by step tomorrow. Stop with Ctrl-C.

    Only this machine can connect, unless you set --address. To use a proxy, see `tourney docs watch-and-play`.
    """
    require_extra()
    from tourney.web.serve import find, serve

    root, shown = find(target), Shown(at=at)
    if at is not None:
        if not (root / folder.MANIFEST).is_file():
            raise ConfigError("--at requires a league; name one")
        shown.of(root)

    def ready(url: str, reachable: bool) -> None:
        opt.say_served(root, "sees the runs", url, reachable)
        if is_open:
            webbrowser.open(url)

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with interrupt.handled(), suppress(KeyboardInterrupt):
        serve(root, address or ("127.0.0.1", 8000), names, ready, say, shown)
