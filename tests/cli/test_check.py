"""`tourney check` names what a tournament would hold against a bot, and what it could not rely on."""

import re
import shutil

import pytest

from tests.conftest import BAD, ROOT, with_plugins
from tourney.cli.commands import new as scaffold
from tourney.plugins.registry import game_names, load_game

UNSTEADY = """
import os, time

COUNT = 0

class ByHash:
    def act(self, view, legal):
        return sorted(legal, key=lambda action: hash(str(action)))[0]

class ByMemory:
    def act(self, view, legal):
        global COUNT
        COUNT += 1
        return legal[COUNT % len(legal)]

class Marks:
    def start(self, facts):
        facts.game.mark = facts.seat

    def act(self, view, legal):
        return legal[0]

"""


def verdicts(result) -> list[tuple[str, str, str]]:
    """The lines as (ok or FAIL, what, text), without the tracebacks of bots."""
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stdout.splitlines() if not line.startswith("      ")]
    return [tuple(re.split(r" {2,}", line, maxsplit=2)) for line in lines]


def bad_ones(result) -> list[tuple[str, str]]:
    return [(what, text) for verdict, what, text in verdicts(result) if verdict == "FAIL"]


@pytest.mark.slow
def test_a_sound_bot_passes_at_every_game_and_number_of_seats(tourney):
    result = tourney("check", "random")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stderr
    legality = [text.split(":")[0] for _, what, text in verdicts(result) if what == "legality"]
    assert legality == [f"{game}, {seats} seats" for game in game_names() for seats in load_game(game).seats]
    speed = [text for _, what, text in verdicts(result) if what == "speed"]
    assert [text.split(":")[0] for text in speed] == game_names()
    form = re.compile(r"median [\d.]+ [um]s, 95 % [\d.]+ [um]s, worst [\d.]+ [um]s, \d+ decisions")
    assert all(map(form.search, speed))
    assert [what for _, what, _ in verdicts(result)][-1] == "leftovers"


@pytest.mark.parametrize(
    ("bot", "found"),
    [
        ("SaysNone", "illegal at decision 2: answered None"),
        ("Raises", "error at decision 2: "),
        pytest.param("RaisesInStart", "error at decision 2: ", marks=pytest.mark.slow),
        pytest.param("HangsAtOnce", "timeout at decision 2: ", marks=pytest.mark.slow),
    ],
)
def test_what_would_be_a_fault_is_named(tourney, bot, found):
    result = tourney("check", f"{BAD}:{bot}", "--game", "vole", "--match-s", 2)
    assert result.returncode == 1
    assert bad_ones(result)[0][0] == "legality"
    assert bad_ones(result)[0][1].startswith("vole, 2 seats: " + found)
    assert "in match vole-00000-" in bad_ones(result)[0][1]


@pytest.mark.parametrize("bot", ["ByHash", "ByMemory"])
def test_a_bot_that_does_not_answer_the_same_again_is_named(tourney, tmp_path, bot):
    (tmp_path / "unsteady.py").write_text(UNSTEADY)
    result = tourney("check", f"unsteady.py:{bot}", "--game", "vole", "--deals", 2)
    assert result.returncode == 1
    assert [what for what, _ in bad_ones(result)] == ["determinism"]
    assert re.match(r"match vole-0000\d-\d, decision \d+: first \S+, then \S+", bad_ones(result)[0][1])


@pytest.mark.parametrize(
    ("bot", "left"),
    [
        (f"{BAD}:MutatesTheWorld", ["the working folder", "the state of the module random"]),
        pytest.param(f"{BAD}:LeavesThread", ["threads"], marks=pytest.mark.slow),
        pytest.param(f"{BAD}:LeavesChild", ["processes"], marks=pytest.mark.slow),
        pytest.param("unsteady.py:Marks", ["the game that it was given"], marks=pytest.mark.slow),
    ],
)
def test_what_a_bot_leaves_behind_is_named(tourney, tmp_path, bot, left):
    (tmp_path / "unsteady.py").write_text(UNSTEADY)
    result = tourney("check", bot, "--game", "vole")
    assert result.returncode == 1
    assert [what for what, _ in bad_ones(result)] == ["leftovers"]
    for what in left:
        assert f"{what} (first after vole-00000-0)" in bad_ones(result)[0][1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, which is not installed")
def test_a_program_is_tried_by_its_command(tourney):
    program = ROOT / "bots" / "wire" / "first_bot.js"
    result = tourney("check", "--command", f"node {program}", "--game", "vole")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stdout + result.stderr


FLAWED = """
class FlawedGame(GoofspielGame):
    def start(self, seats, options, seed):
        state = super().start(seats, options, seed)
        {flaw}
        return state
"""


@pytest.fixture
def game_of_others(plugin, tmp_path):
    """Installs a game of this name, whose matches begin with a flaw; returns the folder."""

    def install(flaw):
        scaffold.write_game("goofspiel", tmp_path / "written")
        text = (tmp_path / "written" / "goofspiel_game" / "__init__.py").read_text()
        return plugin(
            "flawed", "[tourney.games]\ngoofspiel = flawed:FlawedGame\n", flawed=text + FLAWED.format(flaw=flaw)
        )

    return install


def test_a_sound_game_passes_and_each_part_is_a_line(game_of_others):
    result = with_plugins(game_of_others("pass"), "check", "--game", "goofspiel", "--deals", "1")
    assert (result.returncode, result.stderr) == (0, "")
    assert {verdict for verdict, _, _ in verdicts(result)} == {"ok"}
    assert len(verdicts(result)) == len({topic for _, topic, _ in verdicts(result)}) >= 20


def test_a_game_whose_code_fails_is_named_with_the_place_and_the_rest_is_tried(game_of_others):
    flaw = "state.view = lambda seat: 1 / 0"
    result = with_plugins(game_of_others(flaw), "check", "--game", "goofspiel", "--deals", "1")
    assert result.returncode == 1
    views = next(text for topic, text in bad_ones(result) if topic == "views")
    assert re.search(r"ZeroDivisionError: division by zero at .*flawed.py:\d+", views)
    assert ("ok", "end") in [(verdict, topic) for verdict, topic, _ in verdicts(result)]
