"""Tables for people, as text or Markdown, and for machines, as CSV or JSON: each is a `Sheet`, declared once."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, islice
from math import isinf
from textwrap import fill
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
import orjson

from tourney.base.errors import one_line

T = TypeVar("T")
TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

WIDTH = 80
GAP = 2
BASIC = 2
"""Columns up to this expendability are dropped only if shorter names do not help."""
SHORTEST = 12
"""The length of the shortest cut name."""
SHARE = 1 / 3
"""The share of the width to which names are cut before a column is dropped."""
BATCH = 10_000
"""Rows written at a time, to bound the memory for large tables."""
_MARKUP = re.compile(r"([\\`*\[\]<|&]|(?<!\w)_|_(?!\w))")
"""Markdown's markup within a line; an underscore within a word is not markup."""
_FORMULA = re.compile(r"[=@]|[-+](?!([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z)")
"""The start of a spreadsheet formula; a signed number is not a formula."""


class Column(msgspec.Struct, frozen=True):
    """A column of a table for people; with a key, it also adds values to the rows for machines."""

    heading: str
    cells: Sequence[str]
    is_text: bool = False
    expendable: int = 0
    """If the table is too wide, the column with the highest number is dropped first; 0 is never dropped."""
    shortest: int = 0
    """The least length to which a name is cut before basic columns are dropped; other words are only cut at last."""
    keeps_end: bool = True
    """Whether names are cut in the middle rather than at their end, as other words are."""
    key: str = ""
    """Its name in CSV and JSON, if the rows do not contain it already."""
    values: Sequence[Any] = ()


def names(cells: Sequence[str], heading: str = "bot") -> Column:
    """A column of names, cut before basic columns are dropped."""
    return Column(heading, cells, is_text=True, shortest=SHORTEST)


Layout: TypeAlias = Callable[[TableFormat, int], str]
Part: TypeAlias = Sequence[Column] | Sequence[str] | Layout


class Sheet:
    """A table and its surrounding texts, in every form."""

    def __init__(
        self, kind: type[msgspec.Struct] | Sequence[str], rows: Iterable[Any], *parts: Part, data: Any = None,
        empty: str = "No matches yet.",
    ) -> None:  # fmt: skip
        """Takes the rows for machines, structs or tuples with the given keys, and the parts for people.

        JSON is `data`, by default an object for each row. Without rows, people see `empty`, unless it is "".
        """
        self._keys = kind.__struct_fields__ if isinstance(kind, type) else kind
        self._rows = list(rows)
        self._parts = [part for part in parts if callable(part) or part]
        self._data = data
        self._empty = empty

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of all its tables."""
        return [each for part in self._parts if not callable(part) for each in part if isinstance(each, Column)]

    def keys_and_rows(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The keys in CSV and JSON, and the rows of values."""
        added = [each for each in self.columns if each.key]
        rows = [msgspec.structs.astuple(row) if isinstance(row, msgspec.Struct) else tuple(row) for row in self._rows]
        more = zip(*[each.values for each in added], strict=True) if added else [()] * len(rows)
        return [*self._keys, *[each.key for each in added]], [(*row, *own) for row, own in zip(rows, more, strict=True)]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        keys, rows = self.keys_and_rows()
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def text(self, form: TableFormat, width: int = WIDTH) -> str:
        """The sheet in a form; text tables are fitted into the width."""
        if form == "json":
            return json_text(self.dicts() if self._data is None else self._data)
        if form == "csv":
            return "".join(csv_parts(*self.keys_and_rows())).rstrip("\n")
        if self._empty and not self._rows:
            return self._empty
        return "\n\n".join([text for part in self._parts if (text := _part_text(part, form, width))])

    def html(self) -> str:
        """The table as HTML, with unprintable characters escaped."""
        return _tabulated(said(self.columns), "html")


def said(columns: Iterable[Column]) -> list[Column]:
    """The columns that are not empty."""
    return [column for column in columns if any(column.cells)]


def _part_text(part: Part, form: TableFormat, width: int) -> str:
    if callable(part):
        return part(form, width)
    columns = [each for each in part if isinstance(each, Column)]
    if columns:
        return columns_text([each for each in columns if any(each.cells) or not each.key], form, width)
    return sentences_text([str(each) for each in part], form, width)


def sentences_text(sentences: Iterable[str], form: TableFormat, width: int) -> str:
    """Sentences, each in a paragraph of Markdown, or else on a new line."""
    if form == "markdown":
        return "\n\n".join(map(markdown_text, sentences))
    return "\n".join([fill(one_line(line), width, subsequent_indent="  ") for line in sentences])


def commands(lines: Sequence[str]) -> Layout:
    """Commands to copy, indented and never wrapped."""
    return lambda form, _: "\n".join([f"{'    ' if form == 'markdown' else '  '}{line}" for line in lines])


