"""The pages on cups and leagues, followed."""

import os
import re
import shlex
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, TOURNEY, apart
from tourney.journal import folder

pytestmark = pytest.mark.needs("bubblewrap")

ANN = "from tourney import Bot\nclass Ann(Bot):\n    def act(self, view, legal):\n        return legal[{}]\n"
SHORT = {"--for 55m": "--matches 20", "--deals 50": "--deals 1", "deals = 500": "deals = 1", "deals = 100": "deals = 1"}


@pytest.fixture
def page(tmp_path):
    """Reads a page, with shorter tournaments, for whoever has the bots of two authors in a folder."""

    def page(name, bots):
        for author in ("ann", "ben"):
            (tmp_path / bots / author).mkdir(parents=True)
        shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / bots / "ben" / "main.py")
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for long, short in SHORT.items():
            text = text.replace(long, short)
        for file, shown in re.findall(r"```toml\n# (\w+\.toml)\n(.*?)```", text, re.DOTALL):
            (tmp_path / file).write_text(shown, encoding="utf-8")
        return text

    return page


@pytest.mark.slow
def test_the_commands_of_the_page_can_be_followed(tmp_path, page):
    commands = re.findall(r"(?m)^tourney ([^#\n]*)$|^tourney ([^#\n]*)#", page("run-a-competition", "bots"))
    commands = [words for words in map("".join, commands) if "--extend" not in words and "--again" not in words]
    (tmp_path / "temporary").mkdir()
    (tmp_path / "bots" / "ann" / "__init__.py").write_text(ANN.format(0), encoding="utf-8")
    assert len(commands) == 15
    for command in sorted(commands, key=lambda words: "--drop" in words):  # which would differ from the run made again
        assert apart(tmp_path, *shlex.split(command), TMPDIR=str(tmp_path / "temporary")).returncode == 0, command
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow
def test_the_commands_of_the_page_are_a_league_from_the_first_mail_to_the_final(tmp_path, page):
    text = page("run-a-league", "inbox")
    (limits,) = re.findall(r"```toml\n(\[limits\]\n.*?)```", text, re.DOTALL)
    (line,) = re.findall(r"(?m)^0 \* \* \* \*  cd /srv/cup && (.*)$", text)
    ann, league = tmp_path / "inbox" / "ann" / "ann.py", tmp_path / "results" / "cup"
    ann.write_text(ANN.format(0))

    def done(command):
        path = {"PATH": f"{Path(TOURNEY).parent}:{os.environ['PATH']}"}
        return subprocess.check_output(command, cwd=tmp_path, shell=True, text=True, env=os.environ | path)

    for command in re.findall(r"(?m)^tourney .*$", text):
        if "league void" in command or "league new spring" in command:  # matches and a time of another league
            continue
        done(command)
        if "league close" in command:  # until that day, it is open
            done("tourney league close cup")
        if command.startswith("tourney league new"):
            file = league / "tournament.toml"
            text = file.read_text().replace('name = "vole",', 'name = "vole", options = { target = 1 },')
            file.write_text(text.partition("[limits]\n")[0] + limits)
        elif "submit" in command and "ben" in command:
            for own in ('league pause cup ben --why "asked for by its author"', "league restore cup ben"):
                done(f"tourney {own}")
            ann.write_text(ANN.format(-1))
            for _ in range(2):  # the second time, nothing is added
                again = "tourney league submit cup inbox/ann/ann.py:Ann --as ann --author ann@example.org"
                assert "ann@2" in done(again)
            done(line)
            done("tourney bundle cup --bot ann -o ann.zip")
    resolved = folder.read_manifest(league)["tournament"]
    assert [bot["name"] for bot in resolved["bots"]] == ["ann@1", "steady@1", "ben@1", "ann@2"]
    with zipfile.ZipFile(tmp_path / "ann.zip") as given:
        assert not [name for name in given.namelist() if "ben" in name]
    assert resolved["seed"] not in (tmp_path / "site" / "cup.html").read_text(encoding="utf-8")
