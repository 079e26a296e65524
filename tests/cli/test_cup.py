"""A cup of twelve bots in the sandbox, from the check to the page, as docs/competition.md holds one."""

import re
import shutil
import zipfile

import orjson
import pytest

from tests.cli.runs import journal
from tests.conftest import ROOT, apart, called
from tests.hosts import machine

BEN = """
class Ben:
    def act(self, view, legal):
        return {}
"""
OTHERS = [f'{{ name = "bot-{number}", use = "{("first", "random")[number % 2]}" }}' for number in range(9)]
CUP = f"""
name = "cup"
seed = "a long random text"
deals = 1
groups = 6
bot = [{{ name = "ben", use = "ben.py:Ben" }}, {{ name = "kate", use = "steady" }}, {{ name = "zoe", use = "random" }},
    {", ".join(OTHERS)}]
[defaults]
host = "sandbox"
keep = true
[[game]]
name = "vole"
options = {{ target = 1 }}
[[game]]
name = "voleur"
seats = 4
options = {{ max_rounds = 1 }}
[[game]]
name = "leon"
seats = 4
options = {{ max_cards = 1 }}
[[game]]
name = "bang"
seats = 4
options = {{ max_turns = 20 }}
[[game]]
name = "cold-blooded"
seats = 4
options = {{ target = 1, max_turns = 20 }}
"""


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
    seed = orjson.loads((tmp_path / "cup" / "manifest.json").read_bytes())["tournament"]["seed"]
    given = [(tmp_path / "site" / "cup.html").read_bytes()]
    for name in ("kate", "ben"):
        done("bundle", "cup", "--bot", name, "--out", f"{name}.zip")
        with zipfile.ZipFile(tmp_path / f"{name}.zip") as bundle:
            given += [bundle.read(each) for each in bundle.namelist()]
    assert b"kate" in given[0]
    assert not [text for text in given if seed.encode() in text or b"a long random text" in text]


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
