"""`tourney bots`: lists the bots that are installed."""

import textwrap
from pathlib import Path

import click

from tourney.cli.screen import echo


@click.command("bots", short_help="List the bots.")
def command() -> None:
    """List the bots that are installed as plugins, with the games that they play and their options."""
    from tourney import plugins
    from tourney.cli.render.describe import loaded, options_lines, print_unusable

    found, broken = loaded(plugins.bot_names(), lambda name: plugins.load_bot(name, Path()))
    for name, bot in found.items():
        games = "every game" if bot.games is None else ", ".join(bot.games)
        echo(*textwrap.wrap(f"{name}: {bot.summary}", 79, subsequent_indent="  "))
        echo(*textwrap.wrap(f"  plays {games}; from {bot.fingerprint.version}", 79, subsequent_indent="  "))
        if bot.options is not None:
            echo("  options, with their defaults:", *options_lines(bot.options))
    print_unusable("bot", broken)
