"""`tourney bots`: lists the bots that are installed, or describes one."""

import inspect
import textwrap
from pathlib import Path

import click

from tourney.cli.options import complete_bot
from tourney.cli.render.describe import folded, loaded, narrow_width, options_lines, print_unusable
from tourney.cli.screen import echo
from tourney.plugins import registry


@click.command("bots")
@click.argument("name", required=False, shell_complete=complete_bot)
def command(name: str | None) -> None:
    """List the installed bots with their games and options, or describe one.

    NAME is a plugin or a bot in a file, given as FILE.py:NAME.
    """
    if name is not None:
        bot = registry.load_bot(name, Path())
        echo(*_bot_lines(name, bot))
        lines = [] if bot.options is None else options_lines(bot.options)
        echo("", *(["options, with their defaults:", *lines] if lines else ["no options"]))
        return
    bots, broken = loaded(registry.bot_names(), lambda name: registry.load_bot(name, Path()))
    for known, bot in bots.items():
        games = "every game" if bot.games is None else ", ".join(bot.games)
        for text in (
            f"{known}: {bot.summary}" if bot.summary else known,
            f"  plays {games}; from {bot.fingerprint.version}",
        ):
            echo(*textwrap.wrap(text, narrow_width() - 1, subsequent_indent="  "))
        if bot.options is not None:
            echo("  options, with their defaults:", *options_lines(bot.options))
    print_unusable("bot", broken)


def _bot_lines(name: str, bot: registry.BotPlugin) -> list[str]:
    first, *paragraphs = (inspect.getdoc(bot.make) or "").split("\n\n")
    games = ["every game"] if bot.games is None else list(bot.games)
    lines = textwrap.wrap(f"{name}: {first}" if first else name, narrow_width() - 1, subsequent_indent="  ")
    for paragraph in paragraphs:
        lines += ["", *textwrap.wrap(paragraph, narrow_width() - 1, initial_indent="  ", subsequent_indent="  ")]
    return [
        *lines,
        *([""] if paragraphs else []),
        *folded("plays    ", [f"{game}  " for game in games]),
        f"from     {bot.fingerprint.version or bot.use.rpartition(':')[0]}",
    ]
