"""What a command cannot do in the sandbox, with each backend of the machine, as root and as an ordinary user."""

import json
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.hosts import machine
from tourney.hosts.sandbox import launcher, seccomp

HERE = Path(__file__).parent
LIMITS = {"memory_mb": 256, "reserved_mb": 512, "threads": 16, "open_files": 64, "file_mb": 4, "scratch_mb": 8}
REFUSED = {"PermissionError", "FileNotFoundError", "OSError"}
"""The errors of an attempt that is refused: forbidden, not there, or a read-only file system."""


@dataclass(frozen=True)
class Account:
    """A user, an interpreter that this user may run, and a folder that belongs to this user."""

    user: str
    python: str
    folder: Path

    def run(self, spec: dict[str, Any], path: str = "", **keys: Any) -> subprocess.CompletedProcess[str]:
        """Runs sandbox_launch.py to its end, with this PATH if one is given."""
        given = self.keys()
        given["env"] |= {"PATH": path} if path else {}
        given["env"] |= {launcher.VARIABLE: spec["choice"]} if "choice" in spec else {}
        argv = [*self.argv(), json.dumps(spec)]
        return subprocess.run(argv, capture_output=True, timeout=600, check=False, **given, **keys)

    def start(self, spec: dict[str, Any]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*self.argv(), json.dumps(spec)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, **self.keys()
        )

    def argv(self) -> list[str]:
        return [self.python, str(self.folder / "sandbox_launch.py")]

    def keys(self) -> dict[str, Any]:
        """The arguments of `subprocess`; the environment holds what must not reach the command."""
        path = os.environ.get("PATH", "")
        env = {"PATH": path, "PYTHONPATH": str(self.folder / "lib"), "SECRET": "card", "PYTHONDONTWRITEBYTECODE": "1"}
        return {"text": True, "env": env, **machine.as_user(self.user == "ordinary")}


def open_to_all(folder: Path, owner: int) -> None:
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, owner, owner)
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.fixture(scope="module", params=["own", pytest.param("ordinary", marks=pytest.mark.slow)])
def account(request: pytest.FixtureRequest) -> Iterator[Account]:
    python = str(Path(sys.executable).resolve())
    if request.param == "ordinary":
        if os.geteuid() != 0:
            pytest.skip("the tests run as an ordinary user already")
        found = shutil.which("python3", path="/usr/local/bin:/usr/bin")
        version = found and subprocess.check_output([found, "-c", "import sys; print(sys.version_info >= (3, 11))"])
        if version != b"True\n":
            pytest.skip("no Python 3.11 or later that every user may run")
        python = str(found)
    folder = Path(tempfile.mkdtemp(prefix="tourney-test-"))
    try:
        world = folder / "world"
        for name in ("run/journal.jsonl", "run/inside.py", "bots/mine.py", "bots/theirs.py"):
            (world / name).parent.mkdir(parents=True, exist_ok=True)
            (world / name).write_text("card", encoding="utf-8")
        shutil.copytree(world / "run", world / "bots" / "results")
        for name in ("__init__.py", "errors.py", "hosts"):
            source = ROOT / "tourney" / name
            target = folder / "lib" / "tourney" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        for name in ("sandbox_launch.py", "sandbox_probe.py", "sandbox_pair.py"):
            shutil.copy(HERE / name, folder)
        (folder / "scratch").mkdir()
        open_to_all(folder, machine.NOBODY if request.param == "ordinary" else os.geteuid())
        yield Account(request.param, python, folder)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module", params=machine.BACKENDS)
def backend(request: pytest.FixtureRequest, account: Account) -> str:
    """A backend that this machine can run for this user."""
    machine.need(request.param, account.user == "ordinary", account.python)
    return str(request.param)


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


@pytest.fixture(scope="module")
def attempts(account: Account, backend: str) -> dict[str, Any]:
    """How each attempt of sandbox_probe.py ended, by its name."""
    world = account.folder / "world"
    script = account.folder / "sandbox_probe.py"
    spec = {
        "command": [account.python, "-I", str(script), str(world), str(os.getpid())],
        "reads": [str(script), str(world / "bots"), str(world / "run" / "inside.py")],
        "hides": [str(world / "run"), str(world / "bots" / "theirs.py"), str(world / "bots" / "results")],
        "limits": LIMITS,
        "by": backend,
    }
    own = world / "bots" / "mine.py"
    os.utime(own, (0, own.stat().st_mtime))
    ended = account.run(spec)
    assert ended.returncode == 0, ended.stderr
    return dict(json.loads(ended.stdout)) | {"time of access": own.stat().st_atime}


