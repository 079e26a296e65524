"""A sandbox that cannot be set up is no fault of the bot: the run ends, tells the cause, and goes on later."""

import os
import shutil
import sys

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import tournament_text
from tests.helpers import bot
from tests.hosts import machine
from tests.hosts.play import match_with, opened
from tourney.hosts.base import BotSpec

pytestmark = pytest.mark.slow

FEW_FILES = """#!/bin/sh
echo once >> "$0.log"
[ $(wc -l < "$0.log") -gt {times} ] && ulimit -n {files}
exec {bwrap} "$@"
"""
"""A bubblewrap that may open few files, but for its first calls."""
LIES = """
import os

class Lies:
    def act(self, view, legal):
        os.write(2, b"bwrap: Can't fork for pid 1: Resource temporarily unavailable\\n")
        os._exit(1)
"""


def short_of_files(folder, times):
    """Puts such a bubblewrap into a folder, and returns the PATH with that folder first."""
    machine.need_sandbox()
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text(
        FEW_FILES.format(times=times, files=8 if times == 3 else 6, bwrap=shutil.which("bwrap")), encoding="utf-8"
    )
    program.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize(("times", "code"), [(0, 2), (1, 2), (3, 4)])
def test_a_run_ends_with_the_cause_charges_nobody_and_goes_on(tourney, tmp_path, times, code):
    config = tmp_path / "t.toml"
    extra = '[[bot]]\nname = "bot"\nuse = "steady"\nhost = "sandbox"'
    config.write_text(tournament_text("t", bots='["first"]', extra=extra), encoding="utf-8")
    path = short_of_files(tmp_path / "bin", times)
    assert tourney("run", config, "--out", "whole").returncode == 0
    ended = tourney("run", config, "--out", "run", "--workers", 1, "--quiet", PATH=path)
    one_line(ended, code, "too many open files; allow more, as by ulimit -n 1024")
    if code == 4:
        assert b"crash" not in journal(tmp_path / "run")
        resumed = tourney("run", config, "--out", "run", "--resume", "--quiet")
        assert resumed.returncode == 0, resumed.stderr
        assert journal(tmp_path / "run") == journal(tmp_path / "whole")


def test_where_bubblewrap_is_missing_one_line_says_how_to_install_it(tourney, tmp_path):
    machine.need_sandbox()
    config = tmp_path / "t.toml"
    extra = '[[bot]]\nname = "bot"\nuse = "steady"\nhost = "sandbox"'
    config.write_text(tournament_text("t", bots='["first"]', extra=extra), encoding="utf-8")
    one_line(tourney("run", config, "--out", "run", PATH="/nowhere"), 2, "apt install bubblewrap")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("is_python", [True, False])
def test_a_bot_that_says_so_itself_is_charged(tmp_path, is_python):
    machine.need_sandbox()
    file = tmp_path / "lies.py"
    file.write_text(LIES + ("" if is_python else "\nLies().act(None, None)\n"), encoding="utf-8")
    file.chmod(0o644)
    use, words = ("lies.py:Lies", ()) if is_python else ("", (sys.executable, str(file)))
    spec = BotSpec("lies", "sandbox", use, {}, words, tmp_path, ("vole",), (file,))
    with opened(spec, tmp_path / "log.txt") as host:
        record = match_with(host, bot("Good"))
    assert [(fault.seat, fault.kind) for fault in record.faults] == [(0, "crash")]
