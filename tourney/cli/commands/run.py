"""`tourney run`: plays a tournament."""

import shlex
from contextlib import AbstractContextManager
from pathlib import Path

import click

from tourney.cli import completion, interrupt
from tourney.cli.cluster import CLUSTER, Players, going_on
from tourney.cli.endings import FinishingCommand
from tourney.cli.interrupt import StopSignal
from tourney.cli.options import OVERSUBSCRIBE, OVERWRITE, WORKERS, start_of
from tourney.cli.render import lateness
from tourney.cli.screen import echo
from tourney.errors import (
    FolderHoldsRunError,
    NotExtendableError,
    OtherMatchesError,
    RunChangedError,
    RunInterruptedError,
    UnsuitableFolderError,
)
from tourney.remedies import Remedies, remedies, told_how_to_go_on

REMEDIES: Remedies = {
    FolderHoldsRunError: "go on with it by --resume, begin anew by --overwrite, or choose another --out",
    UnsuitableFolderError: "choose another --out",
    RunChangedError: "begin anew by --overwrite, or go on all the same by --force",
    OtherMatchesError: "begin anew by --overwrite, or choose another --out",
    NotExtendableError: "play it without --extend",
}


@click.command("run", cls=FinishingCommand, short_help="Play a tournament, or continue one.")
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [default: results/NAME]")
@click.option(
    "--extend",
    metavar="RUN",
    shell_complete=completion.runs,
    help="Reuse the matches of RUN, the same tournament with fewer bots or deals.",
)
@WORKERS
@OVERSUBSCRIBE
@CLUSTER
@click.option("--resume", is_flag=True, help="Continue the run in the folder.")
@click.option("--force", is_flag=True, help="With --resume: continue even if configuration, games or bots changed.")
@OVERWRITE
@click.option("--quiet", is_flag=True, help="Print no progress, only the standings.")
def command(
    config: Path,
    out: Path | None,
    extend: str | None,
    workers: int | None,
    oversubscribe: bool,
    cluster: str | None,
    resume: bool,
    force: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Play the tournament that CONFIG, a TOML file, describes.

    Every match is written to the run's folder, and the standings are printed at the end. A run that was interrupted or
    killed continues with --resume, and ends with the same bytes as one that was not. With --overwrite the run in the
    folder is removed, once the new one can begin: edit the bot, run again.

    With --extend, the matches of RUN, a run's folder or its name under results/, are copied into the new run, and only
    the missing ones are played. CONFIG may have more bots and more deals than RUN. The new run ends with the same bytes
    as one without --extend. This works for gauntlets, and for round-robins in which all groups meet.

    With --cluster, the workers of a cluster play, see tourney docs cluster; the run ends with the same bytes.
    """
    from tourney import config as configuration

    if force and not resume:
        raise click.UsageError("--force goes with --resume; give both, or neither")
    start = start_of(resume, overwrite)
    text = configuration.read_text(config)
    tournament = configuration.of_text(text, config)
    players = Players(cluster, workers, oversubscribe)  # before any bot is loaded

    from tourney.cli.render import standings_report
    from tourney.cli.render.progress import run_reporter
    from tourney.journal import folder, reader
    from tourney.runner import run
    from tourney.runner.extend import EarlierRun
    from tourney.schedule.base import schedule

    with interrupt.raised():
        configuration.examine_bots(tournament, config)
    players.prepare(tournament, quiet)
    path = out if out is not None else Path("results") / tournament.name
    again = f"tourney run {shlex.quote(str(config))} --out {shlex.quote(str(path))} --resume"
    if extend is not None:
        again += f" --extend {shlex.quote(extend)}"
    if cluster is not None:
        again += f" --cluster {shlex.quote(cluster)}"
    stop = StopSignal(f"go on with: {again}")
    with stop, remedies(REMEDIES):
        earlier = None if extend is None else EarlierRun(folder.find_run(extend), tournament, path)
        journal = run.prepare(tournament, text, path, start, force)
    click.get_current_context().with_resource(journal)
    if earlier is not None and not quiet:
        taken, total = earlier.count_matches(), schedule(tournament).most_matches
        echo(f"{taken} matches are taken over from {extend}, {total - taken} are played", err=True)
    with stop, run_reporter(tournament, players.workers, quiet) as progress:

        def report(now: run.Progress) -> None:
            progress(now)
            if stop.received:
                played = f"{now.matches} of {now.schedule.describe_size()}"
                raise RunInterruptedError(f"stopped after {played}; go on with: {again}")

        with _how_to_continue(path, again), going_on(again):
            start_pool = players.start_pool(tournament)
            played = run.play(tournament, journal, players.workers, report, earlier, players.starter, start_pool)
    standings_report.print_standings(*played, "table")
    standings_report.print_faults(path, *played, config.parent)
    lateness.warn_of_overload(path)
    if not quiet:
        _say_what_next(path, next(reader.read_records(path, schedule(tournament))).match)


def _how_to_continue(path: Path, again: str) -> AbstractContextManager[None]:
    """Adds to an error that ends the run early how to continue it; `again` is the command for that."""
    see = f"tourney matches {shlex.quote(str(path))} --faults"
    return told_how_to_go_on(
        f"go on with: {again}",
        f"mend it, and go on (--force, as it has changed) with: {again}",
        f"see {see}, and go on (a bot was mended: --force) with: {again}",
    )


def _say_what_next(path: Path, match: str) -> None:
    name = shlex.quote(str(path))
    echo(
        "",
        f"The run is in {name}. Next, try:",
        f"  tourney standings {name} --cross",
        "      who beats whom",
        f"  tourney matches {name}",
        "      all matches, to pick one",
        f"  tourney replay {name} {match}",
        "      what happened in it",
        f"  tourney analyse {name} {match}",
        "      which of its decisions cost most",
        f"  tourney report {name}",
        "      all of it as a page for a browser",
        f"  tourney verify {name}",
        "      replay every match, and compare",
        err=True,
    )
