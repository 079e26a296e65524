"""Renders standings, cross-tables, rounds and the points of seats as tables, Markdown, CSV and JSON.

Tables and Markdown are for people; tables fit into 80 columns if they can. CSV and JSON hold everything, under the same
names.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from math import isinf
from textwrap import fill
from typing import Any, Literal, TypeAlias

import msgspec
import orjson
import tabulate

from tourney.errors import one_line
from tourney.schedule.round_report import RoundEntrant, RoundReport
from tourney.stats.circles import Circle, is_off_even
from tourney.stats.crosstable import HeadToHead
from tourney.stats.ranking import DIGITS, Ranking, StandingsRow
from tourney.stats.ratings import MEAN
from tourney.stats.seat_bias import SeatPoints
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak

_MARKUP = re.compile(r"([\\`*\[\]<|&]|(?<!\w)_|_(?!\w))")
"""What Markdown could take for markup in the middle of a line; an underscore within a word is none."""

TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading, and 80 columns are not many

WIDTH = 80
"""The most columns that a table has, if names are short enough."""
CRITERIA: Mapping[CommonTiebreak, str] = {
    "points": "points %",
    "won": "share of matches won",
    "rating": "rating",
    "score": "mean score",
    "place": "mean place",
}
"""How the sentence below the standings calls the criteria that all formats have."""


class _Column(msgspec.Struct, frozen=True):
    """A column of the standings."""

    heading: str
    cells: Sequence[str]
    is_text: bool = False
    """Whether the cells are words, which are aligned to the left, rather than numbers."""
    expendable: int = 0
    """Where the table is too wide, the column with the highest number is dropped first; 0 is never dropped."""

    @property
    def width(self) -> int:
        return max(map(len, [self.heading, *self.cells]))


def standings_data(rows: Sequence[StandingsRow]) -> list[dict[str, Any]]:
    """Returns the standings for JSON; unknown values are null."""
    return [msgspec.structs.asdict(row) for row in rows]


def standings_text(ranking: Ranking, seats: Sequence[SeatPoints], form: TableFormat) -> str:
    """Returns the standings in a format; those for people also say what is ranked by, and the points of the seats."""
    rows = ranking.rows
    if form == "json":
        return _json(standings_data(rows))
    if form == "csv":
        return _csv(StandingsRow.__struct_fields__, [msgspec.structs.astuple(row) for row in rows])
    columns = [column for column in _columns(ranking) if any(column.cells)]
    if form == "table":
        columns = _fitting(columns)
    lines = list(zip(*[column.cells for column in columns], strict=True))
    words = [i for i, column in enumerate(columns) if column.is_text]
    legend = [markdown_text(line) if form == "markdown" else one_line(line) for line in _legend(ranking, seats)]
    below = "\n\n".join(legend)
    if form == "table":
        below = "\n".join([fill(line, WIDTH, subsequent_indent="  ") for line in legend])
    return f"{table([column.heading for column in columns], lines, form, words)}\n\n{below}"


def _fitting(columns: list[_Column]) -> list[_Column]:
    """Returns the columns that fit into the width, and those that are never dropped."""
    fitting = list(columns)
    while sum([column.width + 2 for column in fitting]) - 2 > WIDTH and any([each.expendable for each in fitting]):
        fitting.remove(max(fitting, key=lambda column: column.expendable))
    return fitting


def _columns(ranking: Ranking) -> list[_Column]:
    """Returns all columns in their order; some may be empty."""
    rows = ranking.rows
    return [
        _Column("#", [str(row.rank) for row in rows]),
        _Column("bot", [row.bot for row in rows], is_text=True),
        *[_tiebreak_column(tiebreak, ranking) for tiebreak in ranking.tiebreaks if tiebreak.heading],
        _Column("rating", [_number(row.rating, 0) for row in rows]),
        _Column("+-", [_half(row.rating_low, row.rating_high, 0) for row in rows]),
        _Column("pts %", [_number(row.points_percent, 1) for row in rows]),
        _Column("place", ["" if ranking.two_seats else _number(row.mean_place, 2) for row in rows], expendable=2),
        _Column("w-d-l", [f"{row.won}-{row.drawn}-{row.lost}" if row.matches else "" for row in rows], expendable=4),
        _Column("score", [_number(row.mean_score, 1) for row in rows], expendable=3),
        _Column("played", [str(row.matches) for row in rows]),
        _Column("faults", [str(row.faults) for row in rows]),
        _Column(">next", [_chance(row.above_next) for row in rows]),
    ]


def _tiebreak_column(tiebreak: Tiebreak, ranking: Ranking) -> _Column:
    """Returns the column of a criterion that not all formats have; it can be left out if nothing is ranked by it."""
    heading, rows = tiebreak.heading, ranking.rows
    expendable = 0 if tiebreak in ranking.criteria else 1
    if tiebreak.labels is not None:
        return _Column(heading, [tiebreak.labels[row.bot] for row in rows], is_text=True, expendable=expendable)
    numbers = [tiebreak.values[row.bot] for row in rows]
    digits = 1 if all([number is None or 2 % number.denominator == 0 for number in numbers]) else 2
    return _Column(heading, [_number(number, digits) for number in numbers], expendable=expendable)


def _legend(ranking: Ranking, seats: Sequence[SeatPoints]) -> list[str]:
    """Returns the paragraphs below the standings."""
    first, *ties = [CRITERIA[each] if isinstance(each, str) else each.description for each in ranking.criteria]
    ranked = f"Ranked by {first}; ties by {', '.join(ties)}." if ties else f"Ranked by {first}."
    winner = [f"{row.bot} won the cup. " for row in ranking.rows if row.reached == "winner"]
    scale = f"mean {MEAN:.0f}" if ranking.anchor is None else f"{ranking.anchor[0]} = {ranking.anchor[1]:g}"
    single = any([row.rating is not None and row.rating_low is None for row in ranking.rows])
    unknown = " Both are unknown after a single deal of a game." if single else ""
    return [
        "".join([*winner, ranked]),
        *[tiebreak.note for tiebreak in ranking.tiebreaks if tiebreak.note],
        f"Ratings: {scale}; +- 95 % interval; >next % sure to be above the next.{unknown}",
        *([_circles_sentence(ranking.circles)] if ranking.circles else []),
        *[_seats_sentence(list(rows), seats) for _, rows in groupby(seats, key=lambda row: (row.game, row.seats))],
    ]


def _circles_sentence(circles: Sequence[Circle]) -> str:
    """Names a shortest circle of each set of bots that beat each other round about."""
    found = []
    for circle in circles:
        wins = zip(circle.shortest, [*circle.shortest[1:], circle.shortest[0]], strict=True)
        more = len(circle.bots) - len(circle.shortest)
        rest = f" (and {more} more in circles with them)" if more else ""
        found.append(f"{', '.join([f'{one} beats {other}' for one, other in wins])}{rest}")
    return f"Circles beyond the error bars: {'; '.join(found)}."


def _seats_sentence(rows: Sequence[SeatPoints], every: Sequence[SeatPoints]) -> str:
    """Says the points of the seats of a game; with the number of seats, where the game's tables differ in it."""
    game, seats = rows[0].game, rows[0].seats
    size = f" with {seats} seats" if any([row.game == game and row.seats != seats for row in every]) else ""
    return f"Seats of {game}{size}, points %: {', '.join(map(_seat, rows))}."


