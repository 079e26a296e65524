"""Files of sealed lines in the folder of a run: the journal, and what stands beside it.

A line is a JSON object that ends with a hash over what stands before, which shows damage. Lines are only added; where
their writer was killed, the last one may be torn: it is not read, and cut off before the next is written.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import msgspec

from tourney.base import files as regular_files
from tourney.base.errors import RunError, WriteError, cannot_write
from tourney.journal.folder import BUFFER, JOURNAL, read_lines, readable, write_atomically

T = TypeVar("T")
_SEAL = b',"seal":"%b"}'
_SEAL_LENGTH = len(_SEAL % (b"0" * 16))


def sealed(body: bytes) -> bytes:
    """Appends to a JSON object a hash that shows damage, as its last member."""
    return body[:-1] + _SEAL % blake2b(body, digest_size=8).hexdigest().encode()


def is_sealed(line: bytes) -> bool:
    """Whether the seal of a line (with its line end) holds."""
    return line == sealed(line[: -_SEAL_LENGTH - 1] + b"}") + b"\n"


class Lines(Generic[T]):
    """A file of sealed lines: its name in a run's folder, and what a line holds."""

    def __init__(
        self, name: str, kind: type[T], noun: str, remedy: str,
        is_sealed: Callable[[bytes], bool] = is_sealed, problem: Callable[[T], str | None] = lambda _: None,
    ) -> None:  # fmt: skip
        """Errors call a line `noun` and end with `remedy`; `problem` says what is wrong with what a line holds."""
        self.name = name
        self._decode = msgspec.json.Decoder(kind).decode
        self._noun, self._remedy, self._is_sealed, self._problem = noun, remedy, is_sealed, problem

    def raw(self, run: Path) -> Iterator[bytes]:
        """The complete lines; none if there is no such file, unless that is the journal."""
        there = self.name == JOURNAL or (run / self.name).exists()
        return read_lines(run, self.name) if there else iter(())

    def read(
        self, run: Path, wanted: Callable[[bytes], bool] = bool, lines: Iterable[bytes] | None = None, first: int = 1
    ) -> Iterator[T]:
        """What the complete lines hold that are wanted, or some `lines` from a number on; none without the file."""
        where, lines = f"{run / self.name}, line ", self.raw(run) if lines is None else lines
        return (self.parse(line, where, number) for number, line in enumerate(lines, first) if wanted(line))

    def parse(self, line: bytes, where: str, number: int = 0, verifies: bool = True) -> T:
        """What a line holds; the number of the line, if it has one, ends `where` it stands."""
        problem: str | None
        try:
            value = self._decode(line)
            problem = self._problem(value)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problem = str(error)
        if problem is None and (not verifies or self._is_sealed(line)):
            return value
        what = "was changed after it was written" if problem is None else f"not {self._noun} ({problem})"
        raise RunError(f"{where}{number or ''}{': ' if where else ''}{what}; {self._remedy}")

    def rewrite(self, run: Path, values: Iterable[T]) -> None:
        """Writes the file from the beginning; if interrupted, it has its old lines."""
        write_atomically(run / self.name, b"".join(map(line_of, values)))


def line_of(value: Any) -> bytes:
    """A value as a sealed line, with its line end."""
    return sealed(msgspec.json.encode(value)) + b"\n"


class LinesWriter:
    """A file of lines, opened or made, and locked for one writing process at a time; a context manager."""

    name = JOURNAL
    waits = False
    """Whether another process that has locked the file is waited for; else it is an error."""

    def __init__(self, run: Path, opens: bool = True) -> None:
        """Opens the file, unless it is to be opened, or made, only when it is written to."""
        self.folder, self.path = run, run / self.name
        self._file: int | None = None
        if opens:
            self._opened()

    def _opened(self) -> int:
        if self._file is None:
            try:
                self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            except OSError as error:
                raise cannot_write(self.path, error) from None
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
            raise WriteError(f"{self.path}: cannot be locked ({error.strerror}); use a folder elsewhere") from None
        if not locked:
            raise RunError(f"{self.folder}: another process is writing to this run; wait for it, or stop it")

    def _begin(self) -> None:
        """Reads what a subclass has to know of the file, which is locked."""

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
        """Closes the file, and so releases the lock."""
        if self._file is not None:
            os.close(self._file)

    def add(self, *values: Any) -> None:
        """Writes values as sealed lines to the end of the file."""
        self.append(b"".join(map(line_of, values)))

    def append(self, lines: bytes) -> None:
        """Writes complete lines to the end of the file."""
        file, left = self._opened(), memoryview(lines)
        try:
            while left:
                left = left[os.write(file, left) :]
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def truncate(self, size: int | None = None) -> None:
        """Cuts the file to that many bytes; by default, cuts off a torn last line."""
        file = self._opened()
        try:
            os.ftruncate(file, sum(map(len, self.lines())) if size is None else size)
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def sync(self) -> None:
        """Waits until everything written is on the disk."""
        if self._file is None:
            return
        try:
            os.fsync(self._file)
            self.path.stat()  # fails if the folder was moved or removed, and all that follows would be lost
        except OSError as error:
            raise cannot_write(self.path, error) from None
