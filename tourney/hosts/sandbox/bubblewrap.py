"""The arguments of bubblewrap: a file system for one command, of what it may read and an empty scratch folder.

There is no /proc, which tells of the machine and of bubblewrap's own process.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from tourney.hosts.sandbox.init import SCRATCH

PROGRAM = "bwrap"
FILTER = 4
"""The file descriptor from which bubblewrap reads the filter of system calls."""


def arguments(reads: Sequence[Path], hides: Sequence[Path], scratch_mb: int, as_root: bool) -> list[str]:
    """Returns the words that come before the command."""
    # the full path, since it is started with a PATH of its own
    found = [shutil.which(PROGRAM) or PROGRAM, "--die-with-parent", "--new-session", "--seccomp", str(FILTER)]
    found += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    found += ["--cap-add", "CAP_SYS_ADMIN"]  # `init` bounds the number of files, and gives the right back
    if as_root:
        # `init` needs these to become another user, and keeps only the right to read
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH"):
            found += ["--cap-add", capability]
    else:
        found += ["--unshare-user"]
    found += ["--hostname", "sandbox", "--perms", "0755", "--dir", "/dev"]
    for device in ("/dev/null", "/dev/urandom", "/dev/random"):
        found += ["--dev-bind", device, device]
    found += _files(reads, hides)
    found += ["--perms", "0777", "--size", str(scratch_mb << 20), "--tmpfs", SCRATCH]
    return [*found, "--remount-ro", "/", "--chdir", SCRATCH, "--"]


def _files(reads: Sequence[Path], hides: Sequence[Path]) -> list[str]:
    """Returns the binds, outer paths first; the target of a symbolic link is bound as well."""
    shown = {*reads, *(path.resolve() for path in reads)}
    hidden = {path.resolve() for path in hides}
    found: list[str] = []
    closed: list[str] = []  # at last, since what is shown inside something covered needs a place there
    for path in sorted(shown | hidden, key=lambda path: (len(path.parts), str(path))):
        around = next((parent for parent in path.parents if parent in shown or parent in hidden), None)
        visible = around is not None and around not in hidden
        if path in hidden:
            found += _covered(path) if visible else []
            closed += ["--remount-ro", str(path)] if visible and path.is_dir() else []
        elif path.is_symlink() and path.parent == Path("/"):  # /bin and /lib, on most systems
            found += ["--symlink", str(path.readlink()), str(path)]
        elif not visible:
            found += ["--ro-bind", str(path.resolve()), str(path)]
    return [*found, *closed]


def _covered(path: Path) -> list[str]:
    """Returns the arguments that put something empty over a path."""
    if path.is_dir():
        return ["--perms", "0555", "--size", "4096", "--tmpfs", str(path)]
    return ["--ro-bind", "/dev/null", str(path)]
