"""Counts the matches of a run while they are played, so that its journal need not be read for the standings."""

from collections.abc import Sequence
from pathlib import Path

from tourney import config
from tourney.errors import RunError
from tourney.journal import folder
from tourney.journal.counts_cache import manifest_hash
from tourney.journal.reader import JournalBlocks
from tourney.match import Block
from tourney.match_results import ResultBatch, ResultReader
from tourney.runner.standings import Counted, write_counted
from tourney.schedule.base import Schedule
from tourney.stats.outcome_counts import OutcomeCounts


class Counting:
    """What was counted so far of a run."""

    def __init__(self, path: Path, plan: Schedule) -> None:
        """Has counted nothing yet of the run in this folder, of which this is the schedule."""
        self._path = path
        self._plan = plan
        self._hash = manifest_hash(path)
        self._tournament = config.of_manifest(folder.read_manifest(path))
        self._endings = ResultReader()
        self.counts = OutcomeCounts(self._tournament.names, self._tournament.setups)
        """What the matches of whole blocks came to."""
        self.matches = 0
        """How many these are."""

    def found(self, begun: JournalBlocks) -> None:
        """Counts in the next blocks of the journal as it was found, if they are whole; the schedule knows of them."""
        for line in begun.batch.lines:
            self._hash.update(line)
        if begun.complete:
            self._count(begun.batch)

    def played(self, blocks: Sequence[Block], lines: bytes, new: bytes) -> None:
        """Counts in blocks that were played, by their lines; `new` are those that the journal did not have before.

        Raises a `RunError` where a game's scores or places are none.
        """
        ended = self._endings.read_trusted(blocks, lines.splitlines(keepends=True))
        if ended is None:
            games = ", ".join(sorted({block.setup.game for block in blocks}))
            raise RunError(f"{games}: scores and places must be whole numbers, one for each seat; mend the game")
        self._hash.update(new)
        self._count(ended)
        if self._plan.adapts:
            for block, seats, ending in ended.matches():
                self._plan.note(block, seats, ending.places)

    def _count(self, ended: ResultBatch) -> None:
        self.counts.add(ended)
        self.matches += len(ended.lines)

    def write_standings(self) -> None:
        """Writes the standings of the run, which is finished."""
        found = Counted(self._tournament, self._plan, self.counts, self.matches, left_out=0)
        write_counted(self._path, self._hash.digest(), found)
