"""Builds the command line that runs a command in the sandbox, by the best backend that works here.

Bubblewrap is a program for that. `namespaces` does much the same by the kernel's own means, and takes `landlock` for
the rights on files; where a process may not make namespaces, `landlock` is left, which hides less.

With each, the command is one process without network and without other processes. It can read the system and the paths
that it was given, and write into an empty scratch folder only. docs/sandbox.md says what holds and what does not.
"""

import marshal
import os
import secrets
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from stat import S_ISDIR
from typing import Any

from tourney.errors import SandboxError, named_limit, system_limit
from tourney.hosts import linux
from tourney.hosts.retries import OWN_SIGNALS, SAME_ENDS, ending_signal
from tourney.hosts.sandbox import bubblewrap, scratch_folders

INSTEAD = 'take host = "process" for bots that you trust'
"""What to do where there is no sandbox."""
VARIABLE = "TOURNEY_SANDBOX"
"""The environment variable that names the one backend to take."""
BACKENDS = {
    "bubblewrap": "",
    "namespaces": "bots can look up names, sizes and times of files in the folders around those that they are shown",
    "landlock": "bots can look up names, sizes and times of all files, leave times of access on files that they share, "
    "count the processes of the machine and the threads and open files of each, and fill the disk",
}
"""The backends, the best first, with what bots can do in each that they cannot in the first."""
MOUNT_POINTS = ("/dev/shm", "/mnt", "/media", "/srv")  # noqa: S108 - nothing is written there outside
"""The folders over one of which the backend `namespaces` mounts the scratch folder, for the command alone."""
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/ssl/openssl.cnf",
)  # fmt: skip
"""What every command may read of the system."""
PACKAGE = Path(__file__).resolve().parents[2]
"""The folder of the package tourney."""
PATH = "/usr/local/bin:/usr/bin:/bin"
"""The PATH of every command."""
BASIC_ENV = {"PATH": PATH, "LANG": "C.UTF-8"}
"""The environment of every command, but for its scratch folder."""
MAX_WORD = 100_000
"""The length of the longest word that a text is passed in."""
TRY_S = 60.0
"""How long a backend may take to start a command when it is tried, in seconds."""
_START = "import sys; sys.path.insert(0, {!r}); from tourney.hosts.sandbox.init import main; main()"
_START_BOT = (
    "import sys; exec(open({!r}).read(), {{}}); sys.path[:] = {!r}; from {} import main; sys.argv[1:] = {!r}; main()"
)


@dataclass(frozen=True)
class SandboxLimits:
    """What one command in the sandbox may use."""

    memory_mb: int | None = None
    """Private memory that can be written (heap, stacks of threads), whether touched or not; None is no limit."""
    reserved_mb: int = 4096
    """Address space beyond that, which runtimes reserve and do not use, Node a good gigabyte. It bounds the memory that
    the first limit does not count, such as pages that were written and then made read-only."""
    threads: int = 64
    """Threads of the command, which is one process."""
    open_files: int = 256
    """Files that are open at the same time."""
    file_mb: int = 16
    """The size of the largest file that the command may write."""
    scratch_mb: int = 64
    """The size of all files in the scratch folder together; landlock alone bounds only each file."""
    scratch_files: int = 4096
    """Files, folders and links in the scratch folder. They are not bounded by landlock alone, nor where a profile of
    AppArmor keeps the commands of bubblewrap from mounting."""
    thread_joins: bool = False
    """Whether a thread sleeps while it waits for the end of another (`pthread_join`), rather than asks for it again and
    again. Commands that have this can pass each other what they like, as they can wait at the same place in a file."""