def test_the_command_sees_its_own_files_and_those_that_lie_deeper_than_what_hides_them(attempts):
    assert attempts["read the own bot"] == "card"
    assert attempts["read the own bot in a hidden folder"] == "card"


def test_a_folder_is_seen_inside_a_hidden_one_inside_a_readable_one(account, backend):
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
        "by": backend,
    }
    ended = account.run(spec)
    assert (ended.stdout.strip(), ended.stderr) == ("card", "")


def test_the_folder_of_the_run_is_out_of_sight(attempts):
    assert attempts["read the run"] in REFUSED
    # bubblewrap makes an empty folder to put the one readable file in
    assert attempts["list the run"] in ["PermissionError", ["inside.py"]]
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
def test_nothing_is_written_outside_the_scratch_folder(attempts, account, backend, attempt):
    if (backend, attempt) != ("namespaces", "write into /dev/shm"):  # where the scratch folder is, inside
        assert attempts[attempt] in REFUSED
    assert not Path(attempt.removeprefix("write into "), "tourney-card").exists()
    for name in ("run/journal.jsonl", "bots/mine.py"):
        path = account.folder / "world" / name
        assert path.read_text(encoding="utf-8") == "card"
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_the_scratch_folder_is_empty_writable_and_bounded(attempts, backend):
    assert attempts["scratch at first"] == []
    assert attempts["write into scratch"] == 4
    assert attempts["folder in scratch"] is None
    assert attempts["large file"] == "OSError"
    if backend != "landlock":
        assert attempts["fill scratch"] == "OSError"
        assert 4000 < attempts["empty files"] <= 4096


def test_processes_and_hidden_files_cannot_even_be_looked_up(attempts, backend):
    if backend == "landlock":
        pytest.skip("landlock alone hides no names")
    assert attempts["look past a hidden folder"] == "FileNotFoundError"
    assert attempts["look into /proc"] == "FileNotFoundError"
    assert attempts["own id"] == 2
    assert attempts["id of a thread"] < 1000  # these ids are counted anew, and not for the whole machine


def test_reading_a_file_leaves_its_time_of_access(attempts, backend):
    if backend == "landlock":
        pytest.skip("landlock alone does not guard times of access")
    assert attempts["read the own bot"] == "card"
    assert attempts["time of access"] == 0


def test_the_environment_holds_what_was_given_and_nothing_else(attempts):
    assert set(attempts["environment"]) <= {"PATH", "LANG", "HOME", "TMPDIR", "LC_CTYPE"}


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
    "pin the host", "trace", "outlive the host", "namespaces", "lock", "record lock", "watch", "keys",
    "System V memory",
])  # fmt: skip
def test_other_processes_and_common_things_are_out_of_reach(attempts, attempt):
    assert attempts[attempt] == "PermissionError"
    assert attempts["signal itself"] is None


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


def pair(start: Callable[[str], subprocess.Popen[str]]) -> list[str]:
    """The channels by which a card went from one program to the other."""
    with start("get") as getter, start("put") as putter:
        assert None not in (getter.stdin, getter.stdout, putter.stdin, putter.stdout)
        assert getter.stdout.readline() == "ready\n"
        print("go", file=putter.stdin, flush=True)
        assert putter.stdout.readline() == "sent\n"
        print("go", file=getter.stdin, flush=True)
        arrived = list(json.loads(getter.stdout.readline()))
        putter.communicate()
        getter.communicate()
    return arrived


def shared_copy(account: Account, name: str) -> str:
    """A file that both programs may read, and that belongs to their user."""
    path = account.folder / "world" / "bots" / name
    path.write_text("card", encoding="utf-8")
    open_to_all(path, machine.NOBODY if account.user == "ordinary" else os.geteuid())
    os.utime(path, (0, path.stat().st_mtime))
    return str(path)


STILL_OPEN = {
    "bubblewrap": {"pipes"},
    "namespaces": {"pipes"},
    "landlock": {"pipes", "threads", "access", "descriptors"},
}
"""The channels of sandbox_pair.py that docs/sandbox.md names as open; the machine decides whether the card arrives."""


def test_two_commands_cannot_pass_each_other_a_card(account, backend):
    shared, key = shared_copy(account, "shared.py"), str(os.getpid())
    script = account.folder / "sandbox_pair.py"

    def start(role: str) -> subprocess.Popen[str]:
        command = [account.python, "-I", str(script), role, shared, key]
        return account.start({"command": command, "reads": [str(script), shared], "by": backend})

    assert set(pair(start)) <= STILL_OPEN[backend]


