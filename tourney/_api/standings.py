"""The standings of a run as rows."""

from tourney._api.rows import Rows
from tourney.column_layout import Column
from tourney.runner.standings import RunTotals
from tourney.stats.ranking import Ranking, StandingsRow
from tourney.stats.seat_bias import seat_points
from tourney.text_tables import standings_columns, standings_text


class Standings(Rows[StandingsRow]):
    """The standings of a run: a frozen row for each bot, the best first.

    Printed, they are the table of `tourney standings`; a notebook shows them as a table.
    """

    def __init__(self, totals: RunTotals, ranking: Ranking) -> None:
        """Takes what was counted, and the order that follows."""
        super().__init__(ranking.rows)
        self._totals = totals
        self._ranking = ranking

    @property
    def matches(self) -> int:
        """How many matches were played."""
        return self._totals.matches

    def of(self, bot: str) -> StandingsRow:
        """Returns the row of a bot.

        Raises:
            KeyError: No bot has the name.
        """
        return {row.bot: row for row in self.rows}[bot]

    def _columns(self) -> list[Column]:
        return [column for column in standings_columns(self._ranking) if any(column.cells)]

    def __str__(self) -> str:
        return standings_text(self._ranking, seat_points(self._totals.counts), "table")