def _seat(row: SeatPoints) -> str:
    half = _half(row.low, row.high, 1)
    return f"{row.points:.1f} +-{half}" if half else f"{row.points:.1f}"


def seats_text(seats: Sequence[SeatPoints], form: TableFormat) -> str:
    """Returns the points of each seat in a format."""
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


def cross_text(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], form: TableFormat) -> str:
    """Returns the cross-table in a format: how often the bot of a row came before that of a column, in percent.

    `order` has the bots in the order of rows and columns. CSV has a line for each pair that has met, and JSON an entry,
    with the interval and the number of their matches. Tables for people mark the scores that are surely off even.
    """
    met = {name: {other: pairs[name, other] for other in order if (name, other) in pairs} for name in order}
    if form == "json":
        return _json(msgspec.to_builtins(met))
    if form == "csv":
        lines = [
            [name, other, *msgspec.structs.astuple(pair)] for name, row in met.items() for other, pair in row.items()
        ]
        return _csv(["bot", "other", *HeadToHead.__struct_fields__], lines)
    cells = [[name, *[_score(row.get(other)) for other in order]] for name, row in met.items()]
    text = table(("% before", *order), cells, form, [0])
    return f"{text}\n\n* the 95 % interval lies off an even score" if any(map(is_off_even, pairs.values())) else text


def _score(pair: HeadToHead | None) -> str:
    """Returns a cell of the cross-table, with a mark before a score whose interval lies off an even one."""
    return "" if pair is None else f"{'*' if is_off_even(pair) else ''}{pair.percent:.1f}"


