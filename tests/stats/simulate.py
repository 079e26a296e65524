"""Simulated tournaments between bots whose strengths are known."""

from collections.abc import Iterator, Mapping, Sequence
from math import log
from random import Random

from tourney.match import Record


def record(block: int, seats: Sequence[str], places: Sequence[int], game: str = "g") -> Record:
    return Record("m", game, {}, block, "0", tuple(seats), "", (0,) * len(seats), tuple(places), (), "")


def luck(rng: Random) -> float:
    """A draw from Gumbel's distribution: strength plus luck, sorted, is a Plackett-Luce order."""
    return -log(-log(1 - rng.random()))


def tournament(
    strengths: Mapping[str, float], seats: int, blocks: int, seed: int, repeated: float = 0.0
) -> Iterator[Record]:
    """Blocks of random groups, each bot of a group once in every seat; strengths are natural logarithms.

    With the chance `repeated` a match takes its luck from its block: every such match of the block ends alike, while
    each match by itself is as the model says.
    """
    rng = Random(seed)
    for block in range(blocks):
        group = rng.sample(sorted(strengths), seats)
        shared = {bot: luck(rng) for bot in group}
        for turn in range(seats):
            seated = group[turn:] + group[:turn]
            lucks = shared if rng.random() < repeated else {bot: luck(rng) for bot in seated}
            shown = [strengths[bot] + lucks[bot] for bot in seated]
            yield record(block, seated, [1 + sum(other > own for other in shown) for own in shown])
