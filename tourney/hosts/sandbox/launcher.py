"""The sandbox: what to start so that a command runs locked in, by bubblewrap or else by landlock.

Either way the command is one process without network and without other processes, that can read the system and the
paths it was given, and write into an empty scratch folder only. docs/sandbox.md says what holds and what does not.
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
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from tourney.errors import SandboxError
from tourney.hosts.sandbox import bubblewrap

PACKAGE = Path(__file__).resolve().parents[2]
CHOICE = "TOURNEY_SANDBOX"
"""Environment variable that names the one way to take, `bubblewrap` or `landlock`."""
WAYS = ("bubblewrap", "landlock")
"""All ways, the best first."""
SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/nix/store",
    "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime",
    "/etc/ssl/openssl.cnf",
)  # fmt: skip
"""What every command may read of the system."""
PATH = "/usr/local/bin:/usr/bin:/bin"
FIRST_UID = 0x70000000
"""Where root starts the sandbox, each command is a user of its own from here up; nothing else gives these out."""
UIDS = 0x0FFFFFFF
_START = "import sys; sys.path.insert(0, {!r}); from tourney.hosts.sandbox.init import main; main()"
_START_BOT = (
    "import runpy, sys; runpy.run_path({!r}); sys.path[:] = {!r}; from {} import main; sys.argv[1:] = {!r}; main()"
)


@dataclass(frozen=True)
class SandboxLimits:
    """What one locked-in command may use; `None` is no limit."""

    memory_mb: int | None = None
    """Private memory that can be written (heap, stacks of threads), whether touched or not."""
    reserved_mb: int = 4096
    """Address space beyond that, which runtimes set apart and do not use, Node a good gigabyte. It bounds the memory
    that the first limit does not count, such as what was written and then made read-only; for a Python bot 1024 do."""
    threads: int = 64
    """The command is one process, with at most this many threads."""
    open_files: int = 256
    file_mb: int = 16
    """The largest file that it may write."""
    scratch_mb: int = 64
    """All files in the scratch folder together; by landlock there is only the limit on each."""


@dataclass(frozen=True)
class SandboxedCommand:
    """A command, locked in: start `argv` with the environment `env` and nothing else, and in the end call `clear`.

    Start it from a thread that lives as long as the command shall: when that thread ends, the command is killed.
    Its three standard streams must be pipes or /dev/null, for a file that is handed in can be read by the command.
    Kill it by its process group or its pid; nothing of it is left then. By bubblewrap, a command that dies of signal N
    ends with exit status 128 + N, and the memory it used is not in the process's accounts. Exit status 126, with a
    line on stderr that begins with "tourney:", means that the command was never started.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    scratch: Path | None
    """The scratch folder as it is outside the sandbox, where there is one outside."""

    def clear(self) -> None:
        """Removes the scratch folder, whatever the command has made of it; to be called once the process has ended."""
        if self.scratch is not None:
            with suppress(OSError):
                _remove(self.scratch)


