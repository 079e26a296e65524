"""`tourney replay --step`: a match on the screen one decision at a time, forward and back by keys."""

import os
import re
import shutil
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from tourney.base.errors import ConfigError, RunError
from tourney.cli import interrupt, screen
from tourney.cli.render.events import view_lines
from tourney.cli.render.text import actions, wrapped
from tourney.cli.render.transcript import Transcript
from tourney.contracts.game import Game, View
from tourney.contracts.match import Record
from tourney.table.replay import in_time, walk

KEYS = "next: space n →   back: b p ←   first: g   last: G   view: v   quit: q"
FORWARD = (" ", "n", "l", "\r", "\n", "\x1b[C", "\x1b[B", "\x1bOC", "\x1bOB")
BACK = ("b", "p", "h", "\x7f", "\x1b[D", "\x1b[A", "\x1bOD", "\x1bOA")
FIRST = ("g", "\x1b[H", "\x1bOH", "\x1b[1~")
LAST = ("G", "\x1b[F", "\x1bOF", "\x1b[4~")
QUIT = ("q", "Q", "\x1b", "\x04")


_KEY = re.compile(r"\x1b(?:\[|O)[\d;]*[A-Za-z~]|.", re.DOTALL)


class Frame(NamedTuple):
    """A screen: one decision."""

    decision: int
    before: list[str]
    """The lines for what has happened since the decision before."""
    view: View
    legal: tuple[int, ...]
    chosen: list[str]
    """The lines for the decision itself."""


def step_through(
    record: Record,
    game: Game,
    paint: screen.Paint | None,
    seats: list[int],
    seat: int | None,
    span: tuple[int, int | None],
    replay_s: float,
) -> None:
    """Shows decision after decision, as the keys say."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ConfigError("--step needs a terminal; without one, see --from, --to and --decisions-of")
    with in_time(record, replay_s):
        frames = _frames(record, game, seats or list(range(len(record.seats))), seat, span)
    if not frames:
        raise RunError(f"match {record.match}: there is no such decision between --from and --to")
    at, full = 0, False
    with _keys() as keys:
        _draw(record, game, paint, frames, at, full)
        while (key := next(keys)) not in QUIT:
            at = _moved(key, at, len(frames) - 1)
            full = full != (key == "v")
            _draw(record, game, paint, frames, at, full)


def _moved(key: str, at: int, last: int) -> int:
    """Returns the index of the frame that the key leads to."""
    if key in FORWARD:
        return min(at + 1, last)
    if key in BACK:
        return max(at - 1, 0)
    if key in FIRST:
        return 0
    return last if key in LAST else at


@contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """Gives the keys that are typed, an arrow key as one; at the end of the input, the key that quits."""
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
    record: Record, game: Game, seats: list[int], seat: int | None, span: tuple[int, int | None]
) -> list[Frame]:
    transcript = Transcript(record, game, seat, brief=True)
    frames: list[Frame] = []
    before: list[str] = []
    for found in walk(record, game, seat):
        step = found.step
        if step is not None:
            before += transcript.rest()
        lines = transcript.lines(found)
        if step is None or step.seat not in seats or not span[0] <= step.decision <= (span[1] or step.decision):
            before += lines
            continue
        frames.append(Frame(step.decision, before, found.view, step.legal, lines))
        before = list(lines)
    if frames:
        last = frames[-1].chosen
        frames[-1] = frames[-1]._replace(chosen=[*last, *before[len(last) :], *transcript.end()])
    return frames


def _draw(record: Record, game: Game, paint: screen.Paint | None, frames: list[Frame], at: int, full: bool) -> None:
    frame = frames[at]
    view = frame.view.as_dict()
    seat = frame.view.seat
    head = f"{record.match}  decision {frame.decision} of {record.decisions}: seat {seat}, {record.seats[seat]}"
    called = game.wording.choices(frame.view)
    legal = wrapped(f"  legal ({len(frame.legal)}): {actions(game, frame.legal, called)}", "      ")
    shown = [*view_lines(view, game, full), *legal]
    room = shutil.get_terminal_size().lines - len(shown) - len(frame.chosen) - 6
    before = frame.before[-max(room, 2) :]
    screen.clear()
    screen.echo(head, "", *before, "", *shown, "", *frame.chosen, paint=paint)
    screen.echo("", KEYS)