def test_two_programs_outside_the_sandbox_can(account):
    """So that the test above tests something: the channels are open where nobody closes them."""
    shared, key = shared_copy(account, "open.py"), str(os.getpid())

    def start(role: str) -> subprocess.Popen[str]:
        command = [account.python, "-I", str(account.folder / "sandbox_pair.py"), role, shared, key]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **account.keys())

    arrived = pair(start)
    # a container may lack message queues, inotify or other processes; the rest is everywhere
    everywhere = {"files", "abstract", "unix", "localhost", "lock", "times", "mode", "priority", "hint", "wait"}
    assert everywhere <= set(arrived)


JOINS = """
import ctypes, time
libc = ctypes.CDLL(None)
thread = ctypes.c_ulong()
libc.pthread_create(ctypes.byref(thread), None, libc.usleep, ctypes.c_void_p(900_000))
begun_s = time.thread_time()
print(libc.pthread_join(thread, None), time.thread_time() - begun_s)
"""


@pytest.mark.parametrize("sleeps", [False, True])
def test_a_thread_may_wait_for_the_end_of_another(backend, account, sleeps):
    """Without the option it takes processor time meanwhile, as it is woken again and again."""
    spec = {
        "command": [account.python, "-I", "-c", JOINS],
        "reads": [],
        "by": backend,
        "limits": {"thread_joins": sleeps},
    }
    result, worked_s = account.run(spec).stdout.split()
    assert result == "0"
    assert not sleeps or float(worked_s) < 0.1


STUBBORN = """
import os, signal, sys, threading, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
    signal.signal(number, signal.SIG_IGN)
threading.Thread(target=time.sleep, args=(60,)).start()
print("here", flush=True)
time.sleep(60)
"""


UNTIDY = """
import os
for name, mode in (("closed", 0o700), ("deep", 0o700), ("empty", 0)):
    os.mkdir(name, mode)
os.mkdir("closed/inner", 0)
os.chdir("deep")
for _ in range(1100):  # deeper than Python may recurse
    os.mkdir("d")
    os.chdir("d")
"""


@pytest.mark.slow
def test_nothing_is_left_of_the_scratch_folder(backend, account):
    before = list((account.folder / "scratch").iterdir())
    ended = account.run({"command": [account.python, "-I", "-c", UNTIDY], "reads": [], "by": backend})
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list((account.folder / "scratch").iterdir()) == before


