"""The JSON Schema of tournament files accepts what is played, and refuses the mistakes that single keys show."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.conftest import ROOT, mostly_slow, tournament_text, with_plugins
from tests.test_plugins import DERBY, DERBY_FILE, POLITE
from tourney import config, scaffold
from tourney.config.json_schema import tournament_schema
from tourney.errors import ConfigError
from tourney.plugins import format_names, game_names, load_bot, load_format, load_game

SCHEMA = tournament_schema()
CHECK = jsonschema.Draft7Validator(SCHEMA)
CONFIGS = sorted((ROOT / "configs").rglob("*.toml"))


def problems(text: str, check: Any = CHECK) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in check.iter_errors(tomllib.loads(text))]


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_it_holds_no_null_which_toml_has_not():
    found: list[Any] = []
    left: list[Any] = [SCHEMA]
    while left:
        value = left.pop()
        found.append(value)
        left += value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    assert None not in [value for value in found if not isinstance(value, dict | list)]
    assert {"type": "null"} not in found


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_is_valid(path):
    assert problems(path.read_text(encoding="utf-8")) == []


def test_the_file_on_the_page_about_configuration_is_valid():
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(name = .*?)```", page, re.DOTALL)
    assert problems(text) == []


@pytest.mark.slow
@pytest.mark.parametrize("game", game_names())
def test_new_tournaments_are_valid(tmp_path, game):
    path, _ = scaffold.write_tournament("mine", game, tmp_path / "mine.toml")
    assert problems(path.read_text(encoding="utf-8")) == []
    for language in scaffold.LANGUAGES:
        folder = tmp_path / language
        scaffold.write_bot("fox", language, game, folder)
        assert problems((folder / "tournament.toml").read_text(encoding="utf-8")) == []


def at_top(line: str) -> str:
    return tournament_text("t", extra="").replace("[[game]]", f"{line}\n[[game]]", 1)


def in_bot(keys: str) -> str:
    return tournament_text("t", extra=f"[[bot]]\n{keys}")


def in_game(name: str, keys: str) -> str:
    return tournament_text("t", game=f'[[game]]\nname = "{name}"\n{keys}')


def in_limits(keys: str) -> str:
    return tournament_text("t", extra=f"[limits]\n{keys}")


WRONG = {
    "a key that is none": at_top("dealz = 3"),
    "a table that is none": tournament_text("t", extra="[limit]\nmove_ms = 1"),
    "one game without its second brackets": tournament_text("t", game='[game]\nname = "vole"'),
    "no game": 'name = "t"\nseed = 1\nbots = ["first", "random"]\n',
    "no seed": tournament_text("t", seed=""),
    "a number that is too small": tournament_text("t", deals="0"),
    "a text for a number": tournament_text("t", deals='"ten"'),
    "a format that is none": tournament_text("t", format='"swis"'),
    "a key of another format": tournament_text("t", rounds="3"),
    "a key of another format, said": tournament_text("t", format='"knockout"', rounds="3"),
    "a format's key of a wrong type": tournament_text("t", format='"swiss"', rounds='"three"'),
    "bots that are no names": tournament_text("t", bots="[1, 2]"),
    "a bot's key that is none": in_bot('name = "x"\nusing = "first"'),
    "a bot without a name": in_bot('use = "first"'),
    "a bot of two kinds": in_bot('name = "x"\nuse = "first"\ncommand = ["x"]'),
    "a bot's limit of a wrong type": in_bot('name = "x"\nuse = "first"\nmove_ms = "1s"'),
    "a host that is none": in_bot('name = "x"\nuse = "first"\nhost = "docker"'),
    "a host's option that is none": in_bot(
        'name = "x"\ncommand = ["x"]\nhost = "sandbox"\nhost_options = {thread = 1}'
    ),
    "options of a host that has none": in_bot('name = "x"\nuse = "first"\nhost = "process"\nhost_options = {a = 1}'),
    "a bot's option that is none": in_bot('name = "x"\nuse = "seer"\noptions = { playout = 9 }'),
    "a bot's option, by its name": in_bot('name = "seer"\noptions = { playout = 9 }'),
    "options of a bot that has none": in_bot('name = "x"\nuse = "first"\noptions = { playouts = 9 }'),
    "a game that is none": in_game("volle", ""),
    "a game's key that is none": in_game("vole", "seat = 2"),
    "a game's option that is none": in_game("vole", "options = { targets = 6 }"),
    "a game's option of another game": in_game("bang", "seats = 2\noptions = { target = 6 }"),
    "a game's option out of bounds": in_game("vole", "options = { target = 0 }"),
    "an option in an option that is none": in_game("cold-blooded", "seats = 4\noptions = { deck = { knifes = 1 } }"),
    "seats that a game has not": in_game("vole", "seats = 3"),
    "no seats where there is a choice": in_game("bang", ""),
    "a weight of nothing": in_game("vole", "weight = 0"),
    "a limit that is none": in_limits("move = 1"),
    "a share above one": in_limits("max_fault_rate = 2"),
    "an anchor without a rating": tournament_text("t", anchor='{ bot = "first" }'),
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_mistake_is_found_by_the_schema_as_by_the_reader(text, tmp_path):
    assert problems(text) != []
    with pytest.raises(ConfigError):
        config.parse(text, tmp_path / "t.toml")


def test_every_key_of_every_plugin_is_in_it_with_what_it_means():
    properties = SCHEMA["properties"]
    for name in format_names():
        assert set(load_format(name).Options.__struct_fields__) <= properties.keys()
    assert {key for key, value in properties.items() if "description" not in value} == {"game"}
    tables = {rule["if"]["properties"]["name"]["const"]: rule["then"] for rule in properties["game"]["items"]["allOf"]}
    for name in game_names():
        options = tables[name]["properties"]["options"]["properties"]
        assert sorted(options) == sorted(load_game(name).Options.__struct_fields__)
        assert all(["description" in value for value in options.values()])
    seer = load_bot("seer", Path()).options
    assert seer is not None
    found = [rule["then"] for rule in properties["bot"]["items"]["allOf"] if "'const': 'seer'" in str(rule)]
    assert sorted(found[0]["properties"]["options"]["properties"]) == sorted(seer.__struct_fields__)


@pytest.mark.slow
def test_formats_and_hosts_of_other_distributions_are_in_it(plugin):
    path = plugin(
        "derby-kit",
        "[tourney.formats]\nderby = derby_kit:Derby\n[tourney.hosts]\ngreeting = derby_kit:Greeting\n",
        derby_kit=DERBY,
        polite=POLITE,
    )
    printed = with_plugins(path, "schema")
    assert (printed.returncode, printed.stderr) == (0, "")
    check = jsonschema.Draft7Validator(json.loads(printed.stdout))
    assert problems(DERBY_FILE, check) == []
    assert problems(DERBY_FILE) != []
    for old, new in (("reach = 2", "reach = 0"), ("reach", "reech"), ("greeting = ", "greetings = ")):
        assert problems(DERBY_FILE.replace(old, new, 1), check) != []


@pytest.mark.parametrize("broken", mostly_slow(["format", "game", "bot", "host"], "game"))
def test_a_plugin_that_is_broken_is_left_out(plugin, broken):
    path = plugin("bad-kit", f"[tourney.{broken}s]\nbad = bad_kit:Bad\n", bad_kit="raise ValueError\n")
    printed = with_plugins(path, "schema")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert '"bad"' not in printed.stdout
