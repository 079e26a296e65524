"""The decisions of a run as rows, for machine learning and queries; see docs/data-formats.md."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import orjson

from tourney.base.errors import ConfigError, GameError
from tourney.base.sheet import in_parts
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.rng import commitment
from tourney.contracts.view import VALUES
from tourney.hosts.base import BotHost
from tourney.hosts.notes import Note
from tourney.journal import notes
from tourney.journal.export import DataColumn, DataRows
from tourney.journal.run import RunFolder
from tourney.journal.told import Told
from tourney.plugins.registry import game_fingerprint, load_game
from tourney.review.analysis.file import read_analysis, require_same_match
from tourney.standings.points import points
from tourney.table.replay import Replay, each_in_time, replayable

if TYPE_CHECKING:
    from tourney.runner.pool.ordered import OrderedPool
    from tourney.runner.pool.worker import Player

TRAIN, VALID = 0.8, 0.9
"""Deals with a hash, as a share of the largest, below the first are for training, below the second for validation."""
FIXED = (
    DataColumn("match", str),
    DataColumn("game", str),
    DataColumn("block", int),
    DataColumn("round", int),
    DataColumn("deal", str),
    DataColumn("split", str),
    DataColumn("decision", int),
    DataColumn("seat", int),
    DataColumn("bot", str),
    DataColumn("view", str, varies=True),
    DataColumn("legal", str),
    DataColumn("action", str),
    DataColumn("by_house", bool),
    DataColumn("fault", str),
    DataColumn("points", float),
    DataColumn("place", int),
    DataColumn("score", int),
    DataColumn("loss", float),
    DataColumn("luck", float),
    DataColumn("added", str),
)


class MatchToRead(NamedTuple):
    """A match with everything that its rows contain besides its replay."""

    record: Record
    round: int | None
    noted: dict[int, Note]
    costs: dict[int, tuple[float, float]]


Row: TypeAlias = tuple[Any, ...]
ReadMatches: TypeAlias = Callable[[Iterator[MatchToRead]], Iterator[Row]]
"""The rows of matches, in order."""


class DecisionReader:
    """Replays matches to rows, here or in a pool's workers."""

    asks_bots = False

    def __init__(
        self, said: Sequence[tuple[str, type]], full: bool, encode: bool, hidden: bool, limit_s: float
    ) -> None:
        self._said, self._full, self._encode, self._hidden, self._limit_s = said, full, encode, hidden, limit_s

    def perform(self, item: MatchToRead, makers: Mapping[str, BotHost], player: "Player") -> bytes:
        """The match's rows as lines of JSON."""
        lines = []
        for row in self.rows(item):
            player.report_alive()
            lines.append(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        return b"".join(lines)

    def game_error(self, item: MatchToRead, why: str) -> GameError:
        """The error of a game that does not return while it replays the match."""
        record = item.record
        return GameError(f'game "{record.game}" does not end while replaying {record.match}: {why}', record.game)

    def rows(self, item: MatchToRead) -> Iterator[Row]:
        """The match's rows; bounds the time of the game's code."""
        return each_in_time(item.record, self._rows(*item), self._limit_s, 100)

    def _rows(
        self, record: Record, number: int | None, noted: dict[int, Note], costs: dict[int, tuple[float, float]]
    ) -> Iterator[tuple[Any, ...]]:
        game = load_game(record.game)
        deal = commitment(record.seed)
        match = record.match, record.game, record.block, number, deal, split(deal)
        won = points(record.places) if len(record.seats) > 1 else (1.0,)
        ends = list(zip(won, record.places, record.scores, strict=True))
        names = game.names
        known: dict[int, dict[str, bytes]] = {}  # each seat's last view
        with replayable(record):
            for step in Replay(record, game).steps():
                seat, view = step.seat, step.state.view(step.seat)
                legal = " ".join([names[action] for action in step.legal])
                note, added = noted.get(step.decision, {}), list[str]()
                text = view.as_json()
                if not self._full:
                    before, known[seat] = known.get(seat, {}), _values(text)
                    text = _news(known[seat], before, added)
                yield (
                    *match, step.decision, seat, record.seats[seat], text.decode(), legal, names[step.action],
                    step.by_house, step.fault and step.fault.kind, *ends[seat],
                    *costs.get(step.decision, (None, None)), " ".join(added),
                    *[kind(note[key]) if key in note else None for key, kind in self._said],
                    *(_encoded(game, view, step.legal) if self._encode else ()),
                    *((_others(step.state, seat, len(record.seats)),) if self._hidden else ()),
                )  # fmt: skip


def in_workers(pool: "OrderedPool", matches: Iterator[MatchToRead]) -> Iterator[Row]:
    """Reads matches in the workers of a pool whose performer is a `DecisionReader`."""
    for played in pool.play(matches):
        yield from [] if played is None else map(tuple, map(orjson.loads, played.lines.splitlines()))


class DecisionRows(DataRows):
    """The decisions of a run in schedule order, one tuple each, few in memory."""

    together = 200  # each contains a whole view

    def __init__(
        self, run: RunFolder, game: str | None = None, encode: bool = False, hidden: bool = False,
        told: Told | None = None, view: Literal["new", "full"] = "new",
    ) -> None:  # fmt: skip
        """Selects the rows: of one game or all, with encoded views, with the cards hidden from the seat.

        Without `told`, the organiser reads the rows. With the view "new", its lists of events contain only what was
        added since the seat's last decision in the match.

        Raises:
            ConfigError: The views cannot be encoded, or belong to several games or numbers of seats.
        """
        self._run, self._tournament, self._game, self._hidden = run, run.tournament, game, hidden
        self.plan = run.schedule()  # the schedule, which notes the records read
        self._told = told or Told([run], "organiser")
        self._noted = noted_columns(run.path) if self._told.has("notes") else ()
        self._encoded = self._encoding() if encode else ()
        added = [DataColumn("hidden", str, varies=True)] if hidden else []
        self.columns: tuple[DataColumn, ...] = (*FIXED, *self._noted, *self._encoded, *added)
        self.read = self.matches = 0  # the number of matches read, and how many of them belong to the game
        said = [(column.name[len(PREFIX) :], column.kind) for column in self._noted]
        self.reader = DecisionReader(said, view == "full", encode, hidden, self._tournament.replay_s)
        self.read_matches: ReadMatches = lambda matches: chain.from_iterable(map(self.reader.rows, matches))

    def metadata(self) -> dict[str, str]:
        """Metadata of a file of the rows: the encoder of the views, and whether hidden cards are included."""
        texts = {"tourney.hidden": "what the seat did not see is in the column hidden"} if self._hidden else {}
        if self._encoded:
            texts["tourney.encoder"] = game_fingerprint(self._encoder).sha256
            texts["tourney.observation"] = orjson.dumps(self._names).decode()
        return texts

    def _encoding(self) -> tuple[DataColumn, ...]:
        games: dict[tuple[str, tuple[str, ...]], Game] = {}
        for setup in self._tournament.setups:
            if self._game in (None, setup.game):
                game = load_game(setup.game)
                try:
                    names = game.encoding(setup.seats, game.options(setup.seats, setup.options))
                except NotImplementedError:
                    raise ConfigError(f"{game.name} does not encode its views") from None
                games[game.name, tuple(names)] = game
        if len(games) != 1:
            what = "games, numbers of seats or options"
            raise ConfigError(f"views of several {what} have no common encoding; choose a game")
        (((_, self._names), game),) = games.items()
        self._encoder = game.name
        observation = DataColumn("observation", list, len(self._names), varies=True)
        return observation, DataColumn("action_mask", list, len(game.names))

    def __iter__(self) -> Iterator[Row]:
        return self.read_matches(self._matches())

    def _matches(self) -> Iterator[MatchToRead]:
        noted, analysed = self._run.notes, read_analysis(self._run.path)
        for block, records, *_ in self._run.blocks(self.plan):
            self.read += len(records)
            if self._game not in (None, block.setup.game):
                continue
            self.matches += len(records)
            of_block = noted.of(block.number)
            number = self.plan.round_of(block.number)
            for record in records:
                match_notes = of_block.get(record.match)
                costs = {}
                if (analysis := analysed.get(record.match)) is not None:
                    require_same_match(self._run.path, analysis, record)
                    costs = {cost.decision: (cost.loss, cost.luck) for cost in analysis.decisions}
                yield MatchToRead(record, number, match_notes.by_decision() if match_notes else {}, costs)


def _values(view: bytes) -> dict[str, bytes]:
    return {key: bytes(raw) for key, raw in VALUES.decode(view).items()}


def _news(view: Mapping[str, bytes], before: Mapping[str, bytes], added: list[str], path: str = "") -> bytes:
    """The view's JSON with only the new items of each list of events that continues; adds its path to `added`."""
    new = {}
    for key, value in view.items():
        last, text = before.get(key, b""), value
        if value[:1] == last[:1] == b"{":
            text = _news(_values(value), _values(last), added, f"{path}{key}.")
        elif last.startswith(b"[{") and value.startswith(last[:-1]) and value[len(last) - 1] in b",]":
            text = b"[" + value[len(last) - 1 :].removeprefix(b",")
            added.append(path + key)
        new[key] = orjson.Fragment(text)
    return orjson.dumps(new)


def split(deal: str) -> str:
    """Whether a deal is for training, validation or testing, the same for all its matches."""
    share = int(deal[:8], 16) / 2**32
    return "train" if share < TRAIN else "valid" if share < VALID else "test"


PREFIX = "note_"


def noted_columns(run: Path) -> tuple[DataColumn, ...]:
    """A column for each note name, sorted; numbers are floats, so files of several runs have the same columns.

    A text column has values of several kinds.
    """
    kinds: dict[str, set[type]] = {}
    for match in notes.read(run):
        for *_, note in match.notes:
            for key, value in note.items():
                kinds.setdefault(key, set()).add(type(value))
    return tuple([
        DataColumn(PREFIX + key, _common(types), varies=key == "thought") for key, types in sorted(kinds.items())
    ])  # fmt: skip


def _common(kinds: set[type]) -> type:
    return bool if kinds == {bool} else float if str not in kinds else str


def _encoded(game: Game, view: Any, legal: Sequence[int]) -> tuple[list[float], list[int]]:
    mask = [0] * len(game.names)
    for action in legal:
        mask[action] = 1
    return game.encode(view), mask


def _others(state: Any, seat: int, seats: int) -> str:
    views = {str(other): orjson.Fragment(state.view(other).as_json()) for other in range(seats) if other != seat}
    return orjson.dumps(views).decode()


def json_parts(rows: DecisionRows) -> Iterator[str]:
    """The rows as JSON, one object per line, many at a time, with views as nested objects."""
    names = [column.name for column in rows.columns]
    nested = [name in ("view", "hidden") for name in names]
    for part in in_parts(rows, rows.together):
        lines = []
        for row in part:
            values = [orjson.Fragment(value) if inner else value for value, inner in zip(row, nested, strict=True)]
            lines.append(orjson.dumps(dict(zip(names, values, strict=True)), option=orjson.OPT_APPEND_NEWLINE))
        yield b"".join(lines).decode()
