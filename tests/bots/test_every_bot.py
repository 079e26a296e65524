"""What every bot must do: the contract of `tourney.testing`, in every game that a bot plays.

Nothing here names a bot under test, or a game.
"""

from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from tests.helpers import tables
from tourney.plugins.registry import bot_names, load_bot
from tourney.testing import BotContract


def cheapest(name: str) -> dict[str, int]:
    """Returns the least value of each bounded option, so that bots which search do not search long."""
    options = load_bot(name, Path()).options
    found: dict[str, int] = {}
    for field in msgspec.structs.fields(options) if options else ():
        for kind in (field.type, *get_args(field.type)):  # with a bound of its own, or as what it may be beside None
            for note in getattr(kind, "__metadata__", ()):
                if isinstance(note, msgspec.Meta) and note.ge is not None:
                    found[field.name] = note.ge
    return found


def played_tables(name: str) -> list[Any]:
    """Returns every table that the bot plays at; those of a number of seats between the least and the most are slow."""
    claimed = load_bot(name, Path()).games
    return [table for table in tables() if claimed is None or table.values[0] in claimed]


def contract_of(name: str) -> type[BotContract]:
    """The tests of a bot; `tourney check` is tried at the game with the fewest tables, as tests of it try all games."""

    class TestOneBot(BotContract):
        bot = name
        options = cheapest(name)

        def tried_games(self):
            games = [table.values[0] for table in played_tables(name)]
            return [pytest.param(min(games, key=games.count), marks=pytest.mark.slow)]

        def tried_tables(self):
            return played_tables(name)

    return TestOneBot


for bot_name in bot_names():
    if not load_bot(bot_name, Path()).make.service:  # those need one
        globals()[f"Test_{bot_name}"] = contract_of(bot_name)
