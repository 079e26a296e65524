"""Counts the matches of a run while they are played, so that the journal need not be read for its standings."""

from collections.abc import Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path

import msgspec

from tourney import config
from tourney.errors import RunError
from tourney.journal import folder
from tourney.journal.reader import JournalBlock
from tourney.match import Block, Record, result_problem
from tourney.match_results import MatchResult
from tourney.runner.ordered_pool import PlayedBlocks
from tourney.runner.standings import RankedRun, RunTotals, write_standings
from tourney.schedule.base import Schedule
from tourney.stats.outcome_counts import OutcomeCounts

_decode = msgspec.json.Decoder(MatchResult).decode


class LiveCounts:
    """The counts of a run so far."""

    def __init__(self, path: Path, schedule: Schedule) -> None:
        """Starts without a match of the run in this folder, which has this schedule."""
        self._path = path
        self._schedule = schedule
        self._tournament = config.of_manifest(folder.read_manifest(path))
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

        Raises:
            RunError: The scores or places are not what the game must give; nothing was counted.
        """
        lines = BytesIO(played.lines).readlines()  # several times as quick as `splitlines`
        try:
            results = list(map(_decode, lines))
        except msgspec.ValidationError:
            raise _no_result(played.blocks) from None
        rest = iter(results)
        for block in played.blocks:
            some = list(islice(rest, len(block.seatings)))
            if any([result_problem(block.setup.seats, each.scores, each.places, each.faults) for each in some]):
                raise _no_result(played.blocks)
            self._count(block, some)
            if self._schedule.adapts:
                for seats, result in zip(block.seatings, some, strict=True):
                    self._schedule.note(block.number, seats, result.places)
        return b"".join(lines[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)

    def write_standings(self) -> RankedRun:
        """Writes the standings of the finished run."""
        totals = RunTotals(self._tournament, self._schedule, self.counts, self.matches, left_out=0)
        return write_standings(self._path, totals)


def _no_result(blocks: Sequence[Block]) -> RunError:
    games = ", ".join(sorted({block.setup.game for block in blocks}))
    return RunError(
        f"{games}: scores and places must be whole numbers, one for each seat, and places as those that "
        "tourney.game.places_by gives; mend the game"
    )
