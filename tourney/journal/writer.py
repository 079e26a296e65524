"""The journal of a run, open for writing. Who has it open has locked the run's folder.

Every line is complete, except perhaps the last one of a run that was killed; resuming cuts that one off.
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


class JournalWriter(LinesWriter):
    """The journal of a run, open for writing."""

    def resume(self, schedule: Schedule) -> Iterator[JournalBlock[RecordedResult]]:
        """Yields the blocks of the journal, verifies that they begin this schedule, and cuts off a torn last line."""
        size = 0
        for block in reader.read_results(self.folder, schedule):
            size += sum(map(len, block.lines))
            yield block
        self.truncate(size)