def locked_in(
    command: Sequence[str],
    reads: Sequence[Path],
    hides: Sequence[Path] = (),
    limits: SandboxLimits = SandboxLimits(),
    env: Mapping[str, str] | None = None,
    scratch: Path | None = None,
    by: str | None = None,
) -> SandboxedCommand:
    """What to start so that the command runs locked in.

    `reads`: the folders and files that the command needs beside the system, its own executable among them. `hides`:
    what it must not see even where that lies inside something readable; of two paths that lie in each other, the inner
    one decides. `env` is all that the command gets beside PATH, LANG, HOME and TMPDIR. `scratch` is the folder in which
    scratch folders are made where the way needs one on disk (default: the system's temporary folder). The command is
    looked up in PATH of the sandbox; it starts in its scratch folder, so give full paths.

    `by` names the way; else it is `way()`, which may raise SandboxError.
    """
    chosen = way() if by is None else by
    shown = _existing([*SYSTEM, sys.base_prefix, sys.base_exec_prefix, str(PACKAGE), *reads])
    hidden = _existing(list(hides))
    uid = FIRST_UID + secrets.randbelow(UIDS) if _is_root_of_the_machine() else None
    if chosen == "bubblewrap":
        outside = None
        inside = bubblewrap.SCRATCH
        front = bubblewrap.arguments(shown, hidden, limits.scratch_mb, uid is not None)
    else:
        outside = Path(tempfile.mkdtemp(prefix="tourney-scratch-", dir=scratch)).resolve()
        inside = str(outside)
        front = []
    spec: dict[str, Any] = {
        "landlock": chosen == "landlock",
        "uid": uid,
        "scratch": inside,
        "reads": [] if chosen == "bubblewrap" else sorted({str(path.resolve()) for path in shown}),
        "hides": [] if chosen == "bubblewrap" else sorted({str(path.resolve()) for path in hidden}),
        "memory_mb": limits.memory_mb,
        "reserved_mb": limits.reserved_mb,
        "threads": limits.threads,
        "open_files": limits.open_files,
        "file_mb": limits.file_mb,
    }
    start = _START.format(str(PACKAGE.parent))
    argv = [*front, _python(), "-I", "-S", "-B", "-c", start, json.dumps(spec), *command]
    basic = {"PATH": PATH, "LANG": "C.UTF-8", "HOME": inside, "TMPDIR": inside}
    return SandboxedCommand(tuple(argv), basic | dict(env or {}), outside)


def python_command(module: str, path: Sequence[str], arguments: Sequence[str] = ()) -> list[str]:
    """A command for `locked_in` that calls `main()` of the module, in this interpreter with this `sys.path`.

    The folders in `path` need not be readable themselves, only the packages and files in them that are imported.
    """
    finder = str(PACKAGE / "hosts" / "sandbox" / "import_hook.py")
    return [_python(), "-I", "-B", "-c", _START_BOT.format(finder, list(path), module, list(arguments))]


def way() -> str:
    """The way in which commands are locked in here, `bubblewrap` or `landlock`: the first that is seen to work.

    The environment variable TOURNEY_SANDBOX leaves only the one that it names. Raises SandboxError where none works.
    """
    return _way(os.environ.get(CHOICE))


@cache
def _way(choice: str | None) -> str:
    if choice is not None and choice not in WAYS:
        raise SandboxError(f"{CHOICE}={choice}: there is no such way; use one of {', '.join(WAYS)}")
    failures = []
    for name in WAYS if choice is None else [choice]:
        failure = why_not(name)
        if failure is None:
            return name
        failures.append(f"{name}: {failure}")
    raise SandboxError(
        f"no sandbox on this machine ({'; '.join(failures)}); install bubblewrap, "
        'or take host = "process" for bots that you trust'
    )


def why_not(name: str) -> str | None:
    """Why this way does not work here, found by starting a command in it; `None` if it works."""
    if name == "bubblewrap" and shutil.which(bubblewrap.PROGRAM) is None:
        return "it is not installed"
    launch = locked_in([_python(), "-I", "-S", "-c", "pass"], [], by=name)
    try:
        ended = subprocess.run(  # noqa: S603 - our own interpreter
            launch.argv, env=launch.env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    except OSError as error:
        return error.strerror
    finally:
        launch.clear()
    if ended.returncode == 0:
        return None
    lines = ended.stderr.strip().splitlines()
    return lines[-1].removeprefix("tourney: ") if lines else f"exit code {ended.returncode}"


def _existing(paths: Sequence[str | Path]) -> list[Path]:
    """The paths that are there, absolute; symbolic links are kept, for the command may name them."""
    whole = [Path(os.path.abspath(path)) for path in paths]
    return [path for path in dict.fromkeys(whole) if path.exists()]


def _remove(top: Path) -> None:
    """Removes a folder, however deep: what lies deeper is moved up first. Folders may be closed to their owner."""
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
    """The interpreter itself, not the link to it in a virtual environment."""
    return str(Path(sys.executable).resolve())


def _is_root_of_the_machine() -> bool:
    """Whether this is root, and not only root of a container that has few users of its own."""
    if os.geteuid() != 0:
        return False
    inside, _, count = Path("/proc/self/uid_map").read_text(encoding="ascii").split("\n")[0].split()
    return int(inside) == 0 and int(count) > FIRST_UID + UIDS
