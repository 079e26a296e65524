"""What every game of ours that encodes its views must do beside the contract. Nothing here names a game."""

import re
from itertools import groupby

import pytest

from tests.conftest import ROOT
from tourney.contracts.game import Game
from tourney.plugins.registry import game_names, load_game

ENCODED = [game for game in map(load_game, game_names()) if type(game).encode is not Game.encode]


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
