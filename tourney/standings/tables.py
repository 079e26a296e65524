"""Renders standings, cross-tables, rounds and the points of seats as tables, Markdown, CSV and JSON.

Tables and Markdown are for people; CSV and JSON hold everything, under the same names.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import isinf
from textwrap import fill
from typing import Any, Literal, TypeAlias

import msgspec
import orjson
import tabulate

from tourney.base.errors import one_line
from tourney.standings.crosstable import Cycle, HeadToHead, is_off_even
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.ranking import DIGITS, Ranking, SeatPoints, StandingsRow
from tourney.standings.ratings import MEAN
from tourney.standings.results import RoundEntrant, RoundReport

TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

WIDTH = 80
"""The width of tables where none is given."""
GAP = 2
"""How many spaces stand between two columns."""
CRITERIA: Mapping[CommonTiebreak, str] = {
    "points": "points %",
    "won": "share of matches won",
    "rating": "rating",
    "score": "mean score",
    "place": "mean place",
}
"""What the sentence below the standings calls the criteria that all formats have."""
_MARKUP = re.compile(r"([\\`*\[\]<|&]|(?<!\w)_|_(?!\w))")
"""What Markdown could take for markup in the middle of a line; an underscore within a word is not markup."""

tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    heading: str
    cells: Sequence[str]
    is_text: bool = False
    """Whether the cells are words, which are aligned to the left, rather than numbers."""
    expendable: int = 0
    """Where the table is too wide, the column with the highest number is dropped first; 0 is never dropped."""


def total_width(columns: Sequence[Column]) -> int:
    """The width of a table with these columns."""
    return sum(map(_width, columns)) - GAP


def _width(column: Column) -> int:
    """The width of a column with a gap."""
    return max(map(len, [column.heading, *column.cells])) + GAP


def fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns that fit into the width, and those that are never dropped."""
    fitting = list(columns)
    while total_width(fitting) > width and any([each.expendable for each in fitting]):
        fitting.remove(max(fitting, key=lambda column: column.expendable))
    return fitting


def aligned(columns: Sequence[Column], width: int | None = None) -> str:
    """The columns as a table, fitted into a width if one is given. Unprintable characters are escaped."""
    lines = _tabulated(columns if width is None else fitted(columns, width), "simple").split("\n")
    return "\n".join([line.rstrip() for line in lines])


def columns_text(columns: Sequence[Column], form: TableFormat, width: int | None) -> str:
    """The columns as Markdown, or else as a table that is fitted into the width."""
    if form != "markdown":
        return aligned(columns, width)
    escaped = [
        Column(markdown_text(each.heading), list(map(markdown_text, each.cells)), each.is_text) for each in columns
    ]
    return _tabulated(escaped, "github")


def amount_text(amount: float) -> str:
    """An amount of any size to four digits at least."""
    return f"{amount:.0f}" if abs(amount) >= 1000 else f"{amount:.4g}"


def html_text(columns: Sequence[Column]) -> str:
    """The columns as a table in HTML; unprintable characters are escaped."""
    return _tabulated(columns, "html")


def _tabulated(columns: Sequence[Column], form: str) -> str:
    return tabulate.tabulate(
        list(zip(*[map(one_line, column.cells) for column in columns], strict=True)),
        headers=[one_line(column.heading) for column in columns],
        tablefmt=form,
        colalign=["left" if column.is_text else "right" for column in columns],
        disable_numparse=True,
    )


def table(
    head: Sequence[str],
    lines: Sequence[Sequence[str]],
    form: TableFormat,
    words: Sequence[int],
    width: int | None = None,
) -> str:
    """Lines under headings as a table or Markdown; `words` are the indices of the columns aligned to the left."""
    cells = list(zip(*lines, strict=True)) or [()] * len(head)
    return columns_text([Column(name, cells[i], is_text=i in words) for i, name in enumerate(head)], form, width)


def markdown_text(text: str) -> str:
    """The text as Markdown that shows it in one line, as it is; unprintable characters are escaped."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def csv_text(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Comma-separated values; unknown values are empty, and booleans are written as in JSON."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([head, *[[_csv_cell(cell) for cell in line] for line in lines]])
    return file.getvalue().rstrip("\n")


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return str(cell).lower()
    return one_line(cell) if isinstance(cell, str) else cell  # a name may come from a damaged file


def json_text(value: Any) -> str:
    """The value as indented JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def paragraphs(sentences: Sequence[str], width: int) -> str:
    """The sentences below a table, each on a new line."""
    return "\n".join([fill(one_line(line), width, subsequent_indent="  ") for line in sentences])


