"""`tourney analyse`: what each decision of a run cost, by playing on from it."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli import completion, interrupt
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
    choose_workers,
    find_records,
    read_run,
    trusting,
)
from tourney.cli.remedies import remedies
from tourney.errors import GameError, RunInterruptedError, SystemLimitError, WriteError

if TYPE_CHECKING:
    from tourney.config import Tournament
    from tourney.debugging.analysis import AnalysisSettings, MatchAnalysis
    from tourney.debugging.analysis_bots import PlayingBots
    from tourney.debugging.analysis_file import AnalysisFile
    from tourney.debugging.analysis_job import MatchToAnalyse
    from tourney.match import Record
    from tourney.runner.forkserver import Forkserver
    from tourney.runner.job_pool import JobPool

ANEW = "--overwrite removes it, and analyses anew"
"""What to do about an analysis that was made in another way."""
PLAYOUTS = 100
"""How many playouts an action gets, unless something else is said."""


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
@click.option("--overwrite", is_flag=True, help="Remove what was analysed of RUN so far, and start again.")
@FORMAT
@FOLDER
@TRUST
@click.pass_context
def command(
    context: click.Context,
    run: str,
    matches: tuple[str, ...],
    bot: str | None,
    playouts: int | None,
    limit: int,
    workers: int | None,
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
    from tourney.debugging.analysis import read_analysis
    from tourney.debugging.analysis_bots import PlayingBots
    from tourney.debugging.analysis_file import AnalysisFile, OtherAnalysisError
    from tourney.journal import folder as runs
    from tourney.runner.forkserver import Forkserver

    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    check_bot(tournament, bot)
    work = _Work(path, tournament, bot, find_records(path, tournament, matches) if matches else None)
    forkserver = context.with_resource(Forkserver(fork=True))  # before any bot is loaded
    with AnalysisFile(path) as file, remedies({OtherAnalysisError: ANEW, **FIND_BOTS}):
        if overwrite:
            file.clear()
        with interrupt.raised():
            bots = PlayingBots(tournament, manifest, path, folder, trusting(path, trust))
            settings = _settings(bots, file, playouts)
        pool = _pool(bots, settings, choose_workers(tournament, workers, oversubscribe=True), forkserver)
        _analyse(pool, file, work)
    print_analysis(path, settings, work.select(read_analysis(path)), bot, limit, form)


def _settings(bots: "PlayingBots", file: "AnalysisFile", playouts: int | None) -> "AnalysisSettings":
    """Returns how the decisions are analysed, and writes it down; refuses another way than before."""
    number = playouts or (PLAYOUTS if file.settings is None else file.settings.playouts)
    settings = bots.settings(number, file.settings)
    file.begin(settings)
    return settings


class _Work:
    """Which decisions of a run are asked about."""

    def __init__(self, run: Path, tournament: "Tournament", bot: str | None, chosen: "Sequence[Record] | None") -> None:
        """Takes the bot, and the records of the matches; None for all."""
        self._run = run
        self._tournament = tournament
        self._bot = bot
        self._chosen = chosen

    def records(self) -> "Iterator[Record]":
        """Yields the records of the matches in which the bot sits."""
        from tourney.journal.reader import read_records
        from tourney.schedule.base import schedule

        every = read_records(self._run, schedule(self._tournament)) if self._chosen is None else self._chosen
        return (record for record in every if self._bot is None or self._bot in record.seats)

    def left(self, done: "dict[str, MatchAnalysis]") -> "Iterator[MatchToAnalyse]":
        """Yields what is not done yet.

        Raises:
            OtherAnalysisError: What is done is of another match of the same name.
        """
        from tourney.debugging.analysis_file import of_same_match
        from tourney.debugging.analysis_job import MatchToAnalyse

        for record in self.records():
            wanted = {self._bot} if self._bot is not None else set(record.seats)
            if (before := done.get(record.match)) is not None:
                of_same_match(self._run, before, record)
                wanted -= set(before.bots)
            if wanted:
                yield MatchToAnalyse(record, tuple(sorted(wanted)))

    def select(self, done: "dict[str, MatchAnalysis]") -> "list[MatchAnalysis]":
        """Returns what was asked about, in the order of the journal."""
        return [done[record.match] for record in self.records() if record.match in done]


def _pool(bots: "PlayingBots", settings: "AnalysisSettings", workers: int, forkserver: "Forkserver") -> "JobPool":
    """Returns the workers that analyse, not started yet."""
    from tourney.debugging.analysis_job import DecisionAnalysis
    from tourney.runner.job_pool import ItemJob, JobPool

    tournament = bots.tournament(settings.bots, settings.substitutes)
    return JobPool(tournament, workers, ItemJob(DecisionAnalysis(settings)), tournament.replay_s, forkserver)


def _analyse(pool: "JobPool", file: "AnalysisFile", work: _Work) -> None:
    """Analyses what is left to do."""
    from tourney.cli.render.analysis_progress import analysis_progress
    from tourney.debugging.analysis import read_analysis
    from tourney.debugging.analysis_job import analysed

    done = read_analysis(file.path.parent)
    total = sum([1 for _ in work.left(done)])
    if not total:
        return
    arguments = [argument for argument in sys.argv[1:] if argument != "--overwrite"]
    again = f"go on with: {shlex.join(['tourney', *arguments])}"
    stop = StopSignal(again)
    finished = 0
    with stop, _how_to_continue(again), pool, analysis_progress(total) as progress:
        for decisions, match in analysed(work.left(done), pool):
            if match is not None:
                file.add(match)
                finished += 1
            progress(decisions, finished)
            if stop.received:
                raise RunInterruptedError(f"stopped after {finished} of {total} matches; {again}")


@contextmanager
def _how_to_continue(again: str) -> Iterator[None]:
    """Adds to an error that ends the analysis early how to continue it."""
    try:
        yield
    except (WriteError, SystemLimitError) as error:
        raise type(error)(f"{error}, then {again}") from None
    except GameError as error:
        raise GameError(f"{error}; mend it, or name other matches, and {again}", error.game) from None
