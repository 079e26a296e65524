"""Frozen rows shown as a table: as text when printed, as HTML in a notebook."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Generic, TypeVar, overload

import msgspec

from tourney.base.sheet import Sheet
from tourney.journal.results_file import read_results
from tourney.journal.standings import RunTotals
from tourney.standings.ranking import Ranking, StandingsRow

Row = TypeVar("Row", bound=msgspec.Struct)


class Rows(Sequence[Row], Generic[Row]):
    """A sequence of frozen rows with named fields."""

    def __init__(self, rows: Sequence[Row], sheet: Sheet) -> None:
        self.rows = tuple(rows)
        self._sheet = sheet

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each row, for `pandas.DataFrame` or `polars.DataFrame`."""
        return self._sheet.dicts()

    def __str__(self) -> str:
        return self._sheet.text("table")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows>"

    def _repr_html_(self) -> str:
        return self._sheet.html()


class Standings(Rows[StandingsRow]):
    """A run's standings: one frozen row per bot, best first; prints like `tourney standings`."""

    def __init__(self, totals: RunTotals, ranking: Ranking) -> None:
        super().__init__(ranking.rows, totals.sheet(ranking))
        self.matches = totals.matches
        """The number of matches played."""
        self.spread = ranking.spread
        """How far apart the bots are, and how likely each is the best; None if unknown, after a single deal."""
        self.mixtures = ranking.mixtures
        """For each cycle of bots that beat each other, the mixture of them that none beats."""
        self.pairs = ranking.interactions
        """How each bot's points at tables with each other are not as the ratings let expect."""

    def of(self, bot: str) -> StandingsRow:
        """The row of a bot.

        Raises:
            KeyError: No bot has the name.
        """
        return {row.bot: row for row in self.rows}[bot]


def rate(file: str | PathLike[str], by: str | None = None) -> Standings:
    """Standings of matches played elsewhere, from a CSV file.

    Args:
        file: Its columns are match, deal (optional), then a name and a place or score for each seat. Matches on one
                deal count as one observation.
        by: The ranking, as in `Run.standings`.

    Raises:
        ConfigError: A line of the file is wrong, or the ranking is unknown.
    """
    totals = read_results(Path(file))
    return Standings(totals, totals.ranking(by))