@dataclass(frozen=True)
class SandboxedCommand:
    """How to start a command in the sandbox: `argv`, with the environment `env` and nothing else; `clear` at the end.

    Start it from a thread that lives as long as the command is to live: when the thread ends, the command is killed.
    The three standard streams must be pipes or /dev/null, since the command can read a file that is handed in. To end
    the command, kill its process group or its process; nothing of it is left then. With bubblewrap, a command that dies
    of signal N ends with exit status 128 + N, and the accounts of its process do not show how much memory it used. Exit
    status 126, with a line on stderr that begins with "tourney:", means that the command was never started.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    scratch: Path | None
    """The path of the scratch folder outside the sandbox; None where it is in memory."""
    fork: Mapping[str, Any] | None = field(repr=False)
    """What `template` locks a fork in by that takes the place of the command; None for a backend that hides no names.

    `front` are the first words of `argv`, which start bubblewrap, empty for another backend; `files` what tells the
    files that bubblewrap shows or hides from others of the same names; `rights` what `init.restrict` leaves."""

    def clear(self) -> None:
        """Removes the scratch folder with all that the command has put there; for when the process has ended."""
        if self.scratch is not None:
            scratch_folders.remove(self.scratch)


def sandboxed(
    command: Sequence[str],
    reads: Sequence[Path],
    hides: Sequence[Path] = (),
    limits: SandboxLimits = SandboxLimits(),
    env: Mapping[str, str] | None = None,
    scratch: Path | None = None,
    by: str | None = None,
) -> SandboxedCommand:
    """Returns how to start the command in the sandbox.

    Args:
        command: The words of the command, with full paths, since it starts in its scratch folder. The first word is
            looked up in the PATH of the sandbox.
        reads: The files and folders that the command needs beside the system, its own executable among them.
        hides: What the command must not see even inside something readable, but for its own program and those of the
            system that its words name. Of two paths one of which lies in the other, the inner one decides.
        limits: What the command may use.
        env: All that the command's environment holds beside PATH, LANG, HOME and TMPDIR.
        scratch: The folder to make scratch folders in, for a backend that needs one on disk; by default the system's
            temporary folder.
        by: The backend; by default the one that works here.

    Raises:
        SandboxError: No backend works here.
    """
    chosen = backend() if by is None else by
    shown = _existing([*SYSTEM, sys.base_prefix, sys.base_exec_prefix, str(PACKAGE), *reads])
    programs = {Path(_python()), *_programs(command)}  # another bot's command may name the same interpreter
    hidden = [path for path in _existing(list(hides)) if path.resolve() not in programs]
    uid = secrets.choice(scratch_folders.BOT_UIDS) if _is_root_of_the_machine() else None
    front: tuple[str, ...] = ()
    files: tuple[tuple[int, ...], ...] = ()
    outside = None
    if chosen == "bubblewrap":
        inside = bubblewrap.SCRATCH
        files = tuple([_identity(path) for path in (*shown, *hidden)])
        front = _front(tuple(shown), tuple(hidden), limits.scratch_mb, uid is not None, files)
    elif chosen == "namespaces":
        inside = _mount_point(shown)
    else:
        outside = scratch_folders.create(scratch)
        inside = str(outside)
    rights = asdict(limits) | {"backend": chosen, "uid": uid, "scratch": inside}
    rights |= {"reads": _real(shown), "hides": _real(hidden)} if chosen != "bubblewrap" else {}
    start = _START.format(str(PACKAGE.parent))
    argv = [*front, _python(), "-I", "-S", "-B", "-c", start, *in_words(marshal.dumps(rights).hex()), *command]
    whole = BASIC_ENV | {"HOME": inside, "TMPDIR": inside} | dict(env or {})
    fork = None if chosen == "landlock" else {"front": front, "files": files, "rights": rights}
    return SandboxedCommand(tuple(argv), whole, outside, fork)


def in_words(text: str) -> list[str]:
    """Returns a text without other letters than those of ASCII as words of a command: how many follow, and pieces.

    No word may be longer than 128 KB.
    """
    pieces = [text[at : at + MAX_WORD] for at in range(0, len(text), MAX_WORD)]
    return [str(len(pieces)), *pieces]


def python_command(module: str, path: Sequence[str], arguments: Sequence[str] = ()) -> list[str]:
    """Returns a command for `sandboxed` that calls `main()` of a module, in this interpreter with this `sys.path`.

    The folders in `path` need not be readable themselves, only the packages and files in them that are imported.
    """
    finder = str(PACKAGE / "hosts" / "sandbox" / "import_hook.py")
    return [_python(), "-I", "-B", "-c", _START_BOT.format(finder, list(path), module, list(arguments))]


def backend() -> str:
    """Returns the name of the backend that is used here: the first that has been seen to work.

    The environment variable TOURNEY_SANDBOX leaves only the one that it names.

    Raises:
        SandboxError: No backend works here, or there is none of the name that the variable holds.
    """
    if not linux.AVAILABLE:
        raise SandboxError(f'host = "sandbox" needs Linux; {INSTEAD}')
    return _backend(os.environ.get(VARIABLE))


@cache
def _backend(choice: str | None) -> str:
    """Returns the first backend that works, of all or of the chosen one."""
    if choice is not None and choice not in BACKENDS:
        raise SandboxError(f"{VARIABLE}={choice}: there is no such backend; use one of {', '.join(BACKENDS)}")
    failures = []
    for name in BACKENDS if choice is None else [choice]:
        failure = why_unavailable(name)
        if failure is None:
            return name
        failures.append(f"{name}: {failure}")
    raise SandboxError(f"no sandbox on this machine ({'; '.join(failures)}); install bubblewrap, or {INSTEAD}")


def why_unavailable(name: str) -> str | None:
    """Returns the reason why a backend does not work here, found by starting a command in it; None if it works.

    Raises:
        SandboxError: That cannot be said, since each try was killed or stopped; it is no reason to take a weaker one.
        SystemLimitError: Nor can it be said, as a limit of the system was reached.
    """
    if name == "bubblewrap" and shutil.which(bubblewrap.PROGRAM) is None:
        return "it is not installed"
    for _ in range(SAME_ENDS):
        launch = sandboxed([_python(), "-I", "-S", "-c", "pass"], [], by=name)
        try:
            ended = _tried(launch)
        except OSError as error:
            if limit := system_limit(error, "the sandbox cannot be tried"):
                raise limit from None
            return error.strerror
        except subprocess.TimeoutExpired:
            continue
        finally:
            launch.clear()
        if ended.returncode == 0:
            return None
        by = ending_signal(ended.returncode)
        if by not in signal.valid_signals() or by in OWN_SIGNALS:
            lines = ended.stderr.strip().splitlines()
            if lines and (limit := named_limit(lines[-1], "the sandbox cannot be tried")):
                raise limit
            return lines[-1].removeprefix("tourney: ") if lines else f"exit code {ended.returncode}"
    raise SandboxError(f"the sandbox ({name}) was killed or stopped {SAME_ENDS} times while it was tried; try again")


def _tried(launch: SandboxedCommand) -> "subprocess.CompletedProcess[str]":
    """Runs a command once; it ends with this process."""
    return subprocess.run(  # noqa: S603 - our own interpreter
        launch.argv,
        env=launch.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=TRY_S,
        start_new_session=True,
        preexec_fn=partial(linux.begin_trial, os.getpid()),
    )


def _programs(command: Sequence[str]) -> Iterator[Path]:
    """Yields the program of a command, and the system's programs that its other words name: `/usr/bin/env node`."""
    yield Path(command[0]).resolve()
    for word in command[1:]:
        found = shutil.which(word, path=PATH)
        if found is not None and os.path.dirname(found) in PATH.split(":"):
            yield Path(found).resolve()


