"""Columns of a table, and how they are fitted into the width of a terminal."""

import unicodedata
from collections.abc import Sequence

import msgspec

from tourney.errors import one_line

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
        """How many cells of a terminal the column takes."""
        return max(map(display_width, [self.heading, *self.cells]))


def display_width(text: str) -> int:
    """Returns how many cells of a terminal a text takes: two for a wide character, as Chinese and Japanese have."""
    if text.isascii():
        return len(text)
    return sum([_cells(char) for char in text])


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):  # it is drawn over the one before, or not at all
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def padded(text: str, width: int, left: bool = False) -> str:
    """Returns the text with spaces behind it, or to its left, so that it takes that many cells of a terminal."""
    space = " " * (width - display_width(text))
    return space + text if left else text + space


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
    if display_width(text) <= width:
        return text
    end = (width - 1) // 2
    return f"{_beginning(text, width - 1 - end)}…{_beginning(text[::-1], end)[::-1]}"


def _beginning(text: str, width: int) -> str:
    """Returns as much of the beginning of a text as fits into the width."""
    for i, char in enumerate(text):
        width -= _cells(char)
        if width < 0:
            return text[:i]
    return text


def aligned(columns: Sequence[Column], width: int | None = None) -> str:
    """Returns the columns as a table, fitted into a width if one is given. What is unprintable is spelled out."""
    shown = [
        msgspec.structs.replace(each, heading=one_line(each.heading), cells=list(map(one_line, each.cells)))
        for each in columns
    ]
    if width is not None:
        shown = fitted(shown, width)
    lines = [_lines(column) for column in shown]
    return "\n".join([(GAP * " ").join(line).rstrip() for line in zip(*lines, strict=True)])


def _lines(column: Column) -> list[str]:
    """Returns the lines of a column, all of its width: its heading, a rule and its cells."""
    texts = (column.heading, "-" * column.width, *column.cells)
    return [padded(text, column.width, left=not column.is_text) for text in texts]
