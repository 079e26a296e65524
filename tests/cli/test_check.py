"""`tourney check` names what a tournament would hold against a bot, and what it could not rely on."""

import re

import pytest

from tests.cli.runs import copy_bots, one_line
from tests.conftest import mostly_slow
from tourney.plugins.registry import game_names, load_game

UNSTEADY = """
class Remembers:
    def act(self, view, legal):
        with open(__file__ + ".seen", "a+b") as seen:
            seen.seek(0)
            known = view.as_json() in seen.read().split(b"\\n")
            seen.write(view.as_json() + b"\\n")
        return legal[-1 if known else 0]
class Marks:
    def start(self, facts):
        facts.game.mark = facts.seat
    def act(self, view, legal):
        return legal[0]
"""


def verdicts(result) -> list[tuple[str, str, str]]:
    """The lines as (ok or FAIL, what, text), without the tracebacks and the names of bots."""
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stdout.splitlines() if not line.startswith("      ") and not line.endswith(":")]
    return [tuple(re.split(r" {2,}", line, maxsplit=2)) for line in lines]


def bad_ones(result) -> list[tuple[str, str]]:
    return [(what, text) for verdict, what, text in verdicts(result) if verdict == "FAIL"]


@pytest.mark.slow
def test_a_sound_bot_passes_at_every_game_and_number_of_seats(tourney):
    result = tourney("check", "random")
    assert (result.returncode, bad_ones(result)) == (0, []), result.stderr
    legality = [text.split(":")[0] for _, what, text in verdicts(result) if what == "legality"]
    assert legality == [f"{game}, {seats} seats" for game in game_names() for seats in load_game(game).seats]
    assert [text.split(":")[0] for _, what, text in verdicts(result) if what == "speed"] == game_names()
    assert [what for _, what, _ in verdicts(result)][-1] == "leftovers"


FOUND = {  # the topic that fails, and its message
    "bots.py:SaysNone": ("legality", "vole, 2 seats: illegal at decision 2: answered None.*in match vole-00000-"),
    "bots.py:RaisesInStart": ("legality", "vole, 2 seats: error at decision 2: "),
    "bots.py:HangsAtOnce": ("legality", "vole, 2 seats: timeout at decision 2: "),
    "unsteady.py:Remembers": ("determinism", r"match vole-\d+-0, decision 2: first \S+, then \S+"),
    "bots.py:MutatesTheWorld": ("leftovers", r".*working folder \(first after vole-.* module random \(first after"),
    "bots.py:LeavesChild": ("leftovers", r".*processes \(first after vole-"),
    "unsteady.py:Marks": ("leftovers", r".*the game that it was given \(first after vole-"),
}


@pytest.mark.parametrize(
    "bot", mostly_slow(FOUND, "bots.py:SaysNone", "unsteady.py:Remembers", "bots.py:MutatesTheWorld")
)
def test_what_is_wrong_with_a_bot_is_named(tourney, tmp_path, bot):
    copy_bots(tmp_path)
    (tmp_path / "unsteady.py").write_text(UNSTEADY)
    topic, says = FOUND[bot]
    result = tourney("check", bot, "--game", "vole", "--deals", 2, "--match-s", 2)
    assert result.returncode == 1
    assert bad_ones(result)[0][0] == topic
    assert re.match(says, bad_ones(result)[0][1])


BESIDE = """
class Reads:
    def start(self, facts):
        open("book.txt")
    def act(self, view, legal):
        return legal[0]
class Loops:
    def start(self, facts):
        open(__file__ + ".starts", "a").write(".")
    def act(self, view, legal):
        while True: pass
"""
CUP = {
    "bot": """[{ name = "reads", use = "sub/beside.py:Reads" },
        { name = "loops", use = "sub/beside.py:Loops", host = "process", move_ms = 300 },
        { name = "mute", command = ["sleep", "600"], start_ms = 500 }]""",
    "defaults": '{ host = "sandbox" }',
    "extra": '[[game]]\nname = "leon"\nseats = 2\n[[game]]\nname = "bang"\nseats = 4',
}


def test_entrants_of_a_file_are_tried_as_it_runs_them_and_timeouts_end_it_soon(tourney, write, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "beside.py").write_text(BESIDE)
    (tmp_path / "sub" / "book.txt").touch()
    result = tourney("check", write("cup", **CUP), "reads", "loops", "mute", "--deals", 6)
    assert result.returncode == 1
    found = bad_ones(result)
    assert "FileNotFoundError" in found[0][1]
    assert "book.txt is there, but the sandbox shows only `reads`" in found[0][1]
    tried = [text.split(":")[0] for topic, text in found[3:-1] if topic == "legality"]
    assert tried[:2] == ["vole, 2 seats", "leon, 2 seats"]
    assert "bang, 4 seats" not in tried
    assert len((tmp_path / "sub" / "beside.py.starts").read_text()) < 2 * 6 * 4 / 2
    assert found[-1] == ("protocol", found[-1][1])
    assert "does it flush stdout?" in found[-1][1]
    one_line(tourney("check", tmp_path / "cup.toml", "read"), 2, 'did you mean "reads"?')


def test_a_sound_game_passes_and_each_part_is_a_line(tourney):
    result = tourney("check", "--game", "vole", "--deals", "1", "--match-s", "600")
    assert (result.returncode, result.stderr) == (0, "")
    assert {verdict for verdict, _, _ in verdicts(result)} == {"ok"}
    assert len(verdicts(result)) == len({topic for _, topic, _ in verdicts(result)}) >= 20
