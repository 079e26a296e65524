"""Runs in folders that cannot be written to: exit code 4 with one clear line, and the same bytes once they can be."""

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.runs import LARGER, WAIT_S, begin, journal, journal_started, one_line, wait_for
from tests.conftest import TOURNEY, called
from tourney.base.errors import cannot_write
from tourney.cli.main import main

SIZE = 1024 * 1024


def mount(*arguments: object) -> bool:
    return subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False).returncode == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mount("-t", "tmpfs", "-o", f"size={SIZE}", "none", folder):
        pytest.skip("mounting a disk needs root")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def leave(room: int, disk: Path) -> None:
    """Fills the disk up to a number of bytes that are left free."""
    ballast = disk / "ballast"
    ballast.unlink(missing_ok=True)
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - room))


def tourney(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def refused(result: Result, *says: str, code: int = 4) -> str:
    assert result.exit_code == code, result.output
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("tourney: ")]
    for part in says:
        assert part in line
    return line


@pytest.mark.slow
def test_a_run_stopped_by_a_full_disk_at_any_file_says_so_and_resumes_to_the_same_bytes(write, tmp_path, disk):
    config = write(extra="[limits]\nmove_ms = 600000")
    assert tourney("run", config, "--out", tmp_path / "whole", "--quiet", "--workers", 1).exit_code == 0
    named = set()
    for pages in range(12):
        shutil.rmtree(disk / "run", ignore_errors=True)
        leave(pages * 4096, disk)
        result = tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1)
        if result.exit_code == 0:
            break
        line = refused(result, "cannot be written (No space left on device); make room")
        named.add(Path(line.split(": ")[1]).name)
        (disk / "ballast").unlink()
        resume = ["--resume"] if "continue with: tourney run" in line else []
        result = tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1, *resume)
        assert result.exit_code == 0, result.output
        made = ["manifest.json", "tournament.toml"]
        names = ["journal.jsonl", "standings.json", "standings.txt", *made]
        for name in names:
            assert (disk / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        # where there was no room for the times of what was played, they are lost
        assert {file.name for file in (disk / "run").iterdir()} | {"times.json"} == {*names, "times.json"}
    assert named == set(names)


@pytest.mark.slow
def test_an_analysis_that_a_full_disk_has_stopped_says_so_and_goes_on_to_the_same_bytes(write, tmp_path, disk):
    def analyse(run: Path) -> subprocess.CompletedProcess[str]:
        command = [TOURNEY, "analyse", run, "--playouts", "4", "--workers", "1"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    config = write(deals="2", bots='["random", "steady"]')
    assert tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1).exit_code == 0
    whole = shutil.copytree(disk / "run", tmp_path / "whole")
    assert analyse(whole).returncode == 0
    for room, has_begun in ((0, False), (4096, True)):
        leave(room, disk)
        stopped = analyse(disk / "run")
        one_line(stopped, 4, "analysis.jsonl: cannot be written (No space left on device); make room")
        assert ("continue with: tourney analyse " in stopped.stderr) == has_begun
    (disk / "ballast").unlink()
    assert analyse(disk / "run").returncode == 0
    assert (disk / "run" / "analysis.jsonl").read_bytes() == (whole / "analysis.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (["replay", "run", "vole-00000-0", "--html", "match.html"], "match.html"),
        (["report", "run", "--out", "page.html", "--matches", "1"], "page.html"),
    ],
    ids=["replay", "report"],
)
def test_a_page_that_a_full_disk_has_no_room_for_is_one_line_and_leaves_nothing(finished, disk, arguments, file):
    places = {"run": finished, file: disk / file}
    leave(0, disk)
    refused(tourney(*[places.get(word, word) for word in arguments]), f"{file}: cannot be written (No space left")
    assert [each.name for each in disk.iterdir()] == ["ballast"]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["bot", "mine"], "mine"),
        (["bot", "mine", "--language", "javascript", "--out", "some/where/mine"], "some/where/mine"),
        (["game", "mine"], "mine"),
        (["tournament", "mine"], "mine.toml"),
        (["tournament", "mine", "--out", "some/where/mine.toml"], "some/where/mine.toml"),
    ],
    ids=["bot", "bot elsewhere", "game", "tournament", "tournament elsewhere"],
)
def test_what_a_full_disk_has_no_room_for_is_not_begun(disk, arguments, what):
    told = f"tourney: {what}: cannot be written (No space left on device); make room, or use another place"
    for room in (0, 4096, 3 * 4096):
        leave(room, disk)
        done = called(["new", *arguments], disk)
        one_line(done, 4, told)
        assert [each.name for each in disk.iterdir()] == ["ballast"]
    (disk / "ballast").unlink()
    assert called(["new", *arguments], disk).returncode == 0