def standings_text(ranking: Ranking, seats: Sequence[SeatPoints], form: TableFormat, width: int = WIDTH) -> str:
    """The standings in a format; a table leaves out what there is no room for in `width`."""
    rows = ranking.rows
    if form == "json":
        return json_text(msgspec.to_builtins(rows))
    if form == "csv":
        return csv_text(StandingsRow.__struct_fields__, [msgspec.structs.astuple(row) for row in rows])
    legend = standings_legend(ranking, seats)
    shown = columns_text([column for column in standings_columns(ranking) if any(column.cells)], form, width)
    return "\n\n".join([shown, *(map(markdown_text, legend) if form == "markdown" else [paragraphs(legend, width)])])


def standings_columns(ranking: Ranking) -> list[Column]:
    """All columns in their order; some may be empty. What is ranked by first is never dropped."""
    rows, first = ranking.rows, ranking.criteria[0]

    def column(by: CommonTiebreak, heading: str, cells: Sequence[str], expendable: int) -> Column:
        return Column(heading, cells, expendable=0 if by == first else expendable)

    return [
        Column("#", [str(row.rank) for row in rows]),
        Column("bot", [row.bot for row in rows], is_text=True),
        *[_tiebreak_column(tiebreak, ranking) for tiebreak in ranking.tiebreaks if tiebreak.heading],
        column("rating", "rating", [_number(row.rating, 0) for row in rows], 2),
        Column("+-", [half_width(row.rating_low, row.rating_high, 0) for row in rows], expendable=3),
        column("points", "pts %", [_number(row.points_percent, 1) for row in rows], 1),
        column("place", "place", ["" if ranking.two_seats else _number(row.mean_place, 2) for row in rows], 7),
        column("won", "w-d-l", [f"{row.won}-{row.drawn}-{row.lost}" if row.matches else "" for row in rows], 9),
        column("score", "score", [_number(row.mean_score, 1) for row in rows], 8),
        Column("played", [str(row.matches) for row in rows], expendable=5),
        Column("faults", [str(row.faults) for row in rows], expendable=0 if any([row.faults for row in rows]) else 5),
        Column(">next", [chance_text(row.above_next) for row in rows], expendable=4),
    ]


def _tiebreak_column(tiebreak: Tiebreak, ranking: Ranking) -> Column:
    """The column of a criterion that only some formats have; it can be left out if nothing is ranked by it."""
    heading, rows = tiebreak.heading, ranking.rows
    expendable = 0 if tiebreak in ranking.criteria else 6
    if tiebreak.labels is not None:
        return Column(heading, [tiebreak.labels[row.bot] for row in rows], is_text=True, expendable=expendable)
    numbers = [tiebreak.values[row.bot] for row in rows]
    digits = 1 if all([number is None or 2 % number.denominator == 0 for number in numbers]) else 2
    return Column(heading, [_number(number, digits) for number in numbers], expendable=expendable)


def standings_legend(ranking: Ranking, seats: Sequence[SeatPoints]) -> list[str]:
    """The paragraphs below the standings."""
    first, *ties = [CRITERIA[each] if isinstance(each, str) else each.description for each in ranking.criteria]
    ranked = f"Ranked by {first}; ties by {', '.join(ties)}." if ties else f"Ranked by {first}."
    winner = [
        f"{row.bot} won the cup. " for row in ranking.rows if row.reached == "winner" and row.bot not in ranking.last
    ]
    scale = f"mean {MEAN:.0f}" if ranking.anchor is None else f"{ranking.anchor[0]} = {ranking.anchor[1]:g}"
    single = any([row.rating is not None and row.rating_low is None for row in ranking.rows])
    unknown = "; where blank, how sure they are is unknown after a single deal of a game" if single else ""
    parts = "; ".join([", ".join(part) for part in ranking.parts])
    return [
        "".join([*winner, ranked]),
        *([f"Disqualified, and ranked below all others: {', '.join(ranking.last)}."] if ranking.last else []),
        *[tiebreak.note for tiebreak in ranking.tiebreaks if tiebreak.note],
        f"Ratings: {scale}; +- 95 % interval; >next % sure to be above the next{unknown}.",
        *([f"Parts that never met, and cannot be compared: {parts}."] if len(ranking.parts) > 1 else []),
        *([f"Cycles beyond the error bars: {'; '.join(map(_cycle, ranking.cycles))}."] if ranking.cycles else []),
        *[_seats_sentence(list(rows), seats) for _, rows in groupby(seats, key=lambda row: (row.game, row.seats))],
    ]


