"""What every bot must do, in every game that it plays. Nothing here names a bot under test, or a game."""

from pathlib import Path

import msgspec
import pytest

from tests.helpers import tables
from tourney.match import GameSetup, Match
from tourney.plugins import bot_names, game_names, load_bot, load_game
from tourney.replay import check
from tourney.table import play

CASES = [
    pytest.param(bot, *table.values, marks=table.marks)
    for bot in bot_names()
    for table in tables()
    if load_bot(bot, Path()).games is None or table.values[0] in load_bot(bot, Path()).games
]


def cheapest(plugin) -> dict[str, int]:
    """Returns the least value of each bounded option, so that bots which search do not search long."""
    found: dict[str, int] = {}
    for field in msgspec.structs.fields(plugin.options) if plugin.options else ():
        for note in getattr(field.type, "__metadata__", ()):
            if isinstance(note, msgspec.Meta) and note.ge is not None:
                found[field.name] = note.ge
    return found


def made(name: str):
    plugin = load_bot(name, Path())
    return plugin.maker(cheapest(plugin), name)


def played(bot: str, game: str, seats: int, seed: int):
    """Plays a match in which the bot sits in every other seat, and random bots in the rest."""
    names = tuple([bot if seat % 2 == seed % 2 else "random" for seat in range(seats)])
    match = Match(f"{game}-00000-0", GameSetup(game, seats, {}), 0, seed, names)
    return play(match, load_game(game), [made(name) for name in names])


@pytest.mark.parametrize(("bot", "game", "seats"), CASES)
def test_a_bot_plays_legally_and_the_same_each_time(bot, game, seats):
    for seed in (1, 2):
        record = played(bot, game, seats, seed)
        assert record.faults == ()
        assert played(bot, game, seats, seed) == record
        check(record, load_game(game))


@pytest.mark.parametrize("bot", bot_names())
def test_a_bot_says_what_it_is_and_what_it_plays(bot):
    plugin = load_bot(bot, Path())
    assert plugin.summary
    assert plugin.games is None or set(plugin.games) <= set(game_names())
    assert plugin.games is None or plugin.games
