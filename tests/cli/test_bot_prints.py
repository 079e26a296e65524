"""What bots in the worker print: on stderr, under their names, up to an end; never on the stdout of a command."""

import json
import re

import pytest

from tests.cli.terminal import on_terminal
from tourney.hosts.prints import LINES

LOUD = """
import os, sys
print("imported")

class Loud:
    games = ("vole",)
    def __init__(self):
        print("made")
    def start(self, facts):
        print("starting", file=sys.stderr)
    def act(self, view, legal):
        print("thinking", end="")
        print(" aloud \\x1b[31m")
        return legal[-1]
    def end(self, outcome):
        sys.stdout.write("no line end")
        sys.stdout.flush()

class Closes(Loud):
    def act(self, view, legal):
        sys.stdout.close()
        return legal[-1]

class ByDescriptor(Loud):
    def act(self, view, legal):
        os.write(1, b"below Python\\n")
        return legal[-1]
"""
QUIET = "class Loud:\n    games = ('vole',)\n    def act(self, view, legal):\n        return legal[-1]\n"


@pytest.fixture
def loud(tmp_path, write):
    """Writes a tournament of two loud bots and a quiet one; returns its path."""
    (tmp_path / "loud.py").write_text(LOUD, encoding="utf-8")

    def tournament(name: str = "Loud", deals: int = 1):
        bots = "".join([f'[[bot]]\nname = "loud-{i}"\nuse = "loud.py:{name}"\n' for i in (1, 2)])
        return write("loud", bots='["random"]', deals=str(deals), extra=bots)

    return tournament


def labelled(text: str, name: str) -> list[str]:
    """What the lines under that name say."""
    return [line.removeprefix(f"[{name}] ") for line in text.splitlines() if line.startswith(f"[{name}] ")]


def test_each_line_has_the_name_of_its_bot(tourney, loud):
    result = tourney("run", loud(), "--workers", 1)
    assert result.returncode == 0
    for name in ("loud-1", "loud-2"):
        said = labelled(result.stderr, name)
        assert set(said) - {"imported"} == {"made", "starting", r"thinking aloud \x1b[31m", "no line end"}
        assert [said.count(each) for each in ("made", "starting", "no line end")] == [4, 4, 4]
    ours = [line for line in result.stderr.splitlines() if not line.startswith("[loud-")]
    assert not any(word in line for line in ours for word in ("made", "aloud", "imported", "no line end"))


@pytest.mark.slow
def test_nothing_of_it_is_on_stdout(tourney, loud, tmp_path):
    path = loud()
    first = tourney("run", path, "--quiet", "--out", "loud")
    (tmp_path / "loud.py").write_text(QUIET, encoding="utf-8")
    assert tourney("run", path, "--quiet", "--out", "quiet").stdout == first.stdout
    journals = [(tmp_path / name / "journal.jsonl").read_bytes() for name in ("loud", "quiet")]
    assert journals[0] == journals[1]


def screen(text: str) -> list[str]:
    """The lines that a terminal shows in the end."""
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[\d;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", text):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, lines = row + 1, [*lines, *[""] * (row + 2 - len(lines))]
        elif part.endswith("A") and part.startswith("\x1b"):
            row -= int(part[2:-1] or 1)
        elif part in ("\x1b[2K", "\x1b[K"):
            lines[row] = "" if part == "\x1b[2K" else lines[row][:column]
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return lines


@pytest.mark.slow
def test_a_live_view_stays_whole_and_nothing_is_lost(write, tmp_path):
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "class Slow:\n"
        "    def act(self, view, legal):\n"
        "        time.sleep(0.02)\n"
        "        return legal[0]\n"
        "    def end(self, outcome):\n"
        "        print('scores', outcome.scores)\n"
    )
    path = write("slow", bots='["random", "slow.py:Slow"]', deals="8")
    shown = on_terminal(tmp_path, 80, "run", path, "--workers", 1)
    assert shown.code == 0
    assert "━" in shown.text, "there was a live view"
    left = screen(shown.text)
    assert len([line for line in left if line.startswith("[slow] scores (")]) == 16
    assert not [line for line in left if "━" in line or re.match(r"(matches|left|leaders)  ", line)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Closes", "ByDescriptor"])
def test_a_bot_that_closes_stdout_or_goes_round_python_disturbs_nobody(tourney, loud, name):
    result = tourney("run", loud(name), "--workers", 1)
    assert result.returncode == 0
    assert "below Python" not in result.stdout
    assert "made" in labelled(result.stderr, "loud-2")
    rows = [line.split() for line in result.stdout.splitlines() if " loud-" in line]
    assert [row[-1] for row in rows] == ["0", "0"], "nobody made a fault"


def test_it_ends_after_a_while(tourney, loud):
    result = tourney("run", loud(deals=10), "--workers", 1)
    said = labelled(result.stderr, "loud-1")
    assert len(said) <= LINES + 2, "one more for the end, and one of the main process"
    assert 'host = "process"' in said[-1]


@pytest.mark.slow
def test_the_json_of_a_gate_stays_json(tourney, loud):
    loud()
    result = tourney(
        "gate", "loud.py:Loud", "--against", "random", "--game", "vole", "--max-deals", 2, "--json", "--inline"
    )
    assert json.loads(result.stdout)["matches"] == 4
    assert "made" in labelled(result.stderr, "Loud") + labelled(result.stderr, "loud")


@pytest.mark.slow
def test_bots_that_are_asked_again_print_to_stderr(tourney, loud, tmp_path):
    tourney("run", loud(), "--out", "run")
    result = tourney("verify", "run", "--bots")
    assert result.returncode == 0
    assert "aloud" not in result.stdout
    assert "made" in labelled(result.stderr, "loud-1")
    record = next(
        record
        for record in map(json.loads, (tmp_path / "run" / "journal.jsonl").read_text().splitlines())
        if record["seats"][0] == "loud-1"
    )
    again = tourney("debug", "run", record["match"], 1, "--try", record["actions"].split()[0])
    assert again.returncode == 0, again.stderr
    assert "aloud" not in again.stdout
    assert "made" in labelled(again.stderr, "loud-1")
