"""`tourney league`: a league, whose bots may change while it is played."""

import re
import shlex
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from tourney.base.errors import EXIT_VERDICT, ConfigError, RunError, listed
from tourney.base.sheet import TableFormat
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand, Group
from tourney.cli.playing import play as play_plan
from tourney.cli.playing import play_again, workers_of
from tourney.cli.render.resolution import league_line
from tourney.cli.render.standings_report import print_played
from tourney.cli.screen import echo, echo_sheet, echo_wrapped, say
from tourney.contracts.wording import counted
from tourney.journal import folder
from tourney.journal.events import BOTS, Kind
from tourney.journal.history import history as ratings_over_time
from tourney.journal.run import RunFolder
from tourney.report.writing import fresh_page, require_extra, write_page
from tourney.review import field as fields
from tourney.runner import league as leagues

LEAGUE = click.argument("league", shell_complete=opt.complete_run)
NAME = click.argument("name")
WATCH_S = 10.0
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")


def _found(league: str) -> RunFolder:
    return RunFolder.find(league, "league").require("league")


@click.group("league", cls=Group)
def command() -> None:
    """Run a league: bots join, improve and leave over time.

    Matches go where they are most informative. Create a league with `new`, add bots with `submit`, and play with
    `play`, for example from cron. See `tourney docs run-a-league`.
    """


@command.command("new", cls=FinishingCommand)
@click.argument("name")
@click.option(
    "--game", "games", multiple=True, shell_complete=opt.complete_game,
    help="Game to play, NAME or NAME:SEATS; repeatable. All games need the same number of seats.",
)  # fmt: skip
@click.option(
    "--like", metavar="LEAGUE", shell_complete=opt.complete_run,
    help="Take over bots, versions, authors and settings of LEAGUE, without its matches.",
)  # fmt: skip
@click.option("--settle", help='Decide the full "order", the "best" bot, or the "top:N".  [default: order]')
@click.option("--host", shell_complete=opt.complete_host, help="Default host for all bots.")
@click.option("--seed", help="Root seed.  [default: a random secret]")
@opt.out("results/NAME")
@click.pass_context
def new(
    context: click.Context, name: str, games: tuple[str, ...], like: str | None, settle: str | None,
    host: str | None, seed: str | None, out: Path | None,
) -> None:  # fmt: skip
    """Create a league.

    Writes NAME's folder with a tournament file, where you can set limits before the first round.

    --like creates the successor of a league, for example with other games: it checks each bot in the league at the
    new games, and enters or refuses it. Names stay their authors'. What is not given is as in LEAGUE, except the seed.
    """
    path = out if out is not None else Path("results") / name
    where = shlex.quote(str(path))
    if like is not None:
        from tourney.review.submissions import succeed

        with interrupt.raised():
            for each in succeed(path, name, _found(like), games, settle, host, seed):
                echo(f"{each.state} {each.name}{f': {each.why}' if each.why else ''}")
        echo(f"The league is in {where}. Play it with: tourney league play {where}")
        return
    if not games:
        raise click.MissingParameter(ctx=context, param_type="option", param_hint="'--game'")
    leagues.begin(path, leagues.tournament_text(name, games, settle or "order", host, seed))
    echo(
        f"The league is in {where}. Next, try:",
        f"  tourney league submit {where} steady",
        "      submit a bot: a plugin's name, FILE.py:NAME, FOLDER:NAME or a program",
        f"  tourney league play {where}",
        "      play until everything is decided",
        league_line(RunFolder.find(str(path), "league").tournament),
    )


@command.command("submit", cls=FinishingCommand)
@LEAGUE
@click.argument("bot", shell_complete=opt.complete_bot)
@click.option("--as", "name", help="Name in the league.  [default: the bot's name]")
@click.option("--author", default="", help="The bot's author, who is not named on pages.")
@click.option("--display", default="", metavar="TEAM", help="Name on pages of whose bot it is.")
@click.option("--host", shell_complete=opt.complete_host, help="Host to run the bot in.  [default: the league's]")
@click.option(
    "--reads", multiple=True, metavar="PATH", help="Copy this file or folder of the bot's folder; repeatable."
)
@opt.OPTIONS
@opt.PROGRAM
@click.pass_context
def submit(
    context: click.Context, league: str, bot: str, name: str | None, author: str, display: str,
    host: str | None, reads: tuple[str, ...], options: dict[str, Any], is_command: bool,
) -> None:  # fmt: skip
    """Check a bot and add it to the league.

    Copies BOT into the league, checks it under the league's limits, and enters it from the next round on. If the name
    is taken, BOT becomes its next version and the previous version is retired. If BOT is identical to the current
    version, nothing changes. A file is copied together with the modules it imports from its own folder and what --reads
    names; a program together with its folder. Links out of these are refused. You can submit while the league is
    playing. Exits with 1 if the bot is refused.
    """
    from tourney.review.submissions import CHECK_LOG
    from tourney.review.submissions import submit as submitted

    path = _found(league).path
    with interrupt.raised():
        submission = submitted(
            path, bot, is_command=is_command, name=name, author=author, display=display, host=host, options=options,
            reads=reads,
        )  # fmt: skip
    if submission.taken:
        echo(f"also copied: {listed(submission.taken)}")
    for file in submission.left:
        echo(f"not copied: {file}, which the bot's code names; copy it with --reads {shlex.quote(file)}")
    if submission.twins:
        echo(f"the same files as {', '.join(submission.twins)} of another author")
    if submission.state == "refused":
        echo(
            f"refused {submission.name}: {submission.why}",
            f"  full check: {path / BOTS / submission.name / CHECK_LOG}",
        )
        context.exit(EXIT_VERDICT)
    if submission.state == "there already":
        echo(f"no change: identical to {submission.name}")
    else:
        echo(f"added {submission.name}; it plays from the next round (block {submission.block})")


