"""Pages and lists of views on a terminal: laid out in its width."""

import re

import pytest

from tests.cli.terminal import Terminal, plain

MARKDOWN = re.compile(r"\*\*|^#+ |```|^\|", re.MULTILINE)


@pytest.mark.parametrize("columns", [40, pytest.param(80, marks=pytest.mark.slow), 120])
@pytest.mark.parametrize(
    "arguments", [("docs", "ci"), pytest.param(("games", "vole", "--rules"), marks=pytest.mark.slow)], ids=" ".join
)
def test_on_a_terminal_a_page_is_laid_out_in_its_width(tmp_path, arguments, columns):
    shown, code = Terminal(tmp_path, *arguments, columns=columns).end()
    text = plain(shown)
    assert code == 0
    assert not MARKDOWN.search(text), MARKDOWN.findall(text)
    assert max([len(line.rstrip()) for line in text.splitlines()]) <= columns
    title = "A gate for bots in CI" if arguments[0] == "docs" else "The Vole in the Valley"
    assert text.splitlines()[0].strip() == title


def test_without_colours_there_are_none(tmp_path):
    shown, code = Terminal(tmp_path, "docs", "words", NO_COLOR="1").end()
    assert code == 0
    assert not re.search(r"\x1b\[[\d;]*3\dm", shown)


@pytest.mark.parametrize("columns", [80])
def test_a_list_of_a_view_fits_the_terminal(tmp_path, columns):
    shown, code = Terminal(tmp_path, "games", "vole", "--view", columns=columns).end()
    assert code == 0
    assert max(map(len, plain(shown).splitlines())) <= columns
