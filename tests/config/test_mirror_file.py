"""The tournament file of a gate is TOML that reads back as what was put in."""

import tomllib
from datetime import date

from tourney.config.gate_file import bot_tables, tournament_text


def test_what_is_written_reads_back():
    bots = [
        {"name": "a", "use": "steady"},
        {"name": "b", "command": ["./b", 'quo"ted \n'], "options": {"x y": [1, 2.5]}},
    ]
    games = [{"name": "leon", "seats": 3, "options": {"max_cards": 3, "since": date(2020, 2, 2), "deep": {"er": []}}}]
    text = tournament_text(bots, games, {"match_s": 7.0}, name="gate", seed="1", format="mirror", deals=9)
    assert tomllib.loads(text) == {
        "name": "gate", "seed": "1", "format": "mirror", "deals": 9,
        "bot": bots, "game": games, "limits": {"match_s": 7.0},
    }  # fmt: skip
    assert "limits" not in tournament_text(bots, games, {}, name="gate")


def test_every_bot_gets_a_name_of_its_own():
    names = [table["name"] for table in bot_tables(("new/x.py:A", "old/x.py:A", "steady", "steady", "x"), {}, False)]
    assert names == ["x-new", "x-old", "steady", "steady-field", "x"]
    assert [table.get("host") for table in bot_tables(("x.py:A", "first"), {}, False)] == ["process", None]
    assert [table.get("host") for table in bot_tables(("x.py:A", "first"), {}, True)] == [None, None]