def _cycle(cycle: Cycle) -> str:
    wins = [f"{one} beats {other}" for one, other in pairwise([*cycle.shortest, cycle.shortest[0]])]
    more = len(cycle.bots) - len(cycle.shortest)
    return ", ".join(wins) + (f" (and {more} more in cycles with them)" if more else "")


def _seats_sentence(rows: Sequence[SeatPoints], every: Sequence[SeatPoints]) -> str:
    """The points of the seats of a game; with the number of seats, where the game's tables differ in it."""
    game, seats = rows[0].game, rows[0].seats
    size = f" with {seats} seats" if any([row.game == game and row.seats != seats for row in every]) else ""
    halves = [half_width(row.low, row.high, 1) for row in rows]
    cells = [f"{row.points:.1f} +-{half}".removesuffix(" +-") for row, half in zip(rows, halves, strict=True)]
    return f"Seats of {game}{size}, points %: {', '.join(cells)}."


def seats_text(seats: Sequence[SeatPoints], form: TableFormat, width: int = WIDTH) -> str:
    """The points of each seat in a format; a table has up to `width` columns."""
    keys = ("game", "seats", "seat", "points_percent", "low", "high", "matches")
    rows = [
        [row.game, row.seats, row.seat, _rounded(row.points), _rounded(row.low), _rounded(row.high), row.matches]
        for row in seats
    ]
    if form == "json":
        return json_text([dict(zip(keys, row, strict=True)) for row in rows])
    if form == "csv":
        return csv_text(keys, rows)
    columns = [
        Column("game", [row.game for row in seats], is_text=True),
        Column("seats", [str(row.seats) for row in seats]),
        Column("seat", [str(row.seat) for row in seats]),
        Column("pts %", [f"{row.points:.1f}" for row in seats]),
        Column("+-", [half_width(row.low, row.high, 1) for row in seats]),
        Column("matches", [str(row.matches) for row in seats], expendable=1),
    ]
    return columns_text(columns, form, width)


def cross_text(
    order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], form: TableFormat, width: int = WIDTH
) -> str:
    """The cross-table in a format: how often the bot of a row came before that of a column, in percent.

    `order` has the bots by rank; a column has the number of its bot. A table that is wider than `width` goes on below.
    """
    met = {name: {other: pairs[name, other] for other in order if (name, other) in pairs} for name in order}
    if form == "json":
        return json_text(msgspec.to_builtins(met))
    if form == "csv":
        lines = [
            [name, other, *msgspec.structs.astuple(pair)] for name, row in met.items() for other, pair in row.items()
        ]
        return csv_text(["bot", "other", *HeadToHead.__struct_fields__], lines)
    legend = ["How often the bot of a row came before that of a column, in percent."]
    if any(map(is_off_even, pairs.values())):
        legend.append("* the 95 % interval lies off an even score")
    columns = _cross_columns(order, pairs, digits=1)
    if form == "markdown":
        return "\n\n".join([columns_text(columns, form, None), *map(markdown_text, legend)])
    if total_width(columns) > width:
        columns = _cross_columns(order, pairs, digits=0)
    head, scores = columns[:2], columns[2:]
    blocks = _blocks(scores, width - total_width(head))
    return "\n\n".join([*[aligned([*head, *block]) for block in blocks], paragraphs(legend, width)])