MANY_THREADS = """
import sys, threading
threading.stack_size(1 << 16)
started = 0
try:
    while started < 100:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started, flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_the_threads_of_one_command_are_not_counted_for_another_of_the_same_user(backend, account):
    spec = {"command": [account.python, "-I", "-c", MANY_THREADS], "reads": [], "by": backend, "limits": LIMITS}
    with account.start(spec) as one, account.start(spec) as other:
        assert None not in (one.stdout, other.stdout)
        assert one.stdout.readline() == other.stdout.readline() != "0\n"
        one.communicate("\n")
        other.communicate("\n")


def is_let_go(stream: Any) -> bool:
    """Whether all who could write to the pipe are gone, or go within some minutes."""
    return bool(select.select([stream], [], [], 300)[0]) and not stream.read()


def test_nothing_is_left_when_the_command_is_killed(backend, account):
    if account.user != "own":
        pytest.skip("the command is started by this process itself")
    launch = launcher.sandboxed([account.python, "-I", "-c", STUBBORN], [], by=backend)
    started = subprocess.Popen(launch.argv, env=launch.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert started.stdout is not None
    assert started.stdout.readline() == b"here\n"
    started.kill()
    assert is_let_go(started.stdout)
    started.communicate()
    launch.clear()
    assert launch.scratch is None or not launch.scratch.exists()


@pytest.mark.slow
def test_scratch_folders_of_a_killed_process_are_removed_by_the_next_that_makes_one(account):
    machine.need("landlock", account.user == "ordinary", account.python)
    spec = {"command": [account.python, "-I", "-c", STUBBORN], "reads": [], "by": "landlock"}
    folder = account.folder / "scratch"
    with account.start(spec) as host, account.start(spec) as other:
        assert None not in (host.stdout, other.stdout)
        assert host.stdout.readline() == other.stdout.readline() == "here\n"
        left = set(folder.iterdir())
        os.kill(host.pid, signal.SIGKILL)
        assert is_let_go(host.stdout)
        host.wait()
        assert set(folder.iterdir()) == left
        assert account.run({"command": ["/usr/bin/true"], "reads": [], "by": "landlock"}).returncode == 0
        assert len(set(folder.iterdir()) & left) == 1  # that of the other, which is in use
        os.kill(other.pid, signal.SIGKILL)
        assert is_let_go(other.stdout)
    account.run({"command": ["/usr/bin/true"], "reads": [], "by": "landlock"})
    assert list(folder.iterdir()) == []


def test_the_command_ends_with_the_process_that_started_it(backend, account):
    spec = {"command": [account.python, "-I", "-c", STUBBORN], "reads": [], "by": backend}
    host = account.start(spec)
    assert host.stdout is not None
    assert host.stdout.readline() == "here\n"
    os.kill(host.pid, signal.SIGKILL)
    assert is_let_go(host.stdout)
    host.communicate()


@pytest.mark.slow
def test_a_package_is_imported_from_a_folder_that_is_not_shown(backend, account):
    package = account.folder / "source" / "own"
    package.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").write_text("from own import part\n", encoding="utf-8")
    (package / "part.py").write_text("import sys\ndef main(): print(sys.argv[1:])\n", encoding="utf-8")
    (package.parent / "beside.py").write_text("", encoding="utf-8")
    open_to_all(package.parent, machine.NOBODY if account.user == "ordinary" else os.geteuid())
    folder = str(package.parent)
    ended = account.run({"python": ["own.part", folder, ["one", "two"]], "reads": [str(package)], "by": backend})
    assert ended.stdout == "['one', 'two']\n", ended.stderr
    ended = account.run({"python": ["beside", folder], "reads": [str(package)], "by": backend})
    assert "No module named 'beside'" in ended.stderr or "Permission denied: " in ended.stderr


def test_the_exit_code_and_the_streams_are_those_of_the_command(backend, account):
    code = "import sys; print(sys.stdin.read(), end=''); print('told', file=sys.stderr); sys.exit(7)"
    ended = account.run({"command": [account.python, "-I", "-c", code], "reads": [], "by": backend}, input="a line\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "a line\n", "told\n")


def test_an_interpreter_that_another_bots_command_names_still_runs(backend, account):
    command = [account.python, "-I", "-c", "print('runs')"]
    hides = [account.python, str(Path(account.python).resolve())]
    ended = account.run({"command": command, "reads": [], "hides": hides, "by": backend})
    assert (ended.stdout, ended.stderr) == ("runs\n", "")


@pytest.mark.parametrize("interpreter", ["sh", "/bin/sh"])
def test_an_interpreter_that_env_looks_up_runs_although_another_bots_command_names_it(backend, account, interpreter):
    command = ["/usr/bin/env", interpreter, "-c", "echo runs"]
    hides = ["/bin/sh", str(Path("/bin/sh").resolve())]
    ended = account.run({"command": command, "reads": [], "hides": hides, "by": backend})
    assert (ended.stdout, ended.stderr) == ("runs\n", "")


def test_a_command_that_is_not_there_is_named_in_one_line(backend, account):
    ended = account.run({"command": ["/usr/bin/no-such-program"], "reads": [], "by": backend})
    assert ended.returncode == 126
    assert ended.stderr == "tourney: /usr/bin/no-such-program cannot be started: No such file or directory\n"


def test_a_program_in_javascript_runs(backend, account):
    node = shutil.which("node", path="/usr/bin:/usr/local/bin")
    if node is None:
        pytest.skip("Node is not installed")
    code = "process.stdin.on('data', data => { console.log(String(data).trim() + '!'); process.exit(0) })"
    spec = {
        "command": [node, "-e", code],
        "reads": [str(Path(node).resolve())],
        "by": backend,
        "limits": {"memory_mb": 512},
    }
    ended = account.run(spec, input="hello\n")
    assert ended.stdout == "hello!\n", ended.stderr


@pytest.mark.slow
def test_a_program_in_javascript_meets_the_limit_of_memory(backend, account):
    node = shutil.which("node", path="/usr/bin:/usr/local/bin")
    if node is None:
        pytest.skip("Node is not installed")
    code = "const kept = []; for (let i = 0; i < 60; i++) kept.push(Buffer.alloc(10 << 20, 1)); console.log('all')"
    spec = {
        "command": [node, "-e", code],
        "reads": [str(Path(node).resolve())],
        "by": backend,
        "limits": {"memory_mb": 512},
    }
    ended = account.run(spec)
    assert ended.returncode != 0
    assert "all" not in ended.stdout


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
