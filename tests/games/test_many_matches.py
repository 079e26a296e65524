"""Many random matches of every game, with all numbers of seats and options, end without an exception, and replay.

`make soak` plays 10,000 of each game; here it is fewer.
"""

import os
from random import Random
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from tests.helpers import play_match
from tourney.base.errors import ConfigError
from tourney.contracts.rng import pick
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import check

MATCHES = int(os.environ.get("SOAK_MATCHES", "150"))
LARGEST = 12  # how far above its minimum a whole-number option is drawn; small values keep most matches short


def drawn(kind: Any, default: Any, rng: Random) -> Any:
    """Draws a value for an option of this annotated type, or returns the default."""
    bounds = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, msgspec.Meta)]
    kind = get_args(kind)[0] if bounds else kind
    if get_origin(kind) is Literal:
        return pick(get_args(kind), rng)
    if get_origin(kind) is tuple:
        return [choice for choice in get_args(get_args(kind)[0]) if rng.random() < 0.5]
    if kind is bool:
        return rng.random() < 0.5
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return random_options(kind, rng)
    least = next((note.ge for note in bounds if note.ge is not None), 0)
    return least + int(rng.random() * LARGEST) if kind is int else msgspec.to_builtins(default)


def random_options(kind: type[msgspec.Struct], rng: Random) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    defaults = kind()
    chosen = [name for name in kind.__struct_fields__ if rng.random() < 0.7]
    found = {name: drawn(hints[name], getattr(defaults, name), rng) for name in chosen}
    return {name: value for name, value in found.items() if value is not None}


def setup(game: str, rng: Random) -> tuple[int, dict[str, Any]]:
    rules = load_game(game)
    while True:
        seats, options = pick(rules.seats, rng), random_options(rules.Options, rng)
        try:
            rules.options(seats, options)
        except ConfigError:
            continue
        return seats, options


@pytest.mark.slow
@pytest.mark.parametrize("game", game_names())
def test_random_matches_end_and_hold(game):
    rng = Random(game)
    seen: set[int] = set()
    for seed in range(MATCHES):
        seats, options = setup(game, rng)
        seen.add(seats)
        record = play_match(*["random"] * seats, game=game, options=options, seed=seed)
        assert record.faults == (), (seats, options, seed)
        check(record, load_game(game))
    assert seen == set(load_game(game).seats)
