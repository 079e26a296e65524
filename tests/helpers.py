"""Helpers for tests of games and bots: every game at every number of seats, and single matches with named bots."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import BAD
from tourney.contracts.match import GameSetup, Match, Record
from tourney.plugins.registry import game_names, load_bot, load_game
from tourney.table.table import play

SHORT = {
    "vole": {"target": 6},
    "voleur": {"target": 6},
    "leon": {"max_cards": 3},
    "bang": {"max_turns": 15},
    "cold-blooded": {"target": 1},
}
"""Options that make matches of these games short."""


def tables(quick_most: bool = True) -> list[Any]:
    """Returns test parameters: every game at every number of seats, slow but for the least, and perhaps the most."""
    found = []
    for name in game_names():
        least, *others = load_game(name).seats
        marks = {seats: [pytest.mark.slow] for seats in (others[:-1] if quick_most else others)}
        found += [pytest.param(name, seats, marks=marks.get(seats, [])) for seats in (least, *others)]
    return found


def bot(name: str) -> Callable[[], Any]:
    """Returns what makes the bot of this name: a class of tests/misbehaving/bots.py (`Capital`), or a plugin."""
    return load_bot(f"{BAD.name}:{name}" if name[0].isupper() else name, BAD.parent).maker({}, name)


def wire_bot(act: str, before: str = "", heard: str = "") -> str:
    """Returns a program for the wire protocol: entries of its answer to what it is `asked`, and lines that it runs."""
    return f"""#!/usr/bin/env python3
import json, sys
{before}
for line in sys.stdin:
    asked = json.loads(line)
    answer = {{"type": asked["type"], "protocol": 1}}
    {heard}
    if asked["type"] == "act":
        answer |= {{"decision": asked["decision"], {act}}}
    print(json.dumps(answer), flush=True)
"""


def play_match(
    *names: str, game: str = "vole", options: dict[str, Any] | None = None, seed: int = 5, **keys: Any
) -> Record:
    """Plays a match between the named bots, one for each seat, on the deal of this seed; returns the record."""
    match = Match(f"{game}-00000-0", GameSetup(game, len(names), {} if options is None else options), 0, seed, names)
    return play(match, load_game(game), [bot(name) for name in names], **keys)
