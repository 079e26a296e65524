"""The log of an entrant: what its bots in processes of their own write to stderr, up to a limit."""

import os
from _thread import allocate_lock  # `threading`, once imported, would have every fork work for a third of a millisecond
from contextlib import suppress

LOG_BYTES = 1_000_000
"""The number of bytes after which a log ends."""
LOG_END = b"\n[the log is full; what comes after this is not kept]\n"
CHUNK = 1 << 16
LAST_BYTES = 1000
"""How much of what a bot has written last is remembered."""


class WholeLines:
    """Puts together the lines of what comes in parts; a line that is very long stays in parts."""

    def __init__(self) -> None:
        self._begun = b""  # of a line that has not ended

    def add(self, data: bytes) -> bytes:
        """Returns the lines that have ended with this part."""
        lines, end, self._begun = (self._begun + data).rpartition(b"\n")
        return lines + end if len(self._begun) < CHUNK else lines + end + self.rest()

    def rest(self) -> bytes:
        """Returns what has come of a line that has not ended."""
        begun, self._begun = self._begun, b""
        return begun


class BotLog:
    """The log of an entrant. Each bot writes to a pipe, and this process to the file, so that the log has an end.

    Bots of several processes share the file: it is written in whole lines, whatever the parts they come in.
    """

    def __init__(self, path: str | None) -> None:
        """Opens the file; without a path, the log goes to stderr without an end."""
        self.source = self.target = -1
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self.file = os.dup(2) if path is None else os.open(path, flags, 0o666)
        self._bounded = path is not None
        self._lines = WholeLines()
        self._lock = allocate_lock()  # a thread may have more to write when the file is closed
        self.last_words = b""
        """The end of what the bot that has the pipe, or had it last, has written."""

    def open_pipe(self) -> None:
        """Opens the pipe of one bot; in a pipe that another had before, it could find what that one left there."""
        self.source, self.target = os.pipe()
        os.set_blocking(self.source, False)
        self.last_words = b""

    def close_pipe(self) -> None:
        """Moves the rest of what the bot has written to the file, and closes its pipe."""
        self.drain()
        self.write(self._lines.rest())
        os.close(self.source)
        os.close(self.target)
        self.source = self.target = -1

    def take_over(self) -> None:
        """Sends what this process itself writes to stdout and stderr to the log."""
        os.dup2(self.file, 1)
        os.dup2(self.file, 2)

    def drain(self) -> None:
        """Moves the lines that the bot has written from the pipe to the file."""
        with suppress(BlockingIOError):
            while data := os.read(self.source, CHUNK):
                self.write(self._lines.add(data))
                self.last_words = (self.last_words + data)[-LAST_BYTES:]
                if len(data) < CHUNK:
                    return

    def write(self, data: bytes) -> None:
        """Appends to the file, as far as there is room, unless it is closed."""
        with self._lock:
            if not data or self.file < 0:
                return
            if self._bounded:
                room = LOG_BYTES - os.fstat(self.file).st_size
                if room <= 0:
                    return
                if len(data) > room:
                    data = data[:room] + LOG_END
            with suppress(OSError):  # a full disk is reported where the journal is written
                os.write(self.file, data)

    def close(self) -> None:
        """Closes the file; what is written from then on is lost."""
        with self._lock:
            os.close(self.file)
            self.file = -1
