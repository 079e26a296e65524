"""Makes records for tests, and simulates tournaments between bots of known strengths."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import log
from random import Random
from typing import NamedTuple

from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, GameSetup, Places, Record
from tourney.contracts.rng import seed_text
from tourney.plugins.registry import load_game
from tourney.standings.counts import OutcomeCounts
from tourney.standings.ratings import Ratings
from tourney.standings.results import MatchResult
from tourney.table.table import play


def record(
    block: int, seats: Sequence[str], places: Sequence[int], game: str = "g", scores: Sequence[int] = (),
    faults: Sequence[Fault] = (),
) -> Record:  # fmt: skip
    """Returns a record of a match on the deal whose seed is the block's number; scores are 0 if none are given."""
    scores = scores or (0,) * len(seats)
    return Record(
        "m", game, {}, block, seed_text(block), tuple(seats), "", tuple(scores), tuple(places), tuple(faults), ""
    )


def add(counts: OutcomeCounts, record: Record) -> None:
    """Counts a single record, as a block of one match."""
    block = Block(record.block, record.setup, int(record.seed, 16), (record.seats,))
    counts.add(block, [record])


def counted(records: Iterable[Record], *games: str) -> OutcomeCounts:
    """Returns the counts of records; their games are those of the records, or those that are named, in that order."""
    played = list(records)
    seats = {each.game: len(each.seats) for each in played}
    names = sorted({name for each in played for name in each.seats})
    found = OutcomeCounts(names, [GameSetup(game, seats.get(game, 2), {}) for game in games or sorted(seats)])
    for each in played:
        add(found, each)
    return found


def counts_of(given: Tournament, results: Iterable[tuple[Block, Sequence[Places]]]) -> OutcomeCounts:
    """Returns the counts of blocks of a tournament, each with the places of its matches."""
    found = OutcomeCounts(given.names, given.setups)
    for block, places in results:
        found.add(block, [MatchResult((0,) * len(each), each, ()) for each in places])
    return found


def player(given: Tournament) -> Callable[[Block], list[Record]]:
    """Returns what plays the blocks of a tournament of one game, in this process."""
    makers, rules = config.create_hosts(given), load_game(given.setups[0].game)
    return lambda block: [play(match, rules, [makers[name] for name in match.seats]) for match in block.matches()]


class Line(NamedTuple):
    """A bot's rating with its interval, and how likely it is stronger than the next bot."""

    bot: str
    rating: float
    low: float
    high: float
    above_next: float | None


def rate(
    records: Iterable[Record], anchor: tuple[str, float] | None = None, weights: Sequence[float] = ()
) -> list[Line]:
    counts = counted(records)
    weights = [Fraction(weight) for weight in weights or [1] * len(counts.setups)]
    held = None if anchor is None else (counts.names.index(anchor[0]), anchor[1])
    found = Ratings(counts.batches(), weights, held)
    order = sorted(found.bots, key=lambda bot: -found.of(bot).elo)
    above = [found.above(bot, after) for bot, after in pairwise(order)]
    return [Line(counts.names[bot], *found.of(bot), chance) for bot, chance in zip(order, [*above, None], strict=True)]


def luck(rng: Random) -> float:
    """Draws from Gumbel's distribution; bots sorted by strength plus luck follow Plackett-Luce (Yellott 1977)."""
    return -log(-log(1 - rng.random()))


def tournament(
    strengths: Mapping[str, float], seats: int, blocks: int, seed: int, repeated: float = 0.0
) -> Iterator[Record]:
    """Yields the records of blocks of random groups, each bot of a group once in every seat.

    `strengths` are natural logarithms. With the probability `repeated`, a match takes its luck from its block: all such
    matches of a block end alike, while each match by itself follows the model.
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
