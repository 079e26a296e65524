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
