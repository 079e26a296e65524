"""Plays a tournament of one table, and counts faults."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.journal.times import Times
from tourney.schedule.base import schedule

BOTS = Path(__file__).with_name("bots.py")


class Played(NamedTuple):
    """What a tournament came to."""

    matches: int
    faults: Counter[tuple[str, str]]
    """How often each entrant has had which fault."""
    times: Times

    def faults_of(self, *names: str) -> int:
        return sum([count for (name, _), count in self.faults.items() if name in names])


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
    records = [orjson.loads(line) for line in lines.splitlines()]
    faults = Counter(
        [(record["seats"][fault["seat"]], fault["kind"]) for record in records for fault in record["faults"]]
    )
    return Played(len(records), faults, times)
