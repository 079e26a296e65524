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


def test_the_program_of_a_run_that_was_played_from_here_is_named_with_the_option(play, tourney, tmp_path):
    play('["first"]', PROGRAM)
    told = f"no program.py in {tmp_path}, {tmp_path}/results; give the folder of the tournament file"
    for command in (("verify", "t", "--bots"), ("debug", "t", "vole-0-0", 1, "--bot", "random")):
        one_line(tourney(*command), 2, told)
        one_line(tourney(*command, "--trust"), 2, told)
        assert tourney(*command, "--folder", "sub").returncode == 0
    (tmp_path / "sub" / "program.py").write_text("", encoding="utf-8")
    assert tourney("verify", "t", "--bots", "--folder", "sub").returncode == 1, "it is there, and was edited"
