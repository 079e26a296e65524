"""`tourney bots`: the bots that are there."""

from pathlib import Path

import click


@click.command("bots")
def command() -> None:
    """List the bots that plugins bring, with the games that they play and their options."""
    from tourney import catalog
    from tourney.cli.describe import options_table
    from tourney.stats.tables import table

    found = {name: catalog.load_bot(name, Path()) for name in catalog.bot_names()}
    lines = [
        [name, "every game" if bot.games is None else ", ".join(bot.games), bot.fingerprint.version, bot.summary]
        for name, bot in found.items()
    ]
    click.echo(table(("bot", "plays", "from", "what it is"), lines, "table", text_columns=(0, 1, 2, 3)))
    for name, bot in found.items():
        if bot.options is not None:
            click.echo(f"\noptions of {name}:")
            click.echo(options_table(bot.options))
