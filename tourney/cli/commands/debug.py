"""`tourney debug`: a bot at one of its decisions, in the debugger or with another action."""

from pathlib import Path

import click

from tourney.cli.options import FIND_BOTS, FOLDER, find_record
from tourney.cli.remedies import remedies
from tourney.errors import EXIT_VERDICT


@click.command("debug", short_help="Bring a bot to one of its decisions, and stop in the debugger.")
@click.argument("run")
@click.argument("match")
@click.argument("decision", metavar="N", type=click.IntRange(min=1))
@click.option("--try", "tried", metavar="ACTION", help="Play on from there with this action, such as play:9t.")
@click.option(
    "--bot",
    "other",
    metavar="BOT",
    help="Play on with this bot in the seat: one of the run, a plugin, or FILE.py:NAME.",
)
@click.option(
    "--continuations", metavar="K", type=click.IntRange(min=1), default=1, show_default=True,
    help="Play on so many times: once with the cards of the match, else with cards that the seat might as well face.",
)  # fmt: skip
@FOLDER
@click.pass_context
def command(
    context: click.Context,
    run: str,
    match: str,
    decision: int,
    tried: str | None,
    other: str | None,
    continuations: int,
    folder: Path | None,
) -> None:
    """Bring the bot that makes decision N of MATCH in RUN to that decision, and stop in the debugger inside its act.

    The bot is made anew with its own rng, and fed all that it saw before. The debugger is pdb, or what the environment
    variable PYTHONBREAKPOINT names. Exits with 1 if the bot does not answer what the record says.

    With --try or --bot nothing stops: the match is played on from there, and the ending is shown beside the recorded
    one. Decisions are numbered as `tourney replay` shows them.
    """
    from tourney import config
    from tourney.cli.render.debug_report import legal_action, stop, tell_endings, tell_heading
    from tourney.debugging.bots import RunBots
    from tourney.debugging.warmup import find_step
    from tourney.debugging.what_if import Change
    from tourney.journal import folder as runs
    from tourney.plugins import load_game

    if continuations > 1 and tried is None and other is None:
        raise click.UsageError("--continuations goes with --try or --bot")
    path = runs.find_run(run)
    manifest = runs.read_manifest(path)
    tournament = config.of_manifest(manifest)
    record = find_record(path, tournament, match)
    game = load_game(record.game)
    step = find_step(record, game, decision)
    name = record.seats[step.seat]
    with remedies(FIND_BOTS), RunBots(tournament, manifest, path, folder) as bots:
        if bots.changed(name):
            click.echo(f"{name}: its source has changed since the run", err=True)
        tell_heading(record, game, step)
        if tried is None and other is None:
            if not stop(record, game, step, bots.python_factory(name)):
                context.exit(EXIT_VERDICT)
            return
        makers = [bots.factory(each) for each in record.seats]
        action = None if tried is None else legal_action(game, step, tried)
        change = Change(decision, step.seat, action, makers[step.seat] if other is None else bots.find(other))
        click.echo(f"now: {tried or 'what it answers'}, and {other or name} goes on")
        tell_endings(record, game, makers, change, continuations)
