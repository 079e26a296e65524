"""A recorded match, step by step."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from tourney.contracts.game import Game, State, View
from tourney.contracts.match import Fault, Record
from tourney.hosts.notes import Note
from tourney.journal.export import require_parquet
from tourney.journal.search import seats_of
from tourney.plugins.registry import load_game
from tourney.review.decisions import DecisionRows
from tourney.table import replay
from tourney.table.replay import Replay


class Decision(NamedTuple):
    """One decision of a match: view, legal actions and choice."""

    step: int
    """The number of the decision, counted from 1 over all seats."""
    seat: int
    bot: str
    view: View
    """The seat's view."""
    legal: tuple[str, ...]
    choice: str
    """The played action as text, one of the legal ones."""
    legal_actions: tuple[int, ...]
    action: int
    """The same as numbers, as bots receive and return them."""
    state: State
    """A copy of the full state before the choice; you may continue playing from it."""
    fault: Fault | None
    """The bot's fault at this decision, if any; a random move was then played."""
    by_house: bool
    """Whether a random move was played because the bot had forfeited."""
    note: Mapping[str, int | float | bool | str]
    """The bot's note (`tourney.Noted`); may be empty."""


class MatchReplay:
    """A match rebuilt from its record by the rules alone."""

    def __init__(
        self, record: Record, names: tuple[str, ...] = (), replay_s: float = replay.MATCH_S,
        notes: Mapping[int, Note] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        """`names` are the block's entrants, `notes` the bots' notes by decision, `replay_s` the game's time limit."""
        self.record, self._notes, self._names, self._replay_s = record, notes, names, replay_s

    def __repr__(self) -> str:
        record = self.record
        return f"<MatchReplay {record.match}: {', '.join(record.seats)}; scores {list(record.scores)}>"

    @property
    def rules(self) -> Game:
        """The game; its `text` and `action` turn actions into text and back.

        Raises:
            PluginError: The game is not installed.
        """
        return load_game(self.record.game)

    @cached_property
    def trace(self) -> tuple[dict[str, Any], ...]:
        """Everything that happened, with everything open: the events in docs/data-formats.md.

        Raises:
            RunError: The record does not replay by the rules as they are.
            GameError: The game's code takes too long.
            PluginError: The game is not installed.
        """
        with replay.in_time(self.record, self._replay_s):
            return tuple(replay.trace(self.record, self.rules, self._names))

    def decisions(self, bot: str | None = None, seat: int | None = None) -> Iterator[Decision]:
        """Iterates over the match's decisions in order, optionally of one bot or seat.

        Args:
            bot: The entrant's name, without a version all its versions; None for all.
            seat: The seat; None for all.

        Raises:
            RunError: The bot or the seat is not in the match, or the record does not replay by the rules as they are.
            GameError: The code of the game takes too long.
            PluginError: The game is not installed.
        """
        return self._decisions(seats_of(self.record, bot, seat))

    def _decisions(self, seats: Collection[int]) -> Iterator[Decision]:
        record, game = self.record, self.rules
        with replay.replayable(record):
            for step in replay.each_in_time(record, Replay(record, game).steps(), self._replay_s):
                if step.seat in seats:
                    yield Decision(
                        step=step.decision,
                        seat=step.seat,
                        bot=record.seats[step.seat],
                        view=step.state.view(step.seat),
                        legal=tuple([game.text(action) for action in step.legal]),
                        choice=game.text(step.action),
                        legal_actions=step.legal,
                        action=step.action,
                        state=step.state.copy(),
                        fault=step.fault,
                        by_house=step.by_house,
                        note=self._notes.get(step.decision, {}),
                    )


class Decisions:
    """Lazy iterable of a run's decisions, as dictionaries in schedule order."""

    def __init__(self, rows: DecisionRows) -> None:
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The dictionaries' keys, and the data frames' columns."""
        return tuple([column.name for column in self._rows.columns])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            yield dict(zip(self.columns, row, strict=True))

    def to_arrow(self) -> Any:
        """All decisions as a pyarrow table; requires the extra `parquet`."""
        require_parquet()
        import pyarrow as pa  # noqa: PLC0415 - an extra

        return pa.concat_tables(self._rows.arrow_parts())

    def to_pandas(self) -> Any:
        """All decisions as a pandas data frame; requires pandas and the extra `parquet`."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """All decisions as a polars data frame; requires polars and the extra `parquet`."""
        import polars  # noqa: PLC0415 - the user's

        return polars.from_arrow(self.to_arrow())


class PlayedRecord(Record, frozen=True):
    """The record of a match just played, with its trace."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and msgspec.structs.astuple(self) == msgspec.structs.astuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # msgspec structs define their own `__ne__`

    __hash__ = Record.__hash__

    @cached_property
    def trace(self) -> tuple[dict[str, Any], ...]:
        """Everything that happened, with everything open: the events in docs/data-formats.md.

        Raises:
            GameError: The code of the game takes too long.
        """
        return self.replay().trace

    def replay(self) -> MatchReplay:
        """The match, for stepping through its decisions."""
        return MatchReplay(self)
