"""Frozen rows that are shown as a table: as text when printed, as HTML in a notebook."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, overload

import msgspec

from tourney.journal.standings import RunTotals
from tourney.standings.ranking import Ranking, StandingsRow, seat_points
from tourney.standings.tables import WIDTH, Column, aligned, html_text, standings_columns, standings_text

Row = TypeVar("Row", bound=msgspec.Struct)


class Rows(Sequence[Row], Generic[Row]):
    """A sequence of frozen rows with named fields."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each row, as `pandas.DataFrame` and `polars.DataFrame` take them."""
        return [msgspec.structs.asdict(row) for row in self.rows]

    def _columns(self) -> list[Column]:
        """The columns that are shown."""
        raise NotImplementedError

    def __str__(self) -> str:
        return aligned(self._columns(), WIDTH)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows>"

    def _repr_html_(self) -> str:
        return html_text(self._columns())


class Standings(Rows[StandingsRow]):
    """The standings of a run: a frozen row for each bot, the best first; printed, `tourney standings`."""

    def __init__(self, totals: RunTotals, ranking: Ranking) -> None:
        super().__init__(ranking.rows)
        self.matches = totals.matches
        """How many matches were played."""
        self._totals = totals
        self._ranking = ranking

    def of(self, bot: str) -> StandingsRow:
        """The row of a bot.

        Raises:
            KeyError: No bot has the name.
        """
        return {row.bot: row for row in self.rows}[bot]

    def _columns(self) -> list[Column]:
        return [column for column in standings_columns(self._ranking) if any(column.cells)]

    def __str__(self) -> str:
        return standings_text(self._ranking, seat_points(self._totals.counts), "table")
