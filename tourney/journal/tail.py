"""A growing file of lines of matches, followed so that lines are found again without reading all of it."""

import os
from array import array
from collections.abc import Sequence
from itertools import islice, takewhile
from pathlib import Path
from threading import Lock
from typing import BinaryIO

import orjson

from tourney.journal.folder import BUFFER, JOURNAL, readable
from tourney.journal.reader import parse_record, place_of
from tourney.standings.points import points

AT_ONCE = 1000


class JournalTail:
    """A run's journal, or another file of its matches, up to the last `read`."""

    def __init__(self, run: Path, name: str = JOURNAL, until: int | None = None) -> None:
        """Lines of the block `until` and of later ones are never read."""
        self._file, self._until = run / name, until
        self._lock = Lock()
        self._begin(0)

    def _begin(self, inode: int) -> None:
        self._inode = inode
        self._ends = array("Q", [0])  # of the lines; the first starts at 0
        self._points: dict[str, tuple[float, int]] = {}
        self._counted = 0  # lines with known points

    @property
    def matches(self) -> int:
        """How many complete lines were read."""
        return len(self._ends) - 1

    def read(self) -> None:
        """Reads added lines, or all lines if the file was replaced."""
        with self._lock, self._opened() as lines:
            status = os.fstat(lines.fileno())
            if status.st_ino != self._inode or status.st_size < self._ends[-1]:
                self._begin(status.st_ino)
            lines.seek(self._ends[-1])
            for line in takewhile(lambda line: line.endswith(b"\n"), lines):
                if self._until is not None and (place_of(line) or (0,))[0] >= self._until:
                    return
                self._ends.append(self._ends[-1] + len(line))

    def points(self) -> dict[str, tuple[float, int]]:
        """The points of each entrant, and its number of matches, in the lines read."""
        with self._lock:
            while some := self.lines(self._counted, self._counted + AT_ONCE):
                for line in some:
                    self._count(line)
                self._counted += len(some)
            return self._points

    def _count(self, line: bytes) -> None:
        record = parse_record(line, str(self._file))
        shares = points(record.places) if len(record.places) > 1 else (0.0,)
        for name, got in zip(record.seats, shares, strict=True):
            total, count = self._points.get(name, (0.0, 0))
            self._points[name] = total + got, count + 1

    def of(self, bot: str) -> list[int]:
        """The numbers of the lines with a bot in a seat, counted from 0."""
        name = orjson.dumps(bot)
        with self._opened() as file:
            seats = [line.partition(b'"seats":')[2].partition(b'"actions":')[0] for line in islice(file, self.matches)]
        return [number for number, line in enumerate(seats) if name in line]

    def lines(self, first: int, last: int) -> list[bytes]:
        """The lines from number `first`, counted from 0, up to but excluding `last`, if read."""
        return self.lines_at(range(max(first, 0), min(last, self.matches)))

    def lines_at(self, numbers: Sequence[int]) -> list[bytes]:
        """The lines of these numbers, which were read."""
        if not numbers:
            return []
        lines = []
        with self._opened() as file:
            for number in numbers:
                file.seek(self._ends[number])
                lines.append(file.read(self._ends[number + 1] - self._ends[number]))
        return lines

    def _opened(self) -> BinaryIO:
        with readable(self._file):
            return self._file.open("rb", BUFFER)
