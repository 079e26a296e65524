"""Files of sealed lines in a run folder: the journal and others.

A line is a JSON object ending with a hash of the rest, which shows damage. Lines are only added. If the writer was
killed, the last one may be torn: it is not read, and cut off before the next is written.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec

from tourney.base import files as regular_files
from tourney.base.errors import RunError, WriteError, writable
from tourney.journal.folder import BUFFER, JOURNAL, read_lines, readable, write_atomically

T = TypeVar("T")
_SEAL = b',"seal":"%b"}'
_SEAL_LENGTH = len(_SEAL % (b"0" * 16))


def sealed(body: bytes) -> bytes:
    """Appends a damage-detecting hash to a JSON object, as its last member."""
    return body[:-1] + _SEAL % blake2b(body, digest_size=8).hexdigest().encode()


def is_sealed(line: bytes) -> bool:
    """Whether a line (with its line end) has a valid seal."""
    return line == sealed(line[: -_SEAL_LENGTH - 1] + b"}") + b"\n"


class Lines(Generic[T]):
    """A file of sealed lines: its name in a run's folder, and its lines' type."""

    def __init__(
        self, name: str, kind: type[T], noun: str, remedy: str,
        is_sealed: Callable[[bytes], bool] = is_sealed, problem: Callable[[T], str | None] = lambda _: None,
    ) -> None:  # fmt: skip
        """Errors call a line `noun` and end with `remedy`; `problem` describes an invalid value, or returns None."""
        self.name = name
        self._decode = msgspec.json.Decoder(kind).decode
        self._noun, self._remedy, self._is_sealed, self._problem = noun, remedy, is_sealed, problem

    def raw(self, run: Path) -> Iterator[bytes]:
        """The complete lines; none if the file is missing, unless it is the journal."""
        there = self.name == JOURNAL or (run / self.name).exists()
        return read_lines(run, self.name) if there else iter(())

    def read(
        self, run: Path, wanted: Callable[[bytes], bool] = bool, lines: Iterable[bytes] | None = None, first: int = 1
    ) -> Iterator[T]:
        """The values of the wanted complete lines, or of `lines`, numbered from `first`; none without the file."""
        where, lines = f"{run / self.name}, line ", self.raw(run) if lines is None else lines
        return (self.parse(line, where, number) for number, line in enumerate(lines, first) if wanted(line))

    def parse(self, line: bytes, where: str, number: int = 0, verifies: bool = True) -> T:
        """The value of a line; its number, if it has one, is appended to `where`."""
        problem: str | None
        try:
            value = self._decode(line)
            problem = self._problem(value)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problem = str(error)
        if problem is None and (not verifies or self._is_sealed(line)):
            return value
        what = "checksum mismatch" if problem is None else f"not {self._noun} ({problem})"
        raise RunError(f"{where}{number or ''}{': ' if where else ''}{what}; {self._remedy}")

    def rewrite(self, run: Path, values: Iterable[T]) -> None:
        """Rewrites the file; if interrupted, it keeps its old lines."""
        write_atomically(run / self.name, b"".join(map(line_of, values)))


def line_of(value: Any) -> bytes:
    """A value as a sealed line, with its line end."""
    return sealed(msgspec.json.encode(value)) + b"\n"


class LinesWriter:
    """A file of lines, opened or created, and locked for one writing process at a time; a context manager."""

    name = JOURNAL
    waits = False
    """Whether to wait for a process that has locked the file; otherwise raises an error."""

    def __init__(self, run: Path, opens: bool = True) -> None:
        """Opens the file, unless it is opened, or created, on first write."""
        self.folder, self.path = run, run / self.name
        self._file: int | None = None
        if opens:
            self._opened()

    def _opened(self) -> int:
        if self._file is None:
            with writable(self.path):
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            try:
                self._lock(self._file)
                self._begin()
            except BaseException:
                self.close()
                self._file = None
                raise
        return self._file

    def _lock(self, file: int) -> None:
        try:
            locked = regular_files.lock(file, waits=self.waits)
        except OSError as error:
            raise WriteError(f"cannot lock {self.path} ({error.strerror}); use another file system") from None
        if not locked:
            raise RunError(f"{self.folder}: in use by another tourney process; wait for it to finish, or stop it")

    def _begin(self) -> None:
        """Called with the file open and locked, for subclasses."""

    def lines(self) -> Iterator[bytes]:
        """The complete lines of the file."""
        with readable(self.path), open(self._opened(), "rb", BUFFER, closefd=False) as lines:
            lines.seek(0)
            yield from takewhile(lambda line: line.endswith(b"\n"), lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, releasing the lock."""
        if self._file is not None:
            os.close(self._file)

    def add(self, *values: Any) -> None:
        """Appends values as sealed lines."""
        self.append(b"".join(map(line_of, values)))

    def append(self, lines: bytes) -> None:
        """Appends complete lines."""
        file, left = self._opened(), memoryview(lines)
        with writable(self.path):
            while left:
                left = left[os.write(file, left) :]

    def truncate(self, size: int | None = None) -> None:
        """Truncates the file to `size` bytes; by default, cuts off a torn last line."""
        file = self._opened()
        with writable(self.path):
            os.ftruncate(file, sum(map(len, self.lines())) if size is None else size)

    def sync(self) -> None:
        """Waits until everything is written to disk."""
        if self._file is None:
            return
        with writable(self.path):
            os.fsync(self._file)
            self.path.stat()  # fails if the folder was moved or removed, which would lose later writes
