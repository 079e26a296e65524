"""Playing single matches with bots that the tests name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tourney.catalog import load_bot, load_game
from tourney.match import Contest, Match, Record
from tourney.table import play

BAD = Path(__file__).parent / "bad" / "bots.py"


def bot(name: str) -> Callable[[], Any]:
    """What makes the bot of that name: one of tests/bad/bots.py, or a plugin's."""
    use = f"{BAD.name}:{name}" if name[0].isupper() else name
    return load_bot(use, BAD.parent).maker({}, name)


def play_match(
    *names: str, game: str = "vole", options: dict[str, Any] | None = None, seed: int = 5, **keys: Any
) -> Record:
    """The record of a match with these bots in the seats, on the deal of that seed."""
    contest = Contest(game, len(names), {} if options is None else options)
    match = Match(f"{game}-00000-0", contest, 0, seed, names)
    return play(match, load_game(game), [bot(name) for name in names], **keys)
