"""`tourney debug`: in the frame of the bot's own act, in whichever debugger, and played on from there."""

import re
import shutil
import sys

import orjson
import pytest

from tests.conftest import ROOT, apart, called, tournament_text

BOTS = '''
class Watched:
    """A bot whose frame is easily known."""

    def __init__(self):
        self.asked = 0

    def act(self, view, legal):
        """Plays the last action."""
        self.asked += 1
        mark = f"asked {self.asked} times"
        return legal[-1]


class Raises:
    def act(self, view, legal):
        if len(view.hand) < 11:
            raise LookupError("no idea")
        return legal[0]
'''


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with runs of these bots, each as `results/NAME` against `random`."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "bots.py").write_text(BOTS, encoding="utf-8")
    for name in ("Watched", "Raises"):
        text = tournament_text(name, seed="4", deals="2", bots=f'["random", "bots.py:{name}"]')
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        called(["run", f"{name}.toml", "--quiet"], folder).check_returncode()
    return folder


@pytest.fixture
def tourney(played, monkeypatch):
    """Runs a command in that folder, with what is typed into it."""
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)

    def run(*arguments, typed=""):
        if arguments[0] == "debug" or "--bots" in arguments:
            return apart(played, *arguments, typed=typed)
        return called([*map(str, arguments)], played)

    return run


def decisions(tourney, run, bot="bots"):
    """The bot's decisions in the first match of a run."""
    lines = tourney("replay", run, "vole-00000-0", "--decisions-of", bot, "--json").stdout.splitlines()
    return [orjson.loads(line) for line in lines]


def test_pdb_stops_in_the_frame_of_act_with_what_the_bot_got(tourney):
    decision = decisions(tourney, "Watched")[3]
    typed = "p 'here', __name__ != 'x', self.asked, view.as_dict()\nn\nn\np mark\nwhere\nc\n"
    result = tourney("debug", "Watched", "vole-00000-0", decision["decision"], typed=typed)
    assert result.returncode == 0, result.stderr
    assert f"recorded: {decision['action']}\n" in result.stdout
    assert "bots was asked at 3 decisions before: as recorded" in result.stdout
    assert re.search(r"(?m)^> .*bots\.py\(\d+\)act\(\)$", result.stdout)
    here = re.search(r"\('here', True, 3, (\{.*\})\)", result.stdout)
    assert here is not None, "three times it was asked before"
    assert eval(here[1]) == decision["view"]
    assert "'asked 4 times'" in result.stdout
    assert result.stdout.splitlines()[-1].endswith(f"answered: {decision['action']}, as recorded")


def test_a_recorded_fault_can_be_debugged_and_what_comes_after_is_the_houses(tourney):
    told = tourney("matches", "Raises", "--faults").stdout.splitlines()[0]
    match, decision = told.split()[0], int(re.search(r"error at decision (\d+)", told)[1])
    result = tourney("debug", "Raises", match, decision, typed="c\n")
    assert result.returncode == 0
    assert "recorded: a fault, error (LookupError at bots.py:" in result.stdout
    assert "answered: raised LookupError, as recorded" in result.stdout
    assert "LookupError: no idea" in result.stderr
    lines = tourney("replay", "Raises", match, "--decisions-of", "bots", "--json").stdout.splitlines()
    later = next(event for event in map(orjson.loads, lines) if event["decision"] > decision)
    result = tourney("debug", "Raises", match, later["decision"])
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert f"it failed at decision {decision}" in result.stderr


def test_a_changed_bot_is_warned_of(tourney, played):
    file = played / "bots.py"
    old = file.read_text(encoding="utf-8")
    decision = decisions(tourney, "Watched")[4]["decision"]
    try:
        file.write_text(old.replace("return legal[-1]", "return legal[0]"), encoding="utf-8")
        result = tourney("debug", "Watched", "vole-00000-0", decision, typed="c\n")
        assert result.returncode == 1
        assert result.stderr == "bots: its source has changed since the run\n"
        assert re.search(r"\n  bots would first differ at decision \d+: \S+, not \S+, and \d more\n", result.stdout)
        verified = tourney("verify", "Watched", "--bots")
    finally:
        file.write_text(old, encoding="utf-8")
    assert verified.returncode == 1
    assert "differs in 4 of 4 matches, first in vole-00000-0" in verified.stdout
    assert "its source has changed since the run\n" in verified.stdout
    assert tourney("verify", "Watched", "--bots").returncode == 0


def test_programs_and_bots_in_processes_are_asked_again_and_played_on_with(tourney, played):
    """The debugger needs a Python bot; all else works wherever a bot runs."""
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", played / "program.py")
    bots = f'[[bot]]\nname = "program"\ncommand = ["{sys.executable}", "program.py"]\n'
    bots += '[[bot]]\nname = "own"\nuse = "bots.py:Watched"\nhost = "process"\n'
    (played / "mixed.toml").write_text(tournament_text("mixed", deals="1", bots="[]", extra=bots), encoding="utf-8")
    assert tourney("run", "mixed.toml", "--quiet").returncode == 0
    assert tourney("verify", "mixed", "--bots").returncode == 0
    mine = decisions(tourney, "mixed", "program")[2]
    result = tourney("debug", "mixed", "vole-00000-0", mine["decision"])
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "bot program: a program, and the debugger needs a Python bot" in result.stderr
    result = tourney("debug", "mixed", "vole-00000-0", mine["decision"], "--try", mine["action"])
    assert "the match continues and ends as recorded" in result.stdout
    theirs = decisions(tourney, "mixed", "own")[2]
    result = tourney("debug", "mixed", "vole-00000-0", theirs["decision"], typed="p self.asked\nc\n")
    assert result.returncode == 0, "a Python bot is debugged in this process, wherever it ran"
    assert "(Pdb) 2" in result.stdout
