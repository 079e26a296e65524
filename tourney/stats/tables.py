"""Standings and cross-tables as text and as data."""

import csv
import io
from collections.abc import Sequence
from math import isinf, isnan
from typing import Any, Literal, TypeAlias

import orjson
import tabulate

from tourney.stats.ratings import Rating
from tourney.stats.seats import SeatWorth
from tourney.stats.standings import CrossTable, Row

Format: TypeAlias = Literal["table", "markdown", "csv", "json"]

tabulate.MIN_PADDING = 0  # it makes every column two wider than its head, and 80 columns are not many

HEAD = ("rank", "bot", "points %", "won", "drawn", "lost", "mean place", "matches", "faults")


def standings_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The standings for JSON; what was not played is null."""
    return [
        {
            "rank": row.rank,
            "bot": row.bot,
            "points_percent": _rounded(row.points, 4),
            "won": row.wins,
            "drawn": row.draws,
            "lost": row.losses,
            "mean_place": _rounded(row.place, 4),
            "matches": row.matches,
            "faults": row.faults,
        }
        for row in rows
    ]


def standings_text(rows: Sequence[Row], form: Format) -> str:
    """The standings in one of the formats."""
    if form == "json":
        return orjson.dumps(standings_data(rows), option=orjson.OPT_INDENT_2).decode()
    lines = [
        [
            str(row.rank),
            row.bot,
            _number(row.points, 1),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            _number(row.place, 2),
            str(row.matches),
            str(row.faults),
        ]
        for row in rows
    ]
    return table(HEAD, lines, form, text_columns=(1,))


def cross_text(names: Sequence[str], cross: CrossTable, form: Format) -> str:
    """The cross-table: how often the bot of a row came before that of a column, in percent."""
    rows = cross.rows(names)
    if form == "json":
        data = {
            name: {other: _rounded(value, 4) for other, value in zip(names, row, strict=True) if other != name}
            for name, row in zip(names, rows, strict=True)
        }
        return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()
    lines = [
        [name, *["" if other == name else _number(value, 1) for other, value in zip(names, row, strict=True)]]
        for name, row in zip(names, rows, strict=True)
    ]
    return table(("% before", *names), lines, form, text_columns=(0,))


def ratings_text(ratings: Sequence[Rating], seats: Sequence[SeatWorth], form: Format) -> str:
    """The ratings, and what each seat was worth, in one of the formats; CSV holds the ratings alone."""
    if form == "json":
        return orjson.dumps({"ratings": ratings, "seats": seats}, option=orjson.OPT_INDENT_2).decode()
    lines = [
        [
            str(rank),
            row.bot,
            f"{row.rating:.0f}",
            _interval(row.low, row.high, 0),
            "" if row.above_next is None else f"{100 * row.above_next:.1f}",
        ]
        for rank, row in enumerate(ratings, 1)
    ]
    text = table(("rank", "bot", "rating", "95 % interval", "above next %"), lines, form, text_columns=(1,))
    if form == "csv":
        return text
    worth = [
        [
            row.game,
            str(row.seats),
            str(row.seat),
            f"{row.points:.1f}",
            _interval(row.low, row.high, 1),
            str(row.matches),
        ]
        for row in seats
    ]
    head = ("game", "seats", "seat", "points %", "95 % interval", "matches")
    return f"{text}\n\n{table(head, worth, form, text_columns=(0,))}"


def _interval(low: float, high: float, digits: int) -> str:
    """An interval for people; an endless one is left blank."""
    return "" if isinf(low) or isinf(high) else f"{low:.{digits}f} - {high:.{digits}f}"


def table(head: Sequence[str], lines: Sequence[Sequence[str]], form: Format, text_columns: Sequence[int]) -> str:
    """Lines under a head, as an aligned table, as Markdown or as CSV; columns are numbers unless they are text."""
    if form == "csv":
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([head, *lines])
        return file.getvalue().rstrip("\n")
    align = ["left" if column in text_columns else "right" for column in range(len(head))]
    style = "github" if form == "markdown" else "simple"
    return tabulate.tabulate(lines, headers=list(head), tablefmt=style, colalign=align, disable_numparse=True)


def _number(value: float, digits: int) -> str:
    return "" if isnan(value) else f"{value:.{digits}f}"


def _rounded(value: float, digits: int) -> float | None:
    return None if isnan(value) else round(value, digits)
