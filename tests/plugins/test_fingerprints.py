"""Fingerprints: which files a game or a bot is made of, and which changes keep a run from being resumed."""

import os
import shutil

import pytest

from tests.conftest import ROOT, tournament_text
from tests.conftest import with_plugins as tourney
from tourney.base.errors import PluginError
from tourney.plugins.fingerprints import files_of, fingerprint, package_of


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the package and its bots, which Python finds before the installed ones."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    for package in (ROOT / "tourney", ROOT / "bots" / "tourney_bots"):
        shutil.copytree(package, tmp_path / package.name, ignore=unwanted)
    return tmp_path


def test_a_run_is_not_resumed_once_a_game_or_a_bot_has_changed_wherever_it_runs(copy):
    """The bots are installed ones and two in folders; files outside these do not matter."""
    for host in ("inline", "process"):
        (copy / host).mkdir()
        (copy / host / "__init__.py").write_text(
            "from .helper import pick\nclass Mine:\n    def act(self, view, legal): return pick(legal)\n"
        )
        (copy / host / "helper.py").write_text("def pick(legal): return legal[0]\n")
    more = [f'[[bot]]\nname = "{host}"\nuse = "{host}:Mine"\nhost = "{host}"' for host in ("inline", "process")]
    text = tournament_text("t", deals="1", bots='["first", "steady"]', extra="\n".join(more))
    (copy / "t.toml").write_text(text)
    command = ("run", "t.toml", "--out", "run", "--quiet")
    begun = tourney(copy, *command)
    assert begun.returncode == 0, begun.stderr
    (copy / "other.py").write_text("")
    for file, key in (
        ("other.py", ""),
        ("inline/helper.py", "bots.inline.sha256"),
        ("process/helper.py", "bots.process.sha256"),
        ("tourney/games/vole/state.py", "games.vole.sha256"),
        ("tourney_bots/policies/vole.py", "bots.first.sha256"),
    ):
        text = (copy / file).read_text()
        (copy / file).write_text(f"{text}\n# changed\n")
        resumed = tourney(copy, *command, "--resume")
        assert resumed.returncode == (2 if key else 0)
        assert key in resumed.stderr
        (copy / file).write_text(text)


def test_two_folders_with_modules_of_the_same_names_do_not_mix(tmp_path):
    for at, name in enumerate(["one", "two"]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(
            "class Mine:\n    def act(self, view, legal):\n        from .helper import AT\n"
            f"        assert AT == {at}\n        return legal[0]\n"
        )
        (tmp_path / name / "helper.py").write_text(f"AT = {at}\n")
    more = "".join([f'[[bot]]\nname = "{name}"\nuse = "{name}:Mine"\n' for name in ("one", "two")])
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1", bots='["first", "random"]', extra=more))
    result = tourney(tmp_path, "run", "t.toml", "--out", "run", "--quiet")
    assert result.returncode == 0, result.stderr
    assert '"kind":"error"' not in (tmp_path / "run" / "journal.jsonl").read_text()


def test_a_fingerprint_is_of_names_and_contents_wherever_they_lie(tmp_path):
    for name in ("here", "there"):
        (tmp_path / name / "bot").mkdir(parents=True)
        (tmp_path / name / "bot" / "__init__.py").write_text("x = 1\n")
    here, there = [tmp_path / name / "bot" for name in ("here", "there")]
    assert fingerprint([here]) == fingerprint([there])
    (there / "__pycache__").mkdir()
    (there / "__pycache__" / "x.pyc").write_text("")
    assert fingerprint([here]) == fingerprint([there])
    (there / "weights.bin").write_bytes(b"\0")
    assert fingerprint([here]) != fingerprint([there])


@pytest.mark.parametrize("target", ["/proc/kmsg", "/etc", "/nowhere"])
def test_no_link_out_of_a_folder_is_followed(tmp_path, target):
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "own").symlink_to("bot.py")
    os.mkfifo(tmp_path / "pipe")
    assert files_of(tmp_path) == [tmp_path / "bot.py", tmp_path / "own"]
    assert len(fingerprint([tmp_path]).sha256) == 64


def test_an_installed_module_is_its_outermost_package_and_nothing_is_imported(tmp_path, monkeypatch):
    packages = ("kit_d/__init__.py", "kit_d/deep/__init__.py", "space_d/inner/__init__.py")
    for name in (*packages, "kit_d/deep/end.py", "lone_d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert package_of("kit_d.deep.end") == tmp_path / "kit_d"
    assert package_of("lone_d") == tmp_path / "lone_d.py"
    assert package_of("space_d.inner") == tmp_path / "space_d" / "inner"
    with pytest.raises(PluginError, match='"gone_d" cannot be found'):
        package_of("gone_d")
