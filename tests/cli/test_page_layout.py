"""Pages and lists of views on a terminal: laid out in its width, and in a pager where they do not fit."""

import re
import shutil

import pytest

from tests.cli.terminal import Terminal, plain

GARBAGE = re.compile(r"ESC|\^\[|\x1b?\[\d+m")
"""What is left of a colour that a pager does not understand."""
MARKDOWN = re.compile(r"\*\*|^#+ |```|^\|", re.MULTILINE)


@pytest.mark.parametrize("columns", [40, pytest.param(80, marks=pytest.mark.slow), 120])
@pytest.mark.parametrize(
    "arguments", [("docs", "ci"), pytest.param(("games", "vole", "--rules"), marks=pytest.mark.slow)], ids=" ".join
)
def test_on_a_terminal_a_page_is_laid_out_in_its_width(tmp_path, arguments, columns):
    shown, code = Terminal(tmp_path, *arguments, "--no-pager", columns=columns).end()
    text = plain(shown)
    assert code == 0
    assert not MARKDOWN.search(text), MARKDOWN.findall(text)
    assert max([len(line.rstrip()) for line in text.splitlines()]) <= columns
    title = "A gate for bots in CI" if arguments[0] == "docs" else "The Vole in the Valley"
    assert text.splitlines()[0].strip() == title


@pytest.mark.skipif(shutil.which("less") is None, reason="needs less")
@pytest.mark.parametrize("columns", [80, pytest.param(120, marks=pytest.mark.slow)])
def test_a_page_longer_than_the_terminal_is_shown_in_less(tmp_path, columns):
    terminal = Terminal(tmp_path, "docs", "ci", columns=columns, lines=24, PAGER=None, LESS=None, LC_ALL="C.UTF-8")
    shown = terminal.until("\x1b[K")
    assert "undecided" not in plain(shown).splitlines()[-1]
    terminal.type("q")
    rest, code = terminal.end()
    text = plain(shown + rest).replace("\r", "\n").replace("\x08", "")
    assert code == 0
    assert "A gate for bots in CI" in text
    assert not GARBAGE.search(text), GARBAGE.findall(text)
    assert len(text.splitlines()) < 60, "more than one screen was shown"


def test_without_colours_there_are_none(tmp_path):
    shown, code = Terminal(tmp_path, "docs", "words", "--no-pager", NO_COLOR="1").end()
    assert code == 0
    assert not re.search(r"\x1b\[[\d;]*3\dm", shown)


@pytest.mark.parametrize("columns", [40, *[pytest.param(each, marks=pytest.mark.slow) for each in (80, 120)]])
def test_a_list_of_a_view_fits_the_terminal(tmp_path, columns):
    shown, code = Terminal(tmp_path, "games", "vole", "--view", columns=columns).end()
    assert code == 0
    assert max(map(len, plain(shown).splitlines())) <= columns
