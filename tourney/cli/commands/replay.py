"""`tourney replay`: shows what happened in a match."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from tourney.base.errors import ConfigError, RunError
from tourney.cli import completion, screen
from tourney.cli.options import check_bot, exclusive, find_record, read_run

if TYPE_CHECKING:
    from tourney.contracts.game import Game
    from tourney.contracts.match import Record
    from tourney.review.analysis.file import MatchAnalysis


@click.command("replay", short_help="Show what happened in a match.")
@click.argument("run", shell_complete=completion.runs)
@click.argument("match", required=False)
@click.option("--seat", metavar="S", type=click.IntRange(min=0), help="Show the match as this seat saw it.")
@click.option(
    "--decisions-of",
    "bot",
    metavar="BOT",
    help="Show only the decisions of this bot, each with its view.",
)
@click.option("--from", "first", metavar="N", type=click.IntRange(min=1), default=1, help="Start at this decision.")
@click.option("--to", "last", metavar="N", type=click.IntRange(min=1), help="Stop after this decision.")
@click.option("--step", is_flag=True, help="Step through the match key by key, on a terminal.")
@click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the match as one file for a browser: tourney docs viewer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, an event a line: tourney docs log-format.")
@click.option("--color/--no-color", default=None, help="Signs and colours for cards.  [default: on a terminal]")
def command(
    run: str,
    match: str | None,
    seat: int | None,
    bot: str | None,
    first: int,
    last: int | None,
    step: bool,
    page: Path | None,
    as_json: bool,
    color: bool | None,
) -> None:
    """Show the match MATCH of RUN, rebuilt from its record by the rules of the game, without the bots.

    Instead of RUN and MATCH, give the file of a match that tourney export has written.

    By default all cards are open. With --seat the match is shown as one seat saw it: its own cards, and what the rules
    let it see of the others. With --decisions-of each decision of a bot is shown with its view, the legal actions and
    the choice. Decisions are numbered from 1 over all seats. With --html the match becomes one file that any browser
    shows; with --seat as well, the file holds nothing but what that seat saw.
    """
    from tourney.cli.render import events, stepper, transcript
    from tourney.cli.render.text import painter
    from tourney.table.replay import each_in_time, numbered_trace

    exclusive(seat=seat, decisions_of=bot)
    exclusive(html=page, step=step, json=as_json)
    if page is not None and (bot is not None or first > 1 or last is not None):
        raise ConfigError("--html writes a whole match; leave out --decisions-of, --from and --to")
    if last is not None and last < first:
        raise ConfigError(f"--from {first} is after --to {last}; give a later --to")
    shown = _in_file(run) if match is None else _in_run(run, match, bot, with_costs=page is not None)
    record, game = shown.record, shown.game
    seats = _seats(record, seat, bot)
    if first > record.decisions > 0:
        raise RunError(f"match {record.match}: there is no decision {first}; decisions are 1 to {record.decisions}")
    if page is not None:
        _write_page(page, shown, seat)
        return
    span, paint = (first, last), painter(game, color)
    if step:
        stepper.step_through(record, game, paint, seats, seat, span, shown.replay_s)
        return
    if as_json:
        items = events.decisions(record, game, seats) if seats else numbered_trace(record, game, shown.names)
        for data in each_in_time(record, map(events.as_json, events.between(items, *span)), shown.replay_s):
            screen.echo_json(data)
        return
    if bot is not None:
        found = events.between(events.decisions(record, game, seats), *span)
        lines = events.decision_lines(found, record, game)
    else:
        lines = transcript.transcript(record, game, seat, span)
    for line in each_in_time(record, lines, shown.replay_s):
        screen.echo(line, paint=paint)


class _Shown(NamedTuple):
    """The match that is shown."""

    record: "Record"
    game: "Game"
    names: tuple[str, ...]
    """The names of the block's entrants."""
    replay_s: float
    """How long the game's code may take until the next line, in seconds."""
    analysis: "MatchAnalysis | None"
    """What its decisions cost, if that is known."""
    debug: str
    """The command that debugs a decision, without the decision's number; empty where there is none."""
    bots: tuple[str, ...]
    """The bots whose decisions it debugs."""


def _in_run(run: str, match: str, bot: str | None, with_costs: bool) -> _Shown:
    """Returns a match of a run, with what its decisions cost if that is asked for."""
    from tourney.journal import folder
    from tourney.plugins.registry import load_game
    from tourney.review.analysis.file import read_analysis
    from tourney.schedule.base import schedule

    path = folder.find_run(run)
    _, tournament = read_run(path)
    check_bot(tournament, bot)
    record = find_record(path, tournament, match)
    names = schedule(tournament).block_names(record.seats)
    debug = shlex.join(["tourney", "debug", run, match])
    analysis = read_analysis(path).get(record.match) if with_costs else None
    return _Shown(record, load_game(record.game), names, tournament.replay_s, analysis, debug, tournament.python_bots)


def _in_file(file: str) -> _Shown:
    """Returns the match in a file that `tourney export` has written."""
    from tourney.journal.export import check_trace, read_match_file
    from tourney.plugins.registry import load_game
    from tourney.table.replay import MATCH_S, in_time

    path = Path(file)
    if not path.exists() or path.is_dir():
        raise ConfigError(f"MATCH is missing, and {file} is no file of a match; write tourney replay RUN MATCH")
    found = read_match_file(path)
    game = load_game(found.game)
    with in_time(found.record):
        check_trace(path, found, game)
    return _Shown(found.record, game, found.names, MATCH_S, None, "", ())


def _seats(record: "Record", seat: int | None, bot: str | None) -> list[int]:
    """Returns the seats whose decisions are asked for; none for everything that happened."""
    if seat is not None and seat >= len(record.seats):
        raise RunError(f"match {record.match}: there is no seat {seat}; seats are 0 to {len(record.seats) - 1}")
    if bot is not None and bot not in record.seats:
        raise RunError(f"match {record.match}: {bot} does not sit in it; in it are {', '.join(record.seats)}")
    if seat is not None:
        return [seat]
    return [i for i, name in enumerate(record.seats) if name == bot]


def _write_page(page: Path, shown: _Shown, seat: int | None) -> None:
    from tourney.journal import folder
    from tourney.report.match_data import Perspectives, match_data
    from tourney.report.match_page import match_page
    from tourney.table.replay import in_time

    if not page.parent.is_dir():
        raise ConfigError(f"--html {page}: there is no folder {page.parent}; make it, or give another path")
    record, game = shown.record, shown.game
    views: Perspectives = "all" if seat is None else seat
    with in_time(record, shown.replay_s):
        data = match_data(record, game, views, shown.analysis, shown.debug, shown.bots)
    text = match_page(data, record.match, game)
    with folder.output(page) as file:
        file.write(text.encode())
    whose = "" if seat is None else f", as seat {seat} ({record.seats[seat]}) saw it"
    screen.echo(f"wrote {page}: {record.match}{whose}; open it in a browser")
