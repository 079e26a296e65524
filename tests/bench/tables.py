"""Renders measurements as tables of at most 80 columns, and as JSON."""

import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill
from typing import Any, NamedTuple

import orjson
from tabulate import tabulate

from tests.bench.timing import Key

Found = Mapping[Key, list[float]]
COLUMNS = 80


class Ratio(NamedTuple):
    name: str
    above: Callable[[str], Key]  # returns the key of the numerator for a game
    below: Callable[[str], Key]  # returns the key of the denominator for a game

    def values(self, found: Found, game: str) -> list[float]:
        return [a / b for a, b in zip(found[self.above(game)], found[self.below(game)], strict=True)]


def machine(repeats: int) -> dict[str, Any]:
    """Describes the machine and its load, which is that before the measurements if this is called first."""
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": os.getloadavg(),
        "repeats": repeats,
    }


def heading(about: Mapping[str, Any], missing: Sequence[str]) -> str:
    """Returns a line on the machine, and a line for each thing that could not be measured."""
    load = ", ".join([f"{each:.1f}" for each in about["load"]])
    first = f"{about['cores']} cores, load {load} at the start; Python {about['python']}; repeats: {about['repeats']}"
    lines = [first, *[f"missing, and not measured: {name}" for name in missing]]
    return "\n".join([fill(line, COLUMNS, subsequent_indent="  ", break_on_hyphens=False) for line in lines])


def side_by_side(group: str, found: Found, builds: Sequence[str], scale: int = 1) -> str:
    """Returns a table of a group of our measurements: a line each, with median and spread for each build."""
    names = dict.fromkeys([(key.game, key.name) for key in found if key.group == group])
    lines = []
    for game, name in names:
        values = [[value / scale for value in found[Key(group, game, name, build)]] for build in builds]
        title = f"{game}: {name}" if game else name
        lines.append([title, *[text for each in values for text in (number(median(each)), spread(each))]])
    head = [f"{scale:,} {group}" if scale > 1 else group]
    return table([*head, *[text for build in builds for text in (build, "spread")]], lines)


def pooled(group: str, found: Found, scale: int) -> str:
    """Returns a table of the peers, each with the measurements beside all of our games in one line."""
    values: dict[str, list[float]] = {}
    for key, several in found.items():
        if key.group == group:
            values.setdefault(key.name, []).extend([value / scale for value in several])
    lines = [[name, number(median(each)), spread(each)] for name, each in values.items()]
    return table([f"{scale:,} {group}", "median", "spread"], lines)


def ratios(title: str, lines: Iterable[Ratio], found: Found, games: Sequence[str]) -> str:
    """Returns a table with a line a ratio and a column a game."""
    cells = [[line.name, *[with_distance(line.values(found, game)) for game in games]] for line in lines]
    return table([title, *[game.replace("-", "-\n") for game in games]], cells)


def with_distance(values: Sequence[float]) -> str:
    """Returns the median, and the largest distance of a value from it, as in `1.85±0.07`."""
    middle = median(values)
    digits = _digits(middle)
    farthest = max([abs(value - middle) for value in values])
    return f"{middle:.{digits}f}±{farthest:.{digits}f}"


def spread(values: Sequence[float]) -> str:
    """Returns the least and the largest value, as in `399-452`."""
    return f"{number(min(values))}-{number(max(values))}"


def number(value: float) -> str:
    """Returns a number with at least three digits, and at most two of them after the point."""
    return f"{value:,.{_digits(value)}f}"


def _digits(value: float) -> int:
    return 0 if value >= 100 else 1 if value >= 10 else 2


def table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Returns lines as a table; all columns but the first are numbers."""
    return tabulate(lines, headers=head, colalign=("left", *["right"] * (len(head) - 1)), disable_numparse=True)


def write_json(path: Path, data: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(orjson.dumps(data, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
