"""Counts the matches of a run while they are played, so that its journal need not be read for the standings."""

from collections.abc import Iterator
from itertools import islice, tee
from pathlib import Path

from tourney import config, store
from tourney.endings import Endings
from tourney.match import Block
from tourney.runner.kept import empty_fingerprint
from tourney.runner.standings import Counted, write_counted, write_standings
from tourney.schedule.formats import schedule
from tourney.stats.counts import Counts


class Counting:
    """What was counted so far of a run whose journal was empty, and whose schedule does not adapt."""

    def __init__(self, path: Path) -> None:
        """Has counted nothing yet of the run in this folder."""
        self._path = path
        self._hash = empty_fingerprint(path)
        self._tournament = config.of_manifest(store.read_manifest(path))
        self._counts = Counts(self._tournament.names, self._tournament.contests)
        self._endings = Endings()
        self._matches = 0
        self._usual = True
        self._blocks: Iterator[Block] = iter(())

    def beside(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """The same blocks; what they come to is to be added in their order."""
        blocks, self._blocks = tee(blocks)
        return blocks

    def add(self, blocks: int, lines: bytes) -> None:
        """Counts in the next blocks, so many, by the lines that the journal gets for them."""
        self._hash.update(lines)
        ended = self._endings.trusted(list(islice(self._blocks, blocks)), lines.splitlines(keepends=True))
        if ended is None:
            self._usual = False
            return
        self._counts.add(ended)
        self._matches += len(ended.lines)

    def write_standings(self) -> None:
        """Writes the standings of the run, which is finished; its journal is read where a line was not as usual."""
        if not self._usual:
            write_standings(self._path)
            return
        found = Counted(self._tournament, schedule(self._tournament), self._counts, self._matches, left_out=0)
        write_counted(self._path, self._hash.digest(), found)
