"""The pipes of a bot's process, carried by threads: not every system can wait for several pipes at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import Popen
from typing import IO

from tourney.hosts.bot_log import WholeLines

SOURCE, TARGET = 1, 2
"""What stands for the two ends: what the bot sends, and what it is sent."""
CHUNK = 1 << 16
END_S = 0.2
"""How long it is waited, in seconds, for the rest of what a process has sent that has ended."""
LOG_S = 1.0
"""How long it is waited, in seconds, for the rest of what such a process has written to stderr."""


class ThreadedReader:
    """What a process sends through a pipe."""

    def __init__(self, pipe: IO[bytes], has_ended: Callable[[], bool]) -> None:
        """Starts the thread.

        Args:
            pipe: The pipe, without a buffer.
            has_ended: Tells whether the process has ended: what it has started may hold its pipe.
        """
        self._has_ended = has_ended
        self._sent: SimpleQueue[bytes | None] = SimpleQueue()  # None: the process has closed its stdin
        self._next: list[bytes | None] = []  # the first of what was sent, once it was waited for
        threading.Thread(target=self._carry, args=(pipe,), daemon=True).start()

    def _carry(self, pipe: IO[bytes]) -> None:
        for data in _parts(pipe):
            self._sent.put(data)
        self._sent.put(b"")

    def poll(self, timeout: float) -> list[tuple[int, int]]:
        """Returns the end that is ready after that many milliseconds at the most."""
        if not self._next:
            found = self._received(timeout / 1000)
            if not found and self._has_ended():
                found = self._received(END_S) or [b""]
            self._next = found
        return [(TARGET if each is None else SOURCE, 0) for each in self._next]

    def _received(self, seconds: float) -> list[bytes | None]:
        """Returns the next that was sent, as a list; an empty one if there is nothing in that time."""
        try:
            return [self._sent.get(timeout=max(seconds, 0.0))]
        except Empty:
            return []

    def read(self) -> bytes:
        """Returns what was sent, which `poll` has found; empty if there will be no more."""
        (data,) = self._next
        assert data is not None
        if data:  # and the end stays
            self._next = []
        return data

    def skip(self) -> None:
        """Leaves out what `poll` has found."""
        self._next = []


class ThreadedWire(ThreadedReader):
    """What goes between this process and that of a bot, which has its standard streams as pipes."""

    def __init__(self, process: "Popen[bytes]", log: Callable[[bytes], None], has_ended: Callable[[], bool]) -> None:
        """Starts the threads.

        Args:
            process: The process of the bot.
            log: Is given what the bot writes to stderr.
            has_ended: Tells whether the process has ended: what it has started may hold its pipes.
        """
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        super().__init__(process.stdout, has_ended)
        self._to_send: SimpleQueue[bytes] = SimpleQueue()
        self._log = threading.Thread(target=_write_log, args=(process.stderr, log), daemon=True)
        self._log.start()
        threading.Thread(target=self._write, args=(process.stdin,), daemon=True).start()

    def _write(self, pipe: IO[bytes]) -> None:
        """Carries what the bot is sent, until an empty line."""
        with suppress(OSError), pipe:
            while line := self._to_send.get():
                try:
                    while line:
                        line = line[pipe.write(line) :]
                except OSError:
                    self._sent.put(None)
                    return

    def write(self, line: bytes) -> int:
        """Sends a line; returns its length."""
        self._to_send.put(line)
        return len(line)

    def close(self) -> None:
        """Waits for the rest of the log; the process has ended."""
        self._to_send.put(b"")
        self._log.join(LOG_S)


def _write_log(pipe: IO[bytes], log: Callable[[bytes], None]) -> None:
    lines = WholeLines()
    for data in _parts(pipe):
        log(lines.add(data))
    log(lines.rest())


def _parts(pipe: IO[bytes]) -> Iterator[bytes]:
    """Yields what comes through a pipe without a buffer, until that or this end is closed, and closes it."""
    with suppress(OSError, ValueError), pipe:
        while data := pipe.read(CHUNK):
            yield data
