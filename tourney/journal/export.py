"""Exports: one match as a JSON file, all matches of a run as a table.

A match file is enough to replay the match wherever its game is installed; docs/data-formats.md explains its keys.
Reading it verifies its record; `check_trace` verifies that the installed rules reproduce the match.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar, NamedTuple, get_args, get_type_hints

import msgspec
import orjson

from tourney.base import validation
from tourney.base.errors import ConfigError, RunError
from tourney.base.sheet import BATCH, csv_parts, in_parts
from tourney.contracts.game import Game
from tourney.contracts.match import Record, distinct_names, is_sealed
from tourney.journal.reader import parse_record
from tourney.journal.run import RunFolder
from tourney.journal.told import Told
from tourney.plugins import entry_points
from tourney.standings.points import points
from tourney.table.replay import trace

VERSION = 1
"""Format version, the file's `tourney_match` key."""
EXPORT_AGAIN = "export it again with `tourney export`"


class Pin(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision of a match file that bots are asked again, and the answers that pass."""

    decision: Annotated[int, msgspec.Meta(ge=1)]
    run: str = ""
    """The folder of the run, for the command that opens the decision; empty if a person made it."""
    never: tuple[str, ...] = ()
    """The actions that fail."""
    only: tuple[str, ...] = ()
    """The actions that pass; empty for all legal ones but those of `never`."""
    why: str = ""
    times: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 1
    """How often the bot is asked, with another rng each time."""
    share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    """The share of the answers that must pass."""


class MatchFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """A match as a file, with the keys in this order."""

    tourney_match: Annotated[int, msgspec.Meta(ge=1, le=VERSION)]
    tourney: str
    game: str
    rules: str
    options: dict[str, Any]
    seats: tuple[str, ...]
    names: tuple[str, ...]
    record: Record
    trace: list[dict[str, Any]]
    pin: Pin | None = None


def match_file(
    record: Record, game: Game, names: tuple[str, ...] = (), rules: str = "", pin: Pin | None = None
) -> MatchFile:
    """A match as a file; `names` are its block's bots, `rules` is the hash of the game's source."""
    events = list(map(validation.plain, trace(record, game, names)))
    return MatchFile(
        VERSION,
        entry_points.own_version(),
        record.game,
        rules,
        events[0]["options"],
        record.seats,
        names or distinct_names(record.seats),
        record,
        events,
        pin,
    )


def file_of(run: RunFolder, record: Record, game: Game, pin: Pin | None = None) -> MatchFile:
    """A match of a run as a file."""
    rules = run.manifest.get("games", {}).get(record.game, {}).get("sha256", "")
    return match_file(record, game, run.plan.block_names(record.seats), rules, pin)


def as_json(match: MatchFile) -> str:
    """The file's text: JSON with one key or trace event per line."""
    data = msgspec.structs.asdict(match)
    events = data.pop("trace")
    if match.pin is None:
        del data["pin"]
    else:
        data["pin"] = msgspec.to_builtins(match.pin)
    data["record"] = orjson.Fragment(match.record.line().rstrip(b"\n"))
    lines = [f"{_text(key)}:{_text(value)}," for key, value in data.items()]
    return "\n".join(["{", *lines, '"trace":[', ",\n".join(map(_text, events)), "]}", ""])


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def read_match_file(path: Path) -> MatchFile:
    """Reads a match file and verifies its record's checksum."""
    try:
        data = orjson.loads(path.read_bytes())
    except OSError as error:
        raise RunError(f"cannot read {path} ({error.strerror}); give a match file") from None
    except orjson.JSONDecodeError as error:
        raise RunError(f"{path}: invalid JSON ({error}); expected a file written by `tourney export`") from None
    if not isinstance(data, dict) or "tourney_match" not in data:
        raise RunError(f'{path}: no key "tourney_match"; expected a file written by `tourney export`')
    version = data["tourney_match"]
    if isinstance(version, int) and version > VERSION:
        raise RunError(f"{path}: format version {version} is not supported (newest: {VERSION}); upgrade tourney")
    try:
        file = msgspec.convert(data, MatchFile)
    except msgspec.ValidationError as error:
        raise RunError(f"{path}: invalid match file ({error}); {EXPORT_AGAIN}") from None
    record = parse_record(file.record.line(), f"{path}: record")
    if not is_sealed(record.line()):
        raise RunError(f"{path}: checksum mismatch in its record; {EXPORT_AGAIN}")
    if (file.game, file.seats) != (record.game, record.seats) or not set(record.seats) <= set(file.names):
        raise RunError(f"{path}: invalid match file (game or seats differ from its record); {EXPORT_AGAIN}")
    return file


def check_trace(path: Path, match: MatchFile, game: Game) -> None:
    """Verifies that the installed rules reproduce a file's trace from its record."""
    expected = map(validation.plain, trace(match.record, game, match.names))
    for number, (event, recorded) in enumerate(zip_longest(expected, match.trace), 1):
        if event != recorded:
            raise RunError(
                f"{path}: trace event {number} differs from what {match.game} makes of the record; the file or the "
                f"rules changed: {EXPORT_AGAIN}, or install the version of the game that played it"
            )


def schema_text() -> str:
    """The JSON Schema of match files as indented JSON."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(MatchFile)}
    text = orjson.dumps(schema, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()
    text = text.replace(r"\n    ", r"\n")  # as Python 3.13 has the lines of docstrings
    return text.replace(r"\\A", "^").replace(r"\\Z", "$")  # Python's own; every validator knows these


GROUP = 16 << 20
"""Uncompressed bytes of rows per Parquet row group."""


class DataColumn(NamedTuple):
    """A column of exported rows."""

    name: str
    kind: type
    """`int`, `float`, `str` or `bool`; `list` for a fixed number of numbers."""
    size: int = 0
    varies: bool = False
    """Whether most values differ, so a dictionary would not save space."""


class DataRows:
    """Any number of rows, few in memory; each may be unknown in every column."""

    columns: tuple[DataColumn, ...]
    matches = 0
    together: ClassVar[int] = BATCH

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        raise NotImplementedError

    def metadata(self) -> dict[str, str]:
        """Metadata for a file of the rows."""
        return {}

    def csv_parts(self) -> Iterator[str]:
        """The rows as CSV; the first part is the header."""
        return csv_parts([column.name for column in self.columns], self, self.together)

    def arrow_parts(self) -> Iterator[Any]:
        """The rows as pyarrow tables of many rows each; at least one, possibly empty."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
        numbers = {"observation": pa.float32(), "action_mask": pa.int8()}
        fields = [
            pa.field(each.name, pa.list_(numbers[each.name], each.size) if each.kind is list else kinds[each.kind])
            for each in self.columns
        ]
        schema = pa.schema(fields, self.metadata() or None)
        yield schema.empty_table()
        for part in in_parts(self, self.together):
            cells = zip(fields, zip(*part, strict=True), strict=True)
            yield pa.Table.from_arrays([pa.array(values, field.type) for field, values in cells], schema=schema)

    def write_parquet(self, file: BinaryIO) -> None:
        """Writes the rows as Parquet to an open file."""
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

        parts = self.arrow_parts()
        schema, group = next(parts).schema, list[Any]()
        like = [each.name for each in self.columns if not each.varies]
        with ParquetWriter(file, schema, compression="zstd", use_dictionary=like, write_statistics=like) as writer:
            for part in chain(parts, [None]):
                if group and (part is None or sum([each.nbytes for each in group]) > GROUP):
                    writer.write_table(pa.concat_tables(group))
                    group = []
                group.append(part)


def require_parquet() -> None:
    """Raises a `ConfigError` if pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise ConfigError("Parquet requires pyarrow; install it with: pip install 'tourney-cards[parquet]'")


class SeatRow(NamedTuple):
    """A seat in a match. The fields are the columns in docs/data-formats.md; new ones go at the end."""

    match: str
    game: str
    options: str
    block: int
    round: int | None
    seed: str
    seats: int
    decisions: int
    seat: int
    bot: str
    score: int
    place: int
    points: float
    fault: str | None
    fault_decision: int | None


class SeatRows(DataRows):
    """Reads a run's rows in schedule order."""

    columns = tuple([
        DataColumn(name, kind if isinstance(kind, type) else get_args(kind)[0])
        for name, kind in get_type_hints(SeatRow).items()
    ])  # fmt: skip

    def __init__(self, run: RunFolder) -> None:
        """While a run's seeds are secret, the rows contain a commitment instead of the seed."""
        self._run = run
        self.plan = run.schedule()
        """The schedule, which notes the records read."""
        self._told = Told([run], asked=["seeds"])

    def __iter__(self) -> Iterator[SeatRow]:
        for block, records, *_ in self._run.blocks(self.plan):
            number, options = self.plan.round_of(block.number), orjson.dumps(block.setup.options).decode()
            for record in records:
                faults = {fault.seat: fault for fault in record.faults}
                seats, seed = len(record.seats), self._told.seed(record.seed)
                won = points(record.places) if seats > 1 else (1.0,)
                for seat, bot in enumerate(record.seats):
                    fault = faults.get(seat)
                    yield SeatRow(
                        record.match, record.game, options, record.block, number, seed, seats, record.decisions,
                        seat, bot, record.scores[seat], record.places[seat], won[seat],
                        None if fault is None else fault.kind, None if fault is None else fault.decision,
                    )  # fmt: skip
            self.matches += len(records)
