"""`tourney diff`: what differs first between two runs."""

import click

from tourney.errors import EXIT_VERDICT

COMMAND = "  tourney "
"""Lines that begin so are to be copied, and are not wrapped."""


@click.command("diff", short_help="Tell what differs first between two runs.")
@click.argument("run")
@click.argument("other")
@click.pass_context
def command(context: click.Context, run: str, other: str) -> None:
    """Compare the run RUN with the run OTHER, and tell what differs first.

    Configuration, deals, seats, actions, faults and scores are looked at in turn, and a line tells the first difference
    of each kind. Exits with 1 if there is one, with 0 if both played the same.
    """
    from tourney.cli.render.diff_report import differences
    from tourney.cli.render.text import wrapped
    from tourney.journal import folder

    paths = folder.find_run(run), folder.find_run(other)
    click.echo(f"A: {paths[0]}\nB: {paths[1]}")
    found = False
    for line in differences(*paths):
        found = True
        for part in [line] if line.startswith(COMMAND) else wrapped(line, "    "):
            click.echo(part)
    if found:
        context.exit(EXIT_VERDICT)
    click.echo("the same")
