"""Standard streams whose failed output is dropped, with the first error kept: no bot is charged with a full disk."""

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


@contextmanager
def silent_stderr() -> Iterator[None]:
    """Drops everything that this process, libraries in C and new children among it, writes to stderr in the context."""
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)
        os.close(nowhere)


class OutputFile(io.FileIO):
    """Writes to a file descriptor; drops everything from the first error on."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        """Writes the bytes, or drops them; waits while a pipe is full."""
        with memoryview(data) as view:
            size = view.nbytes
        if self.error is None:
            try:
                while (written := super().write(data)) is None:
                    select.select([], [self], [])
            except OSError as error:
                self.error = error
            else:
                return written
        return size


def secure() -> None:
    """Makes printing never fail, and reopens closed standard streams before another file takes their descriptor."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest free number
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - it stays open, as stdin does
    sys.stdout = _secured(sys.stdout, 1)
    sys.stderr = _secured(sys.stderr, 2)


def _secured(stream: TextIO | None, number: int) -> TextIO:
    """Replaces a standard stream; None stands for a closed one."""
    file = OutputFile(number)
    lines = file.isatty() or number == 2 or getattr(stream, "write_through", False)
    encoding = "utf-8" if stream is None else stream.encoding
    errors = "backslashreplace" if stream is None else stream.errors
    return io.TextIOWrapper(io.BufferedWriter(file), encoding, errors, line_buffering=lines)


def lost(stream: TextIO) -> OSError | None:
    """The first error of printing to a stream, if any."""
    file = getattr(getattr(stream, "buffer", None), "raw", None)
    return file.error if isinstance(file, OutputFile) else None