@command.command("inbox", cls=FinishingCommand)
@LEAGUE
@click.argument("place", metavar="FOLDER", type=opt.FOLDER_PATH)
@click.option("--watch", is_flag=True, help=f"Look again every {WATCH_S:g} s, until Ctrl-C.")
@click.option(
    "--per-day", metavar="N", type=click.IntRange(min=1), default=20, show_default=True,
    help="Take at most N submissions of an author a day (UTC).",
)  # fmt: skip
@click.option(
    "--git", "schemes", multiple=True, type=click.Choice(["https", "ssh", "file"]), default=["https"],
    show_default=True, help="Allow addresses of this kind for git repositories; repeatable.",
)  # fmt: skip
def inbox(league: str, place: Path, watch: bool, per_day: int, schemes: tuple[str, ...]) -> None:
    """Submit everything in the authors' folders of FOLDER.

    FOLDER/AUTHOR contains a folder, a zip or tar file, loose files, or a file NAME.git with the address of a git
    repository. Each is a bot: one class with a method act in a file or package, or a program. It is named after its
    author, or AUTHOR-NAME if the author has several. RESULT.txt and check.txt in the author's folder tell the result.

    Everything unchanged since the last time is left alone, so you can run this from cron. Links, devices, and more than
    the league's max_files and max_mb are refused. See `tourney docs run-a-league`.
    """
    from tourney.review.inbox import Inbox

    run = _found(league)
    if leagues.default_host(run.path) != "sandbox":
        say(f'warning: {run}: bots from strangers need host = "sandbox" under [defaults]')
    with interrupt.raised():
        while True:
            for outcome in Inbox(run.path, place, per_day, schemes).take():
                echo(f"{outcome.author}/{outcome.entry}: {outcome.text}")
            if not watch:
                return
            time.sleep(WATCH_S)


def _seconds(text: str) -> float:
    parts = _DURATION.fullmatch(text)
    if parts is None or not text:
        raise ConfigError(f"--for {text}: expected a time, for example 2h, 90m or 1h30m")
    hours, minutes, seconds = [int(part or 0) for part in parts.groups()]
    return float(3600 * hours + 60 * minutes + seconds)


@command.command("play", cls=FinishingCommand)
@LEAGUE
@click.option("--for", "limit", metavar="TIME", help="Stop after this long, such as 2h or 30m.")
@click.option("--matches", type=click.IntRange(min=1), help="Stop after this many matches.")
@opt.WORKERS
@click.option(
    "--report", "page", metavar="FILE", type=opt.PATH,
    help="Keep an HTML report in FILE, updated every minute and at the end.",
)  # fmt: skip
@opt.QUIET
def play(
    league: str, limit: str | None, matches: int | None, processes: str | None,
    page: Path | None, quiet: bool,
) -> None:  # fmt: skip
    """Play rounds until everything is decided.

    Stops earlier after --for or --matches, or on Ctrl-C. Bots submitted while it runs join in the next round. After
    any stop, even a crash, the next `tourney league play` continues with byte-identical results.
    """
    path = folder.find_run(league, "league")
    seconds = None if limit is None else _seconds(limit)
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
@click.option("--all", "everybody", is_flag=True, help="Include retired bots and all refused versions.")
@opt.FORMAT
def field(league: str, everybody: bool, form: TableFormat) -> None:
    """List the bots and their status.

    Shows which bots are playing or paused, why and since when, and whether a bot plays now or for which round it waits;
    with their deals, rating, faults and time per decision, and the latest version of each name if it was refused. CSV
    and JSON add authors, the block at which the status changed, and the full reason for a pause with the traceback.
    """
    run = _found(league)
    rows, next_round = fields.field(run)
    empty = f"no bots yet; submit one with: tourney league submit {shlex.quote(str(run))} BOT"
    shown = rows if everybody else fields.current(rows)
    echo_sheet(fields.field_sheet(shown, empty, next_round), form)


