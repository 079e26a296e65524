"""The journal of a run, open for writing. Who has it open has locked the run's folder.

Every line is complete, except perhaps the last one of a run that was killed; resuming cuts that one off.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import msgspec

from tourney.base import files as regular_files
from tourney.base.errors import RunError, WriteError, cannot_write
from tourney.contracts.match import RecordedResult
from tourney.journal import folder, reader, signature, times
from tourney.journal.events import Event, events_of, next_block
from tourney.journal.folder import JOURNAL, read_lines
from tourney.journal.kinds import EVENTS, VERDICT
from tourney.journal.reader import JournalBlock
from tourney.journal.seals import sealed
from tourney.schedule.base import Schedule

RESULTS = (
    folder.STANDINGS_JSON,
    folder.STANDINGS_TEXT,
    VERDICT,
    folder.ANALYSIS,
    folder.REPORT,
    folder.LOGS,
    times.TIMES,
    folder.NOTES,
    folder.EARLIER,
    signature.SIGNATURE,
)
"""What a run adds to its folder beside the journal; a run that replaces it removes these first."""


def begin(run: Path, text: str, manifest: dict[str, Any]) -> "JournalWriter":
    """Makes the folder of a new run, and opens its journal."""
    folder.require_free(run)
    folder.make(run)
    return begin_again(run, text, manifest)


def begin_again(run: Path, text: str, manifest: dict[str, Any], results: Iterable[str] = RESULTS) -> "JournalWriter":
    """Begins a run in a folder that holds one, after removing its results of these names."""
    journal = JournalWriter(run)
    try:
        folder.clear(run, results)
        journal.truncate(0)
        try:
            folder.write_atomically(run / folder.TOURNAMENT, text.encode())
            folder.write_manifest(run, manifest)
        except WriteError as error:
            raise error.add(", or use another folder") from None
    except BaseException:
        journal.close()
        raise
    return journal


class JournalWriter:
    """The journal of a run, or another file of lines, opened or made, and locked for one writing process at a time."""

    def __init__(self, run: Path, name: str = JOURNAL, *, waits: bool = False) -> None:
        """With `waits`, another process that has locked the file is waited for; else it is an error."""
        self.folder = run
        self.path = run / name
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        try:
            locked = regular_files.lock(self._file, waits=waits)
        except OSError as error:
            os.close(self._file)
            raise WriteError(f"{self.path}: cannot be locked ({error.strerror}); use a folder elsewhere") from None
        if not locked:
            os.close(self._file)
            raise RunError(f"{run}: another process is writing to this run; wait for it, or stop it")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file, and so releases the lock."""
        os.close(self._file)

    def resume(self, schedule: Schedule) -> Iterator[JournalBlock[RecordedResult]]:
        """Yields the blocks of the journal, verifies that they begin this schedule, and cuts off a torn last line."""
        size = 0
        for found in reader.read_results(self.folder, schedule):
            size += sum(map(len, found.lines))
            yield found
        self.truncate(size)

    def truncate(self, size: int) -> None:
        """Cuts the journal to that many bytes."""
        try:
            os.ftruncate(self._file, size)
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def append(self, lines: bytes) -> None:
        """Writes complete lines to the end of the journal."""
        left = memoryview(lines)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def sync(self) -> None:
        """Waits until everything written is on the disk."""
        try:
            os.fsync(self._file)
            self.path.stat()  # fails if the folder was moved or removed, and all that follows would be lost
        except OSError as error:
            raise cannot_write(self.path, error) from None


class EventLog(JournalWriter):
    """The events of a league, locked for adding to them."""

    def __init__(self, league: Path) -> None:
        """Waits until nobody else adds any, then reads them and cuts off a torn last line."""
        super().__init__(league, EVENTS, waits=True)
        try:
            lines = list(read_lines(league, EVENTS))
            self.events = events_of(league, lines)
            self.truncate(sum(map(len, lines)))
        except BaseException:
            self.close()
            raise

    @property
    def next_block(self) -> int:
        """The block with which the next round begins."""
        return next_block(self.events)

    def add(self, *events: Event) -> None:
        """Adds events, which are on the disk then."""
        self.append(b"".join([sealed(msgspec.json.encode(event)) + b"\n" for event in events]))
        self.sync()
        self.events += events
