"""A run's journal, open for writing, which locks the run folder.

Every line is complete, except possibly the last of a killed run, which resuming cuts off.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tourney.base.errors import WriteError
from tourney.contracts.match import RecordedResult
from tourney.journal import folder, reader, signature, times
from tourney.journal.kinds import VERDICT
from tourney.journal.lines import LinesWriter
from tourney.journal.reader import JournalBlock
from tourney.schedule.base import Schedule

RESULTS = (
    folder.STANDINGS_JSON, folder.STANDINGS_TEXT, VERDICT, folder.ANALYSIS, folder.REPORT, folder.LOGS, times.TIMES,
    folder.NOTES, folder.SPENT, folder.EARLIER, signature.SIGNATURE,
)  # fmt: skip
"""The files that a run adds to its folder besides the journal; a replacement run removes these first."""


def begin(run: Path, text: str, manifest: dict[str, Any]) -> "JournalWriter":
    """Creates a new run's folder and opens its journal."""
    folder.require_free(run)
    folder.make(run)
    return begin_again(run, text, manifest)


def begin_again(run: Path, text: str, manifest: dict[str, Any], results: Iterable[str] = RESULTS) -> "JournalWriter":
    """Starts a new run in an existing run's folder, after removing these results."""
    journal = JournalWriter(run)
    try:
        folder.clear(run, results)
        journal.truncate(0)
        try:
            folder.write_atomically(run / folder.TOURNAMENT, text.encode())
            folder.write_manifest(run, manifest)
        except WriteError as error:
            raise error.add(", or choose another folder") from None
    except BaseException:
        journal.close()
        raise
    return journal


class JournalWriter(LinesWriter):
    """A run's journal, open for writing."""

    def resume(self, schedule: Schedule) -> Iterator[JournalBlock[RecordedResult]]:
        """Yields the journal's blocks after comparing them with the schedule, then cuts off a torn last line."""
        size = 0
        for block in reader.read_results(self.folder, schedule):
            size += sum(map(len, block.lines))
            yield block
        self.truncate(size)
