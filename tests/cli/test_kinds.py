"""What kind of run a folder holds, by its manifest or by that of an older version, and who may play it."""

import shutil
import subprocess
from itertools import product

import pytest

from tests.cli.runs import change_manifest, one_line
from tests.conftest import called
from tests.environments import made_once
from tourney.journal.kinds import KINDS
from tourney.journal.run import RunFolder
from tourney.runner.person_match import PersonMatch

pytestmark = pytest.mark.needs("git")  # tracks have
SMALL = "--game", "vole", "--workers", "1", "--quiet"
MADE = {
    "run": [["run", "small.toml", "--out", "run", "--workers", "1", "--quiet"]],
    "gate": [["gate", "steady", "--against", "random", "--max-deals", "1", "--out", "gate", *SMALL]],
    "compare": [["compare", "steady", "random", "--deals", "1", "--out", "compare", *SMALL]],
    "league": [
        ["league", "new", "league", "--game", "vole", "--out", "league"],
        *[["league", "submit", "league", bot] for bot in ("steady", "first")],
        ["league", "play", "league", "--matches", "8", "--workers", "1", "--quiet"],
    ],
    "track": [["track", "mine.py:Mine", "--deals", "20", "--out", "track", *SMALL]],
    "play": [],
}
"""By the kind, the commands that make a folder of its name."""
FLAGS = (
    [],
    ["--overwrite"],
    ["--resume"],
    ["--drop", "first"],
    ["--replace", "first"],
    ["--dry-run"],
    ["--extend", "run"],
)


@pytest.fixture
def kinds(shared_folder, write, tmp_path, monkeypatch):
    """A folder with a run of each kind, called after it."""

    def make(place):
        shutil.copy(write(deals="1", bots='["first", "random"]'), place)
        (place / "mine.py").write_text("class Mine:\n    def act(self, view, legal):\n        return legal[0]\n")
        for words in (["init", "-q"], ["add", "mine.py"], ["commit", "-qm", "Begin"]):
            own = ["-c", "user.name=ann", "-c", "user.email=ann@example.org"]
            subprocess.run(["git", *own, *words], cwd=place, check=True)
        for commands in MADE.values():
            for words in commands:
                assert called(words, place).returncode in (0, 1, 3), words
        with monkeypatch.context() as patch:
            patch.chdir(place)
            match = PersonMatch("vole", 2, {}, 0, ["random"], 1)
            match.write_run(match.play(lambda _facts, _view, legal: legal[0], lambda _log, _faults: None)).rename(
                "play"
            )

    return shutil.copytree(made_once(shared_folder / "kinds", make), tmp_path / "kinds")


def contents(place):
    return {file: file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}


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
        one_line(called(["run", "new.toml", *flags, "--out", "new"], kinds), 2, "begin one with `tourney league new`")
    assert not (kinds / "new").exists()
