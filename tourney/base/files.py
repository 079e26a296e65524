"""Locks files and writes them atomically."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

NEW = ".new"
"""The suffix of an incomplete file, removed once it is complete."""


def lock(descriptor: int, *, waits: bool = False) -> bool:
    """Locks an open file until it is closed; False if another process has locked it, unless `waits`."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """Whether another process has locked an open file."""
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
    """Opens a new file that replaces `path` at the end of the context; not after an exception."""
    new = path.with_name(path.name + NEW)
    try:
        with new.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


@contextmanager
def output(path: Path) -> Iterator[BinaryIO]:
    """Opens a result file named by the user: like `writing`, but follows links and writes to devices."""
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    with writing(Path(os.path.realpath(path))) as file:
        yield file


def append(path: Path, data: bytes) -> None:
    """Appends to a file in one write; creates it if missing."""
    with path.open("ab", buffering=0) as file:
        file.write(data)
