"""A game, a bot, a format and a host of other packages, installed where somebody develops, fail no test of ours."""

import os
import subprocess

import pytest

from tests.conftest import ROOT, with_code
from tests.environments import fresh_environment
from tests.project.test_docs import run, shown_files
from tourney.cli.commands import new as scaffold

PLUGINS = "[tourney.formats]\nring = ring:Ring\n[tourney.hosts]\nnear = near:Near\n"
HOST = 'from tourney.hosts.inline import InlineHost\nclass Near(InlineHost):\n    name = "near"\n'
FOUND = "from tourney.plugins.registry import *; print(game_names(), bot_names(), format_names(), host_names())"
GOLDEN = "cli/test_golden_output.py::test_a_command_prints_what_it_printed"
TESTS = [
    "cli/test_new.py", "cli/test_wrong_use.py", "config", "games/test_every_game.py::test_views_tell_the_options",
    "table/test_seeds.py::test_every_match_carries_the_names_of_its_block_and_every_format_finds_them_again",
    "games/test_golden.py::test_every_game_has_golden_matches_at_several_seat_counts_and_options",
    "hosts/test_host_contract.py", "plugins/test_plugins.py",
    *[f"{GOLDEN}[{name}]" for name in ("bots", "games", "new-bot")],
]  # fmt: skip
"""Those that list what is found, go over it, or make something of the same name."""


@pytest.mark.slow
def test_what_is_installed_where_somebody_develops_fails_no_test(plugin, tmp_path):
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    site = plugin("others", PLUGINS, ring=shown_files(page)["ring.py"], near=HOST)
    python = fresh_environment(tmp_path, ROOT, ROOT / "bots", site)
    (program := python.with_name("tourney")).write_text(f"#!{python}\nfrom tourney.__main__ import main\nmain()\n")
    program.chmod(0o755)
    scaffold.write_game("snap", tmp_path / "snap")
    scaffold.write_bot("fox", "python", None, tmp_path / "fox")
    for name in ("snap", "fox"):
        pip = f"-m pip install -q --no-index --no-deps --no-build-isolation -e {name}"
        run(python, *pip.split(), cwd=tmp_path)
    found = run(python, "-c", FOUND, cwd=tmp_path)
    assert [name for name in ("snap", "fox", "ring", "near") if f"'{name}'" not in found] == []
    ours = ("PYTEST_", "TOURNEY_TEST_", "PYTHONPATH", "XDG_STATE_HOME")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    words = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-n", "2"]
    words += [f"tests/{each}" for each in TESTS]
    with_code(subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False))
