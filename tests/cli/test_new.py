"""`tourney new` writes packages that work as they are; `tourney check` passes a sound bot at every game."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT, TOURNEY, apart, with_code
from tests.environments import fresh_environment
from tests.project.test_docs import run
from tourney import config
from tourney.cli.commands import new as scaffold
from tourney.plugins.registry import game_names, load_game


@pytest.mark.slow
def test_the_python_package_installs_in_a_fresh_environment_plays_and_passes_its_test(tourney, tmp_path):
    result = with_code(tourney("new", "bot", "sly-fox", "--game", "vole"))
    assert result.stderr.splitlines()[-2:] == ["  pip install -e sly-fox", "  tourney run sly-fox/tournament.toml"]
    python = fresh_environment(tmp_path, ROOT, ROOT / "bots")
    install = ("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-e", "sly-fox")
    run(python, *install, cwd=tmp_path)
    assert "sly-fox: Takes one of its legal actions" in run(python, "-m", "tourney", "bots", cwd=tmp_path)
    assert "sly-fox" in run(python, "-m", "tourney", "run", "sly-fox/tournament.toml", "--quiet", cwd=tmp_path)
    assert "3 passed" in run(python, "-m", "pytest", "-q", "sly-fox", cwd=tmp_path)


COMPILERS = {"c": ("a C compiler", "make"), "go": ("go",), "rust": ("cargo",)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "language", [pytest.param(each, marks=pytest.mark.needs(*needs)) for each, needs in COMPILERS.items()]
)
def test_a_program_in_another_language_is_built_plays_and_passes_its_test(tourney, tmp_path, language):
    result = with_code(tourney("new", "bot", "sly-fox", "--language", language, "--game", "vole"))
    *build, _, play = result.stderr.partition("Try it:\n")[2].splitlines()
    tournament = tmp_path / "sly-fox" / "tournament.toml"
    tournament.write_text(tournament.read_text(encoding="utf-8").replace("deals = 20", "deals = 2"), encoding="utf-8")
    (test,) = re.findall("(?m)^# runs the same check as a test\n(.*)", (tmp_path / "sly-fox" / "README.md").read_text())
    path = ["env", f"PATH={Path(TOURNEY).parent}:{os.environ['PATH']}"]
    said = run(*path, "bash", "-ec", "\n".join([*build, play, "cd sly-fox", test]), cwd=tmp_path)
    assert "\n4 " in said, "four bots are ranked"
    assert tourney("matches", "sly-fox", "--faults").stdout == ""


@pytest.mark.parametrize("game", game_names())
def test_a_new_tournament_and_that_of_a_new_bot_are_played_and_name_the_schema(tourney, tmp_path, game):
    assert tourney("new", "bot", "fox", "--game", game).returncode == 0
    path = tmp_path / "fox" / "tournament.toml"
    text = path.read_text(encoding="utf-8").replace('"fox",', '"fox_bot.py:FoxBot",')  # which is not installed here
    path.write_text(text.replace("deals = 20", "deals = 1"), encoding="utf-8")
    assert "fox" in tourney("run", path, "--quiet").stdout
    result = with_code(tourney("new", "tournament", "mine", "--game", game))
    assert result.stdout == "wrote mine.toml\nwrote tournament.schema.json\n"
    assert result.stderr.startswith("\nTry it:\n  tourney run mine.toml\n\n20 deals tell bots apart that differ by ")
    text = (tmp_path / "mine.toml").read_text(encoding="utf-8")
    assert text.startswith("#:schema ./tournament.schema.json\n")
    assert (tmp_path / "tournament.schema.json").read_text(encoding="utf-8") == tourney("schema").stdout
    (tmp_path / "mine.toml").write_text(text.replace("deals = 20", "deals = 1"), encoding="utf-8")
    assert "steady" in with_code(tourney("run", "mine.toml", "--quiet")).stdout
    assert tourney("new", "tournament", "other").stdout == "wrote other.toml\n", "the schema is there"


def test_a_seed_that_nobody_gave_has_128_bits_and_is_another_each_time(tourney, tmp_path):
    drawn = []
    for number in ("1", "2"):
        drawn.append(apart(tmp_path, "play", "vole", typed="q\n").stderr.split()[-1])
        for command, file in (
            ("new tournament", f"{number}.toml"),
            ("league new", f"results/{number}/tournament.toml"),
        ):
            tourney(*command.split(), number, "--game", "vole").check_returncode()
            drawn.append(tomllib.loads((tmp_path / file).read_text(encoding="utf-8"))["seed"])
    assert all([re.fullmatch("[0-9a-f]{32}", seed) for seed in drawn])
    assert len({*drawn}) == len(drawn) == 6


def test_whatever_its_comments_propose_is_accepted(tmp_path):
    """Each commented line with a key, alone or with its table, in place of the key that it is instead of."""
    (path, *_) = scaffold.write_tournament("mine", "vole", tmp_path / "mine.toml")
    text = path.read_text(encoding="utf-8")
    tables = re.findall(r"(?m)^# \[.*\]\n(?:# \w+ = .*\n)+", text)
    assert len(tables) == 3
    for table in tables:
        config.of_text(text.replace(table, re.sub("(?m)^# ", "", table)), path)
    formats = re.findall(r"(?m)^# format = .*\n(?:# (?!format)\w+ = .*\n)?", text[: text.index("# The seatings")])
    assert len(formats) == 5
    for lines in formats:
        bots = text.replace(', "steady"', "") if "mirror" in lines else text
        config.of_text(re.sub(r"(?m)^format = .*\n", re.sub("(?m)^# ", "", lines), bots), path)
    for key in ("seatings", "anchor", "weight"):
        assert f"\n# {key} = " in text
        config.of_text(text.replace(f"\n# {key} = ", f"\n{key} = "), path)


@pytest.mark.slow
def test_a_sound_bot_passes_at_every_game_and_number_of_seats(tourney):
    lines = [line.split(maxsplit=2) for line in with_code(tourney("check", "random")).stdout.splitlines()]
    tables = [f"{game}, {seats} seats" for game in game_names() for seats in load_game(game).seats]
    assert [text.split(":")[0] for _, topic, text in lines if topic == "legality"] == tables
    assert [text.split(":")[0] for _, topic, text in lines if topic == "speed"] == game_names()
    assert lines[-1][:2] == ["ok", "leftovers"]
