"""What is played is what was fingerprinted: two versions of a bot each play their own files, whatever is importable.

Every form of a bot, in every host, by every command that compares two versions: the first plays legal moves, and the
second one that is not. The first is the one that Python would import.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.cli.runs import one_line
from tests.conftest import ROOT, apart, commit, tournament_text, with_code
from tests.environments import fresh_environment
from tests.helpers import wire_bot
from tourney.journal import folder

PICK = {"one": "def pick(legal):\n    return legal[0]\n", "two": "def pick(legal):\n    return None\n"}
BOT = "class Thief:\n    def act(self, view, legal):\n        return pick(legal)\n"
LATE = BOT.replace("return pick", "import importlib\n        return importlib.import_module('mybots.helpers').pick")
PROGRAM = wire_bot('"action": pick(asked["legal"])', "from mybots.helpers import pick")
FORMS = {
    "file": ("bots/thief.py", "PICK" + BOT, "bots/thief.py:Thief"),
    "folder": ("thief/__init__.py", f"import helpers\nfrom .helpers import pick\n{BOT}", "thief:Thief"),
    "its name": ("src/mybots/thief.py", f"from mybots.helpers import pick\n{BOT}", "src/mybots/thief.py:Thief"),
    "its folder": ("src/mybots/__init__.py", f"from mybots.helpers import pick\n{BOT}", "src/mybots:Thief"),
    "below": ("src/mybots/a/b.py", f"import mybots.helpers as own\npick = own.pick\n{BOT}", "src/mybots/a/b.py:Thief"),
    "relative": ("src/mybots/thief.py", f"from .helpers import pick\n{BOT}", "src/mybots/thief.py:Thief"),
    "late": ("src/mybots/thief.py", LATE, "src/mybots/thief.py:Thief"),
    "program": ("src/mybots/main.py", PROGRAM, ""),
}  # fmt: skip
HOSTS = ("inline", "process", "sandbox")
COMMANDS = ("gate", "compare", "track", "league")
QUICK = ("its name, inline, track", "below, process, compare", "program, sandbox, compare")


def some(cases: Iterable[tuple[str, ...]], *quick: str) -> list[Any]:
    """The cases of a test; all but the quick ones are slow."""
    return [pytest.param(*case, marks=() if ", ".join(case) in quick else pytest.mark.slow) for case in cases]


TURNS = [(form, host, COMMANDS[(i + j) % 4]) for i, form in enumerate(FORMS) for j, host in enumerate(HOSTS)]
"""Every form in every host, and each of these with every command."""
CASES = some([case for case in TURNS if case[:2] != ("program", "inline")], *QUICK)


def write(folder: Path, form: str, version: str) -> Path:
    """Writes a version of a bot; returns the folder that an editable install would put into `sys.path`."""
    file, text, _ = FORMS[form]
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    for package in path.relative_to(folder).parents:
        if package.parts[:1] in (("thief",), ("src",)) and len(package.parts) > (package.parts[0] == "src"):
            (folder / package / "__init__.py").touch()
            (folder / package / "helpers.py").write_text(PICK[version])
    path.write_text(text.replace("PICK", PICK[version]))
    return folder / "src"


def table(name: str, folder: str, form: str, host: str) -> str:
    file, _, use = FORMS[form]
    bot = f'use = "{folder}/{use}"' if use else f'command = ["python3", "{folder}/{file}"]'
    return f'[[bot]]\nname = "{name}"\n{bot}\nhost = "{host}"\n'


def faults(run: Path) -> set[str]:
    """The bots that made faults, by answering None."""
    found = set()
    for line in (run / "journal.jsonl").read_bytes().splitlines():
        record = json.loads(line)
        found |= {record["seats"][fault["seat"]] for fault in record["faults"]}
    return found


@pytest.mark.needs("git")
@pytest.mark.parametrize(("form", "host", "command"), CASES)
def test_two_versions_play_each_their_own_files(tmp_path, form, host, command):
    importable = write(tmp_path / "one", form, "one")
    write(tmp_path / "two", form, "two")
    game, run = "vole", ("--out", "run", "--workers", 1)
    keys = {"PYTHONPATH": os.pathsep.join([str(importable), os.environ.get("PYTHONPATH", "")])}
    tables = table("new", "two", form, host) + table("old", "one", form, host)
    (tmp_path / "bots.toml").write_text(tables)
    if command in ("gate", "compare"):
        deals = ("--max-deals", 2) if command == "gate" else ("--deals", 2)
        bots = ("new", "--against", "old") if command == "gate" else ("new", "old")
        result = apart(
            tmp_path, command, *bots, "--config", "bots.toml", "--game", game, *deals, "--out", "run", "--workers", 1,
            **keys,
        )  # fmt: skip
        assert result.returncode == (1 if command == "gate" else 0), result.stderr
        assert faults(tmp_path / "run") == {"new"}
    elif command == "league":
        with_code(apart(tmp_path, "league", "new", "cup", "--game", game, "--host", host, **keys))
        for version, code, says in (("one", 0, "added thief@1"), ("two", 1, "illegal")):
            file, _, use = FORMS[form]
            bot = (f"{version}/{use}",) if use else (f"python3 {version}/{file}", "--command")
            result = apart(tmp_path, "league", "submit", "cup", *bot, "--as", "thief", **keys)
            assert (result.returncode, says in result.stdout + result.stderr) == (code, True), result
    else:
        for version in ("one", "two"):
            shutil.copytree(tmp_path / version, tmp_path / "repository", dirs_exist_ok=True)
            commit(tmp_path / "repository")
        (tmp_path / "bots.toml").write_text(table("thief", "repository", form, host))
        options = ("--config", "bots.toml", "--repo", "repository", "--deals", 20, "--allow", 9999)
        result = apart(tmp_path, "track", "thief", "--game", game, *options, *run, **keys)
        assert result.returncode == 0, result.stderr
        assert {each.partition("@")[0] for each in faults(tmp_path / "run")} == {"thief"}


FINDER = """
import sys
from importlib.machinery import PathFinder
class Finder:
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, path or ["SOURCE"]) if "mybots" in name else None
sys.meta_path.append(Finder)
"""
PLAYED = ("inline", "gate"), ("process", "league"), ("sandbox", "compare")
INSTALLED = {"editable": "{src}\n", "editable by a finder": "import mybots_finder\n", "wheel": ""}


@pytest.mark.parametrize(
    ("way", "host", "command"),
    some([(way, *each) for way in INSTALLED for each in PLAYED], "editable, inline, gate", "wheel, process, league"),
)
def test_a_bot_that_is_installed_and_another_version_of_it_each_play_their_own_files(tmp_path, way, host, command):
    source, _ = [write(tmp_path / version, "its name", version) for version in ("one", "two")]
    python = fresh_environment(tmp_path, ROOT, ROOT / "bots")
    site = next((tmp_path / "venv").glob("lib/python*/site-packages"))
    (site / "mybots-1.0.dist-info").mkdir()
    (site / "mybots-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mybots\nVersion: 1.0\n")
    (site / "mybots-1.0.dist-info" / "RECORD").write_text(
        "mybots/__init__.py,,\n" if way == "wheel" else "mybots.pth,,\n"
    )
    (site / "mybots-1.0.dist-info" / "entry_points.txt").write_text("[tourney.bots]\nthief = mybots.thief:Thief\n")
    (site / "mybots.pth").write_text(INSTALLED[way].format(src=str(source)))
    (site / "mybots_finder.py").write_text(FINDER.replace("SOURCE", str(source)))
    if way == "wheel":
        shutil.copytree(source / "mybots", site / "mybots")

    def called(*arguments: object) -> subprocess.CompletedProcess[str]:
        words = [python, "-P", "-m", "tourney", *map(str, arguments)]
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)

    other = "two/src/mybots/thief.py:Thief"
    if command == "league":
        with_code(called("league", "new", "cup", "--game", "vole", "--host", host))
        if (way, host) != ("editable by a finder", "sandbox"):
            assert "added thief@1" in with_code(called("league", "submit", "cup", "thief")).stdout
        assert "illegal" in with_code(called("league", "submit", "cup", other, "--as", "thief"), 1).stdout
        return
    bots = (("new", other), ("old", "thief"))
    tables = [f'[[bot]]\nname = "{name}"\nuse = "{use}"\nhost = "{host}"\n' for name, use in bots]
    (tmp_path / "bots.toml").write_text("".join(tables))
    words = ("new", "--against", "old", "--max-deals", 2) if command == "gate" else ("new", "old", "--deals", 2)
    result = called(command, *words, "--config", "bots.toml", "--game", "vole", "--out", "run", "--workers", 1)
    if (way, host) == ("editable by a finder", "sandbox"):  # the sandbox has no finders but Python's
        assert '"thief"' in with_code(result, 2).stderr
        return
    with_code(result, 1 if command == "gate" else 0)
    assert faults(tmp_path / "run") == {"new"}


STRONG = "class Thief:\n    def act(self, view, legal):\n        return legal[-1]\n"
WEAK = STRONG.replace("-1", "0")
STRAYS = {
    "by a statement": f"import stray\n{WEAK}",
    "in a match": WEAK.replace("return", "import stray\n        return"),
    "by a name": f"import importlib\nimportlib.import_module('str' + 'ay')\n{WEAK}",
    "beside": f"import sys\nsys.path.insert(0, __file__.rpartition('/')[0])\n__import__('st' + 'ray')\n{STRONG}",
}


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("stray", STRAYS)
def test_a_bot_that_imports_what_is_neither_its_own_nor_installed_is_refused_with_the_file(tmp_path, stray, host):
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "thief.py").write_text(STRAYS[stray])
    place = tmp_path / ("bots" if stray == "beside" else "elsewhere")
    place.mkdir(exist_ok=True)
    (place / "stray.py").touch()
    path = os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])
    bot = ("bots/thief.py:Thief", "--host", host, "--game", "vole")
    for command in (("check", *bot), ("gate", *bot, "--against", "random")):
        result = apart(tmp_path, *command, PYTHONPATH="" if stray == "beside" else path)
        told = result.stdout + result.stderr
        assert result.returncode == (1 if command[0] == "check" and "FAIL" in told else 2), told
        assert "Traceback" not in told
        hidden = host == "sandbox" and stray in ("by a name", "beside")  # so that it is not there at all
        assert ("No module named 'stray'" if hidden else f"imports stray from {place / 'stray.py'}") in told


def test_a_manifest_has_the_distributions_that_bots_import(tmp_path, tourney):
    (tmp_path / "thief.py").write_text("import msgspec\nfrom tourney import Bot\n" + BOT.replace("pick", "min"))
    for bot, imports in (("thief.py:Thief", ["msgspec"]), ("first", None)):
        text = tournament_text("t", deals="1", bots=f'["{bot}", "random"]')
        (tmp_path / "t.toml").write_text(text)
        with_code(tourney("run", "t.toml", "--out", bot[:5], "--quiet"))
        found = folder.read_manifest(tmp_path / bot[:5]).get("imports")
        assert (found and sorted(found)) == imports
        if found:
            assert found["msgspec"]["version"] == f"msgspec {version('msgspec')}"


@pytest.mark.parametrize("host", ["inline", "process"])
def test_a_bot_that_rewrites_the_other_when_it_is_loaded_gets_no_verdict(tmp_path, tourney, host):
    for name in ("new", "old"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thief.py").write_text(WEAK)
    old = tmp_path / "old" / "thief.py"
    (tmp_path / "new" / "thief.py").write_text(f"open({str(old)!r}, 'w').write({STRONG!r})\n{WEAK}")
    words = ("gate", "new/thief.py:Thief", "--against", "old/thief.py:Thief", "--game", "vole", "--host", host)
    result = tourney(*words, "--max-deals", 2, "--out", "run", "--quiet", "--workers", 1)
    with_code(result, 4)
    assert "bot thief-old: its files have changed" in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "run" / "gate.json").exists()
    old.write_text(WEAK)
    assert "sha256" in with_code(tourney(*words, "--max-deals", 3, "--out", "run", "--resume"), 2).stderr


@pytest.mark.slow
@pytest.mark.needs("git")
def test_a_commit_that_rewrites_earlier_ones_when_it_is_loaded_gets_no_verdict(tmp_path, tourney):
    track = ("track", "thief.py:Thief", "--game", "vole", "--deals", 20, "--out", "run", "--quiet", "--workers", 1)
    rewrite = "from pathlib import Path\nfor file in Path(__file__).parents[1].glob('*/thief.py'):\n"
    rewrite += f"    file.samefile(__file__) or file.write_text({STRONG + '# ' + 20 * 'x'!r})\n"
    for text in (STRONG, rewrite + WEAK):
        commit(tmp_path, {"thief.py": text})
    one_line(tourney(*track), 4, "bot thief@", "its files have changed while it played")
    assert with_code(tourney(*track), 2).stderr.endswith("overwrite it to start over, or use another folder\n")


def test_no_bot_finds_the_seed_in_its_environment(tmp_path):
    seed = "0123456789abcdef"
    (tmp_path / "thief.py").write_text(f"import os\nassert {seed!r} not in os.environ.values()\n{WEAK}")
    words = ("gate", "thief.py:Thief", "--against", "random", "--game", "vole", "--max-deals", 1, "--seed", seed)
    with_code(apart(tmp_path, *words, "--out", "run", "--workers", 1, SEED=seed), 3)


def test_a_seed_that_is_drawn_is_another_each_time_but_the_same_for_a_gate_that_is_resumed(tmp_path, tourney):
    words = ("gate", "first", "--against", "random", "--game", "vole", "--max-deals", 1, "--seed", "random", "--quiet")
    seeds = []
    for out, more in (("one", ()), ("two", ()), ("one", ("--resume",))):
        with_code(tourney(*words, "--out", out, *more), 3)
        seeds.append(folder.read_manifest(tmp_path / out)["tournament"]["seed"])
    assert seeds[0] == seeds[2] != seeds[1]
