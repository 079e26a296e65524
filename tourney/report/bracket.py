"""The picture of a knockout's or a Swiss tournament's rounds: a column for each, whose boxes are joined by lines."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import inf
from statistics import fmean
from typing import NamedTuple, TypeAlias

from tourney.standings.results import RoundEntrant, RoundReport

Table: TypeAlias = Sequence[RoundEntrant]

HEAD, ROW, EDGE, GAP, WIDTH, STEP = 30, 24, 4, 14, 200, 256
"""In pixels: the height of a round's name, of a row and of a box's edges; between boxes; a box, and a column."""


class Box(NamedTuple):
    """The bots that meet at a table, or one with a bye."""

    x: float
    y: float
    rows: Table
    pair: str
    """The numbers of its bots, as in addresses; empty for a bye."""

    @property
    def height(self) -> int:
        """Its height in pixels."""
        return ROW * len(self.rows) + 2 * EDGE


class Bracket(NamedTuple):
    """Boxes and lines, in pixels."""

    width: float
    height: float
    rounds: Sequence[tuple[str, Sequence[Box]]]
    lines: Sequence[tuple[str, bool]]
    """Paths from a bot's row to its row in the next round, and whether it was the best of its box."""


def bracket(rounds: Sequence[RoundReport], cup: bool, numbers: Mapping[str, int]) -> Bracket:
    """Places the boxes; in a cup, next to the boxes of the same bots in the round before."""
    columns = [[*each.tables, *[(row,) for row in each.resting]] for each in rounds]
    if cup:
        for column, later in reversed(list(pairwise(columns))):
            place = {row.bot: i for i, table in enumerate(later) for row in table}
            column.sort(key=lambda table: fmean([place[row.bot] for row in table if row.bot in place] or [inf]))
    shown, lines, ends = list[tuple[str, list[Box]]](), list[tuple[str, bool]](), dict[str, tuple[float, bool]]()
    for number, (column, each) in enumerate(zip(columns, rounds, strict=True)):
        x, top, boxes, begins = number * STEP, float(HEAD), list[Box](), ends
        ends = {}
        for table in column:
            rows = sorted(table, key=lambda row: begins.get(row.bot, (0, True))[0]) if cup else table
            sources = [begins[row.bot][0] for row in rows if row.bot in begins] if cup else []
            box = Box(
                x, top, rows, "-".join(map(str, sorted([numbers[row.bot] for row in rows]))) if len(rows) > 1 else ""
            )
            box = box._replace(y=max(top, fmean(sources or [0]) - box.height / 2))
            top = box.y + box.height + GAP
            boxes.append(box)
            for i, row in enumerate(rows):
                middle = box.y + EDGE + ROW * (i + 0.5)
                if row.bot in begins:
                    start, was_best = begins[row.bot]
                    out, half = x - STEP + WIDTH, x - (STEP - WIDTH) / 2
                    lines.append((f"M{out} {start:g}C{half:g} {start:g} {half:g} {middle:g} {x} {middle:g}", was_best))
                ends[row.bot] = middle, row.advanced or row.round_score == 1
        shown.append((each.name, boxes))
    height = max([box.y + box.height for _, boxes in shown for box in boxes], default=HEAD)
    return Bracket(len(rounds) * STEP - STEP + WIDTH, height + 1, shown, lines)
