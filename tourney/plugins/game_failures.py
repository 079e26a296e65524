"""Messages about a game whose code fails or whose match does not end: one line, and the whole traceback for a log."""

import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tourney.base.errors import GameError, PluginError, TourneyError
from tourney.contracts.game import Game
from tourney.contracts.match import Match
from tourney.contracts.rng import seed_text
from tourney.plugins.failures import in_one_line


def is_of_game(error: BaseException) -> bool:
    """Whether a game may have raised an exception: not what a Ctrl-C is, or what ends a generator of ours."""
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
    """Returns the error for an exception in the game's code in a match, with the place in the code."""
    report = "".join(traceback.format_exception(error))
    return GameError(failure_text(game, error, f" in match {match.id}"), game.name, report)


def endless_match(match: Match, why: str) -> GameError:
    """Returns the error for a match that does not end, with its seats, options and seed."""
    setup = match.setup
    return GameError(
        f'game "{setup.game}" does not end in match {match.id}: {why} ({setup.seats} seats, options {setup.options}, '
        f"seed {seed_text(match.seed)})",
        setup.game,
    )


@contextmanager
def reading_options(game: Game, where: str = " while its options are read") -> Iterator[None]:
    """Turns an exception in the game's code into one line, where options are read before anything is played.

    Raises:
        PluginError: The game's code failed.
    """
    try:
        yield
    except TourneyError:
        raise
    except BaseException as error:
        if not is_of_game(error):
            raise
        text = failure_text(game, error, where)
        raise PluginError(f"{text}; fix or uninstall it") from None


def failure_text(game: Game, error: BaseException, where: str = "") -> str:
    """Returns what an exception in the game's code is, and where in the code it was raised."""
    return f'game "{game.name}" fails{where}: {in_one_line(error)}{_place(game, error)}'


def _place(game: Game, error: BaseException) -> str:
    """Returns the last line in the game's own files that led to the exception; the very last one if there is none."""
    lines = traceback.extract_tb(error.__traceback__)
    found = [line for line in lines if _is_own(game, line.filename)] or lines
    return f" at {found[-1].filename}:{found[-1].lineno}" if found else ""


def _is_own(game: Game, name: str) -> bool:
    """Whether a file is the game's module, or in the folder of its package."""
    file = getattr(sys.modules.get(type(game).__module__), "__file__", None) or ""
    own = str(Path(file).parent) if Path(file).name == "__init__.py" else file
    return bool(own) and name.startswith(own)
