"""What many tests are run on: every game at every number of seats, and single matches with bots that they name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tourney.match import GameSetup, Match, Record
from tourney.plugins import game_names, load_bot, load_game
from tourney.table import play

BAD = Path(__file__).parent / "bad" / "bots.py"


def tables() -> list[Any]:
    """Every game at every number of seats, as parameters. Between the least and the most the tests are slow ones."""
    found = []
    for name in game_names():
        least, *others = load_game(name).seats
        marks = {seats: [pytest.mark.slow] for seats in others[:-1]}
        found += [pytest.param(name, seats, marks=marks.get(seats, [])) for seats in (least, *others)]
    return found


def bot(name: str) -> Callable[[], Any]:
    """What makes the bot of that name: one of tests/bad/bots.py, or a plugin's."""
    use = f"{BAD.name}:{name}" if name[0].isupper() else name
    return load_bot(use, BAD.parent).maker({}, name)


def play_match(
    *names: str, game: str = "vole", options: dict[str, Any] | None = None, seed: int = 5, **keys: Any
) -> Record:
    """The record of a match with these bots in the seats, on the deal of that seed."""
    setup = GameSetup(game, len(names), {} if options is None else options)
    match = Match(f"{game}-00000-0", setup, 0, seed, names)
    return play(match, load_game(game), [bot(name) for name in names], **keys)
