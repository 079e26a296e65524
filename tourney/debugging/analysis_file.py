"""The file of an analysis, open for writing: one process at a time adds the matches that it has analysed."""

import os
from pathlib import Path
from types import TracebackType

import msgspec

from tourney import regular_files
from tourney.debugging.analysis import AnalysisSettings, MatchAnalysis, has_matches, read_settings
from tourney.errors import RunError, WriteError, cannot_write
from tourney.journal.folder import ANALYSIS
from tourney.journal.seals import sealed
from tourney.match import Record


class AnalysisFile:
    """The file of a run's analysis, locked. A context manager that closes it."""

    def __init__(self, run: Path) -> None:
        """Opens the file, and makes it if there is none; a torn last line is cut off.

        Raises:
            RunError: Another process is analysing the run, or the file is damaged.
            WriteError: It cannot be opened for writing, or not be locked.
        """
        self.path = run / ANALYSIS
        try:
            self._file = regular_files.open_descriptor(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        try:
            if not regular_files.lock(self._file):
                raise RunError(f"{run}: another process is analysing this run; wait for it, or stop it")
            self._cut_torn_line()
            self.settings = read_settings(run)
            """How the analysis is made; None for one that begins."""
        except OSError as error:
            os.close(self._file)
            raise WriteError(f"{self.path}: cannot be locked ({error.strerror}); take a folder elsewhere") from None
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> "AnalysisFile":
        """Returns the file itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Closes the file, and so releases the lock."""
        os.close(self._file)

    def _cut_torn_line(self) -> None:
        """Cuts off what an interrupted process has left of its last line."""
        size = os.fstat(self._file).st_size
        end = size
        while end > 0:
            start = max(0, end - (1 << 16))
            at = regular_files.read_at(self._file, end - start, start).rfind(b"\n")
            if at >= 0:
                end = start + at + 1
                break
            end = start
        if end < size:
            os.ftruncate(self._file, end)

    def clear(self) -> None:
        """Removes all that the file holds.

        Raises:
            WriteError: The file cannot be cut.
        """
        try:
            os.ftruncate(self._file, 0)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        self.settings = None

    def begin(self, settings: AnalysisSettings) -> None:
        """Writes how the analysis is made, or compares it with how it was begun, if a match was analysed so.

        Raises:
            RunError: It was begun in another way.
            WriteError: The file cannot be written.
        """
        if self.settings is not None and (difference := _difference(self.settings, settings)):
            if has_matches(self.path.parent):
                raise RunError(f"{self.path}: {difference}; overwrite it to start over")
            self.clear()
        if self.settings is None:
            self._write(settings)
            self.settings = settings

    def add(self, match: MatchAnalysis) -> None:
        """Adds a match.

        Raises:
            WriteError: The file cannot be written.
        """
        self._write(match)

    def _write(self, value: AnalysisSettings | MatchAnalysis) -> None:
        left = memoryview(sealed(msgspec.json.encode(value)) + b"\n")
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError as error:
            raise cannot_write(self.path, error) from None


def of_same_match(run: Path, found: MatchAnalysis, record: Record) -> None:
    """Does nothing if an analysis is of the match that was recorded.

    Raises:
        RunError: It is of another match of the same name.
    """
    if found.digest != record.digest:
        raise RunError(f"{run / ANALYSIS}: {found.match} was another match when it was analysed; overwrite it")


def _difference(old: AnalysisSettings, new: AnalysisSettings) -> str:
    """Says what differs between how an analysis was begun, and how it is to go on; empty if nothing does."""
    if old.analysis != new.analysis:
        return "was made by another version of tourney, which analysed in another way"
    if old.playouts != new.playouts:
        return f"was made with {old.playouts} playouts, not {new.playouts}"
    changed = [name for name, source in new.sources.items() if old.sources.get(name) != source]
    if changed:
        return f"was made when {', '.join(changed)} had other source code"
    if old != new:
        return "was made with other bots that play on"
    return ""
