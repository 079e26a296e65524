"""Pages and lists of views on a terminal: laid out in its width."""

import re

import pytest

from tests.cli.terminal import Terminal, plain

MARKDOWN = re.compile(r"\*\*|^#+ |```|^\|", re.MULTILINE)


@pytest.mark.parametrize("columns", [40, 120])
def test_on_a_terminal_a_page_is_laid_out_in_its_width(tmp_path, columns):
    shown, code = Terminal(tmp_path, "docs", "ci", columns=columns).end()
    text = plain(shown)
    assert code == 0
    assert not MARKDOWN.search(text), MARKDOWN.findall(text)
    assert max([len(line.rstrip()) for line in text.splitlines()]) <= columns
    assert text.splitlines()[0].strip() == "A gate for bots in CI"
