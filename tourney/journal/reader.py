"""The journal of a run, read and compared with the schedule record by record."""

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import orjson

from tourney import match_results, regular_files, validation
from tourney.errors import ConfigError, RunError
from tourney.journal.folder import JOURNAL, shortened
from tourney.match import Block, Match, Record, is_sealed, result_problem
from tourney.match_results import MatchResult, ResultBatch, ResultReader
from tourney.rng import seed_text
from tourney.schedule.base import NextRecord, Schedule

MAX_LINE = 64 * 1024 * 1024
"""The length of the longest line that is read into memory, in bytes; a longer one is no record."""

MATCHES_AT_ONCE = 200
"""How many matches are read from a journal at a time, rounded up to whole blocks."""
BUFFER = 1 << 17
"""The buffer for reading a journal, in bytes; a line often has several thousand."""


class JournalBlocks(NamedTuple):
    """Consecutive blocks found in a journal; all but the last are complete."""

    batch: ResultBatch
    """The results of the matches, with their lines."""
    parsed: Sequence[Record] | None
    """The records, if the lines had to be parsed in full."""

    @property
    def complete(self) -> bool:
        """Whether every match of the blocks has its record."""
        return len(self.batch.lines) == sum([len(block.seatings) for block in self.batch.blocks])

    def records(self) -> Sequence[Record]:
        """Returns the records of the lines.

        Raises:
            RunError: A line is no record, although what its end says of the result is sound.
        """
        found = match_results.records(self.batch) if self.parsed is None else self.parsed
        if found is not None:
            return found
        matches = [match.id for block in self.batch.blocks for match in block.matches()]
        return [parse_record(line, f"match {match}") for match, line in zip(matches, self.batch.lines, strict=False)]

    def by_block(self) -> "Iterator[JournalBlocks]":
        """Splits the blocks into one `JournalBlocks` per block."""
        if len(self.batch.blocks) == 1:
            yield self
            return
        for batch in self.batch.by_block():
            yield JournalBlocks(batch, None)


def read_batches(folder: Path, schedule: Schedule) -> Iterator[JournalBlocks]:
    """Yields the blocks that the journal of a run has begun, several at a time; only the last may be incomplete.

    A schedule that adapts notes the results of every complete block.

    Raises:
        RunError: A record was changed, or is not the one that the schedule has in its place.
    """
    journal = folder / JOURNAL
    lines = _Lines(folder)
    results = ResultReader()
    number = 0
    blocks = schedule.blocks_from_journal(lines.peek)
    while expected := _next_blocks(blocks, 1 if schedule.adapts else MATCHES_AT_ONCE):
        found = lines.take(sum([len(block.seatings) for block in expected]))
        for some in _read(results, expected, found, journal, number):
            if schedule.adapts and some.complete:
                for block, seats, result in some.batch.matches():
                    schedule.note(block, seats, result.places)
            yield some
            if not some.complete:
                return
        if not found:
            return
        number += len(found)
    if lines.take(1):
        raise RunError(f"{journal}, line {number + 1}: the schedule has no more matches; the journal is damaged")


def read_blocks(folder: Path, schedule: Schedule) -> Iterator[JournalBlocks]:
    """Yields the blocks that the journal of a run has begun, one at a time; see `read_batches`."""
    for some in read_batches(folder, schedule):
        yield from some.by_block()


def read_records(folder: Path, schedule: Schedule) -> Iterator[Record]:
    """Yields the records of a run, compared with its schedule; see `read_batches`."""
    for some in read_batches(folder, schedule):
        yield from some.records()


def read_lines(folder: Path) -> Iterator[bytes]:
    """Yields the complete lines of a run's journal; a torn last line is left out.

    Raises:
        RunError: The journal cannot be read, or a line is longer than any record.
    """
    file = folder / JOURNAL
    number, most = 0, MAX_LINE
    try:
        with regular_files.open_binary(file, BUFFER) as lines:
            while (line := lines.readline(most)).endswith(b"\n"):
                number += 1
                yield line
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None
    if len(line) == most:
        raise RunError(f"{file}, line {number + 1}: is longer than any record; the file is damaged, restore it")


def is_being_written(folder: Path) -> bool:
    """Tells whether a process is playing the run, as it has locked the journal.

    Raises:
        RunError: The journal cannot be read.
    """
    file = folder / JOURNAL
    try:
        with regular_files.open_binary(file) as journal:
            return regular_files.is_locked(journal.fileno())
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None


