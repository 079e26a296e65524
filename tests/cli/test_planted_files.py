"""Whatever somebody has put in the place of a run's files, nothing is followed, waited for or overwritten."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conftest import BAD, mostly_slow, tournament_text
from tourney.cli.main import main
from tourney.errors import EXIT_BUG
from tourney.journal import folder, reader
from tourney.journal.counts_cache import COUNTS
from tourney.journal.times import TIMES

SECRET = b"what nobody may overwrite\n"
PROGRAMS = f'[[bot]]\nname = "other"\nhost = "process"\nuse = "{BAD}:Good"\n[limits]\nmove_ms = 600000'
LINK = "a link to a file"
NAMES = [
    folder.JOURNAL,
    folder.MANIFEST,
    f"{folder.MANIFEST}.new",
    f"{folder.STANDINGS_JSON}.new",
    folder.STANDINGS_TEXT,
    COUNTS,
    TIMES,
    f"{TIMES}.new",
    folder.TOURNAMENT,
    folder.LOGS,
    f"{folder.LOGS}/other.txt",
]
READING = ("standings", "matches", "verify", "diff")
PLANTED: dict[str, Callable[[Path, Path], object]] = {
    LINK: lambda path, secret: path.symlink_to(secret),
    "a link to a device": lambda path, secret: path.symlink_to("/dev/zero"),
    "a link to nothing": lambda path, secret: path.symlink_to(secret.with_name("missing")),
    "a pipe": lambda path, secret: os.mkfifo(path),
    "a folder": lambda path, secret: path.mkdir(),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """A run that was stopped when a part of it was played."""
    place = tmp_path_factory.mktemp("planted")
    text = tournament_text("t", bots='["first", "random"]', extra=PROGRAMS, deals="2")
    (place / "t.toml").write_text(text, encoding="utf-8")
    assert tourney("run", place / "t.toml", "--out", place / "run", "--quiet", "--workers", 1).exit_code == 0
    return place / "run"


@pytest.fixture
def run(original, tmp_path) -> Path:
    """A copy of the run, not yet finished, with a file beside it that must stay as it is."""
    copied = Path(shutil.copytree(original, tmp_path / "run"))
    shutil.copy(original.parent / "t.toml", tmp_path)
    journal = (copied / folder.JOURNAL).read_bytes()
    (copied / folder.JOURNAL).write_bytes(b"".join(journal.splitlines(keepends=True)[:5]))
    (tmp_path / "secret").write_bytes(SECRET)
    return copied


def tourney(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def resume(run: Path) -> Result:
    return tourney("run", run.parent / "t.toml", "--out", run, "--resume", "--quiet", "--workers", 1)


def assert_one_line(result: Result, *codes: int) -> None:
    assert result.exit_code != EXIT_BUG, result.output
    assert result.exit_code in codes, result.output
    if result.exit_code in (2, 4):
        assert len([line for line in result.stderr.splitlines() if line.startswith("tourney: ")]) == 1, result.stderr
        assert "Traceback" not in result.stderr


def put(planted: str, path: Path, secret: Path) -> None:
    """Puts something in the place of a file or folder."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    PLANTED[planted](path, secret)


OTHERS = [planted for planted in PLANTED if planted != LINK]
CASES = [(name, LINK) for name in NAMES]
CASES += [(name, OTHERS[number % len(OTHERS)]) for number, name in enumerate(NAMES)]
CASES += [(name, planted) for name in (folder.JOURNAL, folder.MANIFEST) for planted in OTHERS]
QUICK = [(name, LINK) for name in (folder.JOURNAL, TIMES, folder.LOGS)] + [(folder.JOURNAL, "a pipe")]


@pytest.mark.parametrize(
    ("name", "planted"),
    [pytest.param(*case, marks=[] if case in QUICK else pytest.mark.slow) for case in dict.fromkeys(CASES)],
)
def test_nothing_is_followed_waited_for_or_overwritten(run, original, name, planted):
    secret = run.parent / "secret"
    put(planted, run / name, secret)
    for command in READING:
        assert_one_line(tourney(command, run, *([original] if command == "diff" else [])), 0, 1, 2)
    assert_one_line(resume(run), 0, 2, 4)
    assert secret.read_bytes() == SECRET
    assert not secret.with_name("missing").exists()


@pytest.mark.parametrize("name", [folder.JOURNAL, folder.MANIFEST])
@pytest.mark.parametrize("planted", ["a link to a file", "a pipe"])
def test_what_is_no_regular_file_is_named(run, name, planted):
    put(planted, run / name, run.parent / "secret")
    result = tourney("standings", run)
    if (name, planted) == (folder.MANIFEST, "a pipe"):
        assert "holds no run" in result.stderr
    else:
        assert f"{run / name}: it is no regular file" in result.stderr


@pytest.mark.parametrize("name", [folder.JOURNAL, f"{folder.LOGS}/other.txt"])
def test_a_file_with_another_name_is_not_written_to(run, name):
    secret = run.parent / "secret"
    if name == folder.JOURNAL:
        secret.write_bytes((run / name).read_bytes() + b"torn")
    before = secret.read_bytes()
    (run / name).unlink()
    os.link(secret, run / name)
    assert_one_line(resume(run), 4)
    assert secret.read_bytes() == before


@pytest.mark.parametrize("planted", mostly_slow(PLANTED, LINK))
@pytest.mark.parametrize("name", [folder.JOURNAL, folder.TOURNAMENT, f"{folder.MANIFEST}.new"])
def test_a_new_run_in_a_folder_that_looks_free(run, name, planted):
    free = run.parent / "free"
    free.mkdir()
    (free / folder.JOURNAL).touch()
    put(planted, free / name, run.parent / "secret")
    assert_one_line(tourney("run", run.parent / "t.toml", "--out", free, "--quiet", "--workers", 1), 0, 2, 4)
    assert (run.parent / "secret").read_bytes() == SECRET
    assert not (run.parent / "missing").exists()


def test_a_line_without_an_end_is_not_read_whole(run):
    with (run / folder.JOURNAL).open("ab") as journal:
        journal.truncate(2 * reader.MAX_LINE)
    assert_one_line(tourney("standings", run), 2)


def test_the_folder_itself_may_be_a_link(run):
    linked = run.parent / "linked"
    linked.symlink_to(run)
    assert_one_line(resume(linked), 0)
    assert tourney("standings", linked).output == tourney("standings", run).output


def test_a_gate_in_a_linked_folder_is_begun_anew(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "gate").symlink_to(tmp_path / "there")
    gate = ["gate", "first", "--against", "random", "--game", "vole", "--max-deals", 2, "--quiet", "--workers", 1]
    for more in ([], ["--overwrite"]):
        assert_one_line(tourney(*gate, "--out", tmp_path / "gate", *more), 0, 1, 3)
    assert (tmp_path / "there" / folder.MANIFEST).exists()
