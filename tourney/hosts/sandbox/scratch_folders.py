"""Scratch folders on disk, for a backend that cannot have them in memory.

The process that makes a folder holds a lock on it, which the system takes away when the process ends, however it ends.
So the next one that makes a folder finds those that were left behind, and removes them.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

with suppress(ImportError):  # Windows has none
    import fcntl

BOT_UIDS = range(0x70000000, 0x7FFFFFFF)
"""The user ids that commands get where root starts the sandbox, each one at random; nothing else gives these out."""
PREFIX = "tourney-scratch-"
_locks: dict[Path, int] = {}
"""The file descriptors that hold the locks of this process."""


def create(parent: Path | None) -> Path:
    """Makes an empty folder in the parent, by default the system's temporary folder; removes those left behind there.

    Raises:
        OSError: There is no room, or the parent is not there.
    """
    _remove_left(Path(tempfile.gettempdir() if parent is None else parent))  # once for each process
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent)).resolve()
        try:
            _locks[path] = _locked(path)
            return path
        except (BlockingIOError, FileNotFoundError):  # another process takes it for one that was left behind
            with suppress(OSError):
                path.rmdir()


def remove(path: Path) -> None:
    """Removes a folder with all that is in it; never raises."""
    with suppress(OSError):
        _remove(path)
    if (lock := _locks.pop(path, None)) is not None:
        os.close(lock)


@cache
def _remove_left(parent: Path) -> None:
    """Removes the folders of this user and of bots in the parent whose makers have ended."""
    for path in parent.glob(f"{PREFIX}*"):
        with suppress(OSError):  # it is in use, or has just been removed
            lock = _locked(path)
            try:
                owner = os.fstat(lock).st_uid
                if owner in BOT_UIDS or owner == os.geteuid():  # nothing of another user is root's to remove
                    _remove(path)
            finally:
                os.close(lock)


def _locked(path: Path) -> int:
    """Returns a file descriptor that holds the lock of a folder.

    Raises:
        OSError: Somebody else holds the lock, or the folder is not there any more.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.stat(path)
    except OSError:
        os.close(folder)
        raise
    return folder


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
