"""Columns of a table, and which of them fit into the width of a terminal."""

from collections.abc import Sequence

import msgspec
import tabulate

from tourney.base.errors import one_line

GAP = 2
"""How many spaces stand between two columns."""

tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading


class Column(msgspec.Struct, frozen=True):
    """A column of a table."""

    heading: str
    cells: Sequence[str]
    is_text: bool = False
    """Whether the cells are words, which are aligned to the left, rather than numbers."""
    expendable: int = 0
    """Where the table is too wide, the column with the highest number is dropped first; 0 is never dropped."""

    @property
    def width(self) -> int:
        """How many characters wide the column is."""
        return max(map(len, [self.heading, *self.cells]))


def total_width(columns: Sequence[Column]) -> int:
    """Returns the width of a table with these columns."""
    return sum([column.width + GAP for column in columns]) - GAP


def fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """Returns the columns that fit into the width, and those that are never dropped."""
    fitting = list(columns)
    while total_width(fitting) > width and any([each.expendable for each in fitting]):
        fitting.remove(max(fitting, key=lambda column: column.expendable))
    return fitting


def aligned(columns: Sequence[Column], width: int | None = None) -> str:
    """Returns the columns as a table, fitted into a width if one is given. What is unprintable is spelled out."""
    lines = tabulated(columns if width is None else fitted(columns, width), "simple").split("\n")
    return "\n".join([line.rstrip() for line in lines])


def tabulated(columns: Sequence[Column], form: str) -> str:
    """Returns columns in one of the formats of tabulate; what is unprintable in a cell is spelled out."""
    table: str = tabulate.tabulate(
        list(zip(*[map(one_line, column.cells) for column in columns], strict=True)),
        headers=[one_line(column.heading) for column in columns],
        tablefmt=form,
        colalign=["left" if column.is_text else "right" for column in columns],
        disable_numparse=True,
    )
    return table
