"""`tourney check`: examines a bot before it enters a tournament, or a game before it is played."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import click

from tourney.base.errors import EXIT_VERDICT, ConfigError
from tourney.cli import completion, interrupt
from tourney.cli.errors import FinishingCommand
from tourney.cli.screen import echo, width


@click.command(
    "check", cls=FinishingCommand, short_help="Examine a bot, or a game: what would go wrong in a tournament?"
)
@click.argument("bot", required=False, shell_complete=completion.bots)
@click.option("--command", "is_command", is_flag=True, help="BOT is the command line of a program.")
@click.option(
    "--host",
    shell_complete=completion.hosts,
    help="The host that the bot runs in.  [default: inline, or process for a program]",
)
@click.option("--keep", is_flag=True, help="Keep the bot's process for several matches.")
@click.option(
    "--game",
    "games",
    multiple=True,
    shell_complete=completion.games,
    help="Only this game; repeatable. Without BOT: the game to examine.",
)
@click.option("--options", default="", help='The bot\'s options, as in a tournament file: "{ playouts = 20 }".')
@click.option(
    "--deals",
    type=click.IntRange(1, 10_000),
    help="How many deals of each game to play.  [default: 1 with a bot, 3 for a game]",
)
@click.option("--seed", default="1", show_default=True, help="The seed of the deals.")
@click.option("--move-ms", type=click.IntRange(min=1), help="Time limit for a decision.")
@click.option("--clock", help="Time for all decisions of a match, as in 10s+50ms.")
@click.option("--cpu-ms", type=click.IntRange(min=1), help="Limit of processor time for a decision.")
@click.option("--cpu", help="Processor time for all decisions of a match, as in 10s+50ms.")
@click.option("--start-ms", type=click.IntRange(min=1), help="Time limit for the start of a match.")
@click.option(
    "--match-s",
    type=click.FloatRange(min=0, min_open=True),
    help="Time limit for a match, or for a part of the check of a game.",
)
@click.option("--memory-mb", type=click.IntRange(min=1), help="Memory limit.")
@click.pass_context
def command(
    context: click.Context,
    /,
    bot: str | None,
    is_command: bool,
    host: str | None,
    keep: bool,
    games: tuple[str, ...],
    options: str,
    deals: int | None,
    seed: str,
    **limits: float | str | None,
) -> None:
    """Examine BOT, a plugin's name or FILE.py:NAME, at every game and number of seats that it claims; or a game.

    The bot sits in each seat in turn among random bots, and then in all seats. Every match is played twice: as in a
    tournament, and observed in another process. The report says whether all answers were legal, whether it chose the
    same actions both times, how fast it was, and what it left behind (a changed view, global state, threads,
    processes). Exits with 1 if any of them fails.

    Without BOT, `--game NAME` examines a game at every number of seats: legal actions, ends and scores, that the seed
    alone decides what is dealt, that views neither change nor leak, that `imagine` fits them, and more, in a line each.
    """
    if bot is None:
        only_of_bots = {"command": is_command, "host": host, "keep": keep, "options": options}
        unfit = [name for name, value in (only_of_bots | limits | {"match_s": None}).items() if value]
        _check_games(context, games, unfit, deals, seed, limits["match_s"])
        return
    from tourney.cli.render.text import traceback_lines
    from tourney.hosts.limits import TimeControl
    from tourney.review import bot_check

    entered: dict[str, Any] = {"name": _name(bot, is_command)}
    entered |= {"command": _words(bot)} if is_command else {"use": bot}
    if host is not None:
        entered["host"] = host
    if keep:
        entered["keep"] = True
    if options:
        entered["options"] = _options(options)
    for key in ("clock", "cpu"):
        if limits[key] is not None:
            TimeControl.parse(str(limits[key]), f"--{key}")
    given = {key: value for key, value in limits.items() if value is not None}
    with interrupt.raised():
        tournament = bot_check.make_trial(entered, games, given, seed)
    bad = False
    for finding in bot_check.check(tournament, deals or 1):
        bad |= not finding.passed
        _print(finding)
        if finding.traceback:
            echo(*[f"      {line}" for line in traceback_lines(finding.traceback)])
    if bad:
        context.exit(EXIT_VERDICT)


def _check_games(
    context: click.Context,
    games: tuple[str, ...],
    unfit: Sequence[str],
    deals: int | None,
    seed: str,
    most_s: Any,
) -> None:
    """Examines games, and ends with 1 if something does not hold."""
    from tourney.testing.game_check import MOST_S, check_game

    if not games:
        raise ConfigError("nothing to examine: name a bot, as in `tourney check steady`, or a game by --game NAME")
    if unfit:
        flag = unfit[0].replace("_", "-")
        raise ConfigError(f"--{flag} is for a bot, and none is named; leave it out to examine a game")
    bad = False
    with interrupt.raised():
        for game in dict.fromkeys(games):
            for finding in check_game(game, deals or 3, seed, limit_s=most_s or MOST_S):
                bad |= not finding.passed
                _print(finding)
    if bad:
        context.exit(EXIT_VERDICT)


def _print(finding: Any) -> None:
    from tourney.cli.render.text import wrapped

    line = f"{'ok' if finding.passed else 'FAIL':4}  {finding.topic:12}  {finding.text}"
    echo(*(wrapped(line, 20 * " ", width()) if sys.stdout.isatty() else [line]))


def _name(bot: str, is_command: bool) -> str:
    """Returns the name of the bot in the matches: that of the plugin, the file or the program."""
    word = PurePath((_words(bot) or [""])[-1]).stem if is_command else PurePath(bot.rpartition(":")[0] or bot).stem
    return "".join([letter if letter.isalnum() or letter in "_.+-" else "-" for letter in word])[:60] or "bot"


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"{command}: is no command line ({error}); mend its quotes") from None


def _options(text: str) -> dict[str, Any]:
    import tomllib

    try:
        found = tomllib.loads(f"options = {text}")["options"]
    except (ValueError, RecursionError) as error:  # also for numbers of thousands of digits
        raise ConfigError(f'--options: is not TOML ({error}); write it as in "{{ playouts = 20 }}"') from None
    if not isinstance(found, dict):
        raise ConfigError('--options: is no table; write it as in "{ playouts = 20 }"')
    return found