def columns_text(columns: Sequence[Column], form: TableFormat, width: int | None) -> str:
    """The columns as Markdown, or as a text table fitted into the width, if given."""
    if form == "markdown":
        replace = msgspec.structs.replace
        escaped = [
            replace(each, heading=markdown_text(each.heading), cells=list(map(markdown_text, each.cells)))
            for each in columns
        ]
        return _tabulated(escaped, "github")
    lines = _tabulated(columns if width is None else fitted(columns, width), "simple").split("\n")
    return "\n".join([line.rstrip() for line in lines])


def columns_of(head: Sequence[str], lines: Sequence[Sequence[str]], words: Sequence[int]) -> list[Column]:
    """Columns from lines of cells; `words` are the indices of left-aligned columns."""
    cells = list(zip(*lines, strict=True)) or [()] * len(head)
    return [Column(heading, cells[i], is_text=i in words) for i, heading in enumerate(head)]


def _tabulated(columns: Sequence[Column], form: str) -> str:
    import tabulate  # noqa: PLC0415 - slow to load, and only needed here

    tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading
    return tabulate.tabulate(
        list(zip(*[map(one_line, column.cells) for column in columns], strict=True)),
        headers=[one_line(column.heading) for column in columns],
        tablefmt=form,
        colalign=["left" if column.is_text else "right" for column in columns],
        disable_numparse=True,
    )


def total_width(columns: Iterable[Column]) -> int:
    """The width of a table with these columns."""
    return sum(map(column_width, columns)) - GAP


def column_width(column: Column) -> int:
    """The width of a column with a gap."""
    return max(map(len, map(one_line, [column.heading, *column.cells]))) + GAP


def fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """Cuts names and drops columns to fit the width, except those never dropped.

    Names are cut to `SHARE` of the width before a column is dropped, and further before basic ones are. The most
    expendable go first. If that is not enough, other words are cut as well, the widest first.
    """
    fitting = list(columns)

    def bounded(most: int, column: Column) -> Column:
        return cut(column, max(most, column.shortest)) if column.shortest else column

    for least, most in ((BASIC, int(SHARE * width)), (0, 0)):
        widths = [column_width(bounded(most, column)) for column in fitting]
        while sum(widths) - GAP > width:
            at = max(range(len(fitting)), key=lambda at: fitting[at].expendable)
            if fitting[at].expendable <= least:
                break
            del fitting[at], widths[at]
    for i in sorted(range(len(fitting)), key=lambda i: (not fitting[i].shortest, -column_width(fitting[i]))):
        column, over = fitting[i], total_width(fitting) - width
        if over > 0 and (column.shortest or column.is_text):
            fitting[i] = cut(column, max(column_width(column) - GAP - over, column.shortest or SHORTEST))
    return fitting


def cut(column: Column, most: int) -> Column:
    """The column with cells of at most `most` letters."""
    keeps_end = column.keeps_end and bool(column.shortest)
    heading, *cells = [shortened(text, most, keeps_end) for text in (column.heading, *column.cells)]
    return msgspec.structs.replace(column, heading=heading, cells=cells)


def shortened(text: str, most: int, keeps_end: bool = True) -> str:
    """The text with at most `most` letters, cut in the middle or at its end."""
    text, last = one_line(text), most // 2 if keeps_end else 0
    return text if len(text) <= most else f"{text[: most - last - 1]}…{text[len(text) - last :]}"


def markdown_text(text: str) -> str:
    """Escapes a text for one line of Markdown."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def amount_text(amount: float) -> str:
    """An amount with at least four digits."""
    return f"{amount:.0f}" if abs(amount) >= 1000 else f"{amount:.4g}"


def half_width(low: float | None, high: float | None, digits: int) -> str:
    """Half the width of an interval; empty if infinite or unknown."""
    return "" if low is None or high is None or isinf(high - low) else f"{(high - low) / 2:.{digits}f}"


def json_text(value: Any) -> str:
    """The value as indented JSON; structs and named tuples in it are objects."""
    return orjson.dumps(value, default=_fields, option=orjson.OPT_INDENT_2).decode()


def _fields(value: Any) -> Any:
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value._asdict()


def in_parts(rows: Iterable[T], together: int = BATCH) -> Iterator[list[T]]:
    """The rows in batches."""
    left = iter(rows)
    while part := list(islice(left, together)):
        yield part


def csv_parts(keys: Sequence[str], rows: Iterable[Sequence[Any]], together: int = BATCH) -> Iterator[str]:
    """Comma-separated values in batches; the first part is the line with the keys.

    Unknown values are empty, booleans as in JSON. Unprintable characters are escaped, and possible spreadsheet
    formulas start with a `'`.
    """
    import csv  # noqa: PLC0415 - few tables are CSV

    for lines in chain[Iterable[Sequence[Any]]]([[keys]], in_parts(rows, together)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([map(_csv_cell, line) for line in lines])
        yield text.getvalue()


def _csv_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return str(cell).lower()
    if not isinstance(cell, str):
        return cell
    text = one_line(cell)  # a name may come from a damaged file
    return f"'{text}" if _FORMULA.match(text) else text
