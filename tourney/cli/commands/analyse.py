"""`tourney analyse`: what each decision of a run cost, by playing on from it."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli import completion, interrupt
from tourney.cli.cluster import CLUSTER, Players, going_on
from tourney.cli.endings import FinishingCommand
from tourney.cli.interrupt import StopSignal
from tourney.cli.options import (
    FIND_BOTS,
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
from tourney.errors import RunInterruptedError
from tourney.remedies import remedies, told_how_to_go_on

if TYPE_CHECKING:
    from tourney.debugging.analysis_file import AnalysisFile
    from tourney.debugging.analysis_work import AnalysisWork
    from tourney.runner.ordered_pool import OrderedPool

ANEW = "--overwrite removes it, and analyses anew"
"""What to do about an analysis that was made in another way."""


@click.command("analyse", cls=FinishingCommand, short_help="Find the decisions that cost a bot most.")
@click.argument("run", shell_complete=completion.runs)
@click.argument("matches", metavar="[MATCH]...", nargs=-1, shell_complete=completion.matches)
@click.option("--bot", shell_complete=completion.run_bots, help="Only decisions of this bot.")
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
    workers: int | None,
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

    What is found is kept in RUN, and only what is not there is analysed; after Ctrl-C the same command goes on. The
    result is the same for any number of workers. tourney docs analysis tells what the numbers mean, and what they do
    not see.

    This runs the bot files that RUN names. If you did not play RUN here, it asks first.
    """
    from tourney.cli.render.analysis_report import print_analysis
    from tourney.cli.render.look_commands import LookCommands
    from tourney.debugging.analysis import read_analysis
    from tourney.debugging.analysis_bots import PlayingBots
    from tourney.debugging.analysis_file import AnalysisFile, OtherAnalysisError
    from tourney.debugging.analysis_job import DecisionAnalysis
    from tourney.debugging.analysis_work import AnalysisWork, begun
    from tourney.journal import folder as runs

    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    check_bot(tournament, bot)
    work = AnalysisWork(path, tournament, bot, find_records(path, tournament, matches) if matches else None)
    players = Players(cluster, workers, oversubscribe=None)  # before any bot is loaded
    with AnalysisFile(path) as file, remedies({OtherAnalysisError: ANEW, **FIND_BOTS}):
        if overwrite:
            file.clear()
        with interrupt.raised():
            bots = PlayingBots(tournament, manifest, path, folder, trusting(path, trust))
            settings = begun(bots, file, playouts)
        analysis, playing = DecisionAnalysis(settings), bots.tournament(settings.bots, settings.substitutes)
        players.prepare(playing, quiet=False, performer=analysis)
        _analyse(players.job_pool(playing, analysis), file, work)
    commands = LookCommands(path, tournament, folder)
    print_analysis(path, settings, work.select(read_analysis(path)), bot, limit, form, commands)


def _analyse(pool: "OrderedPool", file: "AnalysisFile", work: "AnalysisWork") -> None:
    """Analyses what is left to do."""
    from tourney.cli.render.analysis_progress import analysis_progress

    total = work.count_left()
    if not total:
        return
    arguments = [argument for argument in sys.argv[1:] if argument != "--overwrite"]
    again = f"go on with: {shlex.join(['tourney', *arguments])}"
    stop = StopSignal(again)
    lost = going_on(again.removeprefix("go on with: "))
    ended_early = told_how_to_go_on(again, f"mend it, or name other matches, and {again}", again)
    with stop, ended_early, lost, pool, analysis_progress(total) as progress:
        for decisions, finished in work.perform(pool, file):
            progress(decisions, finished)
            if stop.received:
                raise RunInterruptedError(f"stopped after {finished} of {total} matches; {again}")