def _blocks(columns: Sequence[Column], width: int) -> list[Sequence[Column]]:
    """Cuts columns into as few blocks as fit into the width, gaps before them included, all of about the same size."""
    widths = [_width(column) for column in columns]
    for count in range(1, len(columns) + 1):
        cuts = list(pairwise([len(columns) * i // count for i in range(count + 1)]))
        if count == len(columns) or all([sum(widths[first:after]) <= width for first, after in cuts]):
            return [columns[first:after] for first, after in cuts]
    return []


def _cross_columns(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], digits: int) -> list[Column]:
    """The numbers and names of the bots, then a column for each bot, under its number."""
    numbers = [str(i) for i, _ in enumerate(order, 1)]
    return [
        Column("#", numbers),
        Column("bot", list(order), is_text=True),
        *[
            Column(number, ["-" if name == other else _score(pairs.get((name, other)), digits) for name in order])
            for number, other in zip(numbers, order, strict=True)
        ],
    ]


def _score(pair: HeadToHead | None, digits: int) -> str:
    """A cell of the cross-table, with a mark before a score whose interval lies off an even one."""
    if pair is None:
        return ""
    percent = f"{pair.percent:.{digits}f}"
    if not digits and pair.percent not in (0, 100):  # not never, and not always
        percent = {"0": "<1", "100": ">99"}.get(percent, percent)
    return f"{'*' if is_off_even(pair) else ''}{percent}"


def rounds_text(rounds: Sequence[RoundReport], form: TableFormat, width: int = WIDTH) -> str:
    """The rounds in a format: who met, with the results of each entrant. CSV has a line for each of them."""
    if form == "json":
        return json_text(msgspec.to_builtins(rounds))
    rows: list[tuple[RoundReport, int | None, RoundEntrant]] = []  # with the number of the table, or None for a bye
    for report in rounds:
        rows += [(report, number, row) for number, group in enumerate(report.tables, 1) for row in group]
        rows += [(report, None, row) for row in (*report.resting, *report.disqualified)]
    if form == "csv":
        keys = ("round", "finished", "table", *RoundEntrant.__struct_fields__)
        lines = [[each.round, each.finished, number, *msgspec.structs.astuple(row)] for each, number, row in rows]
        return csv_text(keys, lines)
    entrants = [row for _, _, row in rows]
    scores = [(row.score_before, row.round_score) for row in entrants]
    digits = 1 if all([(2 * score).is_integer() for pair in scores for score in pair if score is not None]) else 2
    first = [i == 0 or rows[i - 1][0] is not report for i, (report, _, _) in enumerate(rows)]  # of its round
    columns = [
        Column("round", [each.name * new for (each, _, _), new in zip(rows, first, strict=True)], is_text=True),
        Column("table", [_table_cell(*row) for row in rows]),
        Column("bot", [row.bot for row in entrants], is_text=True),
        Column("before", [_number(before, digits) for before, _ in scores], expendable=2),
        Column("floats", [floats_text(row) for row in entrants], is_text=True, expendable=3),
        Column("pts %", [_number(row.points_percent, 1) for row in entrants]),
        Column("score", [_number(score, digits) for _, score in scores]),
        Column("advances", [{True: "yes", False: "no", None: ""}[row.advanced] for row in entrants], is_text=True),
    ]
    columns = [column for column in columns if any(column.cells)]
    if form == "table":  # an empty line between two rounds
        for i, each in enumerate(columns):
            cells = [part for cell, new in zip(each.cells, first, strict=True) for part in ([""] * new + [cell])]
            columns[i] = msgspec.structs.replace(each, cells=cells[1:])
    return columns_text(columns, form, width)


def _table_cell(report: RoundReport, number: int | None, entrant: RoundEntrant) -> str:
    return str(number or ("out" if entrant in report.disqualified else "rests"))


def floats_text(entrant: RoundEntrant) -> str:
    """Whether an entrant met higher scores (up), or lower ones (down), or both."""
    return " and ".join([word for word, met in (("up", entrant.upfloats), ("down", entrant.downfloats)) if met])


def half_width(low: float | None, high: float | None, digits: int) -> str:
    """Half the width of an interval; an empty text if the interval is infinite or unknown."""
    return "" if low is None or high is None or isinf(low) or isinf(high) else f"{(high - low) / 2:.{digits}f}"


def chance_text(share: float | None) -> str:
    """A probability in percent; what rounds to 0 or 100 is not called never or always."""
    if share is None:
        return ""
    return f"{100 * share:.1f}" if 0.001 <= share <= 0.999 else ">99.9" if share > 0.5 else "<0.1"


def _number(value: Fraction | float | None, digits: int) -> str:
    return "" if value is None else f"{float(value):.{digits}f}"


def _rounded(value: float) -> float | None:
    return None if isinf(value) else round(value, DIGITS)
