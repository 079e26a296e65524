"""Where the system has no room, or few open files: exit code 4 with one clear line, and the same bytes once it has."""

import resource
import shutil
import subprocess
import sys
from ctypes import CDLL
from pathlib import Path

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import apart, called

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS of unshare(2)


@pytest.fixture
def disk(tmp_path):
    """A small file system, which only this process of the tests sees, so that it goes with it however that ends."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = 'mount --make-rprivate / && exec mount -t tmpfs -o size=1m none "$0"'
    assert CDLL(None).unshare(NEW_MOUNTS) == 0
    subprocess.run(["sh", "-c", mount, folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def leave(room, disk):
    """Fills the disk up to a number of bytes that are left free."""
    ballast = disk / "ballast"
    ballast.unlink(missing_ok=True)
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - room))


@pytest.mark.needs("a disk")
def test_a_run_stopped_by_a_full_disk_says_so_and_resumes_to_the_same_bytes(tourney, write, tmp_path, disk):
    config = write(extra="[limits]\nmove_ms = 600000")
    assert tourney("run", config, "--out", tmp_path / "whole", "--quiet", "--workers", 1).returncode == 0
    named = set()
    for pages in range(12):
        shutil.rmtree(disk / "run", ignore_errors=True)
        leave(pages * 4096, disk)
        result = tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1)
        if result.returncode == 0:
            break
        one_line(result, 4, "cannot be written (No space left on device); make room")
        line = result.stderr.splitlines()[-1]
        named.add(Path(line.split(": ")[1]).name)
        (disk / "ballast").unlink()
        resume = ["--resume"] if "continue with: tourney run" in line else []
        result = tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1, *resume)
        assert result.returncode == 0, result
        names = ["journal.jsonl", "standings.json", "standings.txt", "manifest.json", "tournament.toml"]
        for name in names:
            assert (disk / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        # where there was no room for the times of what was played, they are lost
        assert {file.name for file in (disk / "run").iterdir()} | {"times.json"} == {*names, "times.json"}
    assert named == set(names)


@pytest.mark.needs("a disk")
@pytest.mark.slow
def test_an_analysis_that_a_full_disk_has_stopped_goes_on_to_the_same_bytes(tourney, write, tmp_path, disk):
    def analyse(run):
        return apart(tmp_path, "analyse", run, "--playouts", 4, "--workers", 1)

    config = write(deals="2", bots='["random", "steady"]')
    assert tourney("run", config, "--out", disk / "run", "--quiet", "--workers", 1).returncode == 0
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


@pytest.mark.needs("a disk")
@pytest.mark.parametrize("kind", ["bot", "tournament"])
def test_what_a_full_disk_has_no_room_for_leaves_nothing(disk, kind):
    arguments = [kind, "mine"]
    for room in (0, 4096):
        leave(room, disk)
        one_line(called(["new", *arguments], disk), 4, "(No space left on device); make room")
        assert [each.name for each in disk.iterdir()] == ["ballast"]
    (disk / "ballast").unlink()
    assert called(["new", *arguments], disk).returncode == 0


@pytest.mark.parametrize("files", [8, pytest.param(14, marks=pytest.mark.slow)])
def test_with_few_open_files_a_run_says_so_and_resumes(tourney, write, shared_run, tmp_path, files):
    config = write(deals="2", extra='[[bot]]\nname = "apart"\nuse = "steady"\nhost = "process"')
    command = [sys.executable, "-m", "tourney", "run", config, "--out", "run", "--workers", "2"]
    few = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, **few)
    if done.returncode != 0:
        assert done.returncode in (2, 4), done.stderr
        assert done.stderr.splitlines()[-1].startswith("tourney: ")
    resume = ["--resume"] if (tmp_path / "run" / "manifest.json").exists() else []
    assert tourney("run", config, "--out", tmp_path / "run", *resume).returncode == 0
    assert journal(tmp_path / "run") == journal(shared_run(config))
