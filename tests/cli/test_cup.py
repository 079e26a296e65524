"""A cup of twelve bots in the sandbox, from the check to the page; and the pages on cups and leagues, followed."""

import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import orjson
import pytest

from tests.cli.runs import journal
from tests.conftest import ROOT, TOURNEY, apart, called
from tests.hosts import machine
from tourney.journal import folder

BEN = "class Ben:\n    def act(self, view, legal):\n        return {}\n"
OTHERS = [f'{{ name = "bot-{number}", use = "{("first", "random")[number % 2]}" }}' for number in range(9)]
CUP = f"""
name = "cup"
seed = "a long random text"
deals = 1
groups = 6
defaults = {{ host = "sandbox", keep = true }}
bot = [{{ name = "ben", use = "ben.py:Ben" }}, {{ name = "kate", use = "steady" }}, {{ name = "zoe", use = "random" }},
    {", ".join(OTHERS)}]
game = [{{ name = "vole", options = {{ target = 1 }} }},
    {{ name = "voleur", seats = 4, options = {{ max_rounds = 1 }} }},
    {{ name = "leon", seats = 4, options = {{ max_cards = 1 }} }},
    {{ name = "bang", seats = 4, options = {{ max_turns = 20 }} }},
    {{ name = "cold-blooded", seats = 4, options = {{ target = 1, max_turns = 20 }} }}]
"""
ANN = "from tourney import Bot\nclass Ann(Bot):\n    def act(self, view, legal):\n        return legal[{}]\n"
SHORT = {"--for 55m": "--matches 20", "--deals 50": "--deals 1", "deals = 500": "deals = 1", "deals = 100": "deals = 1"}


@pytest.mark.slow
def test_a_cup_is_checked_played_corrected_explained_and_published_without_its_seed(tmp_path):
    machine.need_sandbox()

    def done(*words):
        result = called([*words], tmp_path)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def without(*names):
        return [
            line for line in journal(tmp_path / "cup").splitlines() if not {*names} & {*orjson.loads(line)["seats"]}
        ]

    (tmp_path / "cup.toml").write_text(CUP, encoding="utf-8")
    (tmp_path / "ben.py").write_text(BEN.format("legal"), encoding="utf-8")
    assert apart(tmp_path, "check", "cup.toml", "ben").returncode == 1
    assert "kate" in done("schedule", "cup.toml")
    play = ("run", "cup.toml", "--out", "cup", "--quiet")
    done(*play)
    assert b'"kind":"illegal"' in journal(tmp_path / "cup")
    played = without("ben", "zoe")
    (tmp_path / "ben.py").write_text(BEN.format("legal[0]"), encoding="utf-8")
    done(*play, "--replace", "ben")
    assert b'"kind"' not in journal(tmp_path / "cup")
    done(*play, "--drop", "zoe")
    assert without("ben") == played
    assert without("zoe") == without()
    done("verify", "cup", "--bots")
    match = next(record for record in map(orjson.loads, without()) if "kate" in record["seats"])
    assert "kate" in done("replay", "cup", match["match"], "--seat", str(match["seats"].index("kate")))
    done("report", "cup", "--out", "site/cup.html")
    seed = folder.read_manifest(tmp_path / "cup")["tournament"]["seed"]
    given = [(tmp_path / "site" / "cup.html").read_bytes()]
    for name in ("kate", "ben"):
        done("bundle", "cup", "--bot", name, "--out", f"{name}.zip")
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as bundle:
            given += [bundle.read(each) for each in bundle.namelist()]
    assert b"kate" in given[0]
    assert not [text for text in given if seed.encode() in text or b"a long random text" in text]


@pytest.fixture
def page(tmp_path):
    """Reads a page, with shorter tournaments, for whoever has the bots of two authors in a folder."""
    machine.need_sandbox()

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
    commands = re.findall(r"(?m)^tourney (.*)$", page("competition", "bots"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "bots" / "ann" / "__init__.py").write_text(ANN.format(0), encoding="utf-8")
    assert len(commands) == 15
    for command in sorted(commands, key=lambda words: "--drop" in words):  # which would differ from the run made again
        assert apart(tmp_path, *command.split(), TMPDIR=str(tmp_path / "temporary")).returncode == 0, command
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.slow
def test_the_commands_of_the_page_are_a_league_from_the_first_mail_to_the_final(tmp_path, page):
    text = page("league", "inbox")
    (limits,) = re.findall(r"```toml\n(\[limits\]\n.*?)```", text, re.DOTALL)
    (line,) = re.findall(r"(?m)^0 \* \* \* \*  cd /srv/cup && (.*)$", text)
    ann, league = tmp_path / "inbox" / "ann" / "ann.py", tmp_path / "results" / "cup"
    ann.write_text(ANN.format(0))

    def done(command):
        path = {"PATH": f"{Path(TOURNEY).parent}:{os.environ['PATH']}"}
        return subprocess.check_output(command, cwd=tmp_path, shell=True, text=True, env=os.environ | path)

    for command in re.findall(r"(?m)^tourney .*$", text):
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
