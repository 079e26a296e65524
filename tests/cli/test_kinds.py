"""What kind of run a folder holds, by its manifest or by that of an older version, and who may play it."""

import shutil
from itertools import product

import pytest

from tests.cli.kinds import made
from tests.cli.runs import change_manifest, contents, one_line
from tests.conftest import called, tournament_text
from tourney.journal.kinds import KINDS
from tourney.journal.run import RunFolder

pytestmark = pytest.mark.needs("git")  # tracks have
MADE = {
    "run": "round-robin",
    "gate": "gate",
    "compare": "compare",
    "league": "league",
    "track": "tracked commits",
    "play": "person",
    "check": "check",
}
"""A run of each kind, by its name in `kinds`."""
FLAGS = (
    [], ["--overwrite"], ["--resume"], ["--drop", "first"], ["--replace", "first"], ["--dry-run"], ["--extend", "run"],
)  # fmt: skip


@pytest.fixture
def kinds(shared_folder, tmp_path):
    """A folder with a run of each kind, called after it."""
    for kind, name in MADE.items():
        shutil.copytree(made(shared_folder, name) / "run", tmp_path / kind)
    (tmp_path / "small.toml").write_text(tournament_text("small"), encoding="utf-8")
    return tmp_path


def test_a_run_says_its_kind_and_an_older_one_shows_it(kinds):
    assert MADE.keys() == KINDS.keys()
    for name in KINDS:
        run = kinds / name
        assert RunFolder(run).manifest["kind"] == name
        change_manifest(run, kind=None)
        assert RunFolder(run).kind.name == name, "of an older version"
        assert called(["standings", name], kinds).returncode == 0


def test_tourney_run_leaves_the_folder_of_another_kind_as_it_is_and_names_its_command(kinds):
    before = contents(kinds)
    for number, (kind, flags) in enumerate(product([KINDS[name] for name in KINDS if name != "run"], FLAGS)):
        words = [f"{kind.name}/tournament.toml"] if number % 2 else ["small.toml", "--out", kind.name]
        command = kind.played_by.replace("PATH", kind.name)
        one_line(called(["run", *words, *flags], kinds), 2, f" {kind.noun}; play it with `{command}`")
    assert contents(kinds) == before


def test_a_file_of_a_league_is_begun_by_its_own_command(kinds):
    file = kinds / "new.toml"
    file.write_text((kinds / "league" / "tournament.toml").read_text())
    for flags in FLAGS:
        one_line(called(["run", "new.toml", *flags, "--out", "new"], kinds), 2, "create one with `tourney league new`")
    assert not (kinds / "new").exists()
