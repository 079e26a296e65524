"""The bracket of a knockout between two at a time, drawn: from the left to the right, whoever advances.

Every entrant has a line, from the column of the round in which it enters. Whoever advances goes on in the upper of the
two lines, so a meeting looks like this:

    steady  62.5 ─┬─ steady  75.0
    first   37.5 ─┘
"""

from collections.abc import Sequence
from textwrap import fill

from tourney.column_layout import display_width, padded, shortened
from tourney.errors import one_line
from tourney.schedule.round_report import RoundEntrant, RoundReport

SHORTEST = 6
"""To how many characters names are shortened at most."""
FORK, SPACE, BELOW, END = " ─┬─ ", "     ", "  │  ", " ─┘  "
LEGEND = "The numbers are points %. Whoever has advanced stands to the right."

Lines = list[str]


def bracket_text(rounds: Sequence[RoundReport], width: int) -> str | None:
    """Returns the bracket in lines of up to this width; None if it is too wide, or not one of pairs."""
    groups = [table for each in rounds for table in each.tables]
    if not groups or any([len(group) != 2 for group in groups]) or not any([row.advanced for row in groups[0]]):
        return None
    longest = max([display_width(one_line(row.bot)) for group in groups for row in group])
    for digits in (1, 0):
        others = len(rounds) * (_points_width(digits) + len(FORK))
        room = (width - others) // (len(rounds) + 1)
        if room >= longest or (not digits and room >= SHORTEST):
            return _Drawing(min(longest, room), digits).text(rounds, width)
    return None


def _points_width(digits: int) -> int:
    return len(f" {100:.{digits}f}")


class _Drawing:
    """Draws a bracket, given the length of the longest name and the number of digits after the point."""

    def __init__(self, name: int, digits: int) -> None:
        self._name = name
        self._digits = digits
        self._cell = name + _points_width(digits)
        self._pitch = self._cell + len(FORK)

    def text(self, rounds: Sequence[RoundReport], width: int) -> str:
        """Returns the whole bracket."""
        blocks: dict[str, Lines] = {}  # those that are not joined yet, by an entrant who is still in
        for number, report in enumerate(rounds):
            for table in report.tables:
                upper, lower = [self._with_points(blocks.pop(row.bot, None), number, row) for row in table]
                through = [row.bot for row in table if row.advanced]
                blocks[through[0] if through else table[0].bot] = [
                    upper[0] + FORK + (self._short(through[0]) if through else "?"),
                    *[line + BELOW for line in upper[1:]],
                    lower[0] + END,
                    *[line + SPACE for line in lower[1:]],
                ]
        for row in rounds[-1].resting:
            blocks[row.bot] = [" " * (len(rounds) * self._pitch) + self._short(row.bot)]
        heads = [*[report.name for report in rounds], "winner" if rounds[-1].name == "final" else ""]
        head = "".join([padded(shortened(name, self._pitch - 1), self._pitch) for name in heads])
        drawn = [line for block in blocks.values() for line in block]
        return "\n".join([*[line.rstrip() for line in [head, *drawn]], "", fill(LEGEND, width)])

    def _with_points(self, block: Lines | None, number: int, row: RoundEntrant) -> Lines:
        """Returns the lines of an entrant up to a round, with its points in it; it has no lines before its first."""
        first = number * self._pitch
        name, *others = [" " * first + self._short(row.bot)] if block is None else block
        points = "" if row.points_percent is None else f"{row.points_percent:.{self._digits}f}"
        end = first + self._cell
        return [padded(name, end - len(points)) + points, *[padded(line, end) for line in others]]

    def _short(self, name: str) -> str:
        return shortened(one_line(name), self._name)
