"""Which backend of the sandbox is taken on a machine, and how it is refused where none works."""

import os
import shutil

import pytest

from tests.hosts import machine
from tourney.hosts.sandbox import seccomp


def test_the_backends_that_are_found_to_work_are_those_of_the_machine(account):
    reasons = machine.backends(account.user == "ordinary", account.python)
    for backend, reason in reasons.items():
        tried = account.run({"choice": backend})
        if reason:
            assert tried.stderr.startswith(f"SandboxError: no sandbox on this machine ({backend}: "), reason
        else:
            assert (tried.stdout, tried.stderr) == (f"{backend}\n", "")
    working = [backend for backend, reason in reasons.items() if not reason]
    assert account.run({}).stdout == "".join([f"{backend}\n" for backend in working[:1]])


@pytest.mark.skipif(os.environ.get("CI") != "true", reason="only continuous integration has to have a sandbox")
def test_continuous_integration_runs_on_a_machine_with_a_sandbox():
    assert "" in machine.backends().values(), machine.backends()


def test_where_neither_way_works_the_sandbox_refuses_and_says_why(account):
    ended = account.run({"missing": ["landlock_create_ruleset"]}, path="/nowhere")
    assert ended.returncode == 1
    told = ended.stderr
    assert told.startswith("SandboxError: no sandbox on this machine (bubblewrap: it is not installed; namespaces: ")
    # an ordinary user of a machine without user namespaces is told of these first
    assert "landlock is missing or older than Linux 6.2" in told or "user namespaces are not permitted" in told
    assert told.endswith('; install bubblewrap, or take host = "process" for bots that you trust\n')


def test_without_a_limit_on_processes_the_sandbox_refuses(account):
    if account.user == "own" and os.geteuid() == 0:
        pytest.skip("root is another user inside, and that limit needs nothing")
    ended = account.run({"missing": ["unshare"]}, path="/nowhere")
    assert ended.returncode == 1
    assert "user namespaces are not permitted, so processes cannot be limited" in ended.stderr


def test_a_bubblewrap_that_does_not_work_is_not_taken(account):
    program = account.folder / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    ended = account.run({"choice": "bubblewrap"}, path=str(account.folder))
    assert "(bubblewrap: bwrap: No permissions to create a new namespace)" in ended.stderr
    ended = account.run({}, path=str(account.folder))
    assert ended.stdout in ("namespaces\n", "landlock\n") or "bubblewrap: bwrap: No permissions" in ended.stderr


INTERRUPTED = """#!/bin/sh
kill -INT $$
exec {bwrap} "$@"
"""


def test_an_interrupt_while_a_backend_is_tried_is_no_reason_for_a_weaker_one(account):
    machine.need("bubblewrap", account.user == "ordinary", account.python)
    folder = account.folder / "interrupted"
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text(INTERRUPTED.format(bwrap=shutil.which("bwrap")), encoding="utf-8")
    program.chmod(0o755)
    folder.chmod(0o755)
    ended = account.run({}, path=f"{folder}:/usr/bin:/bin")
    assert (ended.stdout, ended.stderr) == ("bubblewrap\n", "")


KILLED = """#!/bin/sh
PATH=/usr/bin:/bin
echo once >> "$0.log"
[ $(wc -l < "$0.log") -gt {times} ] && exec {bwrap} "$@"
kill -9 $$
"""


@pytest.mark.parametrize("times", [3, 1000])
def test_where_a_backend_is_killed_while_it_is_tried_no_weaker_one_is_taken(account, times):
    machine.need("bubblewrap", account.user == "ordinary", account.python)
    folder = account.folder / f"killed-{times}"
    folder.mkdir()
    program = folder / "bwrap"
    program.write_text(KILLED.format(times=times, bwrap=shutil.which("bwrap")), encoding="utf-8")
    program.chmod(0o755)
    folder.chmod(0o777)
    ended = account.run({}, path=str(folder))
    if times == 3:
        assert (ended.stdout, ended.stderr) == ("bubblewrap\n", "")
    else:
        told = "SandboxError: the sandbox (bubblewrap) was killed or stopped 5 times while it was tried; try again\n"
        assert (ended.returncode, ended.stderr) == (1, told)


def test_an_unknown_way_is_refused(account):
    ended = account.run({"choice": "chroot"})
    told = "SandboxError: TOURNEY_SANDBOX=chroot: there is no such backend; use one of "
    assert ended.stderr == f"{told}{', '.join(machine.BACKENDS)}\n"


def test_a_machine_without_a_table_of_system_calls_is_refused():
    with pytest.raises(OSError, match="no table of system calls for riscv64"):
        seccomp.filter_for("riscv64", 1, thread_joins=False)


@pytest.mark.parametrize("machine", seccomp.MACHINES)
def test_the_tables_of_system_calls_name_each_number_once(machine):
    column = seccomp.MACHINES[machine][0]
    tables = (seccomp.REFUSED, seccomp.UNKNOWN, seccomp.EXAMINED)
    numbers = [call[column] for table in tables for call in table.values() if call[column] != seccomp.NO]
    assert len(numbers) == len(set(numbers))
    assert max(numbers) <= seccomp.NEWEST
    assert len(seccomp.filter_for(machine, 1, thread_joins=False)) < 4096  # what the kernel takes
