"""Measures that are taken in turn, several times over, so that ratios hold although the machine's speed drifts.

Speeds on one core are by the time that the core has worked, not by the clock on the wall: what else the machine does
then takes much less part in them.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

from tabulate import tabulate

Measure = Callable[[], float]


class Way(NamedTuple):
    """Something that is measured."""

    name: str
    unit: str
    measure: Measure
    """Comes to a number in the unit."""


@contextmanager
def one_core() -> Iterator[None]:
    """Keeps this process, and those that it starts meanwhile, on one core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def rate(seconds: float, play: Callable[[], int]) -> float:
    """How many a second of work `play` gets done on one core, called again and again for so long."""
    with one_core():
        play()  # what is loaded or filled at first is no part of it
        done, begun = 0, time.process_time()
        while (passed := time.process_time() - begun) < seconds:
            done += play()
        return done / passed


def measured(ways: list[Way], repeats: int, told: Callable[[str], None]) -> dict[str, list[float]]:
    """What each way comes to, in turn, so many times."""
    found: dict[str, list[float]] = {way.name: [] for way in ways}
    for number in range(repeats):
        for way in ways:
            told(f"{number + 1} of {repeats}: {way.name}")
            found[way.name].append(way.measure())
    return found


def ratio(values: list[float], base: list[float]) -> float:
    """The median of the ratios of each repeat."""
    return median([value / other for value, other in zip(values, base, strict=True)])


def summary(ways: list[Way], found: Mapping[str, list[float]]) -> str:
    """The median and the spread of each way, as a table."""
    lines = []
    for way in ways:
        values = found[way.name]
        digits = ",.0f" if median(values) >= 100 else ".2f"
        lines.append([way.name, f"{median(values):{digits}}", f"{min(values):{digits}} - {max(values):{digits}}"])
    units = dict.fromkeys([way.unit for way in ways])
    return table([", ".join(units), "median", "spread"], lines)


def table(head: list[str], lines: list[list[str]]) -> str:
    """The lines as a table; all columns but the first are numbers."""
    align = ("left", *["right"] * (len(head) - 1))
    return tabulate(lines, headers=head, colalign=align, disable_numparse=True)