def _existing(paths: Sequence[str | Path]) -> list[Path]:
    """Returns the absolute paths of those that exist; symbolic links stay, since the command may name them."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    return [path for path in dict.fromkeys(whole) if path.exists()]


def _identity(path: Path) -> tuple[int, ...]:
    """Returns what tells a file or folder from another that takes its place; empty if it is gone.

    Numbers of files are given again, so it is another one as well where the file was changed.
    """
    try:
        status = path.stat()
    except OSError:
        return ()
    return status.st_dev, status.st_ino, 0 if S_ISDIR(status.st_mode) else status.st_ctime_ns


@lru_cache
def _front(
    shown: Sequence[Path],
    hidden: Sequence[Path],
    scratch_mb: int,
    as_root: bool,
    files: Sequence[tuple[int, ...]],  # noqa: ARG001 - links may lead elsewhere where these have changed
) -> tuple[str, ...]:
    """Returns the words that start bubblewrap; kept, since they take a millisecond and are the same in most matches."""
    return tuple(bubblewrap.arguments(shown, hidden, scratch_mb, as_root))


def _mount_point(shown: Sequence[Path]) -> str:
    """Returns the folder to mount the scratch folder over: one in which the command is shown nothing."""
    for path in MOUNT_POINTS:
        if os.path.isdir(path) and not any(Path(path) in (each, *each.parents) for each in shown):
            return path
    raise SandboxError(f"no folder to mount over: each of {', '.join(MOUNT_POINTS)} is missing or used by the bot")


def _real(paths: Sequence[Path]) -> list[str]:
    """Returns the paths without symbolic links, sorted."""
    return sorted({str(path.resolve()) for path in paths})


@cache
def _python() -> str:
    """Returns the path of the interpreter itself, not of the link to it in a virtual environment."""
    return str(Path(sys.executable).resolve())


def _is_root_of_the_machine() -> bool:
    """Returns whether this is root, and not only root of a container that has few user ids of its own."""
    if os.geteuid() != 0:
        return False
    inside, _, count = Path("/proc/self/uid_map").read_text(encoding="ascii").split("\n")[0].split()
    return int(inside) == 0 and int(count) > scratch_folders.BOT_UIDS[-1]
