"""What `tourney replay` shows in the pagers that there are, on terminals of several widths."""

import re
import shutil
from pathlib import Path

import pytest

from tests.cli.terminal import Terminal, plain

MATCH = "vole-00001-0"
GARBAGE = re.compile(r"ESC|\^\[|<[0-9A-F]{2}>|\\[0-7]{3}|\x1b?\[\d+m")
"""How a pager shows what it does not understand: escapes, and bytes of signs; or what is left of a colour."""
needs_less = pytest.mark.skipif(shutil.which("less") is None, reason="needs less")
needs_more = pytest.mark.skipif(shutil.which("more") is None, reason="needs more")
UTF8 = {"LANG": "C.UTF-8", "LC_ALL": None}


def paged(folder: Path, *arguments: str, columns: int = 80, **environment: str | None) -> str:
    """What less shows page by page, until the end of the match is on the screen, and then after `q`."""
    terminal = Terminal(folder, "replay", ".", MATCH, *arguments, columns=columns, lines=30, **UTF8 | environment)
    shown = terminal.until("\x1b[K")  # of the prompt
    while "end: " not in shown:
        terminal.type(" ")
        shown += terminal.until("\x1b[K")
    terminal.type("q")
    rest, code = terminal.end()
    assert code == 0, rest
    return shown + rest


def whole(folder: Path) -> list[str]:
    """The lines of the match as they are printed without a pager."""
    shown, code = Terminal(folder, "replay", ".", MATCH, "--no-pager", **UTF8).end()
    assert code == 0
    return plain(shown).splitlines()


def is_whole(shown: str, folder: Path) -> None:
    """Asserts that every line of the match was shown, and nothing that is no text."""
    text = plain(shown).replace("\r", "\n").replace("\x08", "")
    assert not GARBAGE.search(text), GARBAGE.findall(text)
    assert "♜" in text
    lines = {line.strip() for line in text.split("\n")}
    missing = [line for line in whole(folder) if line.strip() not in lines]
    assert not missing, (missing, text)


MORE_LESS = ("", "-R", "-M", "MS", "-i -M", "--mouse")


@needs_less
@pytest.mark.parametrize("columns", [80, pytest.param(120, marks=pytest.mark.slow)])
@pytest.mark.parametrize("less", ["FRX", *[pytest.param(each, marks=pytest.mark.slow) for each in (None, *MORE_LESS)]])
def test_less_shows_signs_in_colours_whatever_its_options(finished, columns, less):
    shown = paged(finished, columns=columns, LESS=less, PAGER=None)
    is_whole(shown, finished)
    assert re.search(r"\x1b\[33m\x1b\[1m\d+♜", shown)


@needs_more
@pytest.mark.parametrize("columns", [80, pytest.param(120, marks=pytest.mark.slow)])
def test_more_shows_signs_without_colours(finished, columns):
    terminal = Terminal(finished, "replay", ".", MATCH, columns=columns, lines=30, PAGER="more", **UTF8)
    shown = terminal.until("--More--")
    terminal.type(20 * " " + "q")  # some versions end by themselves at the end
    rest, code = terminal.end()
    assert code == 0
    assert "\x1b[33m" not in shown
    is_whole(shown + rest, finished)


@needs_less
@pytest.mark.parametrize(
    "pager", ["less -M", *[pytest.param(each, marks=pytest.mark.slow) for each in ("less", shutil.which("less"))]]
)
def test_less_may_be_named_in_the_environment(finished, pager):
    is_whole(paged(finished, PAGER=pager, LESS=None), finished)


@needs_less
def test_where_the_terminal_has_no_signs_less_shows_letters(finished):
    terminal = Terminal(finished, "replay", ".", MATCH, lines=30, PAGER="less", LESS=None, LC_ALL="C")
    terminal.until("round 1")
    terminal.type("q")
    shown, code = terminal.end()
    assert (code, GARBAGE.search(plain(shown))) == (0, None)


@needs_less
def test_colours_are_left_out_where_nobody_wants_them(finished):
    shown = paged(finished, LESS=None, PAGER="less", NO_COLOR="1")
    is_whole(shown, finished)
    assert "\x1b[33m" not in shown


@needs_less
def test_leaving_the_pager_early_is_no_error(finished):
    terminal = Terminal(finished, "replay", ".", MATCH, lines=10, PAGER="less", LESS=None)
    terminal.until("\x1b[K")
    terminal.type("q")
    shown, code = terminal.end()
    assert (code, "tourney:" in shown, "Traceback" in shown) == (0, False, False)
