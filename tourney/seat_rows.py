"""The matches of a run as rows, one for each seat, for tables elsewhere: CSV, Parquet, data frames."""

import csv
import io
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from tourney.errors import ConfigError
from tourney.journal.reader import read_blocks
from tourney.schedule.base import Schedule
from tourney.stats.points import points

TOGETHER = 10_000
"""How many rows are written at a time, so that a run of any size takes the same memory."""


class SeatRow(NamedTuple):
    """A seat in a match. The fields are the columns, in this order; new ones are added at the end."""

    match: str
    """The name of the match, as `tourney replay` takes it."""
    game: str
    options: str
    """The game's options that differ from their defaults, as JSON."""
    block: int
    """The number of the block: the matches of a block are played on one deal."""
    round: int | None
    """The number of the round, from 1; none where the format has no rounds."""
    seed: str
    """The seed of the deal, 32 hexadecimal digits."""
    seats: int
    """How many seats the match has."""
    decisions: int
    """How many decisions the match has, over all seats."""
    seat: int
    """The number of the seat, from 0."""
    bot: str
    """The name of the entrant in the seat."""
    score: int
    """What the seat scored, in the units of the game; higher is better."""
    place: int
    """The place of the seat; 1 is the best, and equal seats share the better one."""
    points: float
    """1 for a sole first place down to 0 for the last."""
    fault: str | None
    """The kind of the fault of the bot in this seat, `out` if it was disqualified before; none if it made none."""
    fault_decision: int | None
    """The decision at which it made the fault, counted from 1 over all seats; 0 for `out`."""


class SeatRows:
    """Reads the rows of a run in the order of its schedule."""

    def __init__(self, run: Path, schedule: Schedule) -> None:
        """Reads nothing yet."""
        self._run = run
        self._schedule = schedule
        self.matches = 0
        """How many matches were read so far."""

    def __iter__(self) -> Iterator[SeatRow]:
        """Reads the journal."""
        for block, records, _ in read_blocks(self._run, self._schedule):
            number, options = self._schedule.round_of(block.number), orjson.dumps(block.setup.options).decode()
            for record in records:
                faults = {fault.seat: fault for fault in record.faults}
                seats = len(record.seats)
                won = points(record.places) if seats > 1 else (1.0,)
                for seat, bot in enumerate(record.seats):
                    fault = faults.get(seat)
                    yield SeatRow(
                        record.match, record.game, options, record.block, number, record.seed, seats, record.decisions,
                        seat, bot, record.scores[seat], record.places[seat], won[seat],
                        None if fault is None else fault.kind, None if fault is None else fault.decision,
                    )  # fmt: skip
            self.matches += len(records)


def _parts(rows: Iterator[SeatRow]) -> Iterator[Sequence[SeatRow]]:
    """Yields the rows, many at a time."""
    while part := list(islice(rows, TOGETHER)):
        yield part


def csv_parts(rows: SeatRows) -> Iterator[str]:
    """Yields the rows as CSV, many at a time; the first part begins with the names of the columns."""
    head: Sequence[Any] = [SeatRow._fields]
    for part in _parts(iter(rows)):
        yield _csv([*head, *part])
        head = ()
    if head:
        yield _csv(head)


def _csv(lines: Sequence[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def require_parquet() -> None:
    """Raises a `ConfigError` if what writes Parquet is not installed."""
    if find_spec("pyarrow") is None:
        raise ConfigError("Parquet needs pyarrow; install it by: pip install 'tourney-cards[parquet]'")


def write_parquet(file: BinaryIO, rows: SeatRows) -> None:
    """Writes the rows as Parquet to an open file."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), str | None: pa.string(), int | None: pa.int64()}
    fields = [
        pa.field(name, kinds[kind], nullable=kind not in (str, int, float))
        for name, kind in SeatRow.__annotations__.items()
    ]
    schema = pa.schema(fields)
    with ParquetWriter(file, schema, compression="zstd") as writer:
        for part in _parts(iter(rows)):
            columns = [
                pa.array(column, field.type) for column, field in zip(zip(*part, strict=True), fields, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))
