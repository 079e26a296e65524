"""Tables for people, as text or Markdown, and for machines, as CSV or JSON: each is a `Sheet`, declared once.

A table of text leaves out or shortens what there is no room for; CSV and JSON hold everything, under the same names.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, islice
from math import isinf
from textwrap import fill
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
import orjson
import tabulate

from tourney.base.errors import one_line

T = TypeVar("T")
TableFormat: TypeAlias = Literal["table", "markdown", "csv", "json"]

WIDTH = 80
"""The width of tables where none is given."""
GAP = 2
"""How many spaces stand between two columns."""
BASIC = 2
"""Columns that are no more expendable than this are dropped only where shorter names do not help."""
SHORTEST = 12
"""To how many letters a name may be cut."""
BATCH = 10_000
"""How many rows are written at a time, so that a table of any size takes the same memory."""
_MARKUP = re.compile(r"([\\`*\[\]<|&]|(?<!\w)_|_(?!\w))")
"""What Markdown could take for markup in the middle of a line; an underscore within a word is not markup."""
_FORMULA = re.compile(r"[=@]|[-+](?!([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z)")
"""How a text begins that a spreadsheet would take for a formula; a number with its sign is none."""

tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading


class Column(msgspec.Struct, frozen=True):
    """A column of a table: what people see, and what it adds for machines to the rows of its sheet."""

    heading: str
    cells: Sequence[str]
    is_text: bool = False
    """Whether the cells are words, which are aligned to the left, rather than numbers."""
    expendable: int = 0
    """Where the table is too wide, the column with the highest number is dropped first; 0 is never dropped."""
    shortest: int = 0
    """To how many letters its cells may be cut where the table is too wide; 0 if they are never cut."""
    keeps_end: bool = True
    """Whether cells are cut in the middle rather than at their end."""
    key: str = ""
    """Its name in CSV and JSON, if the rows of the sheet do not hold it."""
    values: Sequence[Any] = ()


def names(cells: Sequence[str], heading: str = "bot") -> Column:
    """A column of names, which are cut before much else is left out."""
    return Column(heading, cells, is_text=True, shortest=SHORTEST)


Layout: TypeAlias = Callable[[TableFormat, int], str]
"""Lays a text out in a form and a width."""
Part: TypeAlias = Sequence[Column] | Sequence[str] | Layout
"""A part of a sheet for people: a table, sentences, or any text."""


class Sheet:
    """A table, with what stands around it, in every form."""

    def __init__(
        self,
        kind: type[msgspec.Struct] | Sequence[str],
        rows: Iterable[Any],
        *parts: Part,
        data: Any = None,
        empty: str = "Nothing was played yet.",
    ) -> None:
        """Takes the rows for machines, which are of a struct or have those keys, and the parts for people.

        JSON is `data`, by default an object for each row. Without rows, people see `empty`, if that is a text.
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
        """The names of the values in CSV and JSON, and the rows of these."""
        added = [each for each in self.columns if each.key]
        rows = [msgspec.structs.astuple(row) if isinstance(row, msgspec.Struct) else tuple(row) for row in self._rows]
        more = zip(*[each.values for each in added], strict=True) if added else [()] * len(rows)
        return [*self._keys, *[each.key for each in added]], [(*row, *own) for row, own in zip(rows, more, strict=True)]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows, with the names of their values."""
        keys, rows = self.keys_and_rows()
        return [dict(zip(keys, row, strict=True)) for row in rows]

    def text(self, form: TableFormat, width: int = WIDTH) -> str:
        """The sheet in a form; a table of text is fitted into the width."""
        if form == "json":
            return json_text(self.dicts() if self._data is None else self._data)
        if form == "csv":
            return "".join(csv_parts(*self.keys_and_rows())).rstrip("\n")
        if self._empty and not self._rows:
            return self._empty
        return "\n\n".join([text for part in self._parts if (text := _part_text(part, form, width))])

    def html(self) -> str:
        """Its table in HTML; unprintable characters are escaped."""
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
    """Commands to copy: whole, and indented."""
    return lambda form, _: "\n".join([f"{'    ' if form == 'markdown' else '  '}{line}" for line in lines])


def columns_text(columns: Sequence[Column], form: TableFormat, width: int | None) -> str:
    """The columns as Markdown, or else as a table that is fitted into the width, if one is given."""
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
    """Columns of lines under headings; `words` are the indices of those that are aligned to the left."""
    cells = list(zip(*lines, strict=True)) or [()] * len(head)
    return [Column(heading, cells[i], is_text=i in words) for i, heading in enumerate(head)]


def _tabulated(columns: Sequence[Column], form: str) -> str:
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
    """The columns that fit into the width; of the others, those that are never dropped.

    The most expendable are dropped first. Before basic ones are, names are cut.
    """
    fitting = list(columns)

    def shortened(column: Column) -> Column:
        return cut(column, column.shortest) if column.shortest else column

    for least, laid_out in ((BASIC, list), (0, partial(map, shortened))):
        while total_width(laid_out(fitting)) > width:
            most = max(fitting, key=lambda column: column.expendable)
            if most.expendable <= least:
                break
            fitting.remove(most)
    for i, column in enumerate(fitting):
        if column.shortest and (over := total_width(fitting) - width) > 0:
            fitting[i] = cut(column, max(column_width(column) - GAP - over, column.shortest))
    return fitting


def cut(column: Column, most: int) -> Column:
    """The column with cells of so many letters at most."""
    last = most // 2 if column.keeps_end else 0
    cells = [
        text if len(text := one_line(cell)) <= most else f"{text[: most - last - 1]}…{text[len(text) - last :]}"
        for cell in column.cells
    ]
    return msgspec.structs.replace(column, cells=cells)


def markdown_text(text: str) -> str:
    """The text as Markdown that shows it in one line, as it is; unprintable characters are escaped."""
    return _MARKUP.sub(r"\\\1", one_line(text))


def amount_text(amount: float) -> str:
    """An amount of any size to four digits at least."""
    return f"{amount:.0f}" if abs(amount) >= 1000 else f"{amount:.4g}"


def half_width(low: float | None, high: float | None, digits: int) -> str:
    """Half the width of an interval; an empty text if the interval is infinite or unknown."""
    return "" if low is None or high is None or isinf(high - low) else f"{(high - low) / 2:.{digits}f}"


def json_text(value: Any) -> str:
    """The value as indented JSON; structs and named tuples in it are objects."""
    return orjson.dumps(value, default=_fields, option=orjson.OPT_INDENT_2).decode()


def _fields(value: Any) -> Any:
    return msgspec.structs.asdict(value) if isinstance(value, msgspec.Struct) else value._asdict()


def in_parts(rows: Iterable[T], together: int = BATCH) -> Iterator[list[T]]:
    """The rows, so many at a time."""
    left = iter(rows)
    while part := list(islice(left, together)):
        yield part


def csv_parts(keys: Sequence[str], rows: Iterable[Sequence[Any]], together: int = BATCH) -> Iterator[str]:
    """Comma-separated values, so many rows at a time; the first part is the line with the keys.

    Unknown values are empty, and booleans are written as in JSON. Unprintable characters are escaped, and a text that
    a spreadsheet would take for a formula stands behind a `'`.
    """
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
