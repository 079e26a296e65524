"""`tourney debug` with programs and with bots in processes: only the debugger needs a Python bot."""

import re
import shutil
import sys

import orjson
import pytest

from tests.cli.runs import Terminal, one_line, plain
from tests.conftest import ROOT, apart, called, tournament_text
from tourney.cli.render.transcript import card_painter
from tourney.plugins.registry import load_game

BOT = """
class Watched:
    asked = 0
    def act(self, view, legal):
        self.asked += 1
        return legal[-1]
"""
BOTS = f"""[{{ name = "program", command = ["{sys.executable}", "program.py"] }},
    {{ name = "own", use = "bots.py:Watched", host = "process" }}]"""
MARKS = """
import contextlib, pathlib
with contextlib.suppress(OSError):
    pathlib.Path(__file__).with_name("mark").touch()
class Bot:
    def act(self, view, legal):
        return legal[-1]
"""


def test_programs_and_bots_in_processes_are_asked_again_and_played_on_with(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "program.py")
    (tmp_path / "bots.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "mixed.toml").write_text(tournament_text("mixed", deals="1", bots="", bot=BOTS), encoding="utf-8")
    assert called(["run", "mixed.toml", "--quiet"], tmp_path).returncode == 0
    assert called(["verify", "mixed", "--bots"], tmp_path).returncode == 0

    def third(bot):
        lines = called(["replay", "mixed", "vole-00000-0", "--decisions-of", bot, "--json"], tmp_path).stdout
        return orjson.loads(lines.splitlines()[2])

    def debug(decision, *arguments, typed=""):
        return apart(tmp_path, "debug", "mixed", "vole-00000-0", decision["decision"], *arguments, typed=typed)

    mine = third("program")
    result = debug(mine)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "bot program: a program, and the debugger needs a Python bot" in result.stderr
    result = debug(mine, "--try", mine["action"])
    assert "the match continues and ends as recorded" in result.stdout
    theirs = third("own")
    result = debug(theirs, typed="p self.asked\np view.as_dict()\nc\n")
    assert result.returncode == 0, "a Python bot is debugged in this process, wherever it ran"
    assert "(Pdb) 2" in result.stdout
    game = load_game("vole")
    legal = ", ".join([f"{game.action(text)} {text}" for text in theirs["legal"]])
    assert f"\nlegal: {legal}\n" in result.stdout.replace("\n  ", " "), "pdb shows numbers alone"
    assert eval(re.search(r"\(Pdb\) (\{.*\})", result.stdout)[1]) == theirs["view"]
    assert result.stdout.splitlines()[-1].endswith(f"answered: {theirs['action']}, as recorded")


@pytest.mark.needs("bubblewrap")
def test_a_bot_of_the_sandbox_is_debugged_outside_only_if_the_user_says_so(tmp_path):
    (tmp_path / "caged.py").write_text(MARKS, encoding="utf-8")
    bot = '[[bot]]\nname = "caged"\nuse = "caged.py:Bot"\nhost = "sandbox"'
    (tmp_path / "caged.toml").write_text(tournament_text("caged", deals="1", bots='["first"]', extra=bot))
    called(["run", "caged.toml", "--quiet"], tmp_path).check_returncode()
    decisions = called(["replay", "caged", "vole-0-0", "--decisions-of", "caged", "--json"], tmp_path).stdout
    mine = orjson.loads(decisions.splitlines()[0])
    command = ["debug", "caged", "vole-0-0", mine["decision"]]
    one_line(apart(tmp_path, *command), 2, "bot caged: ", "outside", "--unsandboxed")
    shown = card_painter(load_game("vole"), colours=False)(mine["action"])
    assert shown != mine["action"]
    assert apart(tmp_path, *command, "--try", shown).returncode == 0
    terminal = Terminal(tmp_path, *command, columns=200)
    assert "all that you can" in plain(terminal.until("[y/N]: "))
    terminal.type("n\n")
    assert terminal.end()[1] == 2
    assert not (tmp_path / "mark").exists()
    done = apart(tmp_path, *command, "--unsandboxed", PYTHONBREAKPOINT="0")
    assert (done.returncode, done.stdout.count("caged was not asked before")) == (0, 1)
    assert (tmp_path / "mark").exists()
