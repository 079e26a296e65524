"""`tourney replay`: shows what happened in a match."""

import os
import re
import shlex
import shutil
import sys
import termios
import tty
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
import orjson

from tourney.base.errors import ConfigError, RunError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.render.transcript import NO_NOTES, Transcript, actions, painter, transcript, view_lines
from tourney.cli.screen import Paint, echo, echo_json, wrapped
from tourney.config.names import base_name
from tourney.contracts.game import Game, View
from tourney.contracts.match import Record
from tourney.hosts.notes import Note
from tourney.journal import export, folder
from tourney.journal.notes import MatchNotes, in_words, of_match
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.journal.told import Reader, Told
from tourney.plugins.registry import load_game
from tourney.table.replay import MATCH_S, Step, each_in_time, in_time, numbered_trace, walk
from tourney.table.sentences import phrases, seat_names

if TYPE_CHECKING:
    from tourney.review.analysis.file import MatchAnalysis

T = TypeVar("T")


@click.command("replay")
@opt.RUN
@click.argument("match", required=False)
@click.option("--seat", metavar="S", type=click.IntRange(min=0), help="Show the match from this seat.")
@click.option("--decisions-of", "bot", metavar="BOT", help="Show only this bot's decisions, each with its view.")
@click.option("--from", "first", metavar="N", type=click.IntRange(min=1), default=1, help="Start at this decision.")
@click.option("--to", "last", metavar="N", type=click.IntRange(min=1), help="Stop after this decision.")
@click.option("--step", is_flag=True, help="Step through the match in the terminal, key by key.")
@click.option(
    "--html", "page", metavar="FILE", type=click.Path(path_type=Path),
    help="Write the match as one HTML file; see `tourney docs watch-and-play`.",
)  # fmt: skip
@click.option("--beliefs", "with_beliefs", is_flag=True, help="Include what the seats could believe in the HTML file.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the events as JSON lines. See `tourney docs data-formats`."
)
@click.option("--color/--no-color", default=None, help="Card symbols and colours.  [default: on a terminal]")
def command(
    run: str, match: str | None, seat: int | None, bot: str | None, first: int, last: int | None, step: bool,
    page: Path | None, with_beliefs: bool, as_json: bool, color: bool | None,
) -> None:  # fmt: skip
    """Show MATCH of RUN decision by decision, rebuilt from its record without the bots.

    Instead of RUN and MATCH, you can give a match file written by `tourney export`.

    All cards are open by default. With --seat, you see the match from one seat: its own cards, and other cards as
    far as the rules reveal them. With --decisions-of, you see each of a bot's decisions with its view, the legal
    actions and the choice. Decisions are numbered from 1 over all seats. With --html, the match becomes a single file
    for any browser; with --seat as well, the file contains only that seat's knowledge. --beliefs adds the chance of
    each card or role behind each back, over the deals that fit what the seat, or each seat, had seen.
    """
    opt.exclusive(seat=seat, decisions_of=bot)
    opt.exclusive(html=page, step=step, json=as_json)
    if with_beliefs and page is None:
        raise ConfigError("--beliefs is for a page; add --html FILE")
    leaves = as_json or page is not None
    reader: Reader = "organiser" if not leaves else "everybody" if seat is None and bot is None else "author"
    shown = _in_file(run) if match is None else _in_run(run, match, bot, reader, with_costs=page is not None)
    record, game = shown.record, shown.game
    seats = _seats(record, seat, bot)
    _check_span(record, first, last)
    span, paint = (first, last), painter(game, color)
    notes = shown.notes.by_decision(seat)
    if page is not None:
        if bot is not None or first > 1 or last is not None:
            raise ConfigError("--html writes a whole match; leave out --decisions-of, --from and --to")
        _write_page(page, shown, seat, with_beliefs)
    elif step:
        _step_through(shown, paint, seats, seat, span, notes)
    elif as_json:
        events = decisions(record, game, seats, notes) if seats else _noted_trace(shown, notes)
        for event in each_in_time(record, _between(events, *span), shown.replay_s):
            echo_json(orjson.dumps(event).decode())
    elif bot is not None:
        for event in each_in_time(record, _between(decisions(record, game, seats, notes), *span), shown.replay_s):
            echo(*_decision_lines(event, record, game), paint=paint)
    else:
        for line in each_in_time(record, transcript(record, game, seat, span, notes), shown.replay_s):
            echo(line, paint=paint)


class _Shown(NamedTuple):
    record: Record
    game: Game
    names: tuple[str, ...]  # of the block's entrants
    replay_s: float
    """The time limit of the game's code for one event, in seconds."""
    analysis: "MatchAnalysis | None" = None
    debug: str = ""
    """The command for debugging a decision, without its number."""
    bots: tuple[str, ...] = ()
    notes: MatchNotes = MatchNotes("")
    seed: str | None = None
    """The match's seed, or its commitment; None for a match file."""
    twins: Sequence[Record] = ()
    """The other matches of its block."""


