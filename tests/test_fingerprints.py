"""Fingerprints: which source files a game or a bot is made of, and which changes keep a run from being resumed."""

import os
import shutil
import subprocess
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from tests.conftest import ROOT, TOURNEY
from tourney import fingerprints, plugins
from tourney.errors import PluginError

RUN = """
name = "t"
seed = 1
deals = 1
bots = ["first", "{bot}"]
{more}
[[game]]
name = "{game}"
seats = 2
"""


def names(files: list[Path]) -> set[str]:
    return {file.relative_to(fingerprints.import_root(file)).as_posix() for file in files}


@pytest.fixture
def copy(tmp_path):
    """A copy of the package and its bots, which Python finds before the installed ones."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "tourney", tmp_path / "site" / "tourney", ignore=unwanted)
    shutil.copytree(ROOT / "bots" / "tourney_bots", tmp_path / "site" / "tourney_bots", ignore=unwanted)
    return tmp_path


def tourney(copy: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(copy / "site")}
    return subprocess.run(
        [TOURNEY, *map(str, arguments)], env=environment, cwd=copy, capture_output=True, text=True, check=False
    )


def play(copy: Path, name: str, game: str, bot: str, more: str = "") -> None:
    (copy / f"{name}.toml").write_text(RUN.format(game=game, bot=bot, more=more))
    result = tourney(copy, "run", f"{name}.toml", "--out", name, "--quiet")
    assert result.returncode == 0, result.stderr


def change(copy: Path, file: str) -> None:
    with (copy / file).open("a") as source:
        source.write("\n# changed\n")


def resume(copy: Path, name: str) -> subprocess.CompletedProcess[str]:
    return tourney(copy, "run", f"{name}.toml", "--out", name, "--resume", "--quiet")


def assert_resumed(copy: Path, name: str) -> None:
    result = resume(copy, name)
    assert result.returncode == 0, result.stderr


def assert_refused(copy: Path, name: str, key: str) -> None:
    result = resume(copy, name)
    assert result.returncode == 2
    assert f"was begun differently: {key}.sha256" in result.stderr


@pytest.mark.slow
def test_a_changed_game_matters_to_its_own_runs_only_and_shared_code_to_those_who_use_it(copy):
    play(copy, "vole", "vole", "random")
    play(copy, "bang", "bang", "random")
    change(copy, "site/tourney/games/vole/state.py")
    assert_refused(copy, "vole", "games.vole")
    assert_resumed(copy, "bang")
    play(copy, "leon", "leon", "random")
    change(copy, "site/tourney/games/tricks.py")
    assert_refused(copy, "leon", "games.leon")
    assert_resumed(copy, "bang")
    change(copy, "site/tourney/game.py")
    assert_refused(copy, "bang", "games.bang")


@pytest.mark.slow
def test_a_changed_policy_matters_to_the_bots_that_are_made_of_it_only(copy):
    play(copy, "steady", "vole", "steady")
    play(copy, "first", "vole", "random")
    change(copy, "site/tourney_bots/policies/vole.py")
    assert_refused(copy, "steady", "bots.steady")
    assert_resumed(copy, "first")
    change(copy, "site/tourney_bots/first.py")
    assert_refused(copy, "first", "bots.first")


@pytest.mark.slow
@pytest.mark.parametrize("host", ["inline", "process"])
def test_a_changed_module_beside_a_bots_file_is_noticed(copy, host):
    (copy / "mine.py").write_text(
        f"import sys\nsys.path.insert(0, {str(copy)!r})\nfrom helper import pick\n"
        "class Mine:\n    def act(self, view, legal): return pick(legal)\n"
    )
    (copy / "helper.py").write_text("from deeper import PLACE\ndef pick(legal): return legal[PLACE]\n")
    (copy / "deeper.py").write_text("PLACE = 0\n")
    (copy / "other.py").write_text("")
    mine = f'[[bot]]\nname = "mine"\nuse = "mine.py:Mine"\nhost = "{host}"'
    play(copy, "mine", "vole", "random", mine)
    change(copy, "other.py")
    assert_resumed(copy, "mine")
    change(copy, "deeper.py")
    assert_refused(copy, "mine", "bots.mine")


def test_a_game_is_its_folder_what_it_uses_and_the_contract():
    found = names(fingerprints.game_files("tourney.games.vole"))
    assert {"tourney/games/vole/__init__.py", "tourney/games/vole/state.py", "tourney/games/tricks.py"} <= found
    assert {"tourney/game.py", "tourney/state.py", "tourney/cards.py", "tourney/rng.py"} <= found
    assert not [name for name in found if name.startswith(("tourney/games/bang", "tourney/hosts"))]


@pytest.mark.parametrize("bot", ["first", "random", "seer", "steady"])
def test_a_reference_bot_names_its_modules(bot):
    """Of `steady` and `seer` these are the policies, too, which are found by the names of games."""
    (entry,) = entry_points(group="tourney.bots", name=bot)
    found = names(fingerprints.bot_files(entry.module, entry.attr))
    policies = {name for name in found if "/policies/" in name}
    own = {f"tourney_bots/{bot}.py"} if bot != "seer" else {name for name in found if "/seer/" in name}
    assert found - policies == own
    assert ("tourney_bots/policies/vole.py" in policies) == (bot in ("steady", "seer"))


@pytest.mark.parametrize("bot", plugins.bot_names())
def test_all_that_a_bot_is_made_of_lies_where_its_sources_are(bot):
    """These are what it is shown in the sandbox, where other bots of its package would hide the rest."""
    sources = plugins.bot_sources(bot, Path())
    (entry,) = entry_points(group="tourney.bots", name=bot)
    for file in fingerprints.bot_files(entry.module, entry.attr):
        assert any([file == source or source in file.parents for source in sources])


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A distribution's package with a game and bots in one folder each."""
    files = {
        "__init__.py": "raise RuntimeError('nothing is imported')",
        "mole/__init__.py": "from kit_d.shared import x\nfrom tourney.games.tricks import Trick\n",
        "mole/state.py": "",
        "lone.py": "from . import shared\n",
        "shared.py": "def later():\n    try:\n        pass\n    except ValueError:\n        import kit_d.deep.end\n",
        "deep/__init__.py": "",
        "deep/end.py": "",
        "unused.py": "",
        "bots/__init__.py": "",
        "bots/one.py": "class One:\n    made_of = ('kit_d.deep',)\nclass Two:\n    pass\n",
        "bots/odd.py": "class Odd:\n    made_of = ('kit_d' + '.deep',)\nclass Gone:\n    made_of = ('kit_d.gone',)\n",
    }
    for name, text in files.items():
        path = tmp_path / "kit_d" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(tmp_path)


