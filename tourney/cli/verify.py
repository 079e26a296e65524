"""`tourney verify`: replays every record of a run."""

import click

from tourney.errors import EXIT_VERDICT

SHOWN = 20
"""So many records that do not hold are named."""


@click.command("verify", short_help="Replay every match of a run and compare.")
@click.argument("run")
@click.pass_context
def command(context: click.Context, run: str) -> None:
    """Replay every match of RUN from its record, without the bots, and compare.

    Says how many records hold. Names each one that does not, with the first difference, and exits with 1.
    """
    from tourney import config, store
    from tourney.audit import problems
    from tourney.schedule.formats import schedule

    path = store.find_run(run)
    tournament = config.of_manifest(store.read_manifest(path))
    held = failed = 0
    for problem in problems(path, schedule(tournament)):
        if problem is None:
            held += 1
            continue
        failed += 1
        if failed <= SHOWN:
            click.echo(problem)
    total = schedule(tournament).size().matches
    if failed > SHOWN:
        click.echo(f"… and {failed - SHOWN} more")
    click.echo(f"{held} of {held + failed} records hold")
    if held + failed < total:
        click.echo(f"not finished: {held + failed} of {total} matches were played", err=True)
    if failed:
        context.exit(EXIT_VERDICT)
