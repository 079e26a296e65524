"""How many worker processes to start on this machine."""

import os

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.hosts import linux


def own_processors() -> int:
    """Returns how many processors this process may use."""
    return linux.cores() or os.cpu_count() or 1


def choose_workers(tournament: Tournament, workers: int | None, oversubscribe: bool) -> int:
    """Returns how many workers to start, by default as many as this process may use processors."""
    processors = own_processors()
    if workers is None:
        return processors
    if workers > processors and tournament.bounds_time and not oversubscribe:
        raise ConfigError(
            f"workers: {workers} is more than the {processors} processors here, and bots that wait for one run out of "
            f"time; use at most {processors}, or oversubscribe"
        )
    return workers
