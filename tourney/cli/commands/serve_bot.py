"""`tourney serve-bot`: serves a Python bot to tournaments, for bots with a `url`."""

import click

from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.screen import echo


@click.command("serve-bot", cls=FinishingCommand)
@click.argument("bot", shell_complete=opt.complete_bot)
@opt.address(0, required=True)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of the bot; repeatable.")
@click.option(
    "--batch", type=click.IntRange(1, 1 << 16), default=64, show_default=True,
    help="How many decisions a bot with act_many is asked for at once, at most.",
)  # fmt: skip
@click.option(
    "--wait-ms", type=click.FloatRange(0, 60_000), default=5, show_default=True,
    help="How long such a bot's first decision waits for others.",
)  # fmt: skip
def command(bot: str, address: tuple[str, int], options: tuple[str, ...], batch: int, wait_ms: float) -> None:
    """Serve BOT, a plugin's name or FILE.py:NAME, to tournaments whose [[bot]] tables have its address as their url.

    One server plays in all seats of all matches, until Ctrl-C. The bot's code runs in one thread: every match has an
    object of its own, and they are asked in turn; but a class with act_many(views, legals) is one object for all, which
    is asked for what has come together. Faults are printed, a line each, and reported to the tournament.

    Whoever reaches the port can have the bot decide. By default only this machine can.
    """
    from tourney.hosts.serve import serve

    def ready(url: str, reachable: bool) -> None:
        if reachable:
            echo(
                f"warning: anyone who can reach {url} can use the bot; use a firewall or --address 127.0.0.1",
                err=True,
            )
        echo(f"serving {bot} at {url}")

    serve(bot, opt.key_values(options), address, batch, wait_ms, ready, lambda line: echo(line, err=True))
