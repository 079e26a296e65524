"""Every game that comes with this distribution has its page of rules here."""

from importlib.metadata import distribution
from pathlib import Path

import pytest

from tourney.plugins.registry import load_game

ROOT = Path(__file__).parent.parent.parent
OURS = [entry.name for entry in distribution("tourney-cards").entry_points.select(group="tourney.games")]


@pytest.mark.parametrize("name", OURS)
def test_a_game_of_ours_has_its_rules_in_docs_and_plays_with_ten_seats_at_most(name):
    game = load_game(name)
    assert game.rules.startswith("docs/rules/")
    assert (ROOT / game.rules).is_file()
    assert max(game.seats) <= 10