def _in_run(run: str, match: str, bot: str | None, reader: Reader, with_costs: bool) -> _Shown:
    read = RunFolder.find(run)
    tournament = read.tournament
    if bot is not None:
        read.versions(bot)
    (record,) = find_records(read, match)
    names = read.plan.block_names(record.seats)
    told = Told([read], reader, ["seeds", "notes"])
    debug = shlex.join(["tourney", "debug", told.path(run), match])
    analysis = None
    if with_costs:
        from tourney.review.analysis.file import read_analysis

        analysis = read_analysis(read.path).get(record.match)
    game, bots = load_game(record.game), tournament.python_bots
    noted = told.notes(of_match(read.path, record.match)) or MatchNotes(record.match)
    twins = read.twins(record.match) if with_costs else ()
    seed = told.seed(record.seed)
    return _Shown(record, game, names, tournament.replay_s, analysis, debug, bots, noted, seed, twins)


def _in_file(file: str) -> _Shown:
    path = Path(file)
    if not path.exists() or path.is_dir():
        raise ConfigError(f"missing MATCH, and {file} is not a match file; use tourney replay RUN MATCH")
    match = export.read_match_file(path)
    game = load_game(match.game)
    with in_time(match.record):
        export.check_trace(path, match, game)
    return _Shown(match.record, game, match.names, MATCH_S)


def _seats(record: Record, seat: int | None, bot: str | None) -> list[int]:
    if seat is not None and seat >= len(record.seats):
        raise RunError(f"match {record.match}: seat must be 0 to {len(record.seats) - 1}, got {seat}")
    if seat is not None:
        return [seat]
    named = [i for i, name in enumerate(record.seats) if name == bot]
    own = named or [i for i, name in enumerate(record.seats) if base_name(name) == bot]
    if bot is not None and not own:
        raise RunError(f"match {record.match}: {bot} did not play in it, only {', '.join(record.seats)}")
    return own


def _check_span(record: Record, first: int, last: int | None) -> None:
    if last is not None and last < first:
        raise ConfigError(f"--to must be at least --from {first}, got {last}")
    if first > record.decisions > 0:
        raise RunError(f"match {record.match}: decision must be 1 to {record.decisions}, got {first}")


def _noted_trace(shown: _Shown, notes: Mapping[int, Note]) -> Iterator[tuple[int, dict[str, Any]]]:
    for decision, event in numbered_trace(shown.record, shown.game, shown.names):
        if event["kind"] == "match":
            event |= {"seed": shown.seed or event["seed"]}
        noted = {"note": notes[decision]} if decision in notes and event["kind"] == "act" else {}
        yield decision, event | noted


