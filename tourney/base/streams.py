"""The standard streams, made so that no print fails: what cannot be written is dropped, and the first error noted.

A full disk or a closed pipe behind stdout or stderr would otherwise raise an exception wherever something is printed,
also in the code of a bot, which would be charged with it.
"""

import io
import os
import select
import sys
from typing import Any, TextIO


class OutputFile(io.FileIO):
    """A file descriptor to write to, from whose first error on everything is dropped."""

    def __init__(self, descriptor: int) -> None:
        """Takes a descriptor, which stays open."""
        super().__init__(descriptor, "w", closefd=False)
        self.error: OSError | None = None
        """The first error, or None if everything was written."""

    def write(self, data: Any) -> int:
        """Writes the bytes, or drops them; waits where the other end of a pipe is behind."""
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
    """Opens those of stdin, stdout and stderr that are closed, and has printing to the latter two never fail.

    A closed one would be the next file that is opened, and whatever is printed would be written into that.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # it gets the lowest number that is free
    sys.stdin = sys.stdin or open(0, closefd=False)  # noqa: SIM115 - it stays open, as stdin does
    sys.stdout = _secured(sys.stdout, 1)
    sys.stderr = _secured(sys.stderr, 2)


def _secured(stream: TextIO | None, number: int) -> TextIO:
    """Returns what takes the place of a standard stream, which is None if it was closed."""
    file = OutputFile(number)
    lines = file.isatty() or number == 2 or getattr(stream, "write_through", False)
    encoding = "utf-8" if stream is None else stream.encoding
    errors = "backslashreplace" if stream is None else stream.errors
    return io.TextIOWrapper(io.BufferedWriter(file), encoding, errors, line_buffering=lines)


def lost(stream: TextIO) -> OSError | None:
    """Returns why something that was printed to a stream could not be written; None if all was, as far as is known."""
    file = getattr(getattr(stream, "buffer", None), "raw", None)
    return file.error if isinstance(file, OutputFile) else None
