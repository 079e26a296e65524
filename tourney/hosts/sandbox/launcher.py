"""Builds the command line that runs a command in the sandbox: bubblewrap, with our filter of system calls.

Inside, the command is one process without network and without other processes. It can read the system and the given
paths, and write only into an empty scratch folder. There is no /proc, which describes the machine and bubblewrap's own
process. docs/hosts-and-limits.md lists the guarantees and their limits.
"""

import os
import resource
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from tourney.base.errors import SandboxError, named_limit, system_limit
from tourney.hosts import linux
from tourney.hosts.sandbox import seccomp
from tourney.hosts.sandbox.init import SCRATCH

PROGRAM = "bwrap"
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/ssl/openssl.cnf",
)  # fmt: skip
"""The parts of the system that every command may read."""
PACKAGE = Path(__file__).resolve().parents[2]
COMMON: tuple[str | Path, ...] = (*SYSTEM, sys.base_prefix, sys.base_exec_prefix, PACKAGE)
"""Everything that every command may read: the system, Python and tourney."""
PATH = "/usr/local/bin:/usr/bin:/bin"
ENV = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": SCRATCH, "TMPDIR": SCRATCH}
INSTEAD = 'use host = "process" for bots that you trust'
REFUSED_BY_APPARMOR = "setting up uid map: Permission denied"
"""bubblewrap's message if AppArmor forbids user namespaces to ordinary users, as on Ubuntu 24.04."""
TRY_S = 60.0
_FILTER = 4  # the file descriptor from which bubblewrap reads the filter of system calls
_BOT_UIDS = range(0x70000000, 0x7FFFFFFF)  # nothing else gives these out
_STACK_BYTES = 8 << 20
_TIMERS = 256  # including pending signals; the kernel needs memory for each
_START = "import sys; sys.path.append({!r}); from tourney.hosts.sandbox import init; init.restrict({!r}, {!r}, {!r}); "
_RUN = "init.run(sys.argv[1:])"
_SERVER = "from tourney.hosts.process.server import main"
_RUN_PYTHON = f"import site; site.main(); sys.path[:] = {{!r}}; {_SERVER}; sys.argv[1:] = {{!r}}; main()"
_filters: list[Any] = []  # the files of `_filter_file`, open as long as this process lives


class SandboxLimits(NamedTuple):
    """The limits of one command in the sandbox."""

    memory_mb: int | None = None
    """Private writable memory (heap, stacks of threads), whether touched or not; None means no limit."""
    reserved_mb: int = 4096
    """Address space beyond that, which runtimes reserve and do not use, Node a good gigabyte. It bounds the memory that
    the first limit does not count, such as pages that were written and then made read-only."""
    threads: int = 64  # threads of the command, which is one process
    open_files: int = 256
    file_mb: int = 16
    scratch_mb: int = 64
    scratch_files: int = 4096
    thread_joins: bool = False
    """Whether a thread sleeps while it waits for the end of another (`pthread_join`), rather than polls. Commands with
    this right can pass each other anything, because they can wait at the same place in a file."""


def sandboxed(command: Sequence[str], reads: Sequence[Path], hides: Sequence[Path], limits: SandboxLimits) -> list[str]:
    """Returns the words that run a command in the sandbox; start them with only the environment `ENV`.

    This process must live until they are started. The thread that starts them must live as long as the command.
    To stop the command, kill its process or its process group; nothing of it is left then. A command killed by signal N
    ends with exit status 128 + N. Exit status 126, with a line on stderr that starts with "tourney:", means that the
    command was never started.
    """
    return [*_front(reads, hides, limits, _RUN), *command]


def sandboxed_python(
    arguments: Sequence[str], reads: Sequence[Path], hides: Sequence[Path], limits: SandboxLimits
) -> list[str]:
    """Returns the words that serve a Python bot in the sandbox (`server.main`), in this interpreter and `sys.path`."""
    return _front(reads, hides, limits, _RUN_PYTHON.format(sys.path, list(arguments)))


def _front(reads: Sequence[Path], hides: Sequence[Path], limits: SandboxLimits, run: str) -> list[str]:
    uid = secrets.choice(_BOT_UIDS) if _is_root_of_the_machine() else None
    owner = os.getuid() if uid is None else uid
    scratch = f"size={limits.scratch_mb}m,nr_inodes={limits.scratch_files},mode=0700,uid={owner}"
    start = _START.format(str(PACKAGE.parent), uid, scratch, _resource_limits(limits))
    return [
        *("/bin/sh", "-c", f'exec "$@" {_FILTER}<"$0"', _filter_file(os.getpid(), limits.thread_joins)),
        *_bubblewrap(_existing([*COMMON, *reads]), _existing(hides), limits.scratch_mb, as_root=uid is not None),
        *(_python(), "-I", "-S", "-B", "-c", start + run),
    ]


