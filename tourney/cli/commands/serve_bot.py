"""`tourney serve-bot`: serves a Python bot to tournaments, for bots with a `url`."""

from functools import partial

import click

from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.screen import say


@click.command("serve-bot", cls=FinishingCommand)
@click.argument("bot", shell_complete=opt.complete_bot)
@opt.address(0, required=True)
@opt.NAMES
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="Set a bot option; repeatable.")
@click.option(
    "--batch", type=click.IntRange(1, 1 << 16), default=64, show_default=True,
    help="Maximum decisions per call of act_many.",
)  # fmt: skip
@click.option(
    "--wait-ms", type=click.FloatRange(0, 60_000), default=5, show_default=True,
    help="Time that the first decision of a batch waits for others.",
)  # fmt: skip
def command(
    bot: str, address: tuple[str, int], names: tuple[str, ...], options: tuple[str, ...], batch: int, wait_ms: float
) -> None:
    """Serve BOT, a plugin or FILE.py:NAME, to tournaments over HTTP.

    To enter it, put the server's address into a [[bot]] table as its url. One server plays all seats of all matches,
    until Ctrl-C. The bot runs in one thread: each match has its own object, and the objects are asked in turn. A class
    with act_many(views, legals) has one object for all matches, and decides in batches. Faults are printed, one per
    line, and reported to the tournament.

    Anyone who can reach the port can ask the bot; by default, only this machine can.
    """
    from tourney.web.served_bot import serve

    ready = partial(opt.say_served, bot, "can use the bot")
    serve(bot, opt.key_values(options), address, names, batch, wait_ms, ready, say)
