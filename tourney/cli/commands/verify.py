"""`tourney verify`: replays every record of a run, and asks its bots again."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli.options import FIND_BOTS, FOLDER, TRUST, read_run, trusting
from tourney.cli.remedies import remedies
from tourney.cli.screen import echo
from tourney.errors import EXIT_VERDICT

if TYPE_CHECKING:
    from tourney.cli.render.verify_report import RecheckReport
    from tourney.config import Tournament

SHOWN = 20
"""How many of the records that do not hold are named."""


@click.command("verify", short_help="Replay every match of a run and compare.")
@click.argument("run")
@click.option("--bots", is_flag=True, help="Also ask every bot again for every decision.")
@FOLDER
@TRUST
@click.pass_context
def command(context: click.Context, run: str, bots: bool, folder: Path | None, trust: bool) -> None:
    """Replay every match of RUN from its record, without the bots, and compare.

    Prints how many records hold, and each one that does not, with its first difference.

    With --bots, every bot is asked again for every decision of the records that hold, and the first decision that it
    does not make again is printed, with the possible reason. Exits with 1 if a record does not hold or a bot differs.
    This runs the commands and bot files that RUN names; if you did not play RUN here, it asks first.
    """
    from tourney.cli.render.verify_report import RecheckReport
    from tourney.debugging.bots import RunBots
    from tourney.journal import folder as runs

    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    with remedies(FIND_BOTS), ExitStack() as stack:
        report = None
        if bots:
            report = RecheckReport(
                tournament, stack.enter_context(RunBots(tournament, manifest, path, folder, trusting(path, trust)))
            )
        against = _verified(path, tournament, report)
    if against:
        context.exit(EXIT_VERDICT)


def _verified(path: Path, tournament: "Tournament", report: "RecheckReport | None") -> bool:
    """Verifies every record, prints the result, and returns whether something does not hold."""
    from tourney.journal import reader
    from tourney.schedule.base import schedule
    from tourney.verify import problems

    held = failed = 0
    lines = reader.read_lines(path)
    plan = schedule(tournament)
    for problem in problems(path, plan, tournament.replay_s):
        line = next(lines)
        if problem is None:
            held += 1
            if report is not None:
                report.add(reader.parse_record(line, "the line"))
            continue
        failed += 1
        if failed <= SHOWN:
            echo(problem)
    if failed > SHOWN:
        echo(f"… and {failed - SHOWN} more")
    echo(f"{held} of {held + failed} records hold")
    # after a record that does not hold, it is unknown where a tournament ends that may end early
    if not plan.is_over(held + failed) and not (failed and plan.may_end_early):
        echo(f"not finished: {held + failed} of {plan.describe_size()} were played", err=True)
    if report is None:
        return failed > 0
    for text in report.lines(path):
        echo(text)
    return failed > 0 or report.differ
