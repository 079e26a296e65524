"""`tourney serve-bot`: a Python bot as a server for the bots of tournaments that have a `url`."""

import click

from tourney.cli.errors import FinishingCommand
from tourney.cli.options import complete_bot, key_values
from tourney.cli.screen import echo


@click.command("serve-bot", cls=FinishingCommand)
@click.argument("bot", shell_complete=complete_bot)
@click.option("--port", type=click.IntRange(0, 65535), required=True, help="The port; 0 takes one that is free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address of this machine to listen at.")
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the bot; repeatable.")
@click.option(
    "--batch", type=click.IntRange(1, 1 << 16), default=64, show_default=True,
    help="How many decisions a bot with act_many is asked for at once, at most.",
)  # fmt: skip
@click.option(
    "--wait-ms", type=click.FloatRange(0, 60_000), default=5, show_default=True,
    help="How long such a bot's first decision waits for others.",
)  # fmt: skip
def command(bot: str, port: int, host: str, options: tuple[str, ...], batch: int, wait_ms: float) -> None:
    """Serve BOT, a plugin's name or FILE.py:NAME, to tournaments whose [[bot]] tables have its address as their url.

    One server plays in all seats of all matches, until Ctrl-C. The bot's code runs in one thread: every match has an
    object of its own, and they are asked in turn; but a class with act_many(views, legals) is one object for all, which
    is asked for what has come together. Faults are printed, a line each, and reported to the tournament.

    Whoever reaches the port can have the bot decide. By default only this machine can.
    """
    from tourney.hosts.serve import serve

    def ready(address: str, reachable: bool) -> None:
        if reachable:
            echo(
                f"warning: whoever reaches {address} can ask the bot; a firewall or --host 127.0.0.1 keep others out",
                err=True,
            )
        echo(f"{bot} is served at {address}")

    serve(bot, key_values(options), (host, port), batch, wait_ms, ready, lambda line: echo(line, err=True))
