"""`tourney diff`: reports the first differences between two runs."""

import click

from tourney.cli import completion
from tourney.cli.endings import FinishingCommand
from tourney.cli.screen import echo
from tourney.errors import EXIT_VERDICT

COMMAND = "  tourney "
"""How a line begins that is a command to copy; such lines are not wrapped."""


@click.command("diff", cls=FinishingCommand, short_help="Report the first differences between two runs.")
@click.argument("run", shell_complete=completion.runs)
@click.argument("other", shell_complete=completion.runs)
@click.pass_context
def command(context: click.Context, run: str, other: str) -> None:
    """Compare the run RUN with the run OTHER.

    Prints the first difference of each kind: in configuration, deals, seats, actions, faults and scores. Exits with 1
    if there is one, and with 0 if both runs are the same.
    """
    from tourney.cli.render.diff_report import differences
    from tourney.cli.render.text import wrapped
    from tourney.journal import folder

    paths = folder.find_run(run), folder.find_run(other)
    echo(f"A: {paths[0]}", f"B: {paths[1]}")
    found = False
    for line in differences(*paths):
        found = True
        echo(*([line] if line.startswith(COMMAND) else wrapped(line, "    ")))
    if found:
        context.exit(EXIT_VERDICT)
    echo("the same")
