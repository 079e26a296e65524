"""Mounts of file systems, the scratch folder of a command among them."""

import ctypes
import os

from tourney.hosts.sandbox.syscalls import checked

READ_ONLY, NO_SUID, NO_DEVICES = 1, 2, 4


def mount_scratch(libc: ctypes.CDLL, path: str, owner: int, size_mb: int, files: int) -> None:
    """Mounts an empty folder in memory.

    It holds at most `size_mb` megabytes, and at most `files` files, folders and links.

    Raises:
        OSError: This process may not mount.
    """
    options = f"size={size_mb}m,nr_inodes={files},mode=0700,uid={owner}"
    mount(libc, "tmpfs", path, NO_SUID | NO_DEVICES, "tmpfs", options)


def mount(libc: ctypes.CDLL, source: str, path: str, flags: int, kind: str | None = None, options: str = "") -> None:
    """Mounts a file system over the path, or changes the mount there.

    Raises:
        OSError: This process may not do that.
    """
    words = [os.fsencode(word) if word is not None else None for word in (source, path, kind)]
    checked(libc.mount(*words, ctypes.c_ulong(flags), options.encode()), f"{path} cannot be mounted")
