"""Whether the sandbox is found to work on a machine, and what is said where it does not."""

import os
import shutil

import pytest

from tests.hosts import machine
from tourney.hosts.sandbox import seccomp


@pytest.mark.skipif(os.environ.get("CI") != "true", reason="only continuous integration has to have a sandbox")
def test_continuous_integration_runs_on_a_machine_with_a_sandbox():
    assert machine.no_sandbox() == ""


def test_a_sandbox_that_works_is_taken(account):
    ended = account.run({})
    assert (ended.returncode, ended.stderr) == (0, "")


def test_where_bubblewrap_is_missing_it_is_said_how_to_install_it(account):
    ended = account.run({}, path="/nowhere")
    assert ended.returncode == 1
    assert ended.stderr.startswith('SandboxError: host = "sandbox" needs bubblewrap')
    assert ended.stderr.count("\n") == 1


def bubblewrap(folder, script):
    """Puts a program in the place of bubblewrap, and returns the PATH with its folder first."""
    folder.mkdir(exist_ok=True)
    program = folder / "bwrap"
    program.write_text(script.format(bwrap=shutil.which("bwrap")), encoding="utf-8")
    for path in (folder, program):
        path.chmod(0o755)
    return f"{folder}:/usr/bin:/bin"


def test_a_bubblewrap_that_does_not_work_is_refused_with_what_it_says(account):
    says = "bwrap: No permissions to create a new namespace"
    path = bubblewrap(account.folder / "bin", f"#!/bin/sh\necho '{says}' >&2\nexit 1\n")
    ended = account.run({}, path=path)
    assert ended.stderr.startswith(f"SandboxError: bubblewrap does not work on this machine ({says}); ")


def test_an_interrupt_while_the_sandbox_is_tried_changes_nothing(account):
    path = bubblewrap(account.folder / "bin", '#!/bin/sh\nkill -INT $$\nexec {bwrap} "$@"\n')
    ended = account.run({}, path=path)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_tables_of_system_calls_name_each_number_once(machine):
    column = seccomp.MACHINES[machine][0]
    tables = (seccomp.REFUSED, seccomp.UNKNOWN, seccomp.EXAMINED)
    numbers = [call[column] for table in tables for call in table.values() if call[column] != seccomp.NO]
    assert len(numbers) == len(set(numbers))
    assert max(numbers) <= seccomp.NEWEST
    assert len(seccomp.steps_for(machine, thread_joins=False)) < 4096  # what the kernel takes