def decisions(
    record: Record, game: Game, seats: Collection[int], notes: Mapping[int, Note] = NO_NOTES
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The seats' decisions with their numbers: view, legal actions, action and note."""
    for replayed in walk(record, game):
        if replayed.step is not None and replayed.step.seat in seats:
            yield replayed.number, decision_event(replayed.step, replayed.view.as_dict(), game, notes)


def decision_event(step: Step, view: Any, game: Game, notes: Mapping[int, Note]) -> dict[str, Any]:
    """A decision as an event for JSON, with the view in the given form."""
    event = {
        "decision": step.decision,
        "seat": step.seat,
        "view": view,
        "legal": [game.text(action) for action in step.legal],
        "action": game.text(step.action),
    }
    house, fault = {"by": "house"} if step.by_house else {}, {"fault": step.fault.kind} if step.fault else {}
    noted = {"note": notes[step.decision]} if step.decision in notes else {}
    return event | house | fault | noted


def _between(items: Iterable[tuple[int, T]], first: int, last: int | None) -> Iterator[T]:
    """The items of decisions `first` to `last`; items before decision 1 belong to it."""
    for decision, item in items:
        if last is not None and decision > last:
            return
        if max(decision, 1) >= first:
            yield item


def _decision_lines(event: dict[str, Any], record: Record, game: Game) -> Iterator[str]:
    seat = event["seat"]
    yield f"decision {event['decision']} of {record.decisions}: seat {seat}, {record.seats[seat]}"
    yield from view_lines(event["view"], game)
    names = seat_names(record.seats)
    words = {text: game.wording.phrase(text, names.__getitem__) for text in event["legal"]}
    yield from wrapped(f"  legal ({len(words)}): {actions(list(words.values()))}", "      ")
    note = f" (FAULT {event['fault']}, random move)" if "fault" in event else ""
    note = note or (" (random move)" if "by" in event else "")
    action = event["action"]
    said = words[action].by(names[seat]) if action in words else f"action: {action}"
    yield f"  {said}{note}"
    if "note" in event:
        yield from wrapped(f"  noted: {in_words(event['note'])}", "      ")
    yield ""


def _write_page(page: Path, shown: _Shown, seat: int | None, with_beliefs: bool) -> None:
    from tourney.report.beliefs import beliefs
    from tourney.report.match_data import Perspectives, match_data
    from tourney.report.match_page import match_page, twin_blocks

    folder.make_parent(page, "--html")
    record, game = shown.record, shown.game
    views: Perspectives = "all" if seat is None else seat
    believed = {}
    for each in (range(len(record.seats)) if seat is None else [seat]) if with_beliefs else ():
        with in_time(record, shown.replay_s):
            believed[str(each)] = beliefs(record, game, each, on_own_page=seat is not None)
    with in_time(record, shown.replay_s):
        data = match_data(
            record, game, views, shown.analysis, shown.debug, shown.bots, shown.notes, twins=shown.twins,
            beliefs=believed,
        )  # fmt: skip
    twins = twin_blocks(shown.twins, game, shown.replay_s) if seat is None else ()
    text = match_page(data, record.match, game, twins=twins)
    with folder.output(page) as file:
        file.write(text.encode())
    whose = "" if seat is None else f", as seat {seat} ({record.seats[seat]}) saw it"
    echo(f"wrote {page}: {record.match}{whose}; open it in a browser")


KEYS = "next: space n →   back: b p ←   first: g   last: G   view: v   quit: q"
FORWARD = (" ", "n", "l", "\r", "\n", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB")
BACK = ("b", "p", "h", "\x7f", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA")
FIRST = ("g", "\x1b[H", "\x1bOH", "\x1b[1~")
LAST = ("G", "\x1b[F", "\x1bOF", "\x1b[4~")
QUIT = ("q", "Q", "\x1b", "\x04")
_KEY = re.compile(r"\x1b(?:\[|O)[\d;]*[A-Za-z~]|.", re.DOTALL)


class _Frame(NamedTuple):
    decision: int
    before: list[str]
    view: View
    legal: tuple[int, ...]
    chosen: list[str]


def _step_through(
    shown: _Shown, paint: Paint | None, seats: list[int], seat: int | None, span: tuple[int, int | None],
    notes: Mapping[int, Note],
) -> None:  # fmt: skip
    record, game = shown.record, shown.game
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("--step requires a terminal; elsewhere, use --from, --to and --decisions-of")
    with in_time(record, shown.replay_s):
        frames = _frames(record, game, seats or list(range(len(record.seats))), seat, span, notes)
    if not frames:
        raise RunError(f"match {record.match}: no such decision between --from and --to")
    at, last, full = 0, len(frames) - 1, False
    with _keys() as keys:
        _draw(record, game, paint, frames[at], full)
        while (key := next(keys)) not in QUIT:
            if key in FORWARD or key in BACK:
                at = min(max(at + (1 if key in FORWARD else -1), 0), last)
            elif key in FIRST or key in LAST:
                at = 0 if key in FIRST else last
            full = full != (key == "v")
            _draw(record, game, paint, frames[at], full)


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """Yields typed keys, an arrow key as one, and the quit key at the end of the input."""
    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)

    def restore() -> None:
        termios.tcsetattr(file, termios.TCSADRAIN, before)

    def typed() -> Iterator[str]:
        with suppress(OSError):
            while read := os.read(file, 1024):
                yield from _KEY.findall(read.decode(errors="replace"))
        yield QUIT[0]

    tty.setcbreak(file, termios.TCSADRAIN)
    with interrupt.undone(restore):
        try:
            yield typed()
        finally:
            restore()


def _frames(
    record: Record, game: Game, seats: list[int], seat: int | None, span: tuple[int, int | None],
    notes: Mapping[int, Note],
) -> list[_Frame]:  # fmt: skip
    teller = Transcript(record, game, seat, brief=True, notes=notes)
    frames: list[_Frame] = []
    before: list[str] = []
    for replayed in walk(record, game, seat):
        step = replayed.step
        if step is not None:
            before += teller.rest()
        lines = teller.lines(replayed)
        if step is None or step.seat not in seats or not span[0] <= step.decision <= (span[1] or step.decision):
            before += lines
            continue
        frames.append(_Frame(step.decision, before, replayed.view, step.legal, lines))
        before = list(lines)
    if frames:
        last = frames[-1].chosen
        last += [*before[len(last) :], *teller.end(record)]
    return frames


def _draw(record: Record, game: Game, paint: Paint | None, frame: _Frame, full: bool) -> None:
    seat = frame.view.seat
    head = f"{record.match}  decision {frame.decision} of {record.decisions}: seat {seat}, {record.seats[seat]}"
    named = actions(phrases(frame.legal, frame.view, game, seat_names(record.seats).__getitem__))
    legal = wrapped(f"  legal ({len(frame.legal)}): {named}", "      ")
    shown = [*view_lines(frame.view.as_dict(), game, full), *legal]
    room = shutil.get_terminal_size().lines - len(shown) - len(frame.chosen) - 6
    click.clear()
    echo(head, "", *frame.before[-max(room, 2) :], "", *shown, "", *frame.chosen, paint=paint)
    echo("", KEYS)
