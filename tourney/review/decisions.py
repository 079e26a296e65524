"""The decisions of a run as rows, for those who learn from matches or ask questions of them; docs/export.md."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from tourney.base.errors import ConfigError
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.rng import commitment
from tourney.hosts.notes import Note
from tourney.journal import export, notes
from tourney.journal.run import RunFolder
from tourney.plugins.registry import game_fingerprint, load_game
from tourney.review.analysis.file import read_analysis, require_same_match
from tourney.standings.points import points
from tourney.table.replay import DifferenceError, Replay, does_not_replay, each_in_time

TOGETHER = 200
"""How many rows are in memory at a time, so that a run of any size takes the same; each holds a whole view."""
GROUP = 16 << 20
"""How many bytes of rows a row group of Parquet has, before they are compressed."""
TRAIN, VALID = 0.8, 0.9
"""Deals whose hash, as a share of the largest, is below the first are to train by, and below the second to validate."""


class Column(NamedTuple):
    """A column of the rows."""

    name: str
    kind: type
    """`int`, `float`, `str` or `bool`; `list` for numbers, as many in each row."""
    size: int = 0
    """How many numbers a list has."""


FIXED = (
    Column("match", str),
    Column("game", str),
    Column("block", int),
    Column("round", int),
    Column("deal", str),
    Column("split", str),
    Column("decision", int),
    Column("seat", int),
    Column("bot", str),
    Column("view", str),
    Column("legal", str),
    Column("action", str),
    Column("by_house", bool),
    Column("fault", str),
    Column("points", float),
    Column("place", int),
    Column("score", int),
    Column("loss", float),
    Column("luck", float),
)
"""The columns that all runs have; docs/export.md explains them."""


class DecisionRows:
    """Reads the decisions of a run in the order of its schedule, a tuple each; of any number, few are in memory."""

    def __init__(self, run: RunFolder, game: str | None = None, encode: bool = False, hidden: bool = False) -> None:
        """Takes what is read: of one game or of all, with the encoded views, with what the seat did not see.

        Raises:
            ConfigError: Views are to be encoded, and are of several games or numbers of seats, or their game cannot.
        """
        self._run, self._tournament, self._game, self._hidden = run, run.tournament, game, hidden
        self.plan = run.schedule()
        """The schedule, which notes what is read."""
        self._noted = noted_columns(run.path)
        self._encoded = self._encoding() if encode else ()
        added = [Column("hidden", str)] if hidden else []
        self.columns: tuple[Column, ...] = (*FIXED, *self._noted, *self._encoded, *added)
        self.read = self.matches = 0
        """How many matches were read so far, and how many of them were of the game."""

    def metadata(self) -> dict[str, str]:
        """What a file of the rows says of itself: what encoded the views, and whether hidden cards are in it."""
        found = {"tourney.hidden": "what the seat did not see is in the column hidden"} if self._hidden else {}
        if self._encoded:
            found["tourney.encoder"] = game_fingerprint(self._encoder).sha256
            found["tourney.observation"] = orjson.dumps(self._names).decode()
        return found

    def _encoding(self) -> tuple[Column, ...]:
        found: dict[tuple[str, tuple[str, ...]], Game] = {}
        for setup in self._tournament.setups:
            if self._game in (None, setup.game):
                game = load_game(setup.game)
                try:
                    names = game.encoding(setup.seats, game.options(setup.seats, setup.options))
                except NotImplementedError:
                    raise ConfigError(f"{game.name} does not encode its views; leave that out") from None
                found[game.name, tuple(names)] = game
        if len(found) != 1:
            what = "games, numbers of seats or options"
            raise ConfigError(f"views of several {what} have no one encoding; choose a game, or leave that out")
        (((_, self._names), game),) = found.items()
        self._encoder = game.name
        return Column("observation", list, len(self._names)), Column("action_mask", list, len(game.names))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        noted, analysed = self._run.notes, read_analysis(self._run.path)
        for block, records, _ in self._run.blocks(self.plan):
            self.read += len(records)
            if self._game not in (None, block.setup.game):
                continue
            self.matches += len(records)
            of_block = noted.of(block.number)
            number = self.plan.round_of(block.number)
            for record in records:
                found = of_block.get(record.match)
                costs = {}
                if (analysis := analysed.get(record.match)) is not None:
                    require_same_match(self._run.path, analysis, record)
                    costs = {cost.decision: (cost.loss, cost.luck) for cost in analysis.decisions}
                rows = self._rows(record, number, found.by_decision() if found else {}, costs)
                yield from each_in_time(record, rows, self._tournament.replay_s, 100)

    def _rows(
        self, record: Record, number: int | None, noted: dict[int, Note], costs: dict[int, tuple[float, float]]
    ) -> Iterator[tuple[Any, ...]]:
        game = load_game(record.game)
        deal = commitment(record.seed)
        match = record.match, record.game, record.block, number, deal, split(deal)
        won = points(record.places) if len(record.seats) > 1 else (1.0,)
        ends = list(zip(won, record.places, record.scores, strict=True))
        names = game.names
        said = [(column.name[len(PREFIX) :], column.kind) for column in self._noted]
        try:
            for step in Replay(record, game).steps():
                seat, view = step.seat, step.state.view(step.seat)
                legal = " ".join([names[action] for action in step.legal])
                note = noted.get(step.decision, {})
                yield (
                    *match, step.decision, seat, record.seats[seat], view.as_json().decode(), legal, names[step.action],
                    step.by_house, step.fault and step.fault.kind, *ends[seat],
                    *costs.get(step.decision, (None, None)),
                    *[kind(note[key]) if key in note else None for key, kind in said],
                    *(_encoded(game, view, step.legal) if self._encoded else ()),
                    *((_others(step.state, seat, len(record.seats)),) if self._hidden else ()),
                )  # fmt: skip
        except DifferenceError as difference:
            raise does_not_replay(record, difference) from None


def split(deal: str) -> str:
    """Returns whether a deal is to train, to validate or to test by: all that is played on it stands on one side."""
    share = int(deal[:8], 16) / 2**32
    return "train" if share < TRAIN else "valid" if share < VALID else "test"


PREFIX = "note_"
FRACTIONS = ("value", "cost")
"""The notes that are of floats even where all are whole, so that files of several runs have the same columns."""


def noted_columns(run: Path) -> tuple[Column, ...]:
    """A column for each name that bots have noted something under, sorted; of texts where not all are of one kind."""
    kinds: dict[str, set[type]] = {}
    for match in notes.read(run):
        for *_, note in match.notes:
            for key, value in note.items():
                kinds.setdefault(key, set()).add(type(value))
    for key in kinds.keys() & FRACTIONS:
        kinds[key] = {float}
    return tuple([Column(PREFIX + key, _common(found)) for key, found in sorted(kinds.items())])


def _common(kinds: set[type]) -> type:
    if len(kinds) == 1:
        return kinds.copy().pop()
    return float if kinds == {int, float} else str


def _encoded(game: Game, view: Any, legal: Sequence[int]) -> tuple[list[float], list[int]]:
    mask = [0] * len(game.names)
    for action in legal:
        mask[action] = 1
    return game.encode(view), mask


def _others(state: Any, seat: int, seats: int) -> str:
    """The views of the other seats, by their numbers, as JSON."""
    views = {str(other): orjson.Fragment(state.view(other).as_json()) for other in range(seats) if other != seat}
    return orjson.dumps(views).decode()


def csv_parts(rows: DecisionRows) -> Iterator[str]:
    """The rows as CSV, many at a time; the first part is the line with the names of the columns."""
    return export.csv_parts([column.name for column in rows.columns], rows, TOGETHER)


def json_parts(rows: DecisionRows) -> Iterator[str]:
    """The rows as JSON, an object a line, many at a time; views are objects in it."""
    names = [column.name for column in rows.columns]
    nested = [name in ("view", "hidden") for name in names]
    for part in export.in_parts(rows, TOGETHER):
        lines = []
        for row in part:
            values = [orjson.Fragment(value) if inner else value for value, inner in zip(row, nested, strict=True)]
            lines.append(orjson.dumps(dict(zip(names, values, strict=True)), option=orjson.OPT_APPEND_NEWLINE))
        yield b"".join(lines).decode()


def arrow_parts(rows: DecisionRows) -> Iterator[Any]:
    """The rows as tables of pyarrow, many rows each; at least one, maybe without rows."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    numbers = {"observation": pa.float32(), "action_mask": pa.int8()}
    fields = [
        pa.field(each.name, pa.list_(numbers[each.name], each.size) if each.kind is list else kinds[each.kind])
        for each in rows.columns
    ]
    schema = pa.schema(fields, rows.metadata() or None)
    yield schema.empty_table()
    for part in export.in_parts(rows, TOGETHER):
        cells = zip(fields, zip(*part, strict=True), strict=True)
        yield pa.Table.from_arrays([pa.array(values, field.type) for field, values in cells], schema=schema)


def write_parquet(file: BinaryIO, rows: DecisionRows) -> None:
    """Writes the rows as Parquet to an open file."""
    import pyarrow as pa  # noqa: PLC0415 - an extra
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    parts = arrow_parts(rows)
    schema = next(parts).schema
    unlike = {"view", "hidden", "observation", f"{PREFIX}thought"}
    like = [each.name for each in rows.columns if each.name not in unlike]
    with ParquetWriter(file, schema, compression="zstd", use_dictionary=like, write_statistics=like) as writer:
        group: list[Any] = []
        for part in parts:
            group.append(part)
            if sum([each.nbytes for each in group]) > GROUP:
                writer.write_table(pa.concat_tables(group))
                group = []
        if group:
            writer.write_table(pa.concat_tables(group))
