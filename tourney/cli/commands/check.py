"""`tourney check`: examines a bot before it enters a tournament, or a game before it is played."""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import click

from tourney import config as configuration
from tourney.base import validation
from tourney.base.errors import EXIT_VERDICT, ConfigError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.render.standings_report import LookCommands
from tourney.cli.screen import echo, traceback_lines, width, wrapped
from tourney.config import Tournament
from tourney.config.writing import command_words
from tourney.hosts.limits import Limits
from tourney.review import bot_check
from tourney.review import pins as pinned
from tourney.testing.game_check import MOST_S, check_game


@click.command("check", cls=FinishingCommand)
@click.argument("bots", nargs=-1, metavar="[BOT_OR_CONFIG] [NAME]...", shell_complete=opt.complete_bot)
@opt.PROGRAM
@click.option(
    "--host", shell_complete=opt.complete_host,
    help="Host to run the bot in.  [default: inline, or process for a program]",
)  # fmt: skip
@click.option("--keep", is_flag=True, help="Keep the bot's process for several matches.")
@click.option(
    "--game", "games", multiple=True, metavar="GAME[:SEATS]", shell_complete=opt.complete_game,
    help="Only this game; repeatable. Without BOT: the game to check.",
)  # fmt: skip
@opt.OPTIONS
@click.option(
    "--deals", type=click.IntRange(1, 10_000), help="Number of deals per game.  [default: 1 for a bot, 3 for a game]"
)
@click.option("--seed", default="1", show_default=True, help="Seed of the deals.")
@click.option("--limits", default="", help='Limits as a TOML table: "{ move_ms = 100 }".')
@click.option(
    "--kit", metavar="FILE", type=opt.PATH,
    help="Check BOT as a league will, by the kit that `tourney bundle --kit` wrote, zipped or unpacked.",
)  # fmt: skip
@opt.PINS
@click.option(
    "--known", metavar="FILE", type=opt.PATH,
    help="With --pins: pass if exactly the pins named in FILE fail, one name per line.",
)  # fmt: skip
@click.option("--ask", "asks", is_flag=True, help="With --pins: ask nondeterministic bots, too.")
@click.pass_context
def command(
    context: click.Context, /, bots: tuple[str, ...], is_command: bool, host: str | None, keep: bool,
    games: tuple[str, ...], options: dict[str, Any], deals: int | None, seed: str, limits: str,
    kit: Path | None, pins: Path | None, known: Path | None, asks: bool,
) -> None:  # fmt: skip
    """Check a bot, a game or a tournament's entrants for problems.

    BOT, a plugin's name or FILE.py:NAME, plays every game and number of seats it supports: in each seat among random
    bots, then in all seats. Every match is played twice, once as in a tournament and once observed in another process.
    The report covers illegal answers, differences between the two and their cause, speed, and side effects (a changed
    view, global state, threads, processes). Each problem ends with the command that opens it in results/check-BOT,
    which has the matches until the bot's next check. Exits with 1 if a check fails.

    With CONFIG, a tournament file, its entrants are checked as the tournament will run them, with their hosts, limits
    and readable files; name some to check only those.

    With --kit, the check is the league's own: BOT is copied, checked in the league's host under its limits, and plays
    a match against the bots of the kit. It stops at the first failure. The matches and the copy are in
    results/check-BOT@1.

    With --pins, BOT is only asked, in its host, at the decisions that `tourney pin` wrote to FOLDER.

    Without BOT, `--game NAME` checks a game at every number of seats: legal actions, endings, scores, seeds, views
    that change or leak, `imagine` and more, one per line. The limit match_s then applies to each match and each part of
    the check.
    """
    given = opt.toml_table("--limits", limits, "{ move_ms = 100 }")
    of_a_bot = {"command": is_command, "host": host, "keep": keep, "options": options}
    is_file = bool(bots) and bots[0].endswith(".toml") and not is_command
    if pins is None and (known or asks):
        raise ConfigError("--known and --ask require --pins")
    if pins is not None and (not bots or is_file):
        raise ConfigError("--pins requires a BOT: a plugin's name, FILE.py:NAME, or a program with --command")
    if kit is not None:
        opt.exclusive(kit=kit, pins=pins, keep=keep, game=games, deals=deals, limits=limits or None)
        passed = _check_kit(kit, bots, is_command, host, options)
    elif not bots:
        with interrupt.raised():
            passed = _print(_game_findings(games, of_a_bot, deals or 3, seed, given))
    elif is_file:
        for name in [name for name, value in (of_a_bot | {"limits": given}).items() if value]:
            raise ConfigError(f"--{name}: not supported with a tournament file, which sets it")
        passed = _check_cup(Path(bots[0]), bots[1:], games, seed, deals or 1)
    else:
        if len(bots) > 1:
            raise ConfigError(
                f"{bots[1]}: expected one bot, or entrants of a file, for example tourney check CUP.toml NAME"
            )
        entered = _bot_table(bots[0], is_command, options)
        entered |= {key: value for key, value in (("host", host), ("keep", keep)) if value}
        if pins is not None:
            opt.exclusive(pins=pins, game=games, deals=deals)
            passed = _check_pins(entered, pins, known, given, asks)
        else:
            with interrupt.raised():
                trial = bot_check.make_trial(entered, games, given, seed, deals or 1)
            passed = _print_check(trial.tournament, trial.tournament.names[0], partial(bot_check.check, trial))
    if not passed:
        context.exit(EXIT_VERDICT)


