"""A tournament file in another folder: its bots are found by --folder, and the commands that are suggested work."""

import re
import shlex
import sys

import pytest

from tests.cli.runs import one_line
from tests.conftest import ROOT, tournament_text

RAISER = "class Raiser:\n    def act(self, view, legal):\n        raise ValueError(1)\n"
PROGRAM = f'[[bot]]\nname = "program"\ncommand = ["{sys.executable}", "program.py"]'
FICKLE = """
import os


class Fickle:
    def act(self, view, legal):
        return legal[-1 if "MOOD" in os.environ else 0]
"""


@pytest.fixture
def play(tourney, tmp_path):
    """Plays a tournament whose file and bots are in the folder `sub`, from the folder above."""
    folder = tmp_path / "sub"
    folder.mkdir()
    (folder / "raiser.py").write_text(RAISER, encoding="utf-8")
    (folder / "fickle.py").write_text(FICKLE, encoding="utf-8")
    (folder / "program.py").write_bytes((ROOT / "bots" / "wire" / "random_bot.py").read_bytes())

    def play(bots: str, extra: str = ""):
        (folder / "t.toml").write_text(tournament_text("t", deals="1", bots=bots, extra=extra), encoding="utf-8")
        result = tourney("run", "sub/t.toml", "--quiet")
        assert result.returncode == 0, result.stderr
        return result

    return play


def suggested(text: str) -> list[str]:
    (command,) = re.findall(r"tourney (debug .*)", text)
    return shlex.split(command)


@pytest.mark.parametrize("first_word", [sys.executable, "./start", "python3"])
def test_the_program_of_a_run_that_was_played_from_here_is_named_with_the_option(play, tourney, tmp_path, first_word):
    (tmp_path / "sub" / "start").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    (tmp_path / "sub" / "start").chmod(0o755)
    play('["first"]', PROGRAM.replace(sys.executable, first_word))
    missing = "./start" if first_word == "./start" else "program.py"
    told = f"no {missing} in {tmp_path}, {tmp_path}/results; give the folder of the tournament file"
    for command in (("verify", "t", "--bots"), ("debug", "t", "vole-0-0", 1, "--bot", "random")):
        one_line(tourney(*command), 2, told)
        one_line(tourney(*command, "--trust"), 2, told)
        assert tourney(*command, "--folder", "sub").returncode == 0
    (tmp_path / "sub" / "program.py").write_text("", encoding="utf-8")
    assert tourney("verify", "t", "--bots", "--folder", "sub").returncode == 1, "it is there, and was edited"


def test_a_program_without_files_is_looked_for_nowhere(play, tourney, tmp_path):
    code = f"import sys; sys.argv = ['']; exec(open('{tmp_path}/sub/program.py').read())"
    play('["first"]', f'[[bot]]\nname = "program"\ncommand = ["python3", "-c", "{code}"]')
    one_line(tourney("verify", "t", "--bots"), 2, "was not played here by you, and would run python3 -c ")
    assert tourney("verify", "t", "--bots", "--folder", "sub").returncode == 0


def test_what_a_bot_reads_is_looked_for_as_well(play, tourney, tmp_path):
    (tmp_path / "sub" / "weights").mkdir()
    play('["first"]', '[[bot]]\nname = "reader"\nuse = "random"\nhost = "process"\nreads = ["weights"]')
    one_line(tourney("verify", "t", "--bots"), 2, "no weights in ", "the folder of the tournament file")
    assert tourney("verify", "t", "--bots", "--folder", "sub").returncode == 0


def test_the_command_after_a_fault_works(play, tourney, tmp_path, monkeypatch):
    command = suggested(play('["first", "raiser.py:Raiser"]').stdout)
    assert command[-2:] == ["--folder", "sub"]
    assert tourney(*command, PYTHONBREAKPOINT="0").returncode == 0
    one_line(tourney(*suggested(tourney("standings", "t").stdout)), 2, "give the folder of the tournament file")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raiser.py").write_text(RAISER, encoding="utf-8")
    assert "--folder" not in tourney("standings", "t").stdout


def test_the_commands_of_verify_and_analyse_work(play, tourney):
    play('["first", "fickle.py:Fickle"]')
    differs = tourney("verify", "t", "--bots", "--folder", "sub", MOOD="x")
    assert differs.returncode == 1
    command = suggested(differs.stdout)
    assert command[-2:] == ["--folder", "sub"]
    assert tourney(*command, PYTHONBREAKPOINT="0").returncode == 0
    analyse = ("analyse", "t", "--bot", "fickle", "--playouts", 4, "--limit", 1, "--workers", 1)
    shown = tourney(*analyse, "--folder", "sub").stdout
    assert tourney(*suggested(shown), PYTHONBREAKPOINT="0").returncode == 0


def test_a_decision_of_a_program_is_shown_in_a_way_that_works(play, tourney, tmp_path):
    play('["first"]', PROGRAM)
    analyse = ("analyse", "t", "--bot", "program", "--playouts", 4, "--limit", 1, "--workers", 1, "--folder", "sub")
    command = suggested(tourney(*analyse).stdout)
    assert "--try" in command
    assert tourney(*command).returncode == 0
    (tmp_path / "sub" / "program.py").write_text("", encoding="utf-8")
    result = tourney("verify", "t", "--bots", "--folder", "sub")
    assert result.returncode == 1
    (command,) = re.findall(r"  tourney (replay .*)", result.stdout)
    assert tourney(*shlex.split(command)).returncode == 0
