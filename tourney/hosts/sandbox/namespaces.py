"""Namespaces of the kernel for a command: process ids of its own, and a view of the files that it cannot change.

Every mount is read-only there, so that not even a time of access tells what another command has read. Folders of the
system in which the command needs nothing are covered by empty ones, `/proc` and `/sys` among them, and so are those
that it must not see.
"""

import ctypes
import os
import select
import signal
import struct
from collections.abc import Sequence
from pathlib import Path

from tourney.hosts.sandbox.mounts import NO_DEVICES, NO_SUID, READ_ONLY, mount
from tourney.hosts.sandbox.syscalls import checked, die_with_parent

_CLONE_NEWNS, _CLONE_NEWPID, _CLONE_NEWUSER = 0x00020000, 0x20000000, 0x10000000
_CLONE_NEWUTS, _CLONE_NEWIPC, _CLONE_NEWNET = 0x04000000, 0x08000000, 0x40000000
_NO_PROGRAMS, _RECURSIVE, _SLAVE = 8, 1 << 14, 1 << 19
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE = 442, -100, 0x8000
_BY_SIGNAL = 128

OWN_ID = 2
"""The id of the command's process in its namespaces; signals of its own do not end the one with the id 1."""


def own_users(libc: ctypes.CDLL, mapped: bool) -> None:
    """Moves this process to a user namespace of its own; with `mapped`, the user has an id there, and may mount.

    Raises:
        OSError: User namespaces are not permitted.
    """
    user, group = os.getuid(), os.getgid()
    checked(libc.unshare(_CLONE_NEWUSER), "user namespaces are not permitted, so processes cannot be limited")
    maps = (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1"))
    for name, content in maps if mapped else ():
        Path(f"/proc/self/{name}").write_text(content, encoding="ascii")


def enter(libc: ctypes.CDLL, reads: Sequence[str], hides: Sequence[str], scratch: str) -> None:
    """Moves to new namespaces; returns in a new process, whose end this one waits for and reports as its own.

    The arguments are those of `make`.

    Raises:
        OSError: This process may not make the namespaces, or not change the mounts.
    """
    make(libc, reads, hides, scratch)
    continue_in_child(libc)
    continue_in_child(libc)
    os.setsid()  # the old session has no id here


def make(libc: ctypes.CDLL, reads: Sequence[str], hides: Sequence[str], scratch: str) -> None:
    """Makes namespaces in which the processes are that this one forks from now on, and mounts for itself as well.

    Args:
        libc: The C library.
        reads: What the command may read; it stays where it is.
        hides: Of this, folders are covered in which nothing lies that may be read.
        scratch: The folder over which the scratch folder will be mounted.

    Raises:
        OSError: This process may not make the namespaces, or not change the mounts.
    """
    checked(libc.unshare(_CLONE_NEWNS | _CLONE_NEWPID), "namespaces are not permitted")
    mount(libc, "none", "/", _RECURSIVE | _SLAVE)
    attributes = struct.pack("=4Q", READ_ONLY | NO_SUID, 0, 0, 0)
    result = libc.syscall(_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, attributes, len(attributes))
    checked(result, "mounts cannot be made read-only")
    for path in _coverable([Path(path) for path in (*reads, scratch)], [Path(path) for path in hides]):
        mount(libc, "tmpfs", str(path), READ_ONLY | NO_SUID | NO_DEVICES | _NO_PROGRAMS, "tmpfs", "size=4k")


def make_like(libc: ctypes.CDLL) -> None:
    """Makes namespaces, as `make` does, with the mounts that this process has, and with a network of its own.

    Raises:
        OSError: This process may not make them.
    """
    kinds = _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWIPC | _CLONE_NEWUTS | _CLONE_NEWNET
    checked(libc.unshare(kinds), "namespaces are not permitted")
    mount(libc, "none", "/", _RECURSIVE | _SLAVE)


def _coverable(needed: Sequence[Path], hides: Sequence[Path]) -> list[Path]:
    """Returns the folders, of those of the system and of the hidden ones, in which nothing is needed."""
    system = [path for path in (*Path("/").iterdir(), *Path("/dev").iterdir()) if path != Path("/dev")]
    system = [path for path in system if not path.is_symlink() and {path, *path.parents}.isdisjoint(needed)]
    found: list[Path] = []
    for path in [path for path in (*system, *hides) if path.is_dir()]:
        shown = any([path == need or path in need.parents for need in needed])
        if not shown and {path, *path.parents}.isdisjoint(found):
            found.append(path)
    return found


def continue_in_child(libc: ctypes.CDLL) -> None:
    """Forks, and returns in the child; the parent waits for its end without any of its files, and ends alike."""
    alive, death = os.pipe()
    child = os.fork()
    if child:
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        os._exit(code if code >= 0 else _BY_SIGNAL - code)
    die_with_parent(libc)
    os.close(death)
    if select.select([alive], [], [], 0)[0]:  # the parent was killed before this process asked to end with it
        os._exit(_BY_SIGNAL + signal.SIGKILL)
    os.close(alive)