def _check_pins(entered: dict[str, Any], folder: Path, known: Path | None, limits: dict[str, Any], asks: bool) -> bool:
    with interrupt.raised():
        read = pinned.read_pins(folder)
        passed, lines = pinned.check_bot(read, entered, limits, pinned.read_known(known, read), asks)
    echo(*lines)
    return passed


def _check_cup(path: Path, names: Sequence[str], games: Sequence[str], seed: str, deals: int) -> bool:
    with interrupt.raised():
        text = configuration.read_text(path)
        cup = configuration.of_text(text, path)
        entrants = bot_check.cup_entrants(cup, names)
    passed = True
    for entrant in entrants:
        echo(f"{entrant.name}, as {path} runs it in the host {entrant.host}:")
        check = partial(bot_check.check_entrant, cup, entrant, path, games, seed, deals, text=text)
        passed &= _print_check(cup, entrant.name, check)
    return passed


def _check_kit(kit: Path, bots: Sequence[str], is_command: bool, host: str | None, options: dict[str, Any]) -> bool:
    from tourney.review.kit import check  # other checks do without the modules of leagues

    if len(bots) != 1:
        raise ConfigError("--kit requires one BOT: a plugin's name, FILE.py:NAME, or a program with --command")
    played: list[Tournament] = []

    def run(tournament: Tournament) -> Path:
        played.append(tournament)
        return _run_of(tournament.names[0])

    def look(at: bot_check.Place) -> str:
        name = played[0].names[0]
        return LookCommands(_run_of(name), played[0], None).place(name, *at)

    return _print(check(kit, bots[0], is_command, host, options, run), look)


def _game_findings(
    games: tuple[str, ...], only_of_bots: dict[str, Any], deals: int, seed: str, limits: dict[str, Any]
) -> Iterator[bot_check.Finding]:
    for key in [key for key in limits if key != "match_s"]:
        raise ConfigError(f"--limits: {key} is only valid for a bot")
    limit_s = validation.read(Limits, limits, "--limits").match_s if limits else MOST_S
    if not games:
        raise ConfigError("nothing to examine; name a bot, for example `tourney check steady`, or use --game NAME")
    for name in [name for name, value in only_of_bots.items() if value]:
        raise ConfigError(f"--{name} is only valid for a bot, not for a game")
    for game in dict.fromkeys(games):
        yield from check_game(game, deals, seed, limit_s=limit_s)


def _run_of(bot: str) -> Path:
    return Path("results") / bot_check.run_name(bot)


def _print_check(tournament: Tournament, bot: str, check: Callable[..., Iterable[bot_check.Finding]]) -> bool:
    run = _run_of(bot)
    look = LookCommands(run, tournament, Path(tournament.folder))
    return _print(check(run=run), lambda at: look.place(bot, *at))


def _print(findings: Iterable[bot_check.Finding], look: Callable[[bot_check.Place], str] | None = None) -> bool:
    passed = True
    for finding in findings:
        passed &= finding.passed
        line = f"{'ok' if finding.passed else 'FAIL':4}  {finding.topic:12}  {finding.text}"
        echo(*(wrapped(line, 20 * " ", width()) if sys.stdout.isatty() else [line]))
        if finding.traceback:
            echo(*[f"      {line}" for line in traceback_lines(finding.traceback)])
        if look is not None and finding.at is not None and not finding.passed:
            echo(f"      {look(finding.at)}")
    return passed


def _bot_table(bot: str, is_command: bool, options: dict[str, Any]) -> dict[str, Any]:
    table: dict[str, Any] = {"use": bot}
    source = bot.rpartition(":")[0] or bot
    if is_command:
        words = command_words(bot)
        table, source = {"command": words}, (words or [""])[-1]
    letters = [letter if letter.isalnum() or letter in "_.+-" else "-" for letter in PurePath(source).stem]
    table["name"] = "".join(letters)[:60] or "bot"
    if options:
        table["options"] = options
    return table
