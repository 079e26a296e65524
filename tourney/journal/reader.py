"""A run's journal, read and compared with the schedule record by record."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from sys import maxsize
from typing import Generic, NamedTuple, TypeVar

from tourney.base import files as regular_files
from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.contracts.match import Block, Match, Record, RecordedResult, is_sealed, match_name, result_problem
from tourney.contracts.rng import seed_text
from tourney.journal.folder import BUFFER, JOURNAL, read_lines, readable, shortened
from tourney.journal.lines import Lines
from tourney.schedule.base import Schedule, ScheduleSize
from tourney.schedule.seatings import seating_count

Recorded = TypeVar("Recorded", bound=Record | RecordedResult)
_NAME = re.compile(rb'\{"match":"[^"]*-([0-9]{1,18})-([0-9]{1,18})"')


def _problem(record: Record | RecordedResult) -> str | None:
    return result_problem(len(record.seats), record.scores, record.places, record.faults)


RECORDS = Lines(JOURNAL, Record, "a record", "restore the file from a backup", is_sealed, _problem)
_RESULTS = Lines(JOURNAL, RecordedResult, "a record", "restore the file from a backup", is_sealed, _problem)


class JournalBlock(NamedTuple, Generic[Recorded]):
    """A block in a journal, with its records' lines; the last block may be incomplete."""

    block: Block
    records: Sequence[Recorded]
    lines: Sequence[bytes]
    voided: bool = False
    """Whether it does not count."""

    @property
    def complete(self) -> bool:
        """Whether every match of the block has its record."""
        return len(self.records) == len(self.block.seatings)


def read_blocks(folder: Path, schedule: Schedule, until: int | None = None) -> Iterator[JournalBlock[Record]]:
    """The blocks in a run's journal before `until`; only the last may be incomplete.

    An adaptive schedule notes the results of every complete block.
    """
    return _read_blocks(folder, schedule, RECORDS, until)


def read_results(folder: Path, schedule: Schedule, until: int | None = None) -> Iterator[JournalBlock[RecordedResult]]:
    """The blocks of `read_blocks`, without the actions."""
    return _read_blocks(folder, schedule, _RESULTS, until)


def _read_blocks(
    folder: Path, schedule: Schedule, kind: Lines[Recorded], until: int | None
) -> Iterator[JournalBlock[Recorded]]:
    journal = f"{folder / JOURNAL}, line "
    lines, parse = read_lines(folder), kind.parse
    number = following = 0
    blocks = schedule.blocks()
    for first in lines:  # before the next block, so that no round without records is paired
        if following == until:
            return
        if (block := next(blocks, None)) is None:
            raise RunError(f"{journal}{number + 1}: the schedule has no more matches; the journal is damaged")
        following = block.number + 1
        block_lines = [first, *islice(lines, len(block.seatings) - 1)]
        game, options, of_block, seed = block.setup.game, block.setup.options, block.number, seed_text(block.seed)
        records = []
        for i, (seats, line) in enumerate(zip(block.seatings, block_lines, strict=False)):
            number += 1
            record = parse(line, journal, number)
            identity = record.match, record.game, record.options, record.block, record.seed, record.seats
            if identity != (match_name(game, of_block, i), game, options, of_block, seed, seats):
                difference = identity_difference(record, block.matches()[i])
                raise RunError(f"{journal}{number}: {difference}; the journal is damaged, or from another tournament")
            records.append(record)
        some = JournalBlock(block, records, block_lines, of_block in schedule.voided)
        if schedule.adapts and some.complete:
            for record in records:
                schedule.add(record)
        yield some
        if not some.complete:
            return


def last_line(folder: Path, name: str = JOURNAL, end: int | None = None) -> bytes:
    """The last complete line of a run's journal, or of another file, before the byte `end`; empty if there is none."""
    file = folder / name
    with readable(file), file.open("rb") as lines:
        end, tail = lines.seek(0, os.SEEK_END) if end is None else end, b""
        while end and tail.count(b"\n") < 2:
            lines.seek(begin := max(0, end - BUFFER))
            end, tail = begin, lines.read(end - begin) + tail
    return b"".join(tail[: tail.rfind(b"\n") + 1].splitlines(keepends=True)[-1:])


