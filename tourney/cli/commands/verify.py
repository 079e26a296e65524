"""`tourney verify`: replays every record of a run, and asks its bots again."""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli import completion
from tourney.cli.endings import FinishingCommand
from tourney.cli.options import (
    FIND_BOTS,
    FOLDER,
    OVERSUBSCRIBE,
    TRUST,
    WORKERS,
    choose_workers,
    read_run,
    say_not_finished,
    trusting,
)
from tourney.cli.screen import echo, progress_display
from tourney.errors import EXIT_VERDICT
from tourney.remedies import remedies

if TYPE_CHECKING:
    from tourney.cli.render.verify_report import RecheckReport
    from tourney.config import Tournament
    from tourney.verify import Examine

SHOWN = 20
"""How many of the records that do not hold are named."""
SMALL = 1 << 20
"""Up to how many bytes a journal is small: worker processes would take longer to start than to read it."""


@click.command("verify", cls=FinishingCommand, short_help="Replay every match of a run and compare.")
@click.argument("run", shell_complete=completion.runs)
@click.option("--bots", is_flag=True, help="Also ask every bot again for every decision.")
@WORKERS
@OVERSUBSCRIBE
@FOLDER
@TRUST
@click.pass_context
def command(
    context: click.Context,
    run: str,
    bots: bool,
    workers: int | None,
    oversubscribe: bool,
    folder: Path | None,
    trust: bool,
) -> None:
    """Replay every match of RUN from its record, without the bots, and compare.

    Prints how many records hold, and each one that does not, with its first difference.

    With --bots, every bot is asked again for every decision of the records that hold, and the first decision that it
    does not make again is printed, with the possible reason. Exits with 1 if a record does not hold or a bot differs.
    This runs the commands and bot files that RUN names; if you did not play RUN here, it asks first. A bot that hangs
    is ended as in a run.

    What is printed is the same for any number of workers, if the bots do not remember earlier matches.
    """
    from tourney.cli.render.verify_report import RecheckReport
    from tourney.debugging.bots import RunBots
    from tourney.journal import folder as runs

    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    with remedies(FIND_BOTS), ExitStack() as stack:
        report = None
        if bots:
            found = stack.enter_context(RunBots(tournament, manifest, path, folder, trusting(path, trust)))
            tournament, report = found.tournament, RecheckReport(found, folder)
            workers = choose_workers(tournament, workers, oversubscribe)
        examine = _examine(stack, path, tournament, bots, workers)
        against = _verified(path, tournament, examine, report)
    if against:
        context.exit(EXIT_VERDICT)


def _examine(stack: ExitStack, run: Path, tournament: "Tournament", bots: bool, workers: int | None) -> "Examine":
    """Returns what examines the lines of the journal: this process, or workers that end with the context."""
    from tourney import verify
    from tourney.journal.folder import JOURNAL

    job = verify.Verification(run, tournament, bots)
    journal = run / JOURNAL
    if workers is None:
        small = not journal.is_file() or journal.stat().st_size <= SMALL
        workers = 1 if small else choose_workers(tournament, None, oversubscribe=True)
    if workers == 1 and not bots:
        return verify.here(stack.enter_context(closing(job)))

    import msgspec

    from tourney.runner.job_pool import ItemJob, JobPool
    from tourney.runner.worker_starter import worker_starter

    starter = stack.enter_context(worker_starter(fork=True))
    there = tuple([entrant for entrant in tournament.entrants if entrant.has_bots]) if bots else tournament.entrants
    asked = msgspec.structs.replace(tournament, entrants=there)  # without the people
    pool = JobPool(asked, workers, ItemJob(job), starter)
    return verify.in_workers(stack.enter_context(pool))


def _verified(path: Path, tournament: "Tournament", examine: "Examine", report: "RecheckReport | None") -> bool:
    """Verifies every record, prints the result, and returns whether something does not hold."""
    from tourney.journal.folder import JOURNAL
    from tourney.schedule.base import schedule
    from tourney.verify import verified

    held = failed = 0
    plan = schedule(tournament)
    with progress_display() as display:
        size = 0
        for line in verified(path, plan, examine):
            if line is None:
                continue
            size = size or (path / JOURNAL).stat().st_size
            display.show(line.end, size, [("records", str(held + failed))])
            if line.problem is None:
                held += 1
                if report is not None:
                    report.add(line)
                continue
            failed += 1
            if failed <= SHOWN:
                display.hide()  # stdout may be the same terminal
                echo(str(line))
    if failed > SHOWN:
        echo(f"… and {failed - SHOWN} more")
    echo(f"{held} of {held + failed} records hold")
    # after a record that does not hold, it is unknown where a tournament ends that may end early
    if not plan.is_over(held + failed) and not (failed and plan.may_end_early):
        say_not_finished(path, held + failed, plan)
    if report is None:
        return failed > 0
    for text in report.lines(path):
        echo(text)
    return failed > 0 or report.differ
