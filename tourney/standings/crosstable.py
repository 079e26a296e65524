"""The cross-table: how often each bot finished ahead of each other bot, with error bars, and the cycles in it."""

from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import TypeAlias

import msgspec

from tourney.standings.counts import MAX_DEALS, Batch, Finish, OutcomeCounts, few_batches, mean_block, merged
from tourney.standings.intervals import GameShare, share_interval

EVEN = 50.0

_Pair: TypeAlias = tuple[int, int]


class HeadToHead(msgspec.Struct, frozen=True):
    """The result of one entrant against another."""

    percent: float
    """How often the first finished ahead of the second in their common matches, in percent; ties count half."""
    matches: int
    low: float | None
    """The lower end of its 95 % interval; None if unknown, because they met on a single deal."""
    high: float | None


def is_off_even(pair: HeadToHead) -> bool:
    """Whether a score's 95 % interval is known and excludes an even score."""
    return pair.low is not None and pair.high is not None and not pair.low <= EVEN <= pair.high


def cross_table(
    counts: OutcomeCounts,
    weights: Sequence[Fraction],
    bot_ids: Sequence[Hashable] | None = None,
    games: Sequence[Sequence[Batch]] | None = None,
) -> dict[tuple[str, str], HeadToHead]:
    """The result of every pair of entrants that have met, in both orders.

    Over several games, the percentage is the weighted mean over the pair's games. `bot_ids` are as in
    `tourney.standings.ratings.Ratings`, and `games` are the batches of the counts, if available.
    """
    games = counts.batches() if games is None else games
    by_game = [half_wins(merged(batches)) for batches in games]
    by_deal = [[half_wins(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [mean_block(batches) for batches in games]
    table = {}
    for pair in sorted({pair for wins in by_game for pair in wins}):
        met = [game for game, wins in enumerate(by_game) if pair in wins]
        whole = sum([weights[game] for game in met])
        share, matches, shares = Fraction(), 0, []
        for game in met:
            weight, (halves, played) = weights[game] / whole, by_game[game][pair]
            share += weight * Fraction(halves, 2 * played)
            matches += played
            deals = [wins.get(pair, (0, 0)) for wins in by_deal[game] if len(met) > 1 or pair in wins]
            won = [halves / 2 for halves, _ in deals]
            shares.append(GameShare(float(weight), won, [played for _, played in deals], blocks[game]))
        same_bots = bot_ids is not None and bot_ids[pair[0]] == bot_ids[pair[1]]
        interval = share_interval(shares, same_bots) or (None, None)
        low, high = [None if end is None else _percent(end) for end in interval]
        one, other = [counts.names[bot] for bot in pair]
        table[one, other] = score = HeadToHead(_percent(share), matches, low, high)
        low, high = [None if end is None else round(100 - end, 4) for end in (high, low)]
        table[other, one] = HeadToHead(round(100 - score.percent, 4), matches, low, high)
    return table


def half_wins(matches: Batch) -> dict[_Pair, tuple[int, int]]:
    """For each pair, the smaller number first: the first bot's half wins, and the number of matches."""
    halves_of: dict[_Pair, tuple[int, int]] = {}
    for finish, count in matches.items():
        for (bot, place), (other, other_place) in combinations(_by_number(finish), 2):
            if bot != other:
                halves, met = halves_of.get((bot, other), (0, 0))
                halves += count * ((place < other_place) + (place <= other_place))
                halves_of[bot, other] = halves, met + count
    return halves_of


@lru_cache(maxsize=1 << 16)
def _by_number(finish: Finish) -> list[tuple[int, int]]:
    return sorted(zip(*finish, strict=True))


def _percent(share: Fraction | float) -> float:
    return round(float(100 * share), 4)


class Cycle(msgspec.Struct, frozen=True):
    """Bots that all beat each other, directly or through others."""

    bots: tuple[str, ...]
    shortest: tuple[str, ...]
    """A shortest cycle among them: each bot beats the next one, and the last the first."""


def cycles(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead]) -> list[Cycle]:
    """The cycles in a cross-table.

    A bot beats another if it scores more than even and the 95 % interval excludes an even score. A cycle's bots are a
    strongly connected component of the graph of these wins. Bots and cycles come in the given order.
    """
    rank = {name: i for i, name in enumerate(order)}
    beats: dict[str, list[str]] = {name: [] for name in order}
    wins = [pair for pair, score in pairs.items() if score.percent > EVEN and is_off_even(score)]
    for name, other in sorted(wins, key=lambda pair: rank[pair[1]]):
        beats[name].append(other)
    # Warshall's algorithm: at the end, bit j of reach[i] is set if wins lead from bot i to bot j
    reach = [sum([1 << rank[other] for other in beats[name]]) for name in order]
    for i in [i for i, name in enumerate(order) if beats[name]]:
        reach = [row | reach[i] if row >> i & 1 else row for row in reach]
    cycles_there = []
    for i, name in enumerate(order):
        if reach[i] >> i & 1:
            bots = {other: None for j, other in enumerate(order) if reach[i] >> j & 1 and reach[j] >> i & 1}
            if next(iter(bots)) == name:
                within = {bot: [other for other in beats[bot] if other in bots] for bot in bots}
                cycles_there.append(Cycle(tuple(bots), _shortest_cycle(within)))
    return cycles_there


def _shortest_cycle(beats: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """A shortest cycle of a strongly connected graph, by breadth-first search from each bot."""
    best: list[str] = []
    for start in beats:
        before, queue = {start: start}, deque([start])
        while start not in beats[queue[0]]:
            name = queue.popleft()
            for other in beats[name]:
                if other not in before:
                    before[other] = name
                    queue.append(other)
        cycle = [queue[0]]
        while cycle[-1] != start:
            cycle.append(before[cycle[-1]])
        if not best or len(cycle) < len(best):
            best = cycle[::-1]
        if len(best) == 3:  # the minimum: two bots cannot beat each other
            break
    return tuple(best)
