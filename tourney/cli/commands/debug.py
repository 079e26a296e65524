"""`tourney debug`: takes a bot to one of its decisions, in the debugger or with another action."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tourney.cli import completion
from tourney.cli.endings import FinishingCommand
from tourney.cli.options import FOLDER, TRUST, find_record, read_run, trusting
from tourney.cli.screen import echo
from tourney.errors import EXIT_VERDICT, ConfigError

if TYPE_CHECKING:
    from tourney.table import BotFactory


@click.command(
    "debug", cls=FinishingCommand, short_help="Take a bot to one of its decisions, and stop in the debugger."
)
@click.argument("run", shell_complete=completion.runs)
@click.argument("match")
@click.argument("decision", metavar="N", type=click.IntRange(min=1))
@click.option("--try", "tried", metavar="ACTION", help="Continue the match with this action, such as play:9t.")
@click.option(
    "--bot",
    "other",
    metavar="BOT",
    shell_complete=completion.bots,
    help="Continue with this bot in the seat: a bot of the run, a plugin, or FILE.py:NAME.",
)
@click.option(
    "--continuations", metavar="K", type=click.IntRange(min=1), default=1, show_default=True,
    help="How often to continue: once with the cards of the match, then with others that the seat could be facing.",
)  # fmt: skip
@FOLDER
@TRUST
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
    trust: bool,
) -> None:
    """Take the bot that makes decision N of MATCH in RUN to that decision, and stop in the debugger inside its act.

    A new instance of the bot, with the same rng, first decides everything that it decided in the match before. The
    debugger is pdb, or what the environment variable PYTHONBREAKPOINT names. Exits with 1 if the bot does not answer
    what the record says.

    With --try or --bot there is no stop: the match continues from there, and its ending is shown beside the recorded
    one. A person, who cannot be asked again, decides as recorded while the seat sees the same, and then steady
    does, or random in games that steady does not play. Decisions are numbered as in `tourney replay`.

    This runs the commands and bot files that RUN names. If you did not play RUN here, it asks first.
    """
    from tourney.cli.render.debug_report import legal_action, print_endings, print_heading, stop_in_debugger
    from tourney.debugging.bots import RunBots
    from tourney.debugging.recorded_person import recorded_person
    from tourney.debugging.warmup import find_step
    from tourney.debugging.what_if import Change
    from tourney.journal import folder as runs
    from tourney.plugins import load_game
    from tourney.schedule.base import schedule

    if continuations > 1 and tried is None and other is None:
        raise ConfigError("--continuations goes with --try or --bot; give one of them")
    path = runs.find_run(run)
    manifest, tournament = read_run(path)
    record = find_record(path, tournament, match)
    game = load_game(record.game)
    step = find_step(record, game, decision, tournament.replay_s)
    name, names = record.seats[step.seat], schedule(tournament).block_names(record.seats)
    with RunBots(tournament, manifest, path, folder, trusting(path, trust)) as bots:
        if bots.changed(name):
            echo(f"{name}: its source has changed since the run", err=True)
        print_heading(record, game, step)
        if tried is None and other is None:
            if not stop_in_debugger(record, game, step, bots.python_factory(name), names):
                context.exit(EXIT_VERDICT)
            return
        makers: list[BotFactory] = []
        for seat, each in enumerate(record.seats):
            if bots.has_bot(each):
                makers.append(bots.factory(each))
                continue
            substitute, make = recorded_person(record, game, seat, tournament.replay_s)
            makers.append(make)
            if seat != step.seat or other is None:
                echo(f"{each}, a person: as recorded while the seat sees the same; then as {substitute} decides")
        action = None if tried is None else legal_action(game, step, tried)
        change = Change(decision, step.seat, action, makers[step.seat] if other is None else bots.find(other))
        echo(f"now: {tried or 'what it answers'}; played on by {other or name}")
        print_endings(record, game, makers, change, continuations, names)
