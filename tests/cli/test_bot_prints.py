"""What bots in the worker print: on stderr, under their names, up to an end; never on the stdout of a command."""

import pytest

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


def test_it_ends_after_a_while(tourney, loud):
    result = tourney("run", loud(deals=10), "--workers", 1)
    said = labelled(result.stderr, "loud-1")
    assert len(said) <= LINES + 2, "one more for the end, and one of the main process"
    assert 'host = "process"' in said[-1]
