"""A busy machine: what a bot that thinks wins with few and with many workers, by each kind of limit."""

from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from tests.stalls.play import BOTS, Mean, Played, gain, played, share

LIMITS = {"move_ms": "move_ms = 60", "clock": 'clock = "400ms+45ms"', "cpu_ms": "cpu_ms = 60"}
WORKERS = (1, 2, 16)
THINK_MS = 20
NO_PROCESSOR_TIME = "inline"
"""The host that cannot tell whose processor time it is."""
GAME = "vole"
OPTIONS = {"target": 6}


class Load(NamedTuple):
    """What the bot that thinks came to with this number of workers, and with one."""

    host: str
    limit: str
    workers: int
    result: Played
    quiet: Played

    @property
    def is_fair(self) -> bool:
        """Whether the bot has won as much as with one worker, within the error bar."""
        difference = self.difference
        return abs(difference.mean) <= difference.bar

    @property
    def difference(self) -> Mean:
        return gain(self.result, self.quiet)

    def row(self) -> list[str]:
        won, times = share(self.result), self.result.times
        points = f"{100 * won.mean:.1f} ± {100 * won.bar:.1f}"
        counts = [self.result.faults_of("slow"), self.result.faults_of("quick")]
        counts += [times.late_timeouts]
        return [self.host, self.limit, str(self.workers), str(self.result.matches), points, str(self.difference),
                *map(str, counts)]  # fmt: skip


HEADERS = [
    "host", "limit", "workers", "matches", "points %", "from 1 worker", "slow charged", "quick charged",
    "late timeouts",
]  # fmt: skip


def loads(hosts: list[str], matches: int) -> Iterator[Load]:
    """Plays with each number of workers by each limit, in each host that has it."""
    for host in hosts:
        for limit, line in LIMITS.items():
            if limit == "cpu_ms" and host == NO_PROCESSOR_TIME:
                continue
            quiet = None
            for workers in WORKERS:
                bots = {
                    "slow": f'use = "{BOTS}:Slow"\nhost = "{host}"\noptions = {{ think_ms = {THINK_MS} }}',
                    "quick": f'use = "{BOTS}:Quick"\nhost = "{host}"',
                }
                result = played(bots, GAME, OPTIONS, ceil(matches / 2), workers, line)
                quiet = quiet or result
                yield Load(host, limit, workers, result, quiet)
