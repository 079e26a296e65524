"""Counts the matches of a run while they are played, so that the journal need not be read for its standings."""

from collections.abc import Sequence
from itertools import islice

from tourney.config import Tournament
from tourney.journal.reader import JournalBlock
from tourney.match import Block, Record
from tourney.match_results import MatchResult
from tourney.runner.ordered_pool import PlayedBlocks
from tourney.runner.standings import RunTotals
from tourney.schedule.base import Schedule
from tourney.stats.outcome_counts import OutcomeCounts


class LiveCounts:
    """The counts of a run so far."""

    def __init__(self, tournament: Tournament, schedule: Schedule) -> None:
        """Starts without a match of the tournament, which has this schedule."""
        self._tournament = tournament
        self._schedule = schedule
        self.counts = OutcomeCounts(self._tournament.names, self._tournament.setups)
        """The counts of all complete blocks."""
        self.matches = 0
        """How many matches these blocks have."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return self._schedule.is_over(self.matches)

    def add_found(self, found: JournalBlock) -> None:
        """Counts the next block of the journal if it is complete; the schedule has already noted them."""
        if found.complete:
            self._count(found.block, found.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, which were played, and has the schedule note them.

        Args:
            played: The blocks.
            known: How many of their lines the journal has already.

        Returns:
            The lines that the journal does not have.
        """
        rest = iter(played.results)
        for block in played.blocks:
            results = list(islice(rest, len(block.seatings)))
            self._count(block, results)
            if self._schedule.adapts:
                for seats, result in zip(block.seatings, results, strict=True):
                    self._schedule.note(block.number, seats, result.places)
        return b"".join(played.lines.splitlines(keepends=True)[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)

    def totals(self) -> RunTotals:
        """Returns the counts of the finished run."""
        return RunTotals(self._tournament, self._schedule, self.counts, self.matches, left_out=0)
