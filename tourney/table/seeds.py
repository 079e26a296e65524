"""The seeded choices of a match: the seeds of its bots, and the moves of the house."""

from functools import lru_cache

from tourney.contracts.rng import derive, pick, stream
from tourney.hosts.base import Act


@lru_cache(maxsize=64)
def bot_seed(seed: int, seat: int, names: tuple[str, ...]) -> int:
    """The seed of a bot, the same for every bot in this seat in any match of the block."""
    return derive(seed, "bot", seat, *names)


def house(seed: int, seat: int) -> Act:
    """The house for a seat: a seeded uniform choice among the legal actions."""
    rng = stream(seed, "house", seat)
    return lambda _view, legal: pick(legal, rng)
