"""`tourney check` tries a bot at every game that it claims; what it says of bots that are wrong is a golden text."""

import pytest

from tests.conftest import with_code
from tourney.plugins.registry import game_names, load_game


@pytest.mark.slow
def test_a_sound_bot_passes_at_every_game_and_number_of_seats(tourney):
    lines = [line.split(maxsplit=2) for line in with_code(tourney("check", "random")).stdout.splitlines()]
    tables = [f"{game}, {seats} seats" for game in game_names() for seats in load_game(game).seats]
    assert [text.split(":")[0] for _, topic, text in lines if topic == "legality"] == tables
    assert [text.split(":")[0] for _, topic, text in lines if topic == "speed"] == game_names()
    assert lines[-1][:2] == ["ok", "leftovers"]