def _existing(paths: Sequence[str | Path]) -> list[Path]:
    """Returns the absolute paths of existing files; symbolic links stay, because the command may name them."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    return [path for path in dict.fromkeys(whole) if path.exists()]


@cache
def _python() -> str:
    """Returns the path of the interpreter itself, not of the link to it in a virtual environment."""
    return str(Path(sys.executable).resolve())


def _is_root_of_the_machine() -> bool:
    """Whether this is root, and not only root of a container with few user ids."""
    if os.geteuid() != 0:
        return False
    inside, _, count = Path("/proc/self/uid_map").read_text(encoding="ascii").split("\n")[0].split()
    return int(inside) == 0 and int(count) > _BOT_UIDS[-1]


def _resource_limits(limits: SandboxLimits) -> dict[int, int]:
    resources = {
        resource.RLIMIT_STACK: _STACK_BYTES,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_FSIZE: limits.file_mb << 20,
        resource.RLIMIT_NPROC: limits.threads,
        resource.RLIMIT_SIGPENDING: _TIMERS,
    }
    if limits.memory_mb is not None:
        resources[resource.RLIMIT_DATA] = limits.memory_mb << 20
        resources[resource.RLIMIT_AS] = (limits.memory_mb + limits.reserved_mb) << 20
    return resources


@cache
def _filter_file(process: int, thread_joins: bool) -> str:
    """Returns the path of the system call filter, in a memory file of this process, whose id is the key."""
    file = open(os.memfd_create("filter"), "wb", buffering=0)  # noqa: SIM115 - it is never closed
    file.write(seccomp.program(os.uname().machine, thread_joins))
    _filters.append(file)
    return f"/proc/{process}/fd/{file.fileno()}"


def _bubblewrap(reads: Sequence[Path], hides: Sequence[Path], scratch_mb: int, as_root: bool) -> list[str]:
    # the full path, because it starts with its own PATH
    words = [shutil.which(PROGRAM) or PROGRAM, "--die-with-parent", "--new-session", "--seccomp", str(_FILTER)]
    words += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    words += ["--cap-add", "CAP_SYS_ADMIN"]  # `init` bounds the number of files, and gives the right back
    if as_root:
        # `init` needs these to become another user, and keeps only the right to read
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):
            words += ["--cap-add", capability]
    else:
        words += ["--unshare-user"]
    words += ["--hostname", "sandbox", "--perms", "0755", "--dir", "/dev"]
    for device in ("/dev/null", "/dev/urandom", "/dev/random"):
        words += ["--dev-bind", device, device]
    words += _binds(reads, hides)
    words += ["--perms", "0777", "--size", str(scratch_mb << 20), "--tmpfs", SCRATCH]
    return [*words, "--remount-ro", "/", "--chdir", SCRATCH, "--"]


def _binds(reads: Sequence[Path], hides: Sequence[Path]) -> list[str]:
    """Returns the binds, outer paths first; the target of a symbolic link is bound as well."""
    shown = {*reads, *(path.resolve() for path in reads)}
    hidden = {path.resolve() for path in hides}
    words: list[str] = []
    closed: list[str] = []  # last, because a path shown inside a covered one needs a place there
    for path in sorted(shown | hidden, key=lambda path: (len(path.parts), str(path))):
        around = next((parent for parent in path.parents if parent in shown or parent in hidden), None)
        visible = around is not None and around not in hidden
        if path in hidden and visible and path.is_dir():
            words += ["--perms", "0555", "--size", "4096", "--tmpfs", str(path)]
            closed += ["--remount-ro", str(path)]
        elif path in hidden and visible:
            words += ["--ro-bind", "/dev/null", str(path)]
        elif path in hidden:
            continue
        elif path.is_symlink() and path.parent == Path("/"):  # /bin and /lib, on most systems
            words += ["--symlink", str(path.readlink()), str(path)]
        elif not visible:
            words += ["--ro-bind", str(path.resolve()), str(path)]
    return [*words, *closed]


@cache
def check() -> None:
    """Tries the sandbox once; raises a `SandboxError` if it does not work."""
    if not linux.AVAILABLE or os.uname().machine not in seccomp.MACHINES:
        raise SandboxError(f'host = "sandbox" requires Linux on x86-64 or arm64; {INSTEAD}')
    if shutil.which(PROGRAM) is None:
        raise SandboxError(
            f'host = "sandbox" requires bubblewrap; install it with: apt install bubblewrap, or {INSTEAD}'
        )
    what = "the sandbox check failed"
    try:
        ended = subprocess.run(  # noqa: S603 - our own words
            sandboxed(["true"], [], [], SandboxLimits()), env=ENV, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, check=False, timeout=TRY_S, start_new_session=True,
            preexec_fn=partial(linux.begin_trial, os.getpid()),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise SandboxError(f"{what}: took longer than {TRY_S:.0f} seconds; try again") from None
    except OSError as error:
        raise system_limit(error, what) or error from None
    if ended.returncode:
        why = (ended.stderr.strip().splitlines() or [f"exit status {ended.returncode}"])[-1].removeprefix("tourney: ")
        remedy = "see `tourney docs hosts-and-limits`"
        if REFUSED_BY_APPARMOR in why:
            remedy = "AppArmor forbids it: run `sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0`"
        raise named_limit(why, what) or SandboxError(f"bubblewrap failed ({why}); {remedy}, or {INSTEAD}")
