"""Plays a tournament of one table, and counts points and faults."""

from collections import Counter
from collections.abc import Mapping
from math import inf, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

import orjson

from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.journal.times import Times
from tourney.schedule.base import schedule
from tourney.standings import intervals
from tourney.standings.points import points

BOTS = Path(__file__).with_name("bots.py")


class Played(NamedTuple):
    """What a tournament came to."""

    matches: int
    points: dict[int, list[float]]
    """By block: the points of the first entrant in each of its matches."""
    faults: Counter[tuple[str, str]]
    """How often each entrant has had which fault."""
    times: Times

    def faults_of(self, *names: str) -> int:
        return sum([count for (name, _), count in self.faults.items() if name in names])


class Mean(NamedTuple):
    """A mean, with what is to be added and taken away for an interval of 95 %."""

    mean: float
    bar: float

    def __str__(self) -> str:
        return f"{100 * self.mean:+.1f} ± {100 * self.bar:.1f}"


def played(
    bots: Mapping[str, str], game: str, options: Mapping[str, Any], deals: int, workers: int, limits: str
) -> Played:
    """Plays a round-robin at one table; `bots` are the lines of each entrant by its name."""
    tables = "".join([f'[[bot]]\nname = "{name}"\n{lines}\n' for name, lines in bots.items()])
    keys = ", ".join([f"{key} = {value}" for key, value in options.items()])
    text = (
        f'name = "clocks"\nseed = "clocks"\ndeals = {deals}\n{tables}[limits]\n{limits}\n'
        f'[[game]]\nname = "{game}"\nseats = {len(bots)}\noptions = {{ {keys} }}\n'
    )
    chosen = config.parse(text, BOTS.parent / "clocks.toml")
    with local_pool(chosen, workers) as pool:
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
        times = pool.times
    first = next(iter(bots))
    found: dict[int, list[float]] = {}
    faults: Counter[tuple[str, str]] = Counter()
    records = [orjson.loads(line) for line in lines.splitlines()]
    for record in records:
        seats = record["seats"]
        won = points(tuple(record["places"]))
        found.setdefault(record["block"], []).append(won[seats.index(first)])
        faults.update([(seats[fault["seat"]], fault["kind"]) for fault in record["faults"]])
    return Played(len(records), found, faults, times)


def mean_of(values: list[float]) -> Mean:
    """Returns the mean of independent values."""
    if len(values) == 1:
        return Mean(values[0], inf)
    return Mean(fmean(values), intervals.quantile_975(len(values) - 1) * stdev(values) / sqrt(len(values)))


def share(result: Played) -> Mean:
    """Returns the mean points of the first entrant; its error bar counts deals."""
    return mean_of([fmean(won) for won in result.points.values()])


def gain(result: Played, control: Played) -> Mean:
    """Returns by how much more points the first entrant has won than in the control, on the same deals."""
    return mean_of([fmean(won) - fmean(control.points[block]) for block, won in result.points.items()])
