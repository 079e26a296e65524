"""The JSON Schema of tournament files accepts what is played, and refuses the mistakes that single keys show."""

import json
import re
import tomllib
from typing import Any

import jsonschema
import pytest

from tests.conftest import ROOT, tournament_text, with_plugins
from tourney import config
from tourney.base.errors import ConfigError
from tourney.cli.commands import new as scaffold
from tourney.config.json_schema import tournament_schema
from tourney.plugins.registry import format_names, load_format

SCHEMA = tournament_schema()
CHECK = jsonschema.Draft7Validator(SCHEMA)
CONFIGS = sorted((ROOT / "configs").rglob("*.toml"))
WRONG = {
    "a key that is none": {"dealz": "3"},
    "one game without its second brackets": {"game": '[game]\nname = "vole"'},
    "no game": {"game": ""},
    "no seed": {"seed": ""},
    "a number that is too small": {"deals": "0"},
    "a format's key of a wrong type": {"format": '"swiss"', "rounds": '"three"'},
    "a bot's key that is none": {"extra": '[[bot]]\nname = "x"\nusing = "first"'},
    "a bot without a name": {"extra": '[[bot]]\nuse = "first"'},
    "a bot's limit of a wrong type": {"extra": '[[bot]]\nname = "x"\nuse = "first"\nmove_ms = "1s"'},
    "a weight of nothing": {"game": '[[game]]\nname = "vole"\nweight = 0'},
    "a limit that is none": {"extra": "[limits]\nmove = 1"},
    "an anchor without a rating": {"anchor": '{ bot = "first" }'},
}


def problems(text: str, check: Any = CHECK) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in check.iter_errors(tomllib.loads(text))]


def test_the_schema_is_one():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_is_valid(path):
    assert problems(path.read_text(encoding="utf-8")) == []


def test_the_file_on_the_page_about_configuration_is_valid():
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(name = .*?)```", page, re.DOTALL)
    assert problems(text) == []


def test_new_tournaments_are_valid(tmp_path):
    game = "leon"
    path, _ = scaffold.write_tournament("mine", game, tmp_path / "mine.toml")
    assert problems(path.read_text(encoding="utf-8")) == []
    for language in ("python", "javascript"):
        folder = tmp_path / language
        scaffold.write_bot("fox", language, game, folder)
        assert problems((folder / "tournament.toml").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("keys", WRONG.values(), ids=WRONG)
def test_a_mistake_is_found_by_the_schema_as_by_the_reader(keys, tmp_path):
    text = tournament_text("t", **keys)
    assert problems(text) != []
    with pytest.raises(ConfigError):
        config.parse(text, tmp_path / "t.toml")


def test_every_key_of_every_format_is_in_it_with_what_it_means():
    properties = SCHEMA["properties"]
    for name in format_names():
        assert set(load_format(name).Options.__struct_fields__) <= properties.keys()
    assert all(["description" in value for value in properties.values()])
    assert set(SCHEMA["required"]) == {"name", "seed", "game"}
    assert (properties["deals"]["default"], properties["limits"]["default"]) == (10, {})
    assert "default" not in properties["sure"]  # which is not the same for all formats that have it
    assert SCHEMA["definitions"]["Game"]["properties"]["weight"]["default"] == 1.0


KIT = """
from tourney import Options
from tourney.schedule.base import Schedule

class Same(Options, frozen=True):
    groups: int | None = 5
    rounds: str = "three"

class Odd(Options, frozen=True):
    odd: Schedule | None = None

class Good(Schedule):
    name = "good"
    Options = Same

class Taken(Options, frozen=True):
    deals: int = 1

class Clash(Schedule):
    name = "clash"
    Options = Taken

class Strange(Schedule):
    name = "strange"
    Options = Odd
"""


def test_a_format_that_is_broken_is_left_out_and_of_a_key_in_two_formats_nothing_is_asked(plugin):
    names = "bad = bad_kit:Bad\ngood = kit:Good\nstrange = kit:Strange\nclash = kit:Clash"
    path = plugin("bad-kit", f"[tourney.formats]\n{names}\n", bad_kit="raise ValueError\n", kit=KIT)
    printed = with_plugins(path, "schema")
    assert (printed.returncode, printed.stderr) == (0, "")
    schema = json.loads(printed.stdout)
    assert printed.stdout.startswith("{\n  ")
    assert schema["properties"]["groups"] == schema["properties"]["rounds"] == {}
    assert schema["properties"].keys() == SCHEMA["properties"].keys()
    (path / "t.toml").write_text(tournament_text("t", format='"clash"'), encoding="utf-8")
    assert 'every tournament has a key "deals"' in with_plugins(path, "run", "t.toml").stderr
