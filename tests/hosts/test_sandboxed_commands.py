"""How a command in the sandbox starts, runs and ends, and what is left of it."""

import os
import resource
import select
import shutil
import signal
import subprocess
from functools import partial
from typing import Any

import pytest

from tourney.hosts.sandbox import launcher

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
