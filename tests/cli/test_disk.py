"""Runs in folders that cannot be written to: exit code 4 with one clear line, and the same bytes once they can be."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.runs import LARGER, WAIT_S, begin, journal, journal_started, one_line, wait_for
from tests.conftest import TOURNEY
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


def refused(result: Result, *says: str) -> str:
    assert result.exit_code == 4, result.output
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
        resume = ["--resume"] if "then go on with: tourney run" in line else []
        result = tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1, *resume)
        assert result.exit_code == 0, result.output
        made = ["manifest.json", "tournament.toml"]
        names = ["journal.jsonl", "standings.json", "standings.txt", "counts.json", *made]
        for name in names:
            assert (disk / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        # where there was no room for the times of what was played, they are lost
        assert {file.name for file in (disk / "run").iterdir()} | {"times.json"} == {*names, "times.json"}
    assert named == {*names, "times.json"}


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
        assert ("then go on with: tourney analyse " in stopped.stderr) == has_begun
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


def test_a_run_in_a_read_only_folder_ends_with_one_line_and_resumes_once_it_is_writable(write, disk):
    config = write()
    assert tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1).exit_code == 0
    whole = journal(disk / "run")
    (disk / "run" / "journal.jsonl").write_bytes(whole[: len(whole) // 2])
    (disk / "run" / "standings.txt").unlink()
    assert mount("-o", "remount,ro", disk)
    refused(tourney("run", config, "--out", disk / "run", "--resume"), "journal.jsonl: cannot be written (Read-only")
    refused(tourney("run", config, "--out", disk / "new"), "new: cannot be written (Read-only", "another folder")
    for command in (["standings"], ["matches"], ["verify"]):
        assert tourney(*command, disk / "run").exit_code == 0
    assert mount("-o", "remount,rw", disk)
    assert tourney("run", config, "--out", disk / "run", "--resume", "--quiet").exit_code == 0
    assert journal(disk / "run") == whole


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_another_user_is_refused_with_one_line(write, tmp_path):
    (tmp_path / "closed").mkdir(mode=0o555)
    refused(tourney("run", write(), "--out", tmp_path / "closed" / "run"), "cannot be written (Permission denied)")


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
