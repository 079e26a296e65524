"""What a command cannot do in the sandbox, as root and as an ordinary user."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.accounts import LIMITS, Account

REFUSED = {"PermissionError", "FileNotFoundError", "OSError"}
"""The errors of an attempt that is refused: forbidden, not there, or a read-only file system."""


@pytest.fixture(scope="module")
def attempts(account: Account) -> dict[str, Any]:
    """How each attempt of sandbox_probe.py ended, by its name."""
    world = account.folder / "world"
    script = account.folder / "sandbox_probe.py"
    spec = {
        "command": [account.python, "-I", str(script), str(world), str(os.getpid())],
        "reads": [str(script), str(world / "bots"), str(world / "run" / "inside.py")],
        "hides": [str(world / "run"), str(world / "bots" / "theirs.py"), str(world / "bots" / "results")],
        "limits": LIMITS,
    }
    own = world / "bots" / "mine.py"
    os.utime(own, (0, own.stat().st_mtime))
    ended = account.run(spec)
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout)) | {"time of access": own.stat().st_atime}


def test_the_command_sees_its_own_files_and_those_that_lie_deeper_than_what_hides_them(attempts):
    assert attempts["read the own bot"] == "card"
    assert attempts["read the own bot in a hidden folder"] == "card"


def test_a_folder_is_seen_inside_a_hidden_one_inside_a_readable_one(account):
    package = account.folder / "package"
    own = package / "hidden" / "own"
    own.mkdir(parents=True, exist_ok=True)
    (own / "card").write_text("card", encoding="utf-8")
    for folder in (package, own.parent, own):
        folder.chmod(0o755)
    read = f"print(open({str(own / 'card')!r}).read())"
    spec = {
        "command": [account.python, "-I", "-c", read],
        "reads": [str(package), str(own)],
        "hides": [str(own.parent)],
        "limits": LIMITS,
    }
    ended = account.run(spec)
    assert (ended.stdout.strip(), ended.stderr) == ("card", "")


def test_the_folder_of_the_run_is_out_of_sight(attempts):
    assert attempts["read the run"] in REFUSED
    assert attempts["list the run"] == ["inside.py"]
    assert attempts["read by a symbolic link"] in REFUSED
    assert attempts["read a run among the bots"] in REFUSED


def test_other_bots_are_out_of_sight_beside_the_own_one(attempts):
    assert attempts["read another bot"] in {*REFUSED, "empty"}


@pytest.mark.parametrize("attempt", [
    "write into the run", "truncate the run", "remove from the run", "change the own bot", "mode of the own bot",
    "times of the own bot", "cache beside the own bot", "link out of scratch", "write into /", "write into /tmp",
    "write into /var/tmp", "write into /dev/shm", "write into /dev", "write into /usr", "write into /usr/bin",
    "write into /etc", "write into /home", "write into /run",
])  # fmt: skip
def test_nothing_is_written_outside_the_scratch_folder(attempts, account, attempt):
    assert attempts[attempt] in REFUSED
    assert not Path(attempt.removeprefix("write into "), "tourney-card").exists()
    for name in ("run/journal.jsonl", "bots/mine.py"):
        path = account.folder / "world" / name
        assert path.read_text(encoding="utf-8") == "card"
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_the_scratch_folder_is_empty_writable_and_bounded(attempts):
    assert attempts["scratch at first"] == []
    assert attempts["write into scratch"] == 4
    assert attempts["folder in scratch"] is None
    assert attempts["large file"] == "OSError"
    assert attempts["fill scratch"] == "OSError"
    assert 4000 < attempts["empty files"] <= 4096


def test_processes_and_hidden_files_cannot_even_be_looked_up(attempts):
    assert attempts["look past a hidden folder"] == "FileNotFoundError"
    assert attempts["look into /proc"] == "FileNotFoundError"
    assert attempts["own id"] == 2
    assert attempts["id of a thread"] < 1000  # these ids are counted anew, and not for the whole machine


def test_reading_a_file_leaves_its_time_of_access(attempts):
    assert attempts["read the own bot"] == "card"
    assert attempts["time of access"] == 0


def test_the_environment_holds_what_was_given_and_nothing_else(attempts):
    assert set(attempts["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "LC_CTYPE"}


@pytest.mark.parametrize("attempt", ["internet", "internet 6", "unix", "netlink", "datagram pair"])
def test_there_is_no_network(attempts, attempt):
    assert attempts[attempt] == "PermissionError"


def test_a_pair_of_streams_within_the_process_is_left(attempts):
    assert attempts["stream pair"] == [None, None]


@pytest.mark.parametrize("attempt", ["fork", "fork by its number", "spawn"])
def test_the_command_is_one_process(attempts, attempt):
    assert attempts[attempt] == "PermissionError"


def test_threads_and_open_files_are_limited(attempts):
    assert 8 <= attempts["threads"] < LIMITS["threads"]
    assert 32 <= attempts["open files"] < LIMITS["open_files"]
    assert attempts["raise a limit"] in {"PermissionError", "ValueError"}


def test_memory_is_limited_whatever_kind_it_is(attempts):
    assert attempts["some memory"] == 20 << 20
    assert attempts["memory"] == "MemoryError"
    assert attempts["shared memory"] == "PermissionError"
    assert 256 <= attempts["memory that is made read-only"] <= 256 + 512
    assert attempts["memory file"] == "OSError" or attempts["memory file"] == "PermissionError"


@pytest.mark.parametrize("attempt", [
    "limit of the host", "look for the host", "signal all", "signal the group", "signals by a file", "slow the host",
    "pin the host", "trace", "outlive the host", "namespaces", "mount", "rights", "lock", "record lock", "watch",
    "keys", "System V memory", "message queue",
])  # fmt: skip
def test_other_processes_and_common_things_are_out_of_reach(attempts, attempt):
    assert attempts[attempt] == "PermissionError"
    assert attempts["signal itself"] is None
    assert attempts["wait at a place that others have"] == 0, "it returns at once"


@pytest.mark.parametrize("attempt", [
    "affinity of the host", "scheduler of the host", "parameters of the host", "attributes of the host",
    "time slice of the host", "priority of the host", "priority of the user", "group of the host",
    "session of the host", "capabilities of the host", "clock of the host", "timer of the host",
    "storage priority of the host", "locks of the host", "compare with the host", "pages of the host",
    "nodes of the host", "handle of the host", "memory of the host", "join the host", "processes of the machine",
])  # fmt: skip
def test_no_other_process_is_seen_by_its_id(attempts, attempt):
    # the C library gets on where the kernel has no such call, see `seccomp`
    assert attempts[attempt] == ("OSError" if attempt == "affinity of the host" else "PermissionError")


@pytest.mark.parametrize("attempt", [
    "flush the disks", "flush all disks", "number of a socket", "read without waiting", "evict a file",
    "evict the pages of a file", "hint on a file", "reads from the disk",
])  # fmt: skip
def test_no_mark_is_left_on_what_programs_share(attempts, attempt):
    assert attempts[attempt] == "PermissionError"


@pytest.mark.parametrize("attempt", ["enlarge a buffer", "send a file", "pages in a pipe"])
def test_the_kernel_keeps_little_for_a_program(attempts, attempt):
    assert attempts[attempt] == "PermissionError"


def test_a_program_may_ask_about_itself(attempts):
    assert attempts["own affinity"] == [True, True]
    assert attempts["own scheduler"] == [0, 0]
    assert attempts["own priority"] == 0
    assert attempts["own group"] is True
    assert attempts["own clocks"] == [True, True, True]
    assert attempts["own threads"] == [0, True]
    assert attempts["own event loop"] == "told"
    assert attempts["kind of a socket"] == 4


def test_no_process_and_no_user_can_be_listed(attempts):
    assert attempts["list /proc"] in REFUSED
    assert attempts["list /home"] in REFUSED
    assert attempts["read /etc/passwd"] in REFUSED


def test_the_command_is_not_root_and_does_not_become_it(attempts):
    assert attempts["user"] != 0
    assert attempts["become root"] in REFUSED


JOINS = """
import ctypes, time
libc = ctypes.CDLL(None)
thread = ctypes.c_ulong()
libc.pthread_create(ctypes.byref(thread), None, libc.usleep, ctypes.c_void_p(900_000))
begun_s = time.thread_time()
print(libc.pthread_join(thread, None), time.thread_time() - begun_s)
"""


@pytest.mark.parametrize("sleeps", [False, True])
def test_a_thread_may_wait_for_the_end_of_another(account, sleeps):
    """Without the option it takes processor time meanwhile, as it is woken again and again."""
    spec = {
        "command": [account.python, "-I", "-c", JOINS],
        "reads": [],
        "limits": {"thread_joins": sleeps},
    }
    result, worked_s = account.run(spec).stdout.split()
    assert result == "0"
    assert not sleeps or float(worked_s) < 0.1
