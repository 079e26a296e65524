"""The arguments of bubblewrap: a file system for the command alone, of what it may read and an empty scratch folder.

There is no /proc: through it a command could write into the memory of bubblewrap's own process, which is not filtered.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

PROGRAM = "bwrap"
SCRATCH = "/scratch"
"""The scratch folder, as the command sees it."""


def arguments(reads: Sequence[Path], hides: Sequence[Path], scratch_mb: int, as_root: bool) -> list[str]:
    """What comes before the command; `as_root` where root of the machine starts it.

    Of two paths that lie in each other the inner one decides.
    """
    # by its full path, for the environment of the command has a PATH of its own
    found = [shutil.which(PROGRAM) or PROGRAM, "--die-with-parent", "--new-session"]
    found += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if as_root:
        # what lock.py needs to become another user; of these only the right to read is kept
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
    """The binds, outer paths first. What is shown by way of a symbolic link is shown where it really is, too."""
    shown = {*reads, *(path.resolve() for path in reads)}
    hidden = {path.resolve() for path in hides}
    found: list[str] = []
    for path in sorted(shown | hidden, key=lambda path: (len(path.parts), str(path))):
        around = next((parent for parent in path.parents if parent in shown or parent in hidden), None)
        visible = around is not None and around not in hidden
        if path in hidden:
            found += _covered(path) if visible else []
        elif path.is_symlink() and path.parent == Path("/"):  # /bin and /lib, on most systems
            found += ["--symlink", str(path.readlink()), str(path)]
        elif not visible:
            found += ["--ro-bind", str(path.resolve()), str(path)]
    return found


def _covered(path: Path) -> list[str]:
    if path.is_dir():
        return ["--perms", "0555", "--size", "4096", "--tmpfs", str(path), "--remount-ro", str(path)]
    return ["--ro-bind", "/dev/null", str(path)]