def test_a_run_in_a_read_only_folder_ends_with_one_line_and_resumes_once_it_is_writable(write, disk):
    config = write()
    assert tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1).exit_code == 0
    whole = journal(disk / "run")
    (disk / "run" / "journal.jsonl").write_bytes(whole[: len(whole) // 2])
    (disk / "run" / "standings.txt").unlink()
    assert mount("-o", "remount,ro", disk)
    refused(tourney("run", config, "--out", disk / "run", "--resume"), "journal.jsonl: cannot be written (Read-only")
    new = tourney("run", config, "--out", disk / "new")
    refused(new, "new: cannot be written (Read-only file system); allow that, or use another folder", code=2)
    for command in (["standings"], ["matches"], ["verify"]):
        assert tourney(*command, disk / "run").exit_code == 0
    assert mount("-o", "remount,rw", disk)
    assert tourney("run", config, "--out", disk / "run", "--resume", "--quiet").exit_code == 0
    assert journal(disk / "run") == whole


GATE = ["gate", "first", "--against", "random", "--game", "vole", "--max-deals", "2", "--quiet", "--out", "new"]
REFUSED = {
    "a new run": (["run", "small.toml", "--out", "new"], "new", "allow that, or use another folder"),
    "a run begun anew": (["run", "small.toml", "--out", "done", "--overwrite"], "done/journal.jsonl", "allow that"),
    "a new gate": (GATE, "new", "allow that, or use another folder"),
    "an analysis": (["analyse", "done", "--playouts", "4"], "done/analysis.jsonl", "allow that"),
    "a report": (["report", "done"], "done/report.html", "allow that, or give another path"),
    "a report elsewhere": (["report", "done", "--out", "x.html"], "x.html", "allow that, or give another path"),
    "pictures": (["report", "done", "--format", "svg"], "done/pictures", "allow that, or use another folder"),
    "a match": (["export", "done", "vole-0-0", "-o", "x.json"], "x.json", "allow that, or give another path"),
    "a table": (["export", "done", "--format", "csv", "-o", "x.csv"], "x.csv", "allow that, or give another path"),
    "a page": (["replay", "done", "vole-0-0", "--html", "x.html"], "x.html", "allow that, or give another path"),
    "a match of a person": (["play", "vole"], "results", "allow that, or use another folder"),
    "a bot": (["new", "bot", "mine"], "mine", "allow that, or use another place"),
    "a tournament file": (["new", "tournament", "mine"], "mine.toml", "allow that, or use another place"),
}


@pytest.fixture
def in_closed_folder(finished: Path) -> Iterator[Callable[..., subprocess.CompletedProcess[str]]]:
    """Runs commands as somebody who may not write to the folder with a finished run and its file, nor to the run."""
    lacking = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if lacking and shutil.which("setpriv") is None:
        pytest.skip("root may write anywhere, and there is no setpriv")
    inside = [finished, *finished.rglob("*"), finished.parent]
    for path in inside:
        path.chmod(0o555 if path.is_dir() else 0o444)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*lacking, TOURNEY, *arguments]
        return subprocess.run(command, cwd=finished.parent, input="", capture_output=True, text=True, check=False)

    yield run
    for path in reversed(inside):
        path.chmod(0o755)


@pytest.mark.parametrize(("arguments", "what", "remedy"), REFUSED.values(), ids=REFUSED)
def test_what_may_not_be_written_is_refused_before_anything_begins(in_closed_folder, arguments, what, remedy):
    one_line(in_closed_folder(*arguments), 2, f"tourney: {what}: cannot be written (Permission denied); {remedy}")


def test_a_run_that_may_not_go_on_says_so(in_closed_folder):
    done = in_closed_folder("run", "small.toml", "--out", "done", "--resume")
    one_line(done, 4, "done/journal.jsonl: cannot be written (Permission denied); allow that")


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "make room"),
        (errno.EDQUOT, "make room"),
        (errno.EROFS, "allow that"),
        (errno.EIO, "find out why"),
        (errno.EISDIR, "remove what is in its place"),
    ],
)
def test_there_is_a_remedy_for_each_reason(number, remedy):
    error = cannot_write("run", OSError(number, os.strerror(number)))
    assert str(error) == f"run: cannot be written ({os.strerror(number)}); {remedy}"
    assert error.exit_code == (2 if number == errno.EROFS else 4)


def test_a_run_can_be_started_again_in_the_folder_of_an_interrupted_start(write, tmp_path):
    config = write()
    run = tmp_path / "run"
    run.mkdir()
    for name, text in (("journal.jsonl", ""), ("tournament.toml", "na"), ("manifest.json.new", "{")):
        (run / name).write_text(text, encoding="utf-8")
    assert tourney("run", config, "--out", run, "--quiet").exit_code == 0
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "tournament.toml").write_text("somebody's own", encoding="utf-8")
    assert tourney("run", config, "--out", mine).exit_code == 2
    assert (mine / "tournament.toml").read_text(encoding="utf-8") == "somebody's own"


@pytest.mark.slow
def test_a_run_ends_when_its_folder_is_moved_away(write, tmp_path):
    config = write(**LARGER | {"deals": "4000"})
    process = begin(tmp_path, config, "--out", "run", "--workers", 1)
    wait_for(lambda: journal_started(tmp_path / "run"))
    (tmp_path / "run").rename(tmp_path / "elsewhere")
    _, errors = process.communicate(timeout=WAIT_S)
    result = subprocess.CompletedProcess([], process.returncode, "", errors)
    one_line(result, 4, "journal.jsonl: cannot be written (No such file or directory)", "--resume")
    assert tourney("verify", tmp_path / "elsewhere").exit_code == 0
