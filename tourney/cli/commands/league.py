"""`tourney league`: a league, whose bots may change while it is played."""

import re
import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from tourney.base.errors import EXIT_VERDICT, ConfigError, RunError
from tourney.base.sheet import TableFormat
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand, Group
from tourney.cli.playing import play as play_plan
from tourney.cli.playing import play_again, workers_of
from tourney.cli.render.standings_report import print_played
from tourney.cli.screen import echo, echo_sheet
from tourney.journal import folder
from tourney.journal.events import Kind
from tourney.journal.history import history as ratings_over_time
from tourney.journal.run import RunFolder
from tourney.report.writing import fresh_page, require_extra, write_page
from tourney.review import field as fields
from tourney.runner import league as leagues

LEAGUE = click.argument("league", shell_complete=opt.complete_run)
NAME = click.argument("name")
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


def _found(league: str) -> RunFolder:
    return RunFolder.find(league).require("league")


@click.group("league", cls=Group)
def command() -> None:
    """Hold a league: bots come, get better and are withdrawn, and matches go where they tell most."""


@command.command("new", cls=FinishingCommand)
@click.argument("name")
@click.option(
    "--game", "games", multiple=True, required=True, shell_complete=opt.complete_game,
    help="NAME or NAME:SEATS; repeatable, with the same number of seats.",
)  # fmt: skip
@click.option("--settle", default="order", show_default=True, help='What matters: "order", "best" or "top:N".')
@click.option("--host", shell_complete=opt.complete_host, help="The host of all bots that do not say otherwise.")
@click.option("--seed", help="The seed.  [default: a secret one]")
@opt.out("results/NAME")
def new(name: str, games: tuple[str, ...], settle: str, host: str | None, seed: str | None, out: Path | None) -> None:
    """Begin a league: make its folder, with a tournament file in which limits can be set."""
    path = out if out is not None else Path("results") / name
    leagues.begin(path, leagues.tournament_text(name, games, settle, host, seed))
    where = shlex.quote(str(path))
    echo(
        f"The league is in {where}. Next, try:",
        f"  tourney league submit {where} steady",
        "      submit a bot: a plugin's name, FILE.py:NAME, FOLDER:NAME or a program",
        f"  tourney league play {where}",
        "      play until everything is decided",
    )


@command.command("submit", cls=FinishingCommand)
@LEAGUE
@click.argument("bot", shell_complete=opt.complete_bot)
@click.option("--as", "name", help="The bot's name in the league.  [default: that of the bot]")
@click.option("--author", default="", help="Whose bot it is.")
@click.option(
    "--host", shell_complete=opt.complete_host, help="The host that it runs in.  [default: that of the league]"
)
@opt.OPTIONS
@opt.PROGRAM
@click.pass_context
def submit(
    context: click.Context, league: str, bot: str, name: str | None, author: str, host: str | None,
    options: dict[str, Any],    is_command: bool,
) -> None:  # fmt: skip
    """Copy BOT into the league, check it, and enter it from the next round on.

    A bot of a name that is there becomes its next version, and the version before is retired. Nothing is added if the
    same bot is there already. A file is copied with what it imports from its own folder. This can be done while the
    league is played. Exits with 1 if the bot is refused.
    """
    from tourney.review.submissions import CHECK_LOG
    from tourney.review.submissions import submit as submitted

    path = _found(league).path
    with interrupt.raised():
        submission = submitted(path, bot, is_command=is_command, name=name, author=author, host=host, options=options)
    if submission.taken:
        echo(f"also copied: {', '.join(submission.taken)}")
    if submission.state == "refused":
        echo(
            f"refused {submission.name}: {submission.why}",
            f"  full check: {path / leagues.BOTS / submission.name / CHECK_LOG}",
        )
        context.exit(EXIT_VERDICT)
    if submission.state == "there already":
        echo(f"no change: identical to {submission.name}")
    else:
        echo(f"added {submission.name}; it plays from the next round (block {submission.block})")


