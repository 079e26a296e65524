"""`tourney check`: tries a bot."""

import shlex
from pathlib import Path
from typing import Any

import click

from tourney.errors import EXIT_VERDICT, ConfigError


@click.command("check", short_help="Try a bot at every game, and list what would be faults.")
@click.argument("bot")
@click.option("--command", "is_command", is_flag=True, help="BOT is the command line of a program.")
@click.option("--host", type=click.Choice(["inline", "process", "sandbox"]), help="Where it runs.")
@click.option("--game", "games", multiple=True, help="Only this game; may be given several times.")
@click.option("--options", default="", help="The bot's options, as in a tournament file: playouts = 20, depth = 5")
@click.option("--deals", type=click.IntRange(min=1), default=2, show_default=True, help="Deals of each game.")
@click.option("--move-ms", type=click.IntRange(min=1), help="The limit for one decision.")
@click.option("--start-ms", type=click.IntRange(min=1), help="The limit for being made and told the facts.")
@click.option("--memory-mb", type=click.IntRange(min=1), help="The limit of memory.")
@click.option("--match-s", type=click.FloatRange(min=0, min_open=True), help="The limit for a match.")
@click.pass_context
def command(  # noqa: D417 - Click shows the docstring, and each option has its help
    context: click.Context,
    bot: str,
    is_command: bool,
    host: str | None,
    games: tuple[str, ...],
    options: str,
    deals: int,
    **limits: float | None,
) -> None:
    """Try BOT, a plugin's name or FILE.py:NAME, at every game and number of seats that it claims.

    It sits in every seat in turn against random bots, then in all of them. Everything is played twice. A line says
    what is found: legality, determinism (same seed, same actions), speed, and leftovers (changed views, global state,
    threads, processes). Exits with 1 if something would be a fault, or could not be relied on.
    """
    from tourney import config
    from tourney.runner import checkup

    entered: dict[str, Any] = {"command": shlex.split(bot)} if is_command else {"use": bot}
    if host is not None:
        entered["host"] = host
    if options:
        entered["options"] = _options(options)
    tournament = config.for_check(entered, games, {key: value for key, value in limits.items() if value is not None})
    ...
