"""Standings, cross-tables and the worth of seats as text and as data.

Tables are for people, and fit into 80 columns if they can; CSV and JSON hold everything, under the same names.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import isinf
from textwrap import fill
from typing import Any, Literal, TypeAlias

import msgspec
import orjson
import tabulate

from tourney.stats.crosstable import HeadToHead
from tourney.stats.ranking import DIGITS, Ranking, StandingsRow
from tourney.stats.seat_bias import SeatPoints
from tourney.stats.tiebreaks import Tiebreak

Format: TypeAlias = Literal["table", "markdown", "csv", "json"]

tabulate.MIN_PADDING = 0  # it makes every column two wider than its head, and 80 columns are not many

WIDTH = 80


class _Column(msgspec.Struct, frozen=True):
    """A column of the standings."""

    head: str
    cells: Sequence[str]
    text: bool = False
    """Whether it holds words, and no numbers."""
    spare: int = 0
    """What is left out where the table is too wide: the largest of these first, and nothing that has 0."""

    @property
    def width(self) -> int:
        return max(map(len, [self.head, *self.cells]))


def standings_data(rows: Sequence[StandingsRow]) -> list[dict[str, Any]]:
    """The standings for JSON; what there is nothing to tell of is null."""
    return [msgspec.structs.asdict(row) for row in rows]


def standings_text(ranking: Ranking, seats: Sequence[SeatPoints], form: Format) -> str:
    """The standings in one of the formats; where people read them, with what they go by and the worth of the seats."""
    rows = ranking.rows
    if form == "json":
        return _json(standings_data(rows))
    if form == "csv":
        return _csv(StandingsRow.__struct_fields__, [msgspec.structs.astuple(row) for row in rows])
    columns = [column for column in _columns(ranking) if any(column.cells)]
    if form == "table":
        while sum([column.width + 2 for column in columns]) - 2 > WIDTH and any([column.spare for column in columns]):
            columns.remove(max(columns, key=lambda column: column.spare))
    lines = list(zip(*[column.cells for column in columns], strict=True))
    words = [i for i, column in enumerate(columns) if column.text]
    legend = _legend(ranking, seats)
    below = "\n\n".join(legend)
    if form == "table":
        below = "\n".join([fill(line, WIDTH, subsequent_indent="  ") for line in legend])
    return f"{table([column.head for column in columns], lines, form, words)}\n\n{below}"


def _columns(ranking: Ranking) -> list[_Column]:
    """All columns that there can be, in their order."""
    rows = ranking.rows
    return [
        _Column("#", [str(row.rank) for row in rows]),
        _Column("bot", [row.bot for row in rows], text=True),
        *[_own_column(tiebreak, rows) for tiebreak in ranking.own if tiebreak.heading],
        _Column("rating", [_number(row.rating, 0) for row in rows]),
        _Column("+-", [_half(row.rating_low, row.rating_high, 0) for row in rows]),
        _Column("pts %", [_number(row.points_percent, 1) for row in rows]),
        _Column("place", ["" if ranking.pairs else _number(row.mean_place, 2) for row in rows], spare=1),
        _Column("w-d-l", [f"{row.won}-{row.drawn}-{row.lost}" if row.matches else "" for row in rows], spare=3),
        _Column("score", [_number(row.mean_score, 1) for row in rows], spare=2),
        _Column("played", [str(row.matches) for row in rows]),
        _Column("faults", [str(row.faults) for row in rows]),
        _Column(">next", [_chance(row.above_next) for row in rows]),
    ]


def _own_column(tiebreak: Tiebreak, rows: Sequence[StandingsRow]) -> _Column:
    """The column of what only the format knows."""
    if tiebreak.labels is not None:
        return _Column(tiebreak.heading, [tiebreak.labels[row.bot] for row in rows], text=True)
    numbers = [tiebreak.values[row.bot] for row in rows]
    digits = 1 if all([number is None or 2 % number.denominator == 0 for number in numbers]) else 2
    return _Column(tiebreak.heading, [_number(number, digits) for number in numbers])


def _legend(ranking: Ranking, seats: Sequence[SeatPoints]) -> list[str]:
    """What is said below the standings, a paragraph each."""
    first, *ties = ranking.ranked_by
    ranked = f"Ranked by {first}; ties by {', '.join(ties)}."
    winner = [f"{row.bot} won the cup. " for row in ranking.rows if row.reached == "winner"]
    return [
        "".join([*winner, ranked]),
        f"Ratings: {ranking.scale}; +- 95 % interval; >next % sure to be above the next.",
        *[_balance(list(rows), seats) for _, rows in groupby(seats, key=lambda row: (row.game, row.seats))],
    ]


def _balance(rows: Sequence[SeatPoints], every: Sequence[SeatPoints]) -> str:
    """The worth of the seats of a game; where its tables have different numbers of seats, of those with so many."""
    game, seats = rows[0].game, rows[0].seats
    size = f" with {seats} seats" if any([row.game == game and row.seats != seats for row in every]) else ""
    return f"Seats of {game}{size}, points %: {', '.join(map(_worth, rows))}."


def _worth(row: SeatPoints) -> str:
    half = _half(row.low, row.high, 1)
    return f"{row.points:.1f} +-{half}" if half else f"{row.points:.1f}"


def seats_text(seats: Sequence[SeatPoints], form: Format) -> str:
    """What each seat was worth, in one of the formats."""
    keys = ("game", "seats", "seat", "points_percent", "low", "high", "matches")
    rows = [
        [row.game, row.seats, row.seat, _rounded(row.points), _rounded(row.low), _rounded(row.high), row.matches]
        for row in seats
    ]
    if form == "json":
        return _json([dict(zip(keys, row, strict=True)) for row in rows])
    if form == "csv":
        return _csv(keys, rows)
    lines = [
        [row.game, str(row.seats), str(row.seat), f"{row.points:.1f}", _half(row.low, row.high, 1), str(row.matches)]
        for row in seats
    ]
    return table(("game", "seats", "seat", "pts %", "+-", "matches"), lines, form, [0])


def cross_text(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], form: Format) -> str:
    """The cross-table: how often the bot of a row came before that of a column, in percent.

    CSV has a line for each pair that has met, with the number of their matches.
    """
    met = {name: {other: pairs[name, other] for other in order if (name, other) in pairs} for name in order}
    if form == "json":
        return _json(msgspec.to_builtins(met))
    if form == "csv":
        lines = [[name, other, pair.percent, pair.matches] for name, row in met.items() for other, pair in row.items()]
        return _csv(["bot", "other", "percent", "matches"], lines)
    cells = [
        [name, *[_number(row[other].percent, 1) if other in row else "" for other in order]]
        for name, row in met.items()
    ]
    return table(("% before", *order), cells, form, [0])


def table(head: Sequence[str], lines: Sequence[Sequence[str]], form: Format, words: Sequence[int]) -> str:
    """Lines under a head, as an aligned table or as Markdown; columns are numbers unless they are words."""
    align = ["left" if column in words else "right" for column in range(len(head))]
    style = "github" if form == "markdown" else "simple"
    return tabulate.tabulate(lines, headers=list(head), tablefmt=style, colalign=align, disable_numparse=True)


def _csv(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Comma-separated values; what there is nothing to tell of is blank."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([head, *lines])
    return file.getvalue().rstrip("\n")


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _half(low: float | None, high: float | None, digits: int) -> str:
    """Half the width of an interval; blank for an endless one."""
    return "" if low is None or high is None or isinf(low) or isinf(high) else f"{(high - low) / 2:.{digits}f}"


def _chance(share: float | None) -> str:
    """A share of resamples in percent. In none or in all of them is not never or always."""
    if share is None:
        return ""
    return f"{100 * share:.1f}" if 0 < share < 1 else ">99.9" if share else "<0.1"


def _number(value: Fraction | float | None, digits: int) -> str:
    return "" if value is None else f"{float(value):.{digits}f}"


def _rounded(value: float) -> float | None:
    return None if isinf(value) else round(value, DIGITS)
