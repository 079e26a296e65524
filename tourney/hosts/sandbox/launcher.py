"""Builds the command line that runs a command in the sandbox, by one of two backends: bubblewrap, or else landlock.

With both, the command is one process without network and without other processes. It can read the system and the paths
that it was given, and write into an empty scratch folder only. docs/sandbox.md says what holds and what does not.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tourney.errors import SandboxError, system_limit
from tourney.hosts.sandbox import bubblewrap

VARIABLE = "TOURNEY_SANDBOX"
"""The environment variable that names the one backend to take."""
BACKENDS = ("bubblewrap", "landlock")
"""The backends, the best first."""
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
FIRST_UID = 0x70000000
"""The first of the user ids that commands get where root starts the sandbox; nothing else gives these ids out."""
UIDS = 0x0FFFFFFF
"""How many such user ids there are; each command gets one at random."""
_START = "import sys; sys.path.insert(0, {!r}); from tourney.hosts.sandbox.init import main; main()"
_START_BOT = (
    "import runpy, sys; runpy.run_path({!r}); sys.path[:] = {!r}; from {} import main; sys.argv[1:] = {!r}; main()"
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
    """The size of all files in the scratch folder together; landlock bounds only each file."""


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

    def clear(self) -> None:
        """Removes the scratch folder with all that the command has put there; for when the process has ended."""
        if self.scratch is not None:
            with suppress(OSError):
                _remove(self.scratch)


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
        hides: What the command must not see even inside something readable. Of two paths one of which lies in the
            other, the inner one decides.
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
    hidden = _existing(list(hides))
    uid = FIRST_UID + secrets.randbelow(UIDS) if _is_root_of_the_machine() else None
    rights: dict[str, Any] = asdict(limits) | {"uid": uid, "landlock": chosen == "landlock", "reads": [], "hides": []}
    if chosen == "bubblewrap":
        outside = None
        inside = bubblewrap.SCRATCH
        front = bubblewrap.arguments(shown, hidden, limits.scratch_mb, uid is not None)
    else:
        outside = Path(tempfile.mkdtemp(prefix="tourney-scratch-", dir=scratch)).resolve()
        inside = str(outside)
        front = []
        rights |= {"reads": _real(shown), "hides": _real(hidden)}
    start = _START.format(str(PACKAGE.parent))
    spec = json.dumps(rights | {"scratch": inside})
    argv = [*front, _python(), "-I", "-S", "-B", "-c", start, spec, *command]
    basic = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": inside, "TMPDIR": inside}
    return SandboxedCommand(tuple(argv), basic | dict(env or {}), outside)


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
    raise SandboxError(
        f"no sandbox on this machine ({'; '.join(failures)}); install bubblewrap, "
        'or take host = "process" for bots that you trust'
    )


def why_unavailable(name: str) -> str | None:
    """Returns the reason why a backend does not work here, found by starting a command in it; None if it works."""
    if name == "bubblewrap" and shutil.which(bubblewrap.PROGRAM) is None:
        return "it is not installed"
    launch = sandboxed([_python(), "-I", "-S", "-c", "pass"], [], by=name)
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter
            launch.argv, env=launch.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        if limit := system_limit(error, "the sandbox cannot be tried"):
            raise limit from None
        return error.strerror
    finally:
        launch.clear()
    if ended.returncode == 0:
        return None
    lines = ended.stderr.strip().splitlines()
    return lines[-1].removeprefix("tourney: ") if lines else f"exit code {ended.returncode}"


def _existing(paths: Sequence[str | Path]) -> list[Path]:
    """Returns the absolute paths of those that exist; symbolic links stay, since the command may name them."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    return [path for path in dict.fromkeys(whole) if path.exists()]


def _real(paths: Sequence[Path]) -> list[str]:
    """Returns the paths without symbolic links, sorted."""
    return sorted({str(path.resolve()) for path in paths})


def _remove(top: Path) -> None:
    """Removes a folder of any depth, by moving up what lies deeper; folders in it may be closed to their owner."""
    moved = 0
    mark = secrets.token_hex()
    while entries := list(os.scandir(top)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry)
                continue
            os.chmod(entry, 0o700)
            for inner in list(os.scandir(entry)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner, 0o700)  # or it could not be moved
                    os.rename(inner, top / f"{mark}-{moved}")
                    moved += 1
                else:
                    os.unlink(inner)
            os.rmdir(entry)
    os.rmdir(top)


def _python() -> str:
    """Returns the path of the interpreter itself, not of the link to it in a virtual environment."""
    return str(Path(sys.executable).resolve())


def _is_root_of_the_machine() -> bool:
    """Returns whether this is root, and not only root of a container that has few user ids of its own."""
    if os.geteuid() != 0:
        return False
    inside, _, count = Path("/proc/self/uid_map").read_text(encoding="ascii").split("\n")[0].split()
    return int(inside) == 0 and int(count) > FIRST_UID + UIDS