def own(files: list[Path]) -> set[str]:
    return {name.removeprefix("kit_d/") for name in names(files) if name.startswith("kit_d/")}


@pytest.mark.usefixtures("package")
def test_a_game_of_another_package_is_its_folder_or_file_and_what_it_imports_of_its_package():
    folder = fingerprints.game_files("kit_d.mole")
    assert own(folder) == {"mole/__init__.py", "mole/state.py", "shared.py", "deep/end.py"}
    assert {"tourney/games/tricks.py", "tourney/game.py"} <= names(folder)
    assert own(fingerprints.game_files("kit_d.lone")) == {"lone.py", "shared.py", "deep/end.py", "__init__.py"}


@pytest.mark.usefixtures("package")
def test_a_bot_of_another_package_is_what_it_names_or_its_whole_package():
    assert own(fingerprints.bot_files("kit_d.bots.one", "One")) == {"bots/one.py", "deep/__init__.py", "deep/end.py"}
    whole = {"bots/__init__.py", "bots/one.py", "bots/odd.py"}
    assert own(fingerprints.bot_files("kit_d.bots.one", "Two")) == whole
    with pytest.raises(PluginError, match="made_of of Odd is no tuple of names"):
        fingerprints.bot_files("kit_d.bots.odd", "Odd")
    with pytest.raises(PluginError, match=r'odd\.py: made_of of Gone: there is no module "kit_d\.gone"'):
        fingerprints.bot_files("kit_d.bots.odd", "Gone")


@pytest.mark.parametrize(
    "statement",
    [
        "import beside",
        "import beside as other",
        "import os, beside",
        "from beside import thing",
        "from beside import (\n    thing,  # a ) comment\n    more,\n)",
        "from os \\\n    import path; import beside",
        "if True: import beside",
        "def later():\n    from beside import *",
        '"from os import path"; from beside import thing',
    ],
)
def test_an_import_is_found_however_it_is_written(tmp_path, statement):
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "mine.py").write_text(f"import re\n\n{statement}\n")
    assert names(fingerprints.file_and_imports(tmp_path / "mine.py")) == {"mine.py", "beside.py"}


@pytest.mark.parametrize("text", ['"""\nimport beside\n"""', "# import beside", "import = beside"])
def test_what_only_looks_like_an_import_is_none(tmp_path, text):
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "mine.py").write_text(f"from os import path\nimport re\n{text}\n")
    assert names(fingerprints.file_and_imports(tmp_path / "mine.py")) == {"mine.py"}


@pytest.mark.parametrize(
    "statement", ["from . import beside", "from .beside import thing", "from.beside import(thing)"]
)
def test_an_import_from_the_same_folder_is_found(tmp_path, statement):
    folder = tmp_path / "pack"
    folder.mkdir()
    for name, text in {"__init__": "", "beside": "", "mine": f"import re\n{statement}\n"}.items():
        (folder / f"{name}.py").write_text(text)
    assert "pack/beside.py" in names(fingerprints.file_and_imports(folder / "mine.py"))
