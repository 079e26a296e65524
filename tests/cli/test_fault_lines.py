"""After the standings, every bot that made faults is named, with the first fault and the command that shows it."""

import re
import shlex
import sys

import orjson
import pytest

from tests.cli.runs import journal
from tests.conftest import BAD

PROGRAM = "import sys\nfor line in sys.stdin:\n    sys.exit(3)\n"
BOTS = (
    *[f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{use}"' for name, use in (
        ("raiser", "RaisesLater"), ("cheat", "Careless"), ("late", "RaisesInEnd"),
    )],
    f'[[bot]]\nname = "program"\ncommand = ["{sys.executable}", "program.py"]',
)  # fmt: skip
GAMES = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[[game]]\nname = "bang"\nseats = 3'


@pytest.fixture
def config(write, tmp_path):
    """Writes a tournament in which almost all bots make faults."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    return write("faulty", bots='["first"]', extra="\n".join(BOTS), game=GAMES, deals="1")


@pytest.fixture
def run(config, played, tmp_path):
    """Returns the tournament file, and the records, of a run of it."""
    played(config, "run")
    return config, [orjson.loads(line) for line in journal(tmp_path / "run").splitlines()]


def paragraphs(text: str) -> dict[str, str]:
    """What follows the standings, a line for each bot, by the name of the bot."""
    joined = re.sub(r"\n +", " ", text.replace("\r", "").rstrip("\n").split("\n\n")[-1])
    return {line.partition(":")[0]: line for line in joined.split("\n")}


def commands(text: str) -> list[list[str]]:
    return [shlex.split(command) for command in re.findall(r"tourney ((?:debug|replay) .*)", text)]


@pytest.mark.slow
def test_what_is_suggested_shows_the_fault(config, tourney):
    text = tourney("run", config, "--out", "run", "--quiet").stdout
    told, given = paragraphs(text), commands(text)
    assert sorted([command[0] for command in given]) == ["debug", "debug", "replay", "replay"]
    for command in given:
        result = tourney(*command, PYTHONBREAKPOINT="0")
        assert result.returncode == 0, result.stderr
        bot = next(name for name, line in told.items() if line.endswith(" ".join(command)))
        kind = told[bot].split(": ")[2].split()[0]
        assert kind in result.stdout
        if command[0] == "debug":
            assert ", as recorded\n" in result.stdout
