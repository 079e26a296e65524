"""The seeded choices of a match: the lots that its bots draw, and the moves of the house."""

from functools import lru_cache

from tourney.contracts.rng import derive, pick, stream
from tourney.hosts.base import Act


@lru_cache(maxsize=64)
def bot_seed(seed: int, seat: int, names: tuple[str, ...]) -> int:
    """Returns the seed of a bot's lots: who sits in the same seat of the same block draws the same lots.

    The matches of a block ask for the same few seeds in turn, so they are cached.
    """
    return derive(seed, "bot", seat, *names)


def house(seed: int, seat: int) -> Act:
    """Returns the house for a seat: a seeded uniform choice among the legal actions."""
    rng = stream(seed, "house", seat)
    return lambda _view, legal: pick(legal, rng)
