"""The journal of a run, open for writing.

Every line is complete, except perhaps the last one of a run that was killed; resuming cuts that one off.
"""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from tourney.errors import RunError, WriteError
from tourney.journal import reader
from tourney.journal.folder import JOURNAL, cannot_write
from tourney.journal.reader import JournalBlocks
from tourney.schedule.base import Schedule


class JournalWriter:
    """The journal of a run, locked for one writing process at a time."""

    def __init__(self, folder: Path) -> None:
        """Opens the journal in the folder of a run, at its end.

        Raises:
            RunError: Another process is writing to it.
            WriteError: It cannot be opened for writing.
        """
        self.path = folder / JOURNAL
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise RunError(f"{folder}: another process is writing to this run; wait for it, or stop it") from None

    def resume(self, schedule: Schedule, count: Callable[[JournalBlocks], None]) -> tuple[int, int]:
        """Verifies that the journal is the beginning of this schedule, and cuts off a torn last line.

        Args:
            schedule: The schedule of the run; if it adapts, it notes the results of the complete blocks.
            count: Called with each block of the journal in order; only the last may be incomplete.

        Returns:
            The number of complete blocks, and the number of records of the incomplete block after them.

        Raises:
            RunError: A record was changed, or is not the one that the schedule has in its place.
            WriteError: The torn line cannot be cut off.
        """
        complete = size = records = 0
        for found in reader.read_blocks(self.path.parent, schedule):
            size += sum(map(len, found.batch.lines))
            count(found)
            if found.complete:
                complete += 1
            else:
                records = len(found.batch.lines)
        self._truncate(size)
        return complete, records

    def _truncate(self, size: int) -> None:
        try:
            os.ftruncate(self._file, size)
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def append(self, lines: bytes) -> None:
        """Writes complete lines to the end of the journal.

        Raises:
            WriteError: There is no room; at most the last line that was written is torn.
        """
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def sync(self) -> None:
        """Waits until everything written is on the disk.

        Raises:
            WriteError: It cannot be written, or the journal was moved or replaced meanwhile.
        """
        try:
            os.fsync(self._file)
            here, there = os.fstat(self._file), self.path.stat()
        except OSError as error:
            raise cannot_write(self.path, error) from None
        if (here.st_dev, here.st_ino) != (there.st_dev, there.st_ino):
            raise WriteError(f"{self.path}: cannot be written (another file is in its place); put it back")

    def close(self) -> None:
        """Closes the file, and so releases the lock."""
        os.close(self._file)
