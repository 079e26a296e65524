"""`tourney new bot` writes packages that work as they are."""

import os
import shutil
import subprocess
import sys
import sysconfig

import pytest

from tests.conftest import mostly_slow
from tests.test_docs import editable_paths, run
from tourney.plugins import game_names


def fresh_environment(folder):
    """The Python of a new environment in which tourney, and what tests and builds packages, can be imported."""
    run(sys.executable, "-m", "venv", folder / "venv", cwd=folder)
    site = next((folder / "venv").glob("lib/python*/site-packages"))
    (site / "here.pth").write_text(sysconfig.get_path("purelib") + "\n" + editable_paths(), encoding="utf-8")
    return folder / "venv" / "bin" / "python"


@pytest.mark.slow
def test_the_python_package_installs_in_a_fresh_environment_plays_and_passes_its_test(tourney, tmp_path):
    result = tourney("new", "bot", "sly-fox", "--game", "vole")
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines()[-2:] == ["  pip install -e sly-fox", "  tourney run sly-fox/tournament.toml"]
    python = fresh_environment(tmp_path)
    install = ("-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", "-e", "sly-fox")
    run(python, *install, cwd=tmp_path)
    assert "sly-fox: Takes one of its legal actions" in run(python, "-m", "tourney", "bots", cwd=tmp_path)
    assert "sly-fox" in run(python, "-m", "tourney", "run", "sly-fox/tournament.toml", "--quiet", cwd=tmp_path)
    assert "1 passed" in run(python, "-m", "pytest", "-q", "sly-fox", cwd=tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node, which is not installed")
def test_the_javascript_package_plays_and_passes_its_test(tourney, tmp_path):
    result = tourney("new", "bot", "fox", "--game", "vole", "--language", "javascript")
    assert result.returncode == 0, result.stderr
    first, second = [line.strip() for line in result.stderr.splitlines()[-2:]]
    environment = os.environ | {"PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]}
    for command in (first, second, "cd fox && node --test"):
        done = subprocess.run(
            command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, command + done.stdout + done.stderr


@pytest.mark.parametrize("game", mostly_slow(game_names(), "leon", "bang"))
@pytest.mark.parametrize("language", mostly_slow(["python", "javascript"], "python"))
def test_its_tournament_has_enough_bots_for_every_game(tourney, tmp_path, game, language):
    assert tourney("new", "bot", "fox", "--game", game, "--language", language).returncode == 0
    path = tmp_path / "fox" / "tournament.toml"
    text = path.read_text(encoding="utf-8")
    # the package is not installed here
    text = text.replace('"fox",', '"fox_bot.py:FoxBot",').replace("deals = 20", "deals = 1").replace('"node"', '"sh"')
    path.write_text(text, encoding="utf-8")
    assert "fox" in tourney("run", path, "--quiet").stdout


@pytest.mark.parametrize("name", mostly_slow(["class", "x-1", "true", "bot"], "class"))
def test_a_name_that_means_something_in_python_is_as_good_as_any(tourney, name):
    assert tourney("new", "bot", name, "--game", "vole").returncode == 0
    module = name.replace("-", "_") + "_bot"
    bot = "".join([part.capitalize() for part in name.split("-")]) + "Bot"
    assert tourney("check", f"{name}/{module}.py:{bot}").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["Fox"], '"Fox" is no name for a bot'),
        (["random"], 'there is a bot "random" already'),
        (["fox", "--game", "volle"], 'no game "volle"; did you mean "vole"?'),
        (["fox", "--out", "."], ".: is there already"),
        (["fox", "--out", "/proc/fox"], "/proc/fox: "),
    ],
)
def test_what_cannot_be_is_one_line(tourney, tmp_path, arguments, told):
    result = tourney("new", "bot", *arguments)
    assert result.returncode in (2, 4)
    assert result.stderr.startswith(f"tourney: {told}")
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
