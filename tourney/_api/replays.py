"""A recorded match, step by step."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from tourney.base.errors import RunError
from tourney.contracts.game import Game, State, View
from tourney.contracts.match import Fault, Record
from tourney.hosts.notes import Note
from tourney.journal.export import require_parquet
from tourney.plugins.registry import load_game
from tourney.review.decisions import DecisionRows
from tourney.table import replay
from tourney.table.replay import DifferenceError, Replay


class Decision(NamedTuple):
    """A decision of a match, as it stood before the choice."""

    step: int
    """The number of the decision, counted from 1 over all seats."""
    seat: int
    bot: str
    view: View
    """What the seat saw: a `View` of the game."""
    legal: tuple[str, ...]
    choice: str
    """The action that was played, one of the legal ones, as text."""
    legal_actions: tuple[int, ...]
    action: int
    """The same, as a bot is given the legal ones and answers."""
    state: State
    """The match before the choice, with everything open: a copy, which may be played on."""
    fault: Fault | None
    """The fault of the bot at this decision, if it made one; the house then chose."""
    by_house: bool
    """Whether the house chose, as the bot was out."""
    note: Mapping[str, int | float | bool | str]
    """What the bot noted of it (`tourney.Noted`); empty if nothing."""


class MatchReplay:
    """A recorded match that the rules rebuild, without its bots: everything that happened, and every decision."""

    def __init__(
        self,
        record: Record,
        names: tuple[str, ...] = (),
        replay_s: float = replay.MATCH_S,
        notes: Mapping[int, Note] = MappingProxyType({}),
    ) -> None:
        """Takes the record.

        `names` are those of its block, `replay_s` bounds the code of the game, in seconds, and `notes` are what bots
        noted, by the number of the decision.
        """
        self.record = record
        self._notes = notes
        self._names = names
        self._replay_s = replay_s

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
        """Everything that happened, with everything open: the events that docs/log-format lists.

        Raises:
            RunError: The record does not replay by the rules as they are.
            GameError: The code of the game takes too long.
            PluginError: The game is not installed.
        """
        with replay.in_time(self.record, self._replay_s):
            return tuple(replay.trace(self.record, self.rules, self._names))

    def decisions(self, bot: str | None = None, seat: int | None = None) -> Iterator[Decision]:
        """Yields the decisions of the match in order, or those of one bot or one seat.

        Args:
            bot: The name of the entrant; None for all.
            seat: The seat; None for all.

        Raises:
            RunError: The bot or the seat is not in the match, or the record does not replay by the rules as they are.
            GameError: The code of the game takes too long.
            PluginError: The game is not installed.
        """
        record = self.record
        if bot is not None and bot not in record.seats:
            raise RunError(f"match {record.match}: {bot} does not sit in it; in it are {', '.join(record.seats)}")
        if seat is not None and not 0 <= seat < len(record.seats):
            raise RunError(f"match {record.match}: there is no seat {seat}; seats are 0 to {len(record.seats) - 1}")
        return self._decisions(bot, seat)

    def _decisions(self, bot: str | None, seat: int | None) -> Iterator[Decision]:
        record, game = self.record, self.rules
        try:
            for step in replay.each_in_time(record, Replay(record, game).steps(), self._replay_s):
                name = record.seats[step.seat]
                if bot in (None, name) and seat in (None, step.seat):
                    yield Decision(
                        step=step.decision,
                        seat=step.seat,
                        bot=name,
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
        except DifferenceError as difference:
            raise replay.does_not_replay(record, difference) from None


class Decisions:
    """The decisions of a run, in the order of its schedule: an iterable of dictionaries, of which few are in memory."""

    def __init__(self, rows: DecisionRows) -> None:
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of the dictionaries, and the columns of the frames."""
        return tuple([column.name for column in self._rows.columns])

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for row in self._rows:
            yield dict(zip(self.columns, row, strict=True))

    def to_arrow(self) -> Any:
        """All decisions as a table of pyarrow, in memory; it needs the extra `parquet`."""
        require_parquet()
        import pyarrow as pa  # noqa: PLC0415 - an extra

        return pa.concat_tables(self._rows.arrow_parts())

    def to_pandas(self) -> Any:
        """All decisions as a data frame of pandas, which must be installed, as must the extra `parquet`."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """All decisions as a data frame of polars, which must be installed, as must the extra `parquet`."""
        import polars  # noqa: PLC0415 - the user's

        return polars.from_arrow(self.to_arrow())


class PlayedRecord(Record, frozen=True):
    """The record of a match that was just played, with its trace."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and msgspec.structs.astuple(self) == msgspec.structs.astuple(other)

    def __ne__(self, other: object) -> bool:
        return not self == other  # structs of msgspec have a `__ne__` of their own

    __hash__ = Record.__hash__

    @cached_property
    def trace(self) -> tuple[dict[str, Any], ...]:
        """Everything that happened, with everything open: the events that docs/log-format lists.

        Raises:
            GameError: The code of the game takes too long.
        """
        return self.replay().trace

    def replay(self) -> MatchReplay:
        """The match as it can be gone through, decision by decision."""
        return MatchReplay(self)
