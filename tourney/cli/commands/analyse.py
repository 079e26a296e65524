"""`tourney analyse`: what each decision of a run cost, by playing on from it."""

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli import completion
from tourney.cli.cluster import CLUSTER, command_line, say_dashboard, workers_of
from tourney.cli.endings import FinishingCommand
from tourney.cli.options import (
    FOLDER,
    FORMAT,
    TRUST,
    WORKERS,
    TableFormat,
    check_bot,
    find_records,
    read_run,
    trusting,
)
from tourney.debugging import PLAYOUTS

if TYPE_CHECKING:
    from collections.abc import Callable


@click.command("analyse", cls=FinishingCommand, short_help="Find the decisions that cost a bot most.")
@click.argument("run", shell_complete=completion.runs)
@click.argument("matches", metavar="[MATCH]...", nargs=-1)
@click.option("--bot", help="Only decisions of this bot.")
@click.option(
    "--playouts", metavar="N", type=click.IntRange(4, 100_000),
    help=f"The most playouts of an action.  [default: as so far, or {PLAYOUTS}]",
)  # fmt: skip
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=10, show_default=True,
    help="How many of a bot's costliest decisions are listed.",
)  # fmt: skip
@WORKERS
@CLUSTER
@click.option("--overwrite", is_flag=True, help="Remove what was analysed of RUN so far, and start again.")
@FORMAT
@FOLDER
@TRUST
def command(
    run: str,
    matches: tuple[str, ...],
    bot: str | None,
    playouts: int | None,
    limit: int,
    processes: int | None,
    cluster: str | None,
    overwrite: bool,
    form: TableFormat,
    folder: Path | None,
    trust: bool,
) -> None:
    """Find out what the decisions in RUN cost: in all its matches, or in each MATCH.

    For each decision with a choice, worlds are imagined that fit what the seat saw, and its actions are played out in
    the same worlds. The loss is what the best action brings more than the chosen one, in points %, +- its standard
    error. The luck is what the real cards bring more than the imagined ones.

    What is found is kept in RUN, and only what is not there is analysed; after Ctrl-C the same command continues. The
    result is the same for any number of workers. tourney docs analysis tells what the numbers mean, and what they do
    not see.

    This runs the bot files that RUN names. If you did not play RUN here, it asks first.
    """
    from tourney.cli.render.analysis_progress import analysis_progress
    from tourney.cli.render.analysis_report import print_analysis
    from tourney.cli.render.look_commands import LookCommands
    from tourney.debugging.analysis_work import AnalysisOrder, lead
    from tourney.journal import folder as runs

    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    check_bot(tournament, bot)
    records = find_records(path, tournament, matches) if matches else None
    caller = command_line()
    workers = workers_of(caller, processes, cluster)  # before any bot is loaded
    arguments = [argument for argument in sys.argv[1:] if argument != "--overwrite"]
    again = f"continue with: {shlex.join(['tourney', *arguments])}"
    order = AnalysisOrder(path, manifest, tournament, bot, records, playouts, overwrite, folder, trusting(path, trust))
    with ExitStack() as shown:

        def begin(total: int) -> "Callable[[int, int], object]":
            say_dashboard(workers)
            return shown.enter_context(analysis_progress(total))

        settings, found = lead(order, workers, caller, again, begin)
    print_analysis(path, settings, found, bot, limit, form, LookCommands(path, tournament, folder))