def lines_from(folder: Path, block: int, seating: int = 0, name: str = JOURNAL, end: int = maxsize) -> Iterator[bytes]:
    """The complete lines before the byte `end` from a match on, of a run's journal or another file of its matches.

    The first is found by bisection; it belongs to a later match if there is none of this one.
    """
    file = folder / name
    with readable(file), file.open("rb", BUFFER) as lines:
        low, high = 0, min(end, lines.seek(0, os.SEEK_END))  # lines before low are earlier, those from high on are not
        while low < high:
            middle = (low + high) // 2
            lines.seek(max(low, middle - 1))
            if middle > low:
                lines.readline()  # up to the first line that starts at the middle or later
            begin, line = lines.tell(), lines.readline()
            place = place_of(line) if begin < high and line.endswith(b"\n") else None
            if place is None or place >= (block, seating):
                high = middle
            else:
                low = begin + len(line)
        lines.seek(low)
        for line in lines:
            low += len(line)
            if low > end or not line.endswith(b"\n"):
                return
            yield line


def line_of(folder: Path, match: str, name: str = JOURNAL, until: int | None = None, end: int = maxsize) -> bytes:
    """The line of a match, by its full name, before the block `until` and the byte `end`; empty if there is none."""
    start, place = _start_of(match)
    if place is None or (until is not None and place[0] >= until):
        return b""
    line = next(lines_from(folder, *place, name, end), b"")
    return line if line.startswith(start) else b""


def lines_of_block(folder: Path, match: str, until: int | None = None, end: int = maxsize) -> list[bytes]:
    """The lines of a match's block, the match's own first, then the later ones, then the earlier; see `line_of`."""
    start, place = _start_of(match)
    block, seating = place or (-1, 0)
    if block < 0 or (until is not None and block >= until):
        return []
    lines = list(block_lines(lines_from(folder, block, end=end), block))
    lines = lines[seating:] + lines[:seating]
    return lines if lines and lines[0].startswith(start) else []


def _start_of(match: str) -> tuple[bytes, tuple[int, int] | None]:
    """How the lines of a match start, and its place; None if it cannot be a match's name."""
    start = f'{{"match":"{match}"'.encode()
    return start, place_of(start) if _NAME.fullmatch(start) else None


def block_lines(lines: Iterator[bytes], block: int) -> Iterator[bytes]:
    """The first of the lines, up to one that is not of the block."""
    return takewhile(lambda line: (place_of(line) or (-1, 0))[0] == block, lines)


def seats_from(folder: Path, block: int) -> Iterator[tuple[str, ...]]:
    """The seats of the first match of each block from a block on, up to the first that is missing or damaged."""
    for line in lines_from(folder, block):
        place = place_of(line) or (-1, 0)
        if place == (block, 0):
            with suppress(RunError):  # reported when it is read
                yield _RESULTS.parse(line, "").seats
            block += 1
        elif place[0] != block - 1:
            return


def place_of(line: bytes) -> tuple[int, int] | None:
    """A line's block number and its match's index in that block; None if it does not start with a match."""
    name = _NAME.match(line)
    return (int(name[1]), int(name[2])) if name else None


def league_size(league: Path, tournament: Tournament, last: bytes | None = None) -> ScheduleSize:
    """The number of complete blocks and of matches in a league's journal, from its last line."""
    last = last_line(league) if last is None else last
    if not last:
        return ScheduleSize(0, 0)
    parse_sealed_record(last, f"{league / JOURNAL}, last line")
    of_a_block = seating_count(tournament.seatings, tournament.setups[0].seats)
    block, seating = place_of(last) or (0, 0)
    matches = of_a_block * block + seating + 1
    return ScheduleSize(matches // of_a_block, matches)


def length(folder: Path) -> int:
    """The length of a run's journal in bytes."""
    file = folder / JOURNAL
    with readable(file):
        return file.stat().st_size


def is_being_written(folder: Path) -> bool:
    """Whether a process is playing the run: it then locks the journal."""
    file = folder / JOURNAL
    with readable(file), file.open("rb") as journal:
        return regular_files.is_locked(journal.fileno())


parse_sealed_record = RECORDS.parse


def parse_record(line: bytes, location: str) -> Record:
    """A journal line's record, without verifying its seal."""
    return RECORDS.parse(line, location, verifies=False)


def identity_difference(record: Record | RecordedResult, match: Match) -> str | None:
    """The first difference between a record and its expected match, or None."""
    expected = match.id, match.setup.game, match.setup.options, match.block, seed_text(match.seed), match.seats
    for key, value in zip(("match", "game", "options", "block", "seed", "seats"), expected, strict=True):
        if (recorded := getattr(record, key)) != value:
            return f"{key}: expected {shortened(value)}, got {shortened(recorded)}"
    return None
