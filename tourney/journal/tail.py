"""A journal that is followed while it grows: read on from where it was read last, and looked up from its end."""

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from tourney.journal.folder import BUFFER, JOURNAL, readable
from tourney.journal.reader import parse_record
from tourney.standings.points import points

STRIDE = 100
"""Of one line in this many it is known where it begins; the others are found from there."""
_NAME = re.compile(rb'\{"match":"[^"]*-([0-9]{1,18})-[0-9]+"')


class JournalTail:
    """The journal of a run, as far as `read` has come; its lines are found again without reading all of it."""

    def __init__(self, run: Path, counts_points: bool = False) -> None:
        self._file = run / JOURNAL
        self._counts_points = counts_points
        self._lock = Lock()
        self._begin(0)

    def _begin(self, inode: int) -> None:
        self._inode = inode
        self._end = 0
        self._starts: list[int] = []  # where every `STRIDE`th line begins
        self._blocks: list[int] = []  # and its block
        self.matches = 0
        """How many complete lines were read."""
        self.points: dict[str, tuple[float, int]] = {}
        """The points of each entrant, and in how many matches, if they are counted."""

    def read(self) -> None:
        """Reads what was added; all of it again if the journal is another one."""
        with self._lock, self._opened() as lines:
            found = os.fstat(lines.fileno())
            if found.st_ino != self._inode or found.st_size < self._end:
                self._begin(found.st_ino)
            lines.seek(self._end)
            for line in takewhile(lambda line: line.endswith(b"\n"), lines):
                if self.matches % STRIDE == 0:
                    name = _NAME.match(line)
                    self._starts.append(self._end)
                    self._blocks.append(int(name[1]) if name else 0)
                if self._counts_points:
                    self._count(line)
                self._end += len(line)
                self.matches += 1

    def _count(self, line: bytes) -> None:
        record = parse_record(line, str(self._file))
        shares = points(record.places) if len(record.places) > 1 else (0.0,)
        for name, got in zip(record.seats, shares, strict=True):
            total, count = self.points.get(name, (0.0, 0))
            self.points[name] = total + got, count + 1

    def lines(self, first: int, last: int) -> list[bytes]:
        """The lines from the number `first` on, counted from 0, and before `last`, as far as they were read."""
        first, last = max(first, 0), min(last, self.matches)
        return list(self._from(first // STRIDE, first % STRIDE, last - first)) if first < last else []

    def line_of(self, match: str) -> bytes | None:
        """The line of a match, by its full name; None if there is none."""
        start = f'{{"match":"{match}"'.encode()
        if (name := _NAME.fullmatch(start)) is None:
            return None
        block = int(name[1])  # blocks are numbered in the order in which they are played
        chunk = max(bisect_left(self._blocks, block) - 1, 0)
        count = (bisect_right(self._blocks, block) - chunk) * STRIDE
        return next((line for line in self._from(chunk, 0, count) if line.startswith(start)), None)

    def _from(self, chunk: int, skipped: int, count: int) -> Iterator[bytes]:
        """Yields `count` lines of the journal, starting `skipped` lines after the beginning of a chunk."""
        if chunk >= len(self._starts):
            return
        with self._opened() as lines:
            lines.seek(self._starts[chunk])
            yield from takewhile(lambda line: line.endswith(b"\n"), islice(lines, skipped, skipped + count))

    def _opened(self) -> BinaryIO:
        with readable(self._file):
            return self._file.open("rb", BUFFER)
