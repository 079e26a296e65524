"""A cup in the sandbox, from the check to the page, as docs/competition.md holds one."""

import re
import shutil

import pytest

from tests.conftest import ROOT, apart
from tests.hosts import machine


@pytest.mark.slow
def test_the_commands_of_the_page_can_be_followed(tmp_path):
    machine.need_sandbox()
    page = (ROOT / "docs" / "competition.md").read_text(encoding="utf-8")
    (cup,) = re.findall(r"```toml\n# cup.toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "cup.toml").write_text(cup.replace("deals = 100", "deals = 1"), encoding="utf-8")
    for folder in ("bots/ann", "bots/ben", "temporary"):
        (tmp_path / folder).mkdir(parents=True)
    ann = "from tourney import Bot\nclass Ann(Bot):\n    def act(self, view, legal):\n        return legal[0]\n"
    (tmp_path / "bots" / "ann" / "__init__.py").write_text(ann, encoding="utf-8")
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "bots" / "ben" / "main.py")
    commands = re.findall(r"(?m)^tourney (.*)$", page)
    assert len(commands) == 15
    for command in sorted(commands, key=lambda words: "--drop" in words):  # which would differ from the run made again
        assert apart(tmp_path, *command.split(), TMPDIR=str(tmp_path / "temporary")).returncode == 0, command
    assert list((tmp_path / "temporary").iterdir()) == []
