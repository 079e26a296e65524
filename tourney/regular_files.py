"""Opens and locks the files of a run's folder, which are regular files: no links, pipes, devices or folders.

A folder may come from somebody else, and whoever made it may have put a link to another file where a run has its
journal, or a pipe that never ends. Nothing here follows such a link or waits for such a pipe.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

with suppress(ImportError):
    import fcntl  # Windows has none
if sys.platform == "win32":
    with suppress(ImportError):
        import msvcrt

NEW = ".new"
"""The suffix of a file that is being written; once complete, it is renamed."""
NOT_REGULAR = "it is no regular file"
"""What an error says of anything else than a regular file."""
FLAGS = sum([getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY")])
"""How files are opened, as far as the system knows these flags: without waiting for the other end of a pipe."""
_NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
_LOCKED_BYTE = (1 << 31) - 2
"""The byte of a file that is locked on Windows, where a lock keeps others from reading what is locked."""


def open_descriptor(path: str | Path, flags: int) -> int:
    """Opens a regular file and returns its file descriptor; it is not passed on to other programs.

    Args:
        path: The path of the file; only its folder may be reached by links.
        flags: The flags of `os.open`. A file that they create can be read by everyone, as the umask allows.

    Raises:
        OSError: It cannot be opened, is no regular file, or is to be written and has further names (hard links).
    """
    try:
        descriptor = os.open(path, flags | FLAGS | _NO_LINKS, 0o666)
    except OSError as error:
        if _is_something_else(path):
            raise _not_regular(path) from None
        raise error from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        os.close(descriptor)
        raise _not_regular(path)
    if found.st_nlink > 1 and flags & (os.O_WRONLY | os.O_RDWR):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it has another name, too, under which it would be changed", str(path))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(descriptor, True)
    return descriptor


def lock(descriptor: int) -> bool:
    """Locks an open file for this process, until it is closed; returns False if another process has locked it.

    Raises:
        OSError: Files cannot be locked there.
    """
    if sys.platform == "win32":
        return _lock_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_locked(descriptor: int) -> bool:
    """Tells whether another process has locked an open file, see `lock`.

    Raises:
        OSError: Files cannot be locked there.
    """
    if sys.platform == "win32":
        return not _lock_on_windows(descriptor, and_release=True)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False


if sys.platform == "win32":

    def _lock_on_windows(descriptor: int, and_release: bool = False) -> bool:
        """Locks a byte of an open file, and releases it at once if that is asked for; returns whether it could."""
        at = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            if and_release:
                msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        except PermissionError:
            return False
        finally:
            os.lseek(descriptor, at, os.SEEK_SET)
        return True


def is_private(descriptor: int) -> bool:
    """Tells whether an open file is a regular file of this user's that nobody else may read or write.

    Windows has no such modes: there the folder of the user, in which the file is, keeps others out.
    """
    found = os.fstat(descriptor)
    if not hasattr(os, "geteuid"):
        return stat.S_ISREG(found.st_mode)
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def read_at(descriptor: int, most: int, offset: int) -> bytes:
    """Returns up to `most` bytes of an open file, from `offset` on."""
    if hasattr(os, "pread"):
        return os.pread(descriptor, most, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.read(descriptor, most)


def try_writing(path: Path) -> None:
    """Does nothing if there is no such file, or a regular one that can be written.

    Raises:
        OSError: Something else is there, or the file cannot be written.
    """
    with suppress(FileNotFoundError):
        os.close(open_descriptor(path, os.O_WRONLY))


def open_binary(path: Path, buffering: int = -1) -> BinaryIO:
    """Opens a regular file for reading; see `open_descriptor`."""
    return os.fdopen(open_descriptor(path, os.O_RDONLY), "rb", buffering)


def read(path: Path, most: int) -> bytes:
    """Returns the content of a regular file of at most that many bytes.

    Raises:
        OSError: It cannot be read, is no regular file, or is larger.
    """
    with open_binary(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most} bytes", str(path))
    return content


def write(path: Path, data: bytes) -> None:
    """Writes a file atomically: after a crash it has either its old or its new content.

    Whatever stands in its place is replaced, unless it is a folder; what a link leads to stays as it is.

    Raises:
        OSError: It cannot be written; the old content stays.
    """
    with writing(path) as file:
        file.write(data)


@contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Gives a new file to write to, which takes the place of `path` at the end of the context, as with `write`.

    If an exception ends the context, the old content stays.

    Raises:
        OSError: It cannot be written; the old content stays.
    """
    new = path.with_name(path.name + NEW)
    try:
        new.unlink(missing_ok=True)
        with os.fdopen(open_descriptor(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
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

    Raises:
        OSError: It cannot be written.
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
    """Appends to a regular file in one go, and makes it if there is none.

    Raises:
        OSError: It cannot be written, or is no regular file.
    """
    descriptor = open_descriptor(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(descriptor, data)
    finally:
        os.close(descriptor)


def make_folder(path: Path) -> None:
    """Makes a folder, unless there is one.

    Raises:
        OSError: It cannot be made, or something else is in its place, such as a link to a folder.
    """
    try:
        path.mkdir()
    except FileExistsError:
        if not stat.S_ISDIR(path.lstat().st_mode):
            raise OSError(errno.ENOTDIR, "it is no folder", str(path)) from None


def _is_something_else(path: str | Path) -> bool:
    try:
        return not stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def _not_regular(path: str | Path) -> OSError:
    return OSError(errno.EINVAL, NOT_REGULAR, str(path))
