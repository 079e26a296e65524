"""`tourney check`: tries a bot."""

import shlex
from pathlib import PurePath
from typing import Any

import click

from tourney.errors import EXIT_VERDICT, ConfigError


@click.command("check", short_help="Try a bot, and list what would be faults.")
@click.argument("bot")
@click.option("--command", "is_command", is_flag=True, help="BOT is the command line of a program.")
@click.option("--host", help="Where it runs.  [default: inline, or process for a program]")
@click.option("--game", "games", multiple=True, help="Only this game; can be given several times.")
@click.option("--options", default="", help='The bot\'s options, as in a tournament file: "{ playouts = 20 }".')
@click.option("--deals", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Deals of each game.")
@click.option("--seed", default="1", show_default=True, help="What the deals are drawn by.")
@click.option("--move-ms", type=click.IntRange(min=1), help="Limit: for one decision.")
@click.option("--start-ms", type=click.IntRange(min=1), help="Limit: to be made and told the facts of a match.")
@click.option("--match-s", type=click.FloatRange(min=0, min_open=True), help="Limit: for one match.")
@click.option("--memory-mb", type=click.IntRange(min=1), help="Limit: for its memory.")
@click.pass_context
def command(
    context: click.Context,
    /,
    bot: str,
    is_command: bool,
    host: str | None,
    games: tuple[str, ...],
    options: str,
    deals: int,
    seed: str,
    **limits: float | None,
) -> None:
    """Try BOT, a plugin's name or FILE.py:NAME, at every game and number of seats that it claims.

    It sits in every seat in turn among random bots, and then in all of them. All is played twice: as in a tournament,
    and watched in another process. A line says what was found: legality; determinism (the same actions again); speed;
    leftovers (a changed view, global state, threads, processes). Exits with 1 if any of it is not as it should be.
    """
    from tourney.debugging import bot_check

    entered: dict[str, Any] = {"name": _name(bot, is_command)}
    entered |= {"command": shlex.split(bot)} if is_command else {"use": bot}
    if host is not None:
        entered["host"] = host
    if options:
        entered["options"] = _options(options)
    given = {key: value for key, value in limits.items() if value is not None}
    tournament = bot_check.make_trial(entered, games, given, seed)
    bad = False
    for finding in bot_check.check(tournament, deals):
        bad |= not finding.passed
        click.echo(f"{'ok' if finding.passed else 'FAIL':4}  {finding.topic:11}  {finding.text}")
    if bad:
        context.exit(EXIT_VERDICT)


def _name(bot: str, is_command: bool) -> str:
    """What to call it: the plugin's name, or that of the file or program."""
    word = PurePath(shlex.split(bot)[-1]).stem if is_command else PurePath(bot.rpartition(":")[0] or bot).stem
    return "".join([letter if letter.isalnum() or letter in "_.+-" else "-" for letter in word])[:60] or "bot"


def _options(text: str) -> dict[str, Any]:
    import tomllib

    try:
        found = tomllib.loads(f"options = {text}")["options"]
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f'--options: is not TOML ({error}); write it as in "{{ playouts = 20 }}"') from None
    if not isinstance(found, dict):
        raise ConfigError('--options: is no table; write it as in "{ playouts = 20 }"')
    return found
