"""`tourney check` names what a tournament would hold against a bot, and what it could not rely on."""

import re
import shutil

import pytest

from tests.conftest import BAD, ROOT, called, mostly_slow, with_plugins
from tests.hosts import machine
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

class ByClock:
    def act(self, view, legal):
        return legal[time.time_ns() // 1000 % len(legal)]

class Marks:
    def start(self, facts):
        facts.game.mark = facts.seat

    def act(self, view, legal):
        return legal[0]

class Waits:
    def act(self, view, legal):
        time.sleep(0.02)
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


def test_only_the_games_that_a_bot_claims_are_tried(tourney, tmp_path):
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    games = ('vole',)\n    act = lambda self, view, legal: legal[0]\n"
    )
    told = verdicts(tourney("check", "mine.py:Mine"))
    assert [text.split(":")[0] for _, what, text in told if what == "legality"] == ["vole, 2 seats"]


@pytest.mark.parametrize(
    ("bot", "found"),
    [
        ("SaysNone", "illegal at decision 2: answered None"),
        ("Raises", "error at decision 2: "),
        pytest.param("RaisesInStart", "error at decision 2: ", marks=pytest.mark.slow),
        pytest.param("KillsItself", "crash at decision 2: ", marks=pytest.mark.slow),
        pytest.param("HangsAtOnce", "timeout at decision 2: ", marks=pytest.mark.slow),
    ],
)
def test_what_would_be_a_fault_is_named(tourney, bot, found):
    result = tourney("check", f"{BAD}:{bot}", "--game", "vole", "--match-s", 2)
    assert result.returncode == 1
    assert bad_ones(result)[0][0] == "legality"
    assert bad_ones(result)[0][1].startswith("vole, 2 seats: " + found)
    assert "in match vole-00000-" in bad_ones(result)[0][1]


@pytest.mark.parametrize("host", mostly_slow(["inline", "process"], "inline"))
def test_the_traceback_of_what_a_bot_raises_follows_its_line(tourney, tmp_path, host):
    (tmp_path / "raising.py").write_text(
        "class Raising:\n"
        "    games = ('vole', 'voleur')\n"
        "    def act(self, view, legal):\n"
        "        raise ValueError('no \\x1b[31m card')\n"
    )
    result = tourney("check", "raising.py:Raising", "--host", host)
    assert result.returncode == 1
    first, *below = result.stdout.splitlines()
    assert "ValueError at raising.py:4" in first
    assert '        File "raising.py", line 4' in [line.split(", in ")[0] for line in below]
    assert ("      ValueError: no \\x1b[31m card" in below) == (host == "process")
    assert len([line for line in below if 'raising.py"' in line]) == 1, "only once for both games"


@pytest.mark.slow
def test_modules_of_the_working_folder_are_not_taken_for_installed_ones(tourney, tmp_path):
    for name in ("random", "orjson", "signal", "tourney_bots"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not this one')\n")
    result = tourney("check", "steady", "--game", "vole")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stdout + result.stderr


RAISES_AGAIN = """
import os

class Raises:
    games = ("vole",)
    def act(self, view, legal):
        if os.environ["PYTHONHASHSEED"] == "1" and len(legal) < 3:
            raise ValueError("only here")
        return legal[-1]
"""


def test_a_bot_that_raises_in_the_second_process_only_is_named_with_its_traceback(tourney, tmp_path):
    (tmp_path / "again.py").write_text(RAISES_AGAIN)
    result = tourney("check", "again.py:Raises")
    assert [what for what, _ in bad_ones(result)] == ["determinism"]
    assert re.match(r"match vole-0000\d-\d: first no fault, then error at decision \d+: ", bad_ones(result)[0][1])
    assert '        File "again.py", line 8' in result.stdout.splitlines()


@pytest.mark.parametrize("bot", ["ByHash", "ByMemory", "ByClock"])
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
def test_in_a_process_of_its_own_nothing_is_left_behind(tourney):
    result = tourney("check", f"{BAD}:LeavesChild", "--game", "vole", "--host", "process")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stdout + result.stderr


@pytest.mark.slow
def test_a_bot_in_a_file_is_found_from_the_sandbox(tourney, tmp_path):
    machine.need_sandbox()
    (tmp_path / "mine.py").write_text(
        "class Mine:\n    games = ('vole',)\n    act = lambda self, view, legal: legal[0]\n"
    )
    result = tourney("check", "mine.py:Mine", "--host", "sandbox")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stderr


@pytest.mark.slow
def test_a_bot_that_is_too_slow_is_named(tourney, tmp_path):
    (tmp_path / "unsteady.py").write_text(UNSTEADY)
    result = tourney("check", "unsteady.py:Waits", "--game", "vole", "--move-ms", 10)
    assert result.returncode == 1
    assert "timeout at decision 3: took longer than move_ms" in bad_ones(result)[0][1]


@pytest.mark.parametrize("game", [[], ["--game", "vole"]])
def test_a_bot_that_exits_when_it_is_loaded_is_named(tourney, tmp_path, game):
    (tmp_path / "gone.py").write_text("import os\nos._exit(3)\n")
    result = tourney("check", "gone.py:Gone", *game)
    assert result.returncode == 2
    why = "its process ended with exit status 3"
    assert result.stderr == f"tourney: bot gone: gone.py:Gone cannot be loaded: {why}; try it with Python alone\n"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, which is not installed")
def test_a_program_is_tried_by_its_command(tourney):
    program = ROOT / "bots" / "wire" / "first_bot.js"
    result = tourney("check", "--command", f"node {program}", "--game", "vole")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stdout + result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["rndom"], 'no bot "rndom"; did you mean "random"?'),
        (["nothing.py:Bot"], 'no bot "nothing.py:Bot": there is no file'),
        (["steady", "--game", "volle"], 'no game "volle"; did you mean "vole"?'),
        (["steady", "--options", "playouts"], "--options: is not TOML"),
        (["steady", "--options", "3"], "--options: is no table"),
        (["seer", "--options", "{ playouts = 0 }"], "playouts: Expected `int` >= 1"),
        (["steady", "--host", "cloud"], 'no host "cloud"; known: inline, process, sandbox'),
        (["--command", "no-such-program"], 'no program "no-such-program" in PATH'),
    ],
)
def test_wrong_use_is_one_line(tourney, arguments, told):
    result = tourney("check", *arguments)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert told in result.stderr


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


@pytest.mark.slow
def test_a_game_that_never_ends_is_named_after_a_bounded_time_and_no_more_is_tried(game_of_others):
    flaw = "while seed: pass"
    result = with_plugins(game_of_others(flaw), "check", "--game", "goofspiel", "--match-s", "1")
    assert result.returncode == 1
    assert re.search(r"2 seats, seed \w{32}: it took longer than 1 s; no more was tried", bad_ones(result)[0][1])
    assert [topic for _, topic, _ in verdicts(result)][-1] == bad_ones(result)[0][0]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "nothing to examine: name a bot, as in `tourney check steady`, or a game by --game NAME"),
        (["--game", "volle"], 'no game "volle"; did you mean "vole"?'),
        (["--game", "vole", "--move-ms", 5], "--move-ms is for a bot, and none is named"),
    ],
)
def test_wrong_use_for_a_game_is_one_line(tmp_path, arguments, told):
    result = called(["check", *map(str, arguments)], tmp_path)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert told in result.stderr
