"""The tournament file of a gate: TOML that reads back as what was put in, and what it takes from another file."""

import tomllib
from datetime import date
from pathlib import Path

import pytest

from tourney.base.errors import ConfigError
from tourney.config.writing import bot_tables, game_table, read_file, tournament_text

GAMES = {
    "vole": ("vole", 2),
    "leon:4": ("leon", 4),
    "leon:123456789": ("leon", 123456789),  # refused where it is played
    **dict.fromkeys(("leon:1234567890", "leon:", "leon:x"), "such as leon:2"),
    "leon": "leon: missing number of seats; for example leon:2",
}
FILE = """
parallel = 8
limits = { match_s = 7 }
defaults = { host = "sandbox", reads = ["data"] }
game = [{ name = "vole" }]
bot = [{ name = "first" }, { name = "mine.py:Mine" },
       { name = "mine", use = "sub/mine.py:Mine", options = { x = 1 }, reads = [] },
       { use = "nameless" }, { name = "odd", use = 3 },
       { name = "words", command = "words" },
       { name = "run", command = ["./run", "no/such", "run", "--fast", 3] }]
"""


def test_what_is_written_reads_back():
    program = {"name": "b", "command": ["./b", 'quo"ted \n'], "options": {"x y": [1, 2.5]}}
    bots = [{"name": "a", "use": "steady"}, program]
    games = [{"name": "leon", "seats": 3, "options": {"max_cards": 3, "since": date(2020, 2, 2), "deep": {"er": []}}}]
    text = tournament_text(bots, games, {"match_s": 7.0}, name="gate", seed="1", format="mirror", deals=9)
    assert tomllib.loads(text) == {
        "name": "gate", "seed": "1", "format": "mirror", "deals": 9,
        "bot": bots, "game": games, "limits": {"match_s": 7.0},
    }  # fmt: skip
    assert "limits" not in tournament_text(bots, games, {}, name="gate")
    deep: list = []
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(ConfigError, match="use other values"):
        tournament_text(bots, [{"name": "leon", "options": {"deep": deep}}], {})


def test_every_bot_gets_a_name_of_its_own():
    names = [table["name"] for table in bot_tables(("new/x.py:A", "old/x.py:A", "steady", "steady", "x"), {}, None)]
    assert names == ["x-new", "x-old", "steady", "steady-field", "x"]
    known = {"fast": {"name": "fast", "use": "x.py:A", "options": {"depth": 3}}}
    new, old = bot_tables(("fast", "fast"), known, None)
    assert (new, old["name"], known["fast"]["name"]) == (known["fast"] | {"name": "fast-new"}, "fast-old", "fast")
    tables = bot_tables(("x.py:A", "first"), {}, None)
    assert [(table["name"], table.get("host")) for table in tables] == [("x", "process"), ("first", None)]
    assert [table.get("host") for table in bot_tables(("x.py:A", "first"), {}, "inline")] == ["inline", None]
    assert bot_tables(("x.py:A", "first"), {}, None, {"host": "sandbox"})[0]["host"] == "sandbox"


@pytest.mark.parametrize("text", GAMES)
def test_a_game_is_a_name_with_its_seats_where_there_is_a_choice(text):
    if isinstance(GAMES[text], str):
        with pytest.raises(ConfigError, match=GAMES[text]):
            game_table(text)
    else:
        assert tuple(game_table(text).values()) == GAMES[text]


def test_what_is_taken_from_a_file_has_its_paths_from_where_one_is(tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file.toml").write_text(FILE, encoding="utf-8")
    (tmp_path / "below" / "run").touch()
    monkeypatch.chdir(tmp_path)
    found = read_file(Path("below/file.toml"))
    assert found.keys == {"defaults": {"host": "sandbox", "reads": ["below/data"]}, "parallel": 8}
    assert found == (
        [{"name": "vole"}],
        {
            "first": {"name": "first"},
            "mine.py:Mine": {"name": "mine.py:Mine", "use": "below/mine.py:Mine"},
            "mine": {"name": "mine", "use": "below/sub/mine.py:Mine", "options": {"x": 1}, "reads": []},
            "odd": {"name": "odd", "use": 3},
            "words": {"name": "words", "command": "words"},
            "run": {"name": "run", "command": ["./below/run", "no/such", "run", "--fast", 3]},
        },
        {"match_s": 7},
        {"host": "sandbox", "reads": ["below/data"]},
        8,
    )
    for wrong in ("game = 3", "bot = [1]", "limits = 3", "defaults = 3", "[game]"):
        Path("wrong.toml").write_text(wrong, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"wrong.toml: \[\[game\]\], "):
            read_file(Path("wrong.toml"))
    Path("wrong.toml").write_text("", encoding="utf-8")
    assert (read_file(Path("wrong.toml")), read_file(Path("wrong.toml")).keys) == (([], {}, {}, {}, None), {})
