"""The kernel's file rules (landlock) for a command that has no file system of its own.

What no rule grants cannot be opened, listed, run or changed. Landlock does not hide names: whether a file exists, its
size and its times can be looked up anywhere.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from tourney.hosts.sandbox.syscalls import checked

OLDEST = 3
"""The oldest version of landlock that guards against truncation (Linux 6.2)."""

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_RUN, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_DEVICES = 1 << 6 | 1 << 11
_ALL = (1 << 15) - 1
"""Every right of version 3; a right that no rule grants is refused."""
_PATH_ONLY = sum([getattr(os, name, 0) for name in ("O_PATH", "O_CLOEXEC", "O_NOFOLLOW")])


def restrict(libc: ctypes.CDLL, reads: Sequence[str], hides: Sequence[str], scratch: str) -> None:
    """Leaves this process, for good, only the right to read `reads` but for `hides`, and to write into `scratch`.

    PR_SET_NO_NEW_PRIVS must be set. Paths have no symbolic links in them. Of two paths one of which lies in the other,
    the inner one decides.

    Raises:
        OSError: The kernel has no landlock, or too old a version, or refuses a rule.
    """
    version = libc.syscall(_CREATE, None, 0, 1)
    if version < OLDEST:
        raise OSError(errno.ENOSYS, "landlock is missing or older than Linux 6.2")
    attributes = struct.pack("=Q", _ALL)
    rules = checked(libc.syscall(_CREATE, attributes, len(attributes), 0), "landlock")
    for path in granted([Path(path) for path in reads], [Path(path) for path in hides]):
        _allow(libc, rules, path, _RUN | _READ | _LIST)
    for path in _split_folders([Path(path) for path in reads], [Path(path) for path in hides]):
        _allow(libc, rules, path, _LIST)
    _allow(libc, rules, Path(scratch), _ALL & ~_MAKE_DEVICES)
    _allow(libc, rules, Path("/dev/null"), _READ | _WRITE)
    for device in ("/dev/urandom", "/dev/random"):
        _allow(libc, rules, Path(device), _READ)
    checked(libc.syscall(_RESTRICT, rules, 0), "landlock")
    os.close(rules)


def granted(reads: Sequence[Path], hides: Sequence[Path]) -> list[Path]:
    """Returns the paths that may be read whole: `reads`, with the entries of each folder that holds a hidden path."""
    found: list[Path] = []
    for path in reads:
        found += _around(path, hides) if path not in hides else []
    return found


def _around(path: Path, hides: Sequence[Path]) -> Iterator[Path]:
    """Yields the path, or what lies around the hidden paths in it."""
    if path.is_symlink() or path in hides:
        return
    if any(path in hidden.parents for hidden in hides):
        for entry in sorted(path.iterdir()):
            yield from _around(entry, hides)
    else:
        yield path


def _split_folders(reads: Sequence[Path], hides: Sequence[Path]) -> list[Path]:
    """Returns the outermost folders that hold hidden paths; they stay listable, or nothing could be imported there."""
    return [path for path in reads if any(path in hidden.parents for hidden in hides)]


def _allow(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> None:
    """Adds the rule that grants these rights on a path and all below it."""
    try:
        descriptor = os.open(path, _PATH_ONLY)
    except FileNotFoundError:  # it was removed since it was listed
        return
    try:
        if not path.is_dir():
            rights &= ~_LIST
        checked(libc.syscall(_ADD, rules, 1, struct.pack("=Qi", rights, descriptor), 0), "landlock")
    finally:
        os.close(descriptor)