def rounds_text(rounds: Sequence[RoundReport], form: TableFormat) -> str:
    """Returns the rounds in a format: who met, with the results of each entrant. CSV has a line for each of them."""
    if form == "json":
        return _json(msgspec.to_builtins(rounds))
    rows = [row for each in rounds for row in _round_rows(each)]
    if form == "csv":
        keys = ("round", "finished", "table", *RoundEntrant.__struct_fields__)
        lines = [[each.round, each.finished, number, *msgspec.structs.astuple(row)] for each, number, row in rows]
        return _csv(keys, [[str(cell).lower() if isinstance(cell, bool) else cell for cell in line] for line in lines])
    entrants = [row for _, _, row in rows]
    scores = [(row.score_before, row.round_score) for row in entrants]
    digits = 1 if all([(2 * score).is_integer() for pair in scores for score in pair if score is not None]) else 2
    columns = [
        _Column("round", _unrepeated([each.name for each, _, _ in rows]), is_text=True),
        _Column("table", ["rests" if number is None else str(number) for _, number, _ in rows]),
        _Column("bot", [row.bot for row in entrants], is_text=True),
        _Column("before", [_number(before, digits) for before, _ in scores]),
        _Column("floats", [_floats(row) for row in entrants], is_text=True),
        _Column("pts %", [_number(row.points_percent, 1) for row in entrants]),
        _Column("score", [_number(score, digits) for _, score in scores]),
        _Column("advances", [{True: "yes", False: "no", None: ""}[row.advanced] for row in entrants], is_text=True),
    ]
    columns = [column for column in columns if any(column.cells)]
    cells = list(zip(*[column.cells for column in columns], strict=True))
    words = [i for i, column in enumerate(columns) if column.is_text]
    return table([column.heading for column in columns], cells, form, words)


def _round_rows(report: RoundReport) -> list[tuple[RoundReport, int | None, RoundEntrant]]:
    """Returns the entrants of a round, each with the report and the number of its table, or None if it rests."""
    seated = [(report, number, row) for number, group in enumerate(report.tables, 1) for row in group]
    return [*seated, *[(report, None, row) for row in report.resting]]


def _unrepeated(cells: Sequence[str]) -> list[str]:
    """Returns the cells of a column, those blank that are equal to the cell above."""
    return ["" if i and cell == cells[i - 1] else cell for i, cell in enumerate(cells)]


def _floats(entrant: RoundEntrant) -> str:
    """Says whether an entrant met higher scores (up), or lower ones (down), or both."""
    return " and ".join([word for word, met in (("up", entrant.upfloats), ("down", entrant.downfloats)) if met])


def table(head: Sequence[str], lines: Sequence[Sequence[str]], form: TableFormat, words: Sequence[int]) -> str:
    """Returns lines under headings as an aligned table, or as Markdown if `form` is that.

    `words` are the indices of the columns that are aligned to the left; all others are aligned to the right. What is
    unprintable in a cell is spelled out.
    """
    align = ["left" if column in words else "right" for column in range(len(head))]
    spelled_out, style = (markdown_text, "github") if form == "markdown" else (one_line, "simple")
    cells = [list(map(spelled_out, line)) for line in lines]
    heads = list(map(spelled_out, head))
    return tabulate.tabulate(cells, headers=heads, tablefmt=style, colalign=align, disable_numparse=True)


def markdown_text(text: str) -> str:
    """Returns the text as Markdown that shows it in one line, as it is; what is unprintable is spelled out."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def _csv(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Returns comma-separated values; unknown values are empty."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([head, *lines])
    return file.getvalue().rstrip("\n")


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _half(low: float | None, high: float | None, digits: int) -> str:
    """Returns half the width of an interval; an empty text if the interval is endless or unknown."""
    return "" if low is None or high is None or isinf(low) or isinf(high) else f"{(high - low) / 2:.{digits}f}"


def _chance(share: float | None) -> str:
    """Returns a probability in percent; what rounds to 0 or 100 is not called never or always."""
    if share is None:
        return ""
    return f"{100 * share:.1f}" if 0.001 <= share <= 0.999 else ">99.9" if share > 0.5 else "<0.1"


def _number(value: Fraction | float | None, digits: int) -> str:
    return "" if value is None else f"{float(value):.{digits}f}"


def _rounded(value: float) -> float | None:
    return None if isinf(value) else round(value, DIGITS)
