"""The JSON Schema of tournament files accepts what is played, and refuses the mistakes that single keys show."""

import json
import re
import tomllib

import jsonschema
import pytest

from tests.conftest import ROOT, tournament_text, with_plugins
from tourney import config
from tourney.base.errors import ConfigError
from tourney.cli.commands import new as scaffold
from tourney.config.json_schema import tournament_schema
from tourney.journal.kinds import KINDS
from tourney.plugins.registry import format_names, load_format

SCHEMA = tournament_schema()
CHECK = jsonschema.Draft7Validator(SCHEMA)
PAGE = (ROOT / "docs" / "tournament-files.md").read_text(encoding="utf-8")
FILES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "configs").rglob("*.toml"))}
FILES["the file on the page"] = re.findall(r"```toml\n(name = .*?)```", PAGE, re.DOTALL)[0]
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


def problems(text, check=CHECK):
    return [f"{error.json_path}: {error.message}" for error in check.iter_errors(tomllib.loads(text))]


@pytest.mark.parametrize("name", FILES)
def test_every_configuration_is_valid(name):
    assert problems(FILES[name]) == []


def test_new_tournaments_are_valid(tmp_path):
    paths = [scaffold.write_tournament("mine", "leon", tmp_path / "mine.toml")[0]]
    for language in ("python", *scaffold.PROGRAMS):
        scaffold.write_bot("fox", language, "leon", tmp_path / language)
        paths.append(tmp_path / language / "tournament.toml")
    assert [problems(path.read_text(encoding="utf-8")) for path in paths] == [[]] * 6


@pytest.mark.parametrize("keys", WRONG.values(), ids=WRONG)
def test_a_mistake_is_found_by_the_schema_as_by_the_reader(keys, tmp_path):
    text = tournament_text("t", **keys)
    assert problems(text) != []
    with pytest.raises(ConfigError):
        config.parse(text, tmp_path / "t.toml")


def test_every_format_has_a_configuration_and_its_keys_are_in_the_schema_with_what_they_mean():
    commanded = {kind.format for kind in KINDS.values()}  # `tourney league new` writes the file of a league
    assert {tomllib.loads(text).get("format") for text in FILES.values()} >= {*format_names()} - commanded
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "http://json-schema.org/draft-07/schema#"
    properties = SCHEMA["properties"]
    for name in format_names():
        assert set(load_format(name).Options.__struct_fields__) <= properties.keys()
    assert all(["description" in value for value in properties.values()])
    assert set(SCHEMA["required"]) == {"name", "seed", "game"}
    assert (properties["deals"]["default"], properties["limits"]["default"]) == (10, {})
    assert {"minimum": 0.5, "maximum": 0.9999}.items() <= properties["sure"].items()
    assert "default" not in properties["sure"]  # which is not the same for all formats that have it
    assert SCHEMA["definitions"]["Game"]["properties"]["weight"]["default"] == 1.0


KIT = """
from tourney import Options
from tourney.schedule.base import Schedule
class Good(Schedule):
    name = "good"
    class Options(Options, frozen=True):
        groups: int | None = 5
        rounds: str = "three"
class Clash(Schedule):
    name = "clash"
    class Options(Options, frozen=True):
        deals: int = 1
class Strange(Schedule):
    name = "strange"
    class Options(Options, frozen=True):
        odd: Schedule | None = None
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
    assert 'key "deals" is reserved for every tournament' in with_plugins(path, "run", "t.toml").stderr
