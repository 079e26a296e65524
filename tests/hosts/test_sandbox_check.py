"""Whether the sandbox works on a machine, and what comes of it where it does not: no bot is charged for that."""

import os
import shutil
import sys

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import tournament_text, with_code
from tests.hosts.play import against_good, opened, spec_of

pytestmark = pytest.mark.needs("bubblewrap")

LIES = """
import os
class Bot:
    def act(self, view, legal):
        os.write(2, b"bwrap: Can't fork for pid 1: Resource temporarily unavailable\\n")
        os._exit(1)
if __name__ == "__main__":
    Bot().act(None, None)
"""


def test_a_sandbox_that_works_is_taken(account):
    ended = account.run({})
    assert (ended.returncode, ended.stderr) == (0, "")


def test_where_bubblewrap_is_missing_it_is_said_how_to_install_it(account):
    ended = with_code(account.run({}, path="/nowhere"), 1)
    assert ended.stderr.startswith('SandboxError: host = "sandbox" needs bubblewrap')
    assert ended.stderr.count("\n") == 1


def bubblewrap(folder, script):
    """Puts a program in the place of bubblewrap, and returns the PATH with its folder first."""
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(f'#!/bin/sh\n{script}\nexec {shutil.which("bwrap")} "$@"\n', encoding="utf-8")
    for path in (folder, program):
        path.chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.mark.parametrize(
    ("says", "remedy"),
    [
        ("bwrap: No permissions to create a new namespace", "see `tourney docs hosts-and-limits`"),
        ("bwrap: setting up uid map: Permission denied", "sysctl kernel.apparmor_restrict_unprivileged_userns=0`"),
    ],
)
def test_a_bubblewrap_that_does_not_work_is_refused_with_what_it_says_and_the_remedy(account, says, remedy):
    ended = account.run({}, path=bubblewrap(account.folder / "bin", f"echo '{says}' >&2\nexit 1"))
    assert ended.stderr.startswith(f"SandboxError: bubblewrap does not work on this machine ({says}); ")
    assert f"{remedy}, or use " in ended.stderr


def test_an_interrupt_while_the_sandbox_is_tried_changes_nothing(account):
    ended = account.run({}, path=bubblewrap(account.folder / "bin", "kill -INT $$"))
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("calls", "files", "code"),
    [
        pytest.param(0, 6, 2, id="at the check", marks=pytest.mark.slow),
        pytest.param(1, 6, 2, id="as a bot is examined", marks=pytest.mark.slow),
        pytest.param(3, 8, 4, id="in the run"),
    ],
)
def test_a_run_whose_sandbox_fails_ends_with_the_cause_charges_nobody_and_goes_on(
    tourney, tmp_path, calls, files, code
):
    """After so many calls, bubblewrap may open few files only."""
    config = tmp_path / "t.toml"
    extra = '[[bot]]\nname = "bot"\nuse = "steady"\nhost = "sandbox"'
    config.write_text(tournament_text("t", deals="2", bots='["first"]', extra=extra), encoding="utf-8")
    few = f'echo once >> "$0.log"\n[ $(wc -l < "$0.log") -gt {calls} ] && ulimit -n {files}'
    ended = tourney("run", config, "--out", "run", "--workers", 1, "--quiet", PATH=bubblewrap(tmp_path / "bin", few))
    one_line(ended, code, "too many open files; allow more, as by ulimit -n 1024")
    if code == 4:
        assert b"crash" not in journal(tmp_path / "run")
        assert tourney("run", config, "--out", "run", "--resume", "--quiet").returncode == 0
        assert tourney("run", config, "--out", "whole").returncode == 0
        assert journal(tmp_path / "run") == journal(tmp_path / "whole")


@pytest.mark.parametrize("is_python", [True, False])
def test_a_bot_that_says_so_itself_is_charged(tmp_path, is_python):
    file = tmp_path / "lies.py"
    file.write_text(LIES, encoding="utf-8")
    use, words = ("lies.py:Bot", ()) if is_python else ("", (sys.executable, str(file)))
    spec = spec_of("lies", use, "sandbox", words, folder=tmp_path, sources=(file,))
    with opened(spec, tmp_path / "log.txt") as host:
        assert [(fault.seat, fault.kind) for fault in against_good(host).faults] == [(1, "crash")]
