"""Columns of a table, and how they are fitted into the width of a terminal."""

from collections.abc import Sequence

import msgspec
import tabulate

from tourney.errors import one_line

tabulate.MIN_PADDING = 0  # tabulate makes every column two wider than its heading, and 80 columns are not many

GAP = 2
"""How many spaces stand between two columns."""
SHORTEST = 8
"""To how many characters words are shortened at most."""


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
        """How many characters the column takes."""
        return max(map(len, [self.heading, *self.cells]))


def total_width(columns: Sequence[Column]) -> int:
    """Returns the width of a table with these columns."""
    return sum([column.width + GAP for column in columns]) - GAP


def fitted(columns: Sequence[Column], width: int) -> list[Column]:
    """Returns the columns that fit into the width; if even those that are never dropped do not, shortens words."""
    fitting = list(columns)
    while total_width(fitting) > width and any([each.expendable for each in fitting]):
        fitting.remove(max(fitting, key=lambda column: column.expendable))
    while (over := total_width(fitting) - width) > 0:
        widest = max([column for column in fitting if column.is_text], key=lambda column: column.width, default=None)
        if widest is None or widest.width <= SHORTEST:
            break
        others = [column.width for column in fitting if column.is_text and column is not widest]
        narrower = max([SHORTEST, widest.width - over, *[other - 1 for other in others]])
        narrower = min(narrower, widest.width - 1)
        fitting[fitting.index(widest)] = _shortened(widest, narrower)
    return fitting


def _shortened(column: Column, width: int) -> Column:
    cells = [shortened(cell, width) for cell in column.cells]
    return msgspec.structs.replace(column, heading=shortened(column.heading, width), cells=cells)


def shortened(text: str, width: int) -> str:
    """Returns the text, with … for its middle if it is longer than the width: names often differ at their ends."""
    if len(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{text[: width - 1 - end]}…{text[len(text) - end :]}"


def aligned(columns: Sequence[Column], width: int | None = None) -> str:
    """Returns the columns as a table, fitted into a width if one is given. What is unprintable is spelled out."""
    shown = [
        msgspec.structs.replace(each, heading=one_line(each.heading), cells=list(map(one_line, each.cells)))
        for each in columns
    ]
    if width is not None:
        shown = fitted(shown, width)
    return tabulate.tabulate(
        list(zip(*[column.cells for column in shown], strict=True)),
        headers=[column.heading for column in shown],
        tablefmt="simple",
        colalign=["left" if column.is_text else "right" for column in shown],
        disable_numparse=True,
    )
