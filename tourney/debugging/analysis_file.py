"""The file of an analysis, open for writing: one process at a time adds the matches that it has analysed."""

from pathlib import Path
from types import TracebackType

import msgspec

from tourney.debugging.analysis import AnalysisSettings, MatchAnalysis, read_settings
from tourney.errors import RunError
from tourney.journal.folder import ANALYSIS
from tourney.journal.reader import read_lines
from tourney.journal.seals import sealed
from tourney.journal.writer import JournalWriter
from tourney.match import Record


class AnalysisFile:
    """The file of a run's analysis, locked. A context manager that closes it."""

    def __init__(self, run: Path) -> None:
        """Opens the file, and makes it if there is none; a torn last line is cut off."""
        self._file = JournalWriter(run, ANALYSIS)
        self.path = self._file.path
        try:
            lengths = [len(line) for line in read_lines(run, ANALYSIS)]
            self._file.truncate(sum(lengths))
            self._has_matches = len(lengths) > 1
            self.settings = read_settings(run)
            """How the analysis is made; None for one that begins."""
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "AnalysisFile":
        """Returns the file itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Closes the file, and so releases the lock."""
        self._file.close()

    def clear(self) -> None:
        """Removes all that the file holds."""
        self._file.truncate(0)
        self._has_matches = False
        self.settings = None

    def begin(self, settings: AnalysisSettings) -> None:
        """Writes how the analysis is made, or compares it with how it was begun, if a match was analysed so."""
        if self.settings is not None and (difference := _difference(self.settings, settings)):
            if self._has_matches:
                raise RunError(f"{self.path}: {difference}; overwrite it to start over")
            self.clear()
        if self.settings is None:
            self._write(settings)
            self.settings = settings

    def add(self, match: MatchAnalysis) -> None:
        """Adds a match."""
        self._write(match)

    def _write(self, value: AnalysisSettings | MatchAnalysis) -> None:
        self._file.append(sealed(msgspec.json.encode(value)) + b"\n")


def of_same_match(run: Path, found: MatchAnalysis, record: Record) -> None:
    """Does nothing if an analysis is of the match that was recorded."""
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