def parse_sealed_record(line: bytes, location: str) -> Record:
    """Returns the record that a line of the journal holds, after verifying its seal.

    Args:
        line: The line, with its line end.
        location: What an error message begins with, such as the file and the number of the line.

    Raises:
        RunError: The line is no record, or was changed after it was written.
    """
    record = parse_record(line, location)
    if not is_sealed(line):
        raise RunError(f"{location}: was changed after it was written; restore the file, `tourney verify` says more")
    return record


def parse_record(line: bytes, location: str) -> Record:
    """Returns the record that a line of the journal holds, without verifying its seal.

    Raises:
        RunError: The line is no record; the message begins with `location`, unless that is empty.
    """
    problem: str | None
    try:
        record = msgspec.convert(orjson.loads(line), Record)
        validation.refuse_extremes(record.options)
        problem = result_problem(len(record.seats), record.scores, record.places, record.faults)
    except orjson.JSONDecodeError as error:
        problem = f"{error.msg}, at character {error.pos + 1}"
    except (msgspec.ValidationError, ConfigError) as error:
        problem = str(error)
    if problem:
        before = f"{location}: " if location else ""
        raise RunError(f"{before}is no record ({problem}); the file is damaged, restore it")
    return record


def identity_difference(record: Record, match: Match) -> str | None:
    """Returns the first difference between a record and the match that it should be of, or None."""
    pairs = [
        ("match", record.match, match.id),
        ("game", record.game, match.setup.game),
        ("options", record.options, match.setup.options),
        ("block", record.block, match.block),
        ("seed", record.seed, seed_text(match.seed)),
        ("seats", record.seats, match.seats),
    ]
    for key, found, expected in pairs:
        if found != expected:
            return f"{key} is {shortened(found)}, the schedule says {shortened(expected)}"
    return None


def _next_blocks(blocks: Iterator[Block], matches: int) -> list[Block]:
    """Takes the next blocks: as few as have that many matches, or all that are left."""
    found = []
    for block in blocks:
        found.append(block)
        matches -= len(block.seatings)
        if matches <= 0:
            break
    return found


def _read(
    results: ResultReader, blocks: Sequence[Block], lines: Sequence[bytes], journal: Path, number: int
) -> Iterator[JournalBlocks]:
    """Yields the blocks that the lines begin; `number` is that of the last line before them."""
    begun, left = 0, len(lines)
    while left > 0:
        left -= len(blocks[begun].seatings)
        begun += 1
    if not begun:
        return
    batch = results.read(blocks[:begun], lines)
    if batch is not None:
        yield JournalBlocks(batch, None)
        return
    first = 0
    for block in blocks[:begun]:  # one by one, so that the blocks before a damaged one are yielded
        found = lines[first : first + len(block.seatings)]
        batch = results.read((block,), found)
        if batch is not None:
            yield JournalBlocks(batch, None)
        else:
            yield _parsed_in_full(results, block, found, journal, number + first)
        first += len(found)


def _parsed_in_full(
    results: ResultReader, block: Block, lines: Sequence[bytes], journal: Path, number: int
) -> JournalBlocks:
    """Parses every line of a block as a record; `number` is that of the last line before them."""
    records, found = [], []
    for i, (match, line) in enumerate(zip(block.matches(), lines, strict=False), number + 1):
        location = f"{journal}, line {i}"
        record = parse_sealed_record(line, location)
        if difference := identity_difference(record, match):
            raise RunError(f"{location}: {difference}; the journal is damaged or of another tournament")
        records.append(record)
        found.append(MatchResult(record.scores, record.places, record.faults))
    return JournalBlocks(results.add(block, lines, found), records)


class _Lines:
    """The lines of a journal, with a look at the next one."""

    def __init__(self, folder: Path) -> None:
        self._lines = read_lines(folder)
        self._next: bytes | None = None

    def take(self, count: int) -> list[bytes]:
        """Takes the next `count` lines, or all that are left."""
        if self._next is None:
            return list(islice(self._lines, count))
        line, self._next = self._next, None
        return [line, *islice(self._lines, count - 1)]

    def peek(self) -> NextRecord | None:
        """Returns what the next record is of, without taking its line; None at the end."""
        if self._next is None:
            self._next = next(self._lines, None)
        if self._next is None:
            return None
        try:
            record = parse_record(self._next, "the line")
        except RunError:
            return NextRecord((), "")
        return NextRecord(record.seats, record.seed)
