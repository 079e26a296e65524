"""How many worker processes to start on this machine."""

import os

from tourney.config import Tournament
from tourney.errors import ConfigError
from tourney.hosts import linux


class TooManyWorkersError(ConfigError):
    """More workers are asked for than there are processors, in a tournament with limits of time."""

    def __init__(self, message: str, processors: int) -> None:
        super().__init__(message)
        self.processors = processors
        """How many processors this process may use."""


def own_processors() -> int:
    """Returns how many processors this process may use, as far as the system tells."""
    return linux.cores() or os.cpu_count() or 1


def choose_workers(tournament: Tournament, workers: int | None, oversubscribe: bool) -> int:
    """Returns how many workers to start, by default as many as this process may use processors.

    Raises:
        TooManyWorkersError: More are asked for in a tournament with limits of time, and that is not allowed: bots that
            wait for a processor would run out of time.
    """
    processors = own_processors()
    if workers is None:
        return processors
    if workers > processors and tournament.bounds_time and not oversubscribe:
        there = f"there are {processors} processors" if processors > 1 else "there is 1 processor"
        raise TooManyWorkersError(f"{there} here, and bots that wait for one run out of their time", processors)
    return workers
