"""`run --overwrite` plays a tournament anew in the folder of its earlier run, and removes nothing else."""

import shutil
from pathlib import Path

import pytest

from tests.cli.runs import journal, one_line
from tourney.journal import folder
from tourney.journal.times import TIMES

BOT = "class Edge:\n    def act(self, view, legal):\n        return legal[{at}]\n"
APART = '[[bot]]\nname = "edge"\nuse = "edge.py:Edge"\nhost = "process"\nmove_ms = 60000'
"""The bot of the tests; in a process of its own and with a limit, so that its runs have logs and times as well."""


def edit(place: Path, at: int) -> None:
    (place / "edge.py").write_text(BOT.format(at=at), encoding="utf-8")


def files(run: Path) -> dict[str, bytes]:
    return {str(file.relative_to(run)): file.read_bytes() for file in sorted(run.rglob("*")) if file.is_file()}


def same_files(run: Path, other: Path) -> None:
    """Asserts that two folders hold the same, apart from what depends on the machine."""
    found, expected = files(run), files(other)
    assert list(found) == list(expected)
    assert {name: found[name] for name in found if name != TIMES} == {n: expected[n] for n in found if n != TIMES}


@pytest.fixture
def config(write, tmp_path) -> Path:
    edit(tmp_path, 0)
    return write(deals="1", bots='["first"]', extra=APART)


@pytest.mark.slow
def test_a_run_begun_anew_after_an_edit_is_that_of_the_edited_bot_alone(tourney, config, tmp_path):
    assert tourney("run", config, "--out", "run", "--overwrite").returncode == 0, "in a folder that is not there yet"
    (tmp_path / "run" / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "run" / "logs" / "game-vole.txt").write_text("of the earlier run", encoding="utf-8")
    (tmp_path / "run" / folder.VERDICT).write_text("of the earlier run", encoding="utf-8")
    before = journal(tmp_path / "run")
    edit(tmp_path, -1)
    one_line(tourney("run", config, "--out", "run"), 2, "run: holds a run already", "resume", "overwrite")
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "was begun differently: bots", "overwrite")
    assert tourney("run", config, "--out", "run", "--overwrite").returncode == 0
    assert tourney("run", config, "--out", "fresh").returncode == 0
    assert (tmp_path / "run" / "notes.txt").read_text(encoding="utf-8") == "mine"
    (tmp_path / "run" / "notes.txt").unlink()
    same_files(tmp_path / "run", tmp_path / "fresh")
    assert journal(tmp_path / "run") != before
    assert tourney("verify", "run", "--bots").returncode == 0


def make_files(place: Path) -> None:
    place.mkdir()
    (place / "standings.txt").write_text("mine", encoding="utf-8")


def damage(place: Path) -> None:
    shutil.copytree(place.parent / "run", place)
    manifest = place / folder.MANIFEST
    manifest.write_bytes(manifest.read_bytes().replace(b'"deals": 1', b'"deals": 2'))


def make_gate(place: Path) -> None:
    shutil.copytree(place.parent / "run", place)
    folder.write_manifest(place, folder.read_manifest(place) | {"gate": {"max_deals": 5}})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (make_files, "other: not an empty folder"),
        (damage, "changed after it was written"),
        (make_gate, "other: holds a gate"),
        (lambda place: place.write_text("a file", encoding="utf-8"), "other: "),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_folder_that_is_no_run_is_left_as_it_is(tourney, config, played, tmp_path, make, told):
    played(config)
    make(tmp_path / "other")
    before = files(tmp_path)
    one_line(tourney("run", config, "--out", "other", "--overwrite"), 2, told)
    assert files(tmp_path) == before
