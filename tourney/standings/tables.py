"""Renders standings, cross-tables, rounds and the points of seats as tables, Markdown, CSV and JSON.

Tables and Markdown are for people; tables fit into the width that they are given. CSV and JSON hold everything, under
the same names.
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

from tourney.base.errors import one_line
from tourney.standings.columns import GAP, Column, aligned, tabulated, total_width
from tourney.standings.crosstable import Circle, HeadToHead, is_off_even
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.ranking import DIGITS, Ranking, SeatPoints, StandingsRow
from tourney.standings.ratings import MEAN
from tourney.standings.rounds import RoundEntrant, RoundReport

_MARKUP = re.compile(r"([\\`*\[\]<|&]|(?<!\w)_|_(?!\w))")
"""What Markdown could take for markup in the middle of a line; an underscore within a word is none."""

TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

WIDTH = 80
"""The width of tables where none is given."""
CRITERIA: Mapping[CommonTiebreak, str] = {
    "points": "points %",
    "won": "share of matches won",
    "rating": "rating",
    "score": "mean score",
    "place": "mean place",
}
"""How the sentence below the standings calls the criteria that all formats have."""


def standings_data(rows: Sequence[StandingsRow]) -> list[dict[str, Any]]:
    """Returns the standings for JSON; unknown values are null."""
    return [msgspec.structs.asdict(row) for row in rows]


def standings_text(ranking: Ranking, seats: Sequence[SeatPoints], form: TableFormat, width: int = WIDTH) -> str:
    """Returns the standings in a format; those for people also say what is ranked by, and the points of the seats.

    A table has up to `width` columns, and leaves out what there is no room for.
    """
    rows = ranking.rows
    if form == "json":
        return json_text(standings_data(rows))
    if form == "csv":
        return csv_text(StandingsRow.__struct_fields__, [msgspec.structs.astuple(row) for row in rows])
    columns = [column for column in standings_columns(ranking) if any(column.cells)]
    if form == "markdown":
        return "\n\n".join([_markdown(columns), *map(markdown_text, standings_legend(ranking, seats))])
    return f"{aligned(columns, width)}\n\n{paragraphs(standings_legend(ranking, seats), width)}"


def paragraphs(sentences: Sequence[str], width: int) -> str:
    """Returns what is said below a table, each sentence from a new line on."""
    return "\n".join([fill(one_line(line), width, subsequent_indent="  ") for line in sentences])


def standings_columns(ranking: Ranking) -> list[Column]:
    """Returns all columns in their order; some may be empty. What is ranked by first is never dropped."""
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
    """Returns the column of a criterion that not all formats have; it can be left out if nothing is ranked by it."""
    heading, rows = tiebreak.heading, ranking.rows
    expendable = 0 if tiebreak in ranking.criteria else 6
    if tiebreak.labels is not None:
        return Column(heading, [tiebreak.labels[row.bot] for row in rows], is_text=True, expendable=expendable)
    numbers = [tiebreak.values[row.bot] for row in rows]
    digits = 1 if all([number is None or 2 % number.denominator == 0 for number in numbers]) else 2
    return Column(heading, [_number(number, digits) for number in numbers], expendable=expendable)


def standings_legend(ranking: Ranking, seats: Sequence[SeatPoints]) -> list[str]:
    """Returns the paragraphs below the standings."""
    first, *ties = [CRITERIA[each] if isinstance(each, str) else each.description for each in ranking.criteria]
    ranked = f"Ranked by {first}; ties by {', '.join(ties)}." if ties else f"Ranked by {first}."
    winner = [f"{row.bot} won the cup. " for row in ranking.rows if row.reached == "winner"]
    return [
        "".join([*winner, ranked]),
        *[tiebreak.note for tiebreak in ranking.tiebreaks if tiebreak.note],
        _ratings_sentence(ranking),
        *([_circles_sentence(ranking.circles)] if ranking.circles else []),
        *[_seats_sentence(list(rows), seats) for _, rows in groupby(seats, key=lambda row: (row.game, row.seats))],
    ]


def _ratings_sentence(ranking: Ranking) -> str:
    """Says what the ratings are relative to, and how sure they are."""
    scale = f"mean {MEAN:.0f}" if ranking.anchor is None else f"{ranking.anchor[0]} = {ranking.anchor[1]:g}"
    single = any([row.rating is not None and row.rating_low is None for row in ranking.rows])
    unknown = "; where blank, how sure they are is unknown after a single deal of a game" if single else ""
    return f"Ratings: {scale}; +- 95 % interval; >next % sure to be above the next{unknown}."


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
    half = half_width(row.low, row.high, 1)
    return f"{row.points:.1f} +-{half}" if half else f"{row.points:.1f}"


def seats_text(seats: Sequence[SeatPoints], form: TableFormat, width: int = WIDTH) -> str:
    """Returns the points of each seat in a format; a table has up to `width` columns."""
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
    """Returns the cross-table in a format: how often the bot of a row came before that of a column, in percent.

    `order` has the bots by rank: the order of the rows, which are numbered, and of the columns, which have only the
    numbers. A table is as wide as `width` allows, and goes on below in further blocks. CSV has a line for each pair
    that has met, and JSON an entry, with the interval and the number of their matches. Tables for people mark the
    scores that are surely off even.
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
    if form == "markdown":
        return "\n\n".join([_markdown(_cross_columns(order, pairs, digits=1)), *map(markdown_text, legend)])
    number, names, *scores = _cross_columns(order, pairs, digits=1)
    if total_width([number, names, *scores]) > width:
        _, _, *scores = _cross_columns(order, pairs, digits=0)
    blocks = _blocks(scores, width - total_width([number, names]))
    return "\n\n".join([*[aligned([number, names, *block]) for block in blocks], paragraphs(legend, width)])