def _seconds(text: str) -> float:
    parts = _DURATION.fullmatch(text)
    if parts is None or not text:
        raise ConfigError(f"--for {text}: expected a time, for example 2h, 90m or 1h30m")
    hours, minutes, seconds = [int(part or 0) for part in parts.groups()]
    return float(3600 * hours + 60 * minutes + seconds)


@command.command("play", cls=FinishingCommand)
@LEAGUE
@click.option("--for", "time", metavar="TIME", help="Stop after this time, as in 2h or 30m.")
@click.option("--matches", type=click.IntRange(min=1), help="Stop after so many matches.")
@opt.WORKERS
@click.option(
    "--report", "page", metavar="FILE", type=click.Path(path_type=Path),
    help="A page of the league, as `tourney report` writes it, renewed every minute and at the end.",
)  # fmt: skip
@opt.QUIET
def play(
    league: str, time: str | None, matches: int | None, processes: str | None,
    page: Path | None, quiet: bool,
) -> None:  # fmt: skip
    """Play LEAGUE until nothing is worth playing, the time is over, or Ctrl-C stops it.

    Whoever is submitted meanwhile plays from the next round on. Stopped or killed at any moment, the league goes on
    with the next `tourney league play`, and with the same bytes.
    """
    path = folder.find_run(league)
    seconds = None if time is None else _seconds(time)
    if page is not None:
        require_extra()
        folder.make_parent(page, "--report")
    workers = workers_of(processes)
    with nullcontext() if page is None else fresh_page(path, page):
        plan = leagues.LeaguePlan(path, seconds, matches)
        play_plan(plan, workers, play_again(), quiet)
        opt.say_if_unfinished(plan.counts.matches, plan.counts.schedule)
        print_played(plan)
    if page is not None:
        write_page([path], page, None)


@command.command("field")
@LEAGUE
@click.option("--all", "everybody", is_flag=True, help="Also who was retired, and every version that was refused.")
@opt.FORMAT
def field(league: str, everybody: bool, form: TableFormat) -> None:
    """Print who is in LEAGUE: what each does, why, and since when; with deals, rating, faults, time of a decision.

    It lists who plays and who is paused; and of each name the last version if it was refused. CSV and JSON hold more:
    the whole reason of a pause, with the traceback of the fault, authors, and the block from which on it holds.
    """
    run = _found(league)
    rows = fields.field(run)
    empty = f"no bots yet; submit one with: tourney league submit {shlex.quote(str(run))} BOT"
    echo_sheet(fields.field_sheet(rows if everybody else fields.current(rows), empty), form)


@command.command("history")
@LEAGUE
@click.argument("name", required=False)
@opt.FORMAT
def history(league: str, name: str | None, form: TableFormat) -> None:
    """Print the ratings of LEAGUE over time, each with its 95 % interval: at each event, and at even steps.

    Each is by the matches before that block, and is the rating of that day. NAME is a bot with or without its version.
    The table shows who is there, the best first, as many as there is room for; CSV and JSON hold all.
    """
    run = _found(league)
    points = ratings_over_time(run)
    names = leagues.versions_of(run, name)
    if not points:
        raise RunError(f"{run}: no matches yet; play some with `tourney league play`")
    latest = points[-1].ratings
    field = leagues.field_of(run.events, run.tournament.names)
    there = [each.name for each in field if each.state in leagues.PRESENT and each.name in latest]
    there = sorted(there, key=lambda bot: -latest[bot].rating) if name is None else names
    echo_sheet(fields.history_sheet(points, names, there), form)


def _changing(verb: str, kind: Kind, does: str) -> None:
    @command.command(verb, cls=FinishingCommand, help=f"{does}, from the next round on; NAME means its latest version.")
    @LEAGUE
    @NAME
    @click.option("--why", default="", help="The reason, for those who ask.")
    def change(league: str, name: str, why: str) -> None:
        version = leagues.change(_found(league).path, name, kind, why)
        echo(f"{version.name} is {kind} from the next round on (block {version.block})")


_changing("pause", "paused", "Have a bot play no matches")
_changing("retire", "retired", "Withdraw a bot; its matches count as ever")
_changing("restore", "restored", "Have a bot that was paused or retired play again")
