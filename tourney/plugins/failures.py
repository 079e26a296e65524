"""Messages about exceptions of plugins: while loading, or in a game that fails or does not end."""

import importlib.util
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import TracebackType

from tourney.base.errors import GameError, PluginError, TourneyError, printable, type_name
from tourney.contracts.game import Game
from tourney.contracts.match import Match
from tourney.contracts.rng import seed_text

MOST_LETTERS = 300
_LOADERS = (
    *[str(Path(__file__).with_name(name)) for name in ("registry.py", "entry_points.py", "bot_files.py")],
    "<frozen importlib",
    str(Path(importlib.util.__file__).parent),
)
"""The files whose code loads plugins, by the beginnings of their paths."""


def in_one_line(error: BaseException) -> str:
    """An exception as one line: its type and its text."""
    try:
        text = " ".join(str(error).split())
    except BaseException:  # its class may be the plugin's own
        text = ""
    if len(text) > MOST_LETTERS:
        text = f"{text[:MOST_LETTERS]}…"
    return f"{type_name(error)}: {text}" if text else type_name(error)


def from_plugin(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that is in a plugin's own code, without the loading of it; None if none is."""
    while trace is not None and str.startswith(trace.tb_frame.f_code.co_filename, _LOADERS):
        trace = trace.tb_next
    return trace


def place(error: BaseException) -> str:
    """The innermost line of a plugin's own files that raised an exception, as ` (line N of FILE)`; empty for none."""
    if isinstance(error, SyntaxError) and error.lineno is not None:
        return ""  # its text has the line
    frames = traceback.walk_tb(from_plugin(error.__traceback__))
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    own = [(file, line) for file, line in lines if file.is_relative_to(lines[0][0].parent)]
    return f" (line {own[-1][1]} of {printable(own[-1][0].name)})" if own else ""


def is_of_game(error: BaseException) -> bool:
    """Whether a game may have raised an exception: not Ctrl-C, nor the end of our own generator."""
    if isinstance(error, KeyboardInterrupt):
        return signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return isinstance(error, Exception) or not (
        isinstance(error, GeneratorExit) or type(error).__module__.startswith("tourney.")
    )


def is_raised_in(game: Game, error: BaseException) -> bool:
    """Whether a line in the game's own files has raised an exception."""
    lines = traceback.extract_tb(error.__traceback__)
    return bool(lines) and _is_own(game, lines[-1].filename)


def failed_match(match: Match, game: Game, error: BaseException) -> GameError:
    """The error for an exception in the game's code, with the place in the code."""
    report = "".join(traceback.format_exception(error))
    return GameError(failure_text(game, error, f" in match {match.id}"), game.name, report)


def endless_match(match: Match, why: str) -> GameError:
    """The error for a match that does not end, with its seats, options and seed."""
    setup = match.setup
    return GameError(
        f'game "{setup.game}" does not end in match {match.id}: {why} ({setup.seats} seats, options {setup.options}, '
        f"seed {seed_text(match.seed)})",
        setup.game,
    )


@contextmanager
def converted(error_of: Callable[[BaseException], TourneyError]) -> Iterator[None]:
    """Turns an exception in a game's code into the error that `error_of` returns for it."""
    try:
        yield
    except TourneyError:
        raise
    except BaseException as error:
        if not is_of_game(error):
            raise
        raise error_of(error) from error


def failing_in(match: Match, game: Game) -> AbstractContextManager[None]:
    """Turns an exception in the game's code into a `GameError`."""
    return converted(lambda error: failed_match(match, game, error))


def reading_options(game: Game, where: str = " while its options are read") -> AbstractContextManager[None]:
    """Turns an exception in the game's code into a `PluginError`, before anything is played."""
    return converted(lambda error: PluginError(f"{failure_text(game, error, where)}; fix or uninstall it"))


def failure_text(game: Game, error: BaseException, where: str = "") -> str:
    """The description of an exception in the game's code, and where it was raised."""
    return f'game "{game.name}" fails{where}: {in_one_line(error)}{_place(game, error)}'


def _place(game: Game, error: BaseException) -> str:
    """The last line in the game's own files that led to the exception, or the very last one."""
    lines = traceback.extract_tb(error.__traceback__)
    own = [line for line in lines if _is_own(game, line.filename)] or lines
    return f" at {own[-1].filename}:{own[-1].lineno}" if own else ""


def _is_own(game: Game, name: str) -> bool:
    file = getattr(sys.modules.get(type(game).__module__), "__file__", None) or ""
    own = str(Path(file).parent) if Path(file).name == "__init__.py" else file
    return bool(own) and name.startswith(own)
