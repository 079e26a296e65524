"""What every game must do: the contract of `tourney.testing`, for all games that entry points declare.

Nothing here names a game.
"""

import inspect
import re
from importlib.metadata import distribution
from itertools import groupby

import pytest
from hypothesis import settings

from tests import helpers
from tests.conftest import ROOT
from tourney.contracts.game import Game
from tourney.plugins.registry import game_names, load_game
from tourney.testing import GameContract

OURS = distribution("tourney-cards").entry_points.select(group="tourney.games")
ENCODED = [game for game in map(load_game, game_names()) if type(game).encode is not Game.encode]


def contract_of(name: str) -> type[GameContract]:
    """The tests of a game; those of a number of seats between the least and the most are slow."""

    class TestOneGame(GameContract):
        game = name
        deals = settings().max_examples  # more of them by the profile `thorough`

        def seat_counts(self):
            return [pytest.param(seats, marks=marks) for (game, seats), marks, _ in helpers.tables() if game == name]

    return TestOneGame


for game_name in game_names():
    globals()[f"Test_{game_name}"] = contract_of(game_name)


@pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
def test_views_tell_the_options(game):
    state = game.start(min(game.seats), game.options(min(game.seats), {}), 1)
    names = [name for name, kind in inspect.getmembers(type(state.view(0))) if isinstance(kind, property)]
    assert "options" in names


@pytest.mark.parametrize("name", [entry.name for entry in OURS])
def test_a_game_of_ours_has_its_rules_in_docs_and_plays_with_ten_seats_at_most(name):
    game = load_game(name)
    assert game.rules.startswith("docs/rules/")
    assert (ROOT / game.rules).is_file()
    assert max(game.seats) <= 10


@pytest.mark.parametrize("game", ENCODED, ids=lambda game: game.name)
def test_the_rules_page_lists_the_blocks_of_the_vector(game):
    page = (ROOT / "docs" / "rules" / f"{game.name}.md").read_text(encoding="utf-8")
    table = re.search(r"## As a vector\n.*?\n((?:\|.*\n)+)", page, re.DOTALL)
    rows = re.findall(r"^\| `(.+?)` \| ([\dnp ]+) \|", table[1], re.MULTILINE)
    for seats in game.seats:
        numbers = {"n": seats, "p": seats + (seats == 4)}
        listed = [(re.split(r"[:@+]", block)[0], size) for block, size in rows]
        merged = {block: 0 for block, _ in listed}
        for block, size in listed:
            factors = [numbers.get(factor) or int(factor) for factor in size.split()]
            merged[block] += factors[0] * (factors[1] if len(factors) > 1 else 1)
        blocks = groupby([re.split(r"[:@+]", name)[0] for name in game.encoding(seats, game.options(seats, {}))])
        assert list(merged.items()) == [(block, len(list(items))) for block, items in blocks]