@command.command("history")
@LEAGUE
@click.argument("name", required=False)
@opt.FORMAT
def history(league: str, name: str | None, form: TableFormat) -> None:
    """Print ratings over time.

    One row per event and at regular intervals, with 95 % intervals, each computed from the matches played up to then.
    NAME is a bot, with or without a version. The table shows the best active bots that fit; CSV and JSON have all.
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


def _changing(verb: str, kind: Kind, does: str, more: str = "") -> None:
    @command.command(
        verb,
        cls=FinishingCommand,
        help=f"{does} from the next round on.\n\nNAME without a version means the latest version.{more}",
    )
    @LEAGUE
    @NAME
    @click.option("--why", default="", help="Reason, shown in `tourney league field`.")
    def change(league: str, name: str, why: str, restore_previous: bool = False) -> None:
        for each in leagues.change(_found(league).path, name, kind, why, restore_previous):
            state = "restored" if each.state == "plays" else each.state
            echo(f"{each.name} is {state} from the next round on (block {each.block})")

    if kind == "retired":
        click.option("--restore-previous", is_flag=True, help="Let the version before play again.")(change)


_changing("pause", "paused", "Pause a bot")
_changing("retire", "retired", "Retire a bot, keeping its matches,", " Its older versions retire, too.")
_changing("restore", "restored", "Bring back a paused or retired bot")


@command.command("void", cls=FinishingCommand)
@LEAGUE
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@click.option("--between", nargs=2, metavar="FROM TO", help="All rounds that were played between two dates (UTC).")
@click.option("--timeouts", is_flag=True, help="All matches with a timeout.")
@click.option("--why", default="", help="Reason, shown on the page.")
def void(league: str, matches: tuple[str, ...], between: tuple[str, str] | None, timeouts: bool, why: str) -> None:
    """Void matches, for example after a fault of the machine.

    They stay in the journal, marked in `tourney matches`, but count no more in standings, ratings, gains and faults.
    All matches of the same bots on the same deal are voided together. In the next round, these bots play as many fresh
    deals, if all of them still play. FROM and TO are dates such as 2026-11-26 or 2026-11-26T12:00. Matches have no
    dates, so this voids all rounds that may have been played in that time.
    """
    from tourney.review import season

    if not (matches or between or timeouts):
        raise ConfigError("nothing to void; give matches, --between FROM TO or --timeouts")
    count = season.void(_found(league), matches, between, timeouts=timeouts, why=why)
    echo(f"voided {counted(count, 'match', 'matches')}; the bots play as many again in the next round")


@command.command("close", cls=FinishingCommand)
@LEAGUE
@click.option("--at", metavar="DATE", help="When, UTC; the end of the day without a time.  [default: now]")
def close(league: str, at: str | None) -> None:
    """End submissions, and draw the seed of the final.

    Checks in progress are finished; later bots are refused. You can still play the league. To open it again, give a
    later DATE. Publish the hash of the final's seed now, and the seed, which is in the league's folder, afterwards.
    """
    event = leagues.close(_found(league).path, at)
    state = "open for submissions until" if event.until > event.date else "closed for submissions since"
    echo_wrapped(f"{state} {event.until}", f"SHA-256 of the final's seed: {event.sha256}")


@command.command("final", cls=FinishingCommand)
@LEAGUE
@click.option("--best", type=click.IntRange(min=2), default=8, show_default=True, help="How many bots play.")
@click.option("--deals", type=click.IntRange(min=1), default=500, show_default=True, help="Deals of each meeting.")
@click.option("--format", "form", default="round-robin", show_default=True, help="Who meets whom.")
@click.option("--rounds", type=click.IntRange(min=1), help="Rounds, of a Swiss.")
@click.option("--out", "-o", type=opt.PATH, default="final.toml", show_default=True, help="Output file.")
def final(league: str, best: int, deals: int, form: str, rounds: int | None, out: Path) -> None:
    """Write the tournament file of a final of the best bots.

    Bots whose place may be among the best are in, too. Copies the bots to the folder bots next to the file, with games,
    limits and settings of the league, and the seed drawn by `tourney league close`. The same league folder gives the
    same file, byte for byte, anywhere.
    """
    from tourney.review import season

    folder.make_parent(out, "--out")
    written = season.write_final(_found(league), out, best, deals, form, rounds)
    said = [f"{out}: {', '.join([row.bot for row in written.bots[:best]])}"]
    if more := [f"{row.bot} (places {row.place_low} to {row.place_high})" for row in written.bots[best:]]:
        said.append(f"also, as their places may be among the best {best}: {', '.join(more)}")
    said.append(f"SHA-256 of the seed, as announced: {written.seed_sha256}")
    echo_wrapped(*said)
    echo(f"Play it with: tourney run {shlex.quote(str(out))}")
