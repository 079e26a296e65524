"""Whether the sandbox works on a machine; how a command in it starts, runs and ends, and what is left of it."""

import os
import resource
import select
import shutil
import signal
import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import tournament_text, with_code
from tests.hosts.play import against_good, opened, spec_of
from tourney.hosts.sandbox import launcher

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
    assert ended.stderr.startswith('SandboxError: host = "sandbox" requires bubblewrap')
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
    assert ended.stderr.startswith(f"SandboxError: bubblewrap failed ({says}); ")
    assert f"{remedy}, or use " in ended.stderr


def test_an_interrupt_while_the_sandbox_is_tried_changes_nothing(account):
    ended = account.run({}, path=bubblewrap(account.folder / "bin", "kill -INT $$"))
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("when", "files", "code"),
    [
        pytest.param("true", 6, 2, id="at the check", marks=pytest.mark.slow),
        pytest.param('echo >> "$0.log"; [ $(wc -l < "$0.log") -gt 1 ]', 6, 2, id="later", marks=pytest.mark.slow),
        pytest.param('[ -e "$(dirname "$0")/../run/manifest.json" ]', 8, 4, id="in the run"),
    ],
)
def test_a_run_whose_sandbox_fails_ends_with_the_cause_charges_nobody_and_goes_on(tourney, tmp_path, when, files, code):
    """From some moment on, bubblewrap may open few files only."""
    config = tmp_path / "t.toml"
    extra = '[[bot]]\nname = "bot"\nuse = "steady"\nhost = "sandbox"'
    config.write_text(tournament_text("t", deals="2", bots='["first"]', extra=extra), encoding="utf-8")
    few = f"if {when}; then ulimit -n {files}; fi"
    ended = tourney("run", config, "--out", "run", "--workers", 1, "--quiet", PATH=bubblewrap(tmp_path / "bin", few))
    one_line(ended, code, "too many open files; allow more, for example with ulimit -n 1024")
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


STUBBORN = """
import os, signal, sys, threading, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(60,)).start()
print("here", flush=True)
time.sleep(60)
"""

OWN = pytest.param("own", marks=pytest.mark.needs("bubblewrap"))
started_here = pytest.mark.parametrize("account", [OWN], indirect=True)
"""For tests in which the process of the tests itself starts the command."""


def is_let_go(stream: Any) -> bool:
    """Whether all who could write to the pipe are gone, or go within some minutes."""
    return bool(select.select([stream], [], [], 300)[0]) and not stream.read()


@started_here
def test_nothing_is_left_when_the_command_is_killed(account):
    argv = launcher.sandboxed([account.python, "-I", "-c", STUBBORN], [], [], launcher.SandboxLimits())
    started = subprocess.Popen(argv, env=launcher.ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"here\n"
    started.kill()
    assert is_let_go(started.stdout)
    started.communicate()


def test_what_is_kept_in_ends_with_the_process_that_started_it(account):
    host = account.start({"command": [account.python, "-I", "-c", STUBBORN], "reads": []})
    assert host.stdout is not None
    assert host.stdout.readline() == "here\n"
    os.kill(host.pid, signal.SIGKILL)
    assert is_let_go(host.stdout)
    host.communicate()


def test_the_exit_code_and_the_streams_are_those_of_the_command(account):
    code = "import sys; print(sys.stdin.read(), end=''); print('told', file=sys.stderr); sys.exit(7)"
    ended = account.run({"command": [account.python, "-I", "-c", code], "reads": []}, typed="a line\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "a line\n", "told\n")


def test_a_command_that_is_not_there_is_named_in_one_line(account):
    ended = account.run({"command": ["/usr/bin/no-such-program"], "reads": []})
    assert ended.returncode == 126
    assert ended.stderr == "tourney: /usr/bin/no-such-program cannot be started: No such file or directory\n"


def test_a_sandbox_that_cannot_be_set_up_starts_nothing_and_says_what_has_failed(account):
    ended = account.run({"command": ["/bin/echo", "started"], "reads": [], "limits": {"scratch_files": -1}})
    why = "the sandbox cannot be set up: the scratch folder (Invalid argument)"
    assert (ended.returncode, ended.stdout, ended.stderr) == (126, "", f"tourney: {why}\n")


@started_here
def test_the_scratch_folder_is_bounded_where_commands_of_bubblewrap_may_not_mount_as_by_apparmor(account):
    words = launcher.sandboxed([], [], [], launcher.SandboxLimits(scratch_mb=8))
    code = "print(open('large', 'wb', 0).write(bytes(20 << 20)))"
    command = [*words[: words.index("--") + 1], account.python, "-I", "-c", code]  # no code of ours before it
    ended = subprocess.run(command, env=launcher.ENV, capture_output=True, text=True, check=False)
    assert ended.stdout == f"{8 << 20}\n", ended.stderr


def test_a_limit_of_the_user_that_is_lower_stays(account):
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    lower = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (40, 40))
    ended = account.run({"command": [account.python, "-I", "-c", code], "reads": []}, preexec_fn=lower)
    assert ended.stdout == "(40, 40)\n", ended.stderr


@pytest.mark.needs("node")
def test_a_program_in_javascript_runs(account):
    node = os.path.realpath(shutil.which("node"))
    code = "process.stdin.on('data', data => { console.log(String(data).trim() + '!'); process.exit(0) })"
    spec = {"command": [node, "-e", code], "reads": [node], "limits": {"memory_mb": 512}}
    ended = account.run(spec, typed="hello\n")
    assert ended.stdout == "hello!\n", ended.stderr