def _blocks(columns: Sequence[Column], width: int) -> list[Sequence[Column]]:
    """Cuts columns into as few blocks as fit into the width, gaps before them included, all of about the same size."""
    widths = [column.width + GAP for column in columns]
    for count in range(1, len(columns) + 1):
        cuts = list(pairwise([len(columns) * i // count for i in range(count + 1)]))
        if count == len(columns) or all([sum(widths[first:after]) <= width for first, after in cuts]):
            return [columns[first:after] for first, after in cuts]
    return []


def _cross_columns(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead], digits: int) -> list[Column]:
    """Returns the numbers and names of the bots, then a column for each bot, under its number."""
    numbers = [str(i) for i, _ in enumerate(order, 1)]
    return [
        Column("#", numbers),
        Column("bot", list(order), is_text=True),
        *[
            Column(number, ["-" if name == other else score_text(pairs.get((name, other)), digits) for name in order])
            for number, other in zip(numbers, order, strict=True)
        ],
    ]


def score_text(pair: HeadToHead | None, digits: int) -> str:
    """Returns a cell of the cross-table, with a mark before a score whose interval lies off an even one."""
    if pair is None:
        return ""
    percent = f"{pair.percent:.{digits}f}"
    if not digits and pair.percent not in (0, 100):  # not never, and not always
        percent = {"0": "<1", "100": ">99"}.get(percent, percent)
    return f"{'*' if is_off_even(pair) else ''}{percent}"


def rounds_text(rounds: Sequence[RoundReport], form: TableFormat, width: int = WIDTH) -> str:
    """Returns the rounds in a format: who met, with the results of each entrant. CSV has a line for each of them."""
    if form == "json":
        return json_text(msgspec.to_builtins(rounds))
    rows = [row for each in rounds for row in _round_rows(each)]
    if form == "csv":
        keys = ("round", "finished", "table", *RoundEntrant.__struct_fields__)
        lines = [[each.round, each.finished, number, *msgspec.structs.astuple(row)] for each, number, row in rows]
        return csv_text(keys, lines)
    entrants = [row for _, _, row in rows]
    scores = [(row.score_before, row.round_score) for row in entrants]
    digits = 1 if all([(2 * score).is_integer() for pair in scores for score in pair if score is not None]) else 2
    columns = [
        Column("round", _unrepeated([each.name for each, _, _ in rows]), is_text=True),
        Column("table", ["rests" if number is None else str(number) for _, number, _ in rows]),
        Column("bot", [row.bot for row in entrants], is_text=True),
        Column("before", [_number(before, digits) for before, _ in scores], expendable=2),
        Column("floats", [floats_text(row) for row in entrants], is_text=True, expendable=3),
        Column("pts %", [_number(row.points_percent, 1) for row in entrants]),
        Column("score", [_number(score, digits) for _, score in scores]),
        Column("advances", [{True: "yes", False: "no", None: ""}[row.advanced] for row in entrants], is_text=True),
    ]
    columns = [column for column in columns if any(column.cells)]
    if form == "table":
        columns = [_apart(column, [each.round for each, _, _ in rows]) for column in columns]
    return columns_text(columns, form, width)


def _round_rows(report: RoundReport) -> list[tuple[RoundReport, int | None, RoundEntrant]]:
    """Returns the entrants of a round, each with the report and the number of its table, or None if it rests."""
    seated = [(report, number, row) for number, group in enumerate(report.tables, 1) for row in group]
    return [*seated, *[(report, None, row) for row in report.resting]]


def _apart(column: Column, rounds: Sequence[int]) -> Column:
    """Returns a column with an empty cell between two rounds; `rounds` has the round of each cell."""
    cells: list[str] = []
    for i, cell in enumerate(column.cells):
        cells += [""] * (i > 0 and rounds[i] != rounds[i - 1])
        cells.append(cell)
    return Column(column.heading, cells, column.is_text, column.expendable)


def _unrepeated(cells: Sequence[str]) -> list[str]:
    """Returns the cells of a column, those blank that are equal to the cell above."""
    return ["" if i and cell == cells[i - 1] else cell for i, cell in enumerate(cells)]


def floats_text(entrant: RoundEntrant) -> str:
    """Says whether an entrant met higher scores (up), or lower ones (down), or both."""
    return " and ".join([word for word, met in (("up", entrant.upfloats), ("down", entrant.downfloats)) if met])


def table(
    head: Sequence[str],
    lines: Sequence[Sequence[str]],
    form: TableFormat,
    words: Sequence[int],
    width: int | None = None,
) -> str:
    """Returns lines under headings as an aligned table, or as Markdown if `form` is that.

    `words` are the indices of the columns that are aligned to the left; all others are aligned to the right. Words are
    shortened where a table would be wider than `width`. What is unprintable in a cell is spelled out.
    """
    cells = list(zip(*lines, strict=True)) or [()] * len(head)
    columns = [Column(name, cells[i], is_text=i in words) for i, name in enumerate(head)]
    return columns_text(columns, form, width)


def columns_text(columns: Sequence[Column], form: TableFormat, width: int | None) -> str:
    """Returns columns as Markdown, or else as a table that is fitted into the width."""
    return _markdown(columns) if form == "markdown" else aligned(columns, width)


def _markdown(columns: Sequence[Column]) -> str:
    """Returns columns as a table in Markdown."""
    escaped = [
        Column(markdown_text(each.heading), list(map(markdown_text, each.cells)), each.is_text) for each in columns
    ]
    return tabulated(escaped, "github")


def html_text(columns: Sequence[Column]) -> str:
    """Returns columns as a table in HTML; what is unprintable in a cell is spelled out."""
    return tabulated(columns, "html")


def markdown_text(text: str) -> str:
    """Returns the text as Markdown that shows it in one line, as it is; what is unprintable is spelled out."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def csv_text(head: Sequence[str], lines: Sequence[Sequence[Any]]) -> str:
    """Returns comma-separated values; unknown values are empty, and truth values are written as in JSON."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([head, *[[_csv_cell(cell) for cell in line] for line in lines]])
    return file.getvalue().rstrip("\n")


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return str(cell).lower()
    return one_line(cell) if isinstance(cell, str) else cell  # a name may come from a damaged file


def json_text(value: Any) -> str:
    """Returns indented JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def half_width(low: float | None, high: float | None, digits: int) -> str:
    """Returns half the width of an interval; an empty text if the interval is endless or unknown."""
    return "" if low is None or high is None or isinf(low) or isinf(high) else f"{(high - low) / 2:.{digits}f}"


def chance_text(share: float | None) -> str:
    """Returns a probability in percent; what rounds to 0 or 100 is not called never or always."""
    if share is None:
        return ""
    return f"{100 * share:.1f}" if 0.001 <= share <= 0.999 else ">99.9" if share > 0.5 else "<0.1"


def _number(value: Fraction | float | None, digits: int) -> str:
    return "" if value is None else f"{float(value):.{digits}f}"


def _rounded(value: float) -> float | None:
    return None if isinf(value) else round(value, DIGITS)
