"""`tourney compare`: says by how much a bot is ahead of another on the same deals, and where."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from tourney.cli import interrupt
from tourney.cli.errors import FinishingCommand
from tourney.cli.options import (
    BOTS_CONFIG,
    FIELD,
    FORMAT,
    GAME_OPTIONS,
    GAMES,
    INLINE,
    OVERWRITE,
    WORKERS,
    check_name,
    command_line,
    complete_bot,
    complete_run,
    exclusive,
    mirror,
    play_again,
    workers_of,
)
from tourney.cli.render.progress import run_reporter
from tourney.cli.render.standings_report import say_what_does_not_repeat, warn_of_overload
from tourney.cli.screen import echo_formatted, width
from tourney.journal.run import RunFolder
from tourney.review.compared import compare_run
from tourney.runner import run as runs
from tourney.standings.tables import TableFormat


@click.command("compare", cls=FinishingCommand)
@click.argument("new", shell_complete=complete_bot)
@click.argument("old", shell_complete=complete_bot)
@GAMES
@GAME_OPTIONS
@BOTS_CONFIG
@FIELD
@click.option(
    "--deals", type=click.IntRange(1, 10**9), default=200, show_default=True, help="How many deals of each game."
)
@click.option("--seed", default="compare", show_default=True, help="The seed of the deals.")
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [default: results/compare-NEW-vs-OLD]")
@click.option("--resume", is_flag=True, help="Continue the comparison in the folder, maybe with more --deals.")
@OVERWRITE
@INLINE
@WORKERS
@click.option(
    "--run", metavar="RUN", shell_complete=complete_run, help="Play nothing: NEW and OLD are bots of this run."
)
@FORMAT
@click.option("--quiet", is_flag=True, help="No progress, only the comparison.")
def command(
    new: str,
    old: str,
    run: str | None,
    form: TableFormat,
    quiet: bool,
    processes: int | None,
    resume: bool,
    overwrite: bool,
    **keys: Any,
) -> None:
    """Say by how much NEW is ahead of OLD on the same deals, and where.

    On each deal both bots play the same seats: each takes half of the seats at one table, and then they change places;
    with --field, each plays every seat among the bots of the field. With --run, they are compared on the deals of RUN,
    a run's folder or its name under results/, that both have played among the same others.

    \b
    part    a seat, or the phase in which the two first decide differently on a deal
    lead %  how much more of its opponents NEW came before than OLD, with its Elo
            and their 95 % interval
    p       chance of such a lead, either way, if neither is stronger
    q       p adjusted for the number of rows: of the rows with a q of 0.05 or less
            at most 5 % are false in the mean (Benjamini and Hochberg)

    Every match is written to the run's folder. It ends with the deals on which the two differ most, and the commands
    that show them. This is no verdict: `tourney gate` gives one.
    """  # noqa: D301 - the \b keeps Click from joining the lines
    if run is not None:
        given = {name: keys[name] or None for name in ("games", "options", "config", "field", "out")}
        for name, value in (given | {"resume": resume, "overwrite": overwrite}).items():
            exclusive(**{"run": run, name.removesuffix("s"): value})
        found = RunFolder.find(run)
        for name in (new, old):
            check_name("bot", name, found.tournament.names)
    else:
        start = runs.start_of(resume, overwrite)
        caller = command_line()
        workers = workers_of(caller, processes)  # before a bot is loaded
        with interrupt.raised():
            tournament, text, path = mirror("compare", new=new, old=old, **keys)
            workers.choose(tournament)
        with ExitStack() as shown:

            def begun(_earlier: object) -> Callable[[runs.Progress], None]:
                return shown.enter_context(run_reporter(tournament, workers.count, quiet))

            order = runs.RunOrder(tournament, text, path, start, kind="compare")
            runs.lead(order, workers, caller, play_again("--resume"), begun)
        warn_of_overload(path)
        say_what_does_not_repeat(tournament)
        (new, old, *_), found = tournament.names, RunFolder(path)
    echo_formatted(compare_run(found, new, old).text(form, width()), form)
