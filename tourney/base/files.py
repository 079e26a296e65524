"""Reads, locks and writes files, atomically."""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

NEW = ".new"
"""The suffix of a file that is being written; once complete, it is renamed."""


def lock(descriptor: int) -> bool:
    """Locks an open file for this process, until it is closed; returns False if another process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """Whether another process has locked an open file, see `lock`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


def write(path: Path, data: bytes) -> None:
    """Writes a file atomically: after a crash, or an `OSError`, it has either its old or its new content."""
    with writing(path) as file:
        file.write(data)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Gives a new file to write to, which takes the place of `path` at the end of the context, as with `write`.

    If an exception ends the context, the old content stays.
    """
    new = path.with_name(path.name + NEW)
    try:
        with new.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):  # the incomplete file only takes room
            new.unlink()
        raise


@contextmanager
def output(path: Path) -> Iterator[BinaryIO]:
    """Gives a file to write results to, where a user wants them: a link is followed, unlike with `writing`.

    A regular file is replaced at the end of the context. What is none, such as a device, is written to itself.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    place = Path(os.path.realpath(path))
    if place.is_symlink():  # one of a circle
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    with writing(place) as file:
        yield file


def append(path: Path, data: bytes) -> None:
    """Appends to a file in one go, and makes it if there is none."""
    with path.open("ab", buffering=0) as file:
        file.write(data)
