"""`tourney verify`: replays every record of a run, and asks its bots again."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli.options import FIND_BOTS, FOLDER
from tourney.cli.remedies import remedies
from tourney.errors import EXIT_VERDICT

if TYPE_CHECKING:
    from tourney.cli.render.verify_report import Rehearsals
    from tourney.config import Tournament

SHOWN = 20
"""So many records that do not hold are named."""


@click.command("verify", short_help="Replay every match of a run and compare.")
@click.argument("run")
@click.option("--bots", is_flag=True, help="Then ask every bot again for every decision, too.")
@FOLDER
@click.pass_context
def command(context: click.Context, run: str, bots: bool, folder: Path | None) -> None:
    """Replay every match of RUN from its record, without the bots, and compare.

    Says how many records hold. Names each one that does not, with the first difference, and exits with 1.

    With --bots, every bot is then asked again for every decision of the records that hold. Names for each bot the
    first decision that it would not make again, and why that may be, and exits with 1.
    """
    from tourney import config
    from tourney.cli.render.verify_report import Rehearsals
    from tourney.debugging.bots import RunBots
    from tourney.journal import folder as runs

    path = runs.find_run(run)
    manifest = runs.read_manifest(path)
    tournament = config.of_manifest(manifest)
    with remedies(FIND_BOTS), ExitStack() as stack:
        rehearsals = None
        if bots:
            rehearsals = Rehearsals(tournament, stack.enter_context(RunBots(tournament, manifest, path, folder)))
        against = _verified(path, tournament, rehearsals)
    if against:
        context.exit(EXIT_VERDICT)


def _verified(path: Path, tournament: "Tournament", rehearsals: "Rehearsals | None") -> bool:
    """Examines every record, and tells what comes of it; whether something does not hold."""
    from tourney.journal import reader
    from tourney.schedule.base import schedule
    from tourney.verify import problems

    held = failed = 0
    lines = reader.read_lines(path)
    for problem in problems(path, schedule(tournament)):
        line = next(lines)
        if problem is None:
            held += 1
            if rehearsals is not None:
                rehearsals.add(reader.parse_record(line, "the line"))
            continue
        failed += 1
        if failed <= SHOWN:
            click.echo(problem)
    if failed > SHOWN:
        click.echo(f"… and {failed - SHOWN} more")
    click.echo(f"{held} of {held + failed} records hold")
    total = schedule(tournament).size().matches
    if held + failed < total:
        click.echo(f"not finished: {held + failed} of {total} matches were played", err=True)
    if rehearsals is None:
        return failed > 0
    for told in rehearsals.told(path):
        click.echo(told)
    return failed > 0 or rehearsals.differ
