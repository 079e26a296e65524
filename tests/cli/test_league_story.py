"""The league of docs/league.md, from the first mail to the final."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, TOURNEY
from tests.hosts import machine
from tourney.journal import folder

ANN = "from tourney import Bot\nclass Ann(Bot):\n    def act(self, view, legal):\n        return legal[{}]\n"
SHORT = {"--for 55m": "--matches 20", "--deals 50": "--deals 1", "deals = 500": "deals = 1"}


@pytest.mark.slow
def test_the_commands_of_the_page_are_a_league_from_the_first_mail_to_the_final(tmp_path):
    machine.need_sandbox()
    page = (ROOT / "docs" / "league.md").read_text(encoding="utf-8")
    for long, short in SHORT.items():
        page = page.replace(long, short)
    (limits,) = re.findall(r"```toml\n(\[limits\]\n.*?)```", page, re.DOTALL)
    (final,) = re.findall(r"```toml\n# final.toml\n(.*?)```", page, re.DOTALL)
    (line,) = re.findall(r"(?m)^0 \* \* \* \*  cd /srv/cup && (.*)$", page)
    (tmp_path / "final.toml").write_text(final)
    for name in ("ann", "ben"):
        (tmp_path / "inbox" / name).mkdir(parents=True)
    ann, league = tmp_path / "inbox" / "ann" / "ann.py", tmp_path / "results" / "cup"
    ann.write_text(ANN.format(0))
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "inbox" / "ben" / "main.py")

    def done(command):
        result = subprocess.run(
            command, cwd=tmp_path, shell=True, capture_output=True, text=True, check=False,
            env=os.environ | {"PATH": f"{Path(TOURNEY).parent}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert result.returncode == 0, (command, result.stderr)
        return result.stdout

    for command in re.findall(r"(?m)^tourney .*$", page):
        done(command)
        if command.startswith("tourney league new"):
            file = league / "tournament.toml"
            text = file.read_text().replace('name = "vole",', 'name = "vole", options = { target = 1 },')
            file.write_text(text.partition("[limits]\n")[0] + limits)
        elif command.startswith("tourney league restore"):
            ann.write_text(ANN.format(-1))
            for _ in range(2):  # the second time, nothing is added
                assert "ann@2" in done("tourney league submit cup inbox/ann/ann.py:Ann --as ann")
            done(line)
    resolved = folder.read_manifest(league)["tournament"]
    assert [bot["name"] for bot in resolved["bots"]] == ["steady@1", "ann@1", "ben@1", "ann@2"]
    with zipfile.ZipFile(tmp_path / "ann.zip") as given:
        assert not [name for name in given.namelist() if "ben" in name]
    assert resolved["seed"] not in (tmp_path / "site" / "cup.html").read_text(encoding="utf-8")
