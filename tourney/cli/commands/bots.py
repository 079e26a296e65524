"""`tourney bots`: lists the bots that are installed, or describes one."""

import textwrap
from pathlib import Path

import click

from tourney.cli import completion
from tourney.cli.screen import echo, width


@click.command("bots", short_help="List the bots, or describe one.")
@click.argument("name", required=False, shell_complete=completion.bots)
def command(name: str | None) -> None:
    """List the bots that are installed as plugins, with the games that they play and their options.

    With NAME, describe one: a plugin, or a bot in a file, given as FILE.py:NAME.
    """
    from tourney.cli.render.describe import WIDEST, bot_lines, loaded, options_lines, print_unusable
    from tourney.plugins import registry

    if name is not None:
        bot = registry.load_bot(name, Path())
        echo(*bot_lines(name, bot))
        lines = [] if bot.options is None else options_lines(bot.options)
        echo("", *(["options, with their defaults:", *lines] if lines else ["no options"]))
        return
    found, broken = loaded(registry.bot_names(), lambda name: registry.load_bot(name, Path()))
    for known, bot in found.items():
        games = "every game" if bot.games is None else ", ".join(bot.games)
        for text in (
            f"{known}: {bot.summary}" if bot.summary else known,
            f"  plays {games}; from {bot.fingerprint.version}",
        ):
            echo(*textwrap.wrap(text, min(width(), WIDEST) - 1, subsequent_indent="  "))
        if bot.options is not None:
            echo("  options, with their defaults:", *options_lines(bot.options))
    print_unusable("bot", broken)
