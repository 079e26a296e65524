"""The cross-table: how often each bot came before each other bot, with error bars."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import msgspec

from tourney.standings.counts import MAX_DEALS, Batch, OutcomeCounts, few_batches, mean_block, merged
from tourney.standings.intervals import GameShare, share_interval


class HeadToHead(msgspec.Struct, frozen=True):
    """The result of one entrant against another."""

    percent: float
    """How often the first came before the second in the matches that both played, in percent; ties count half."""
    matches: int
    low: float | None
    """The lower end of the 95 % interval of `percent`; None if it is unknown, because they met on a single deal."""
    high: float | None
    """The upper end of the interval."""


class _HalfWins(msgspec.Struct):
    """The half wins of a bot against another (a win is 2, a tie 1), and the matches that both played."""

    halves: int = 0
    matches: int = 0


_Pair = tuple[int, int]


def cross_table(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[tuple[str, str], HeadToHead]:
    """Returns the result of every pair of entrants that have met, in both orders.

    `weights` has one weight for each game. Over several games, the percentage is the weighted mean of the percentages
    in those games in which the two have met.
    """
    games = counts.batches()
    by_game = [_half_wins(merged(batches)) for batches in games]
    by_deal = [[_half_wins(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [mean_block(batches) for batches in games]
    found = {}
    for pair in sorted({pair for wins in by_game for pair in wins}):
        met = [(game, weight, by_game[game][pair]) for game, weight in enumerate(weights) if pair in by_game[game]]
        whole = sum([weight for _, weight, _ in met])
        share = sum([weight * Fraction(wins.halves, 2 * wins.matches) for _, weight, wins in met], Fraction()) / whole
        interval = share_interval(
            [_share_on_deals(float(weight / whole), by_deal[game], pair, blocks[game]) for game, weight, _ in met]
        )
        low, high = (None, None) if interval is None else map(_percent, interval)
        score = HeadToHead(_percent(share), sum([wins.matches for _, _, wins in met]), low, high)
        one, other = [counts.names[bot] for bot in pair]
        found[one, other], found[other, one] = score, _reversed(score)
    return found


def _reversed(score: HeadToHead) -> HeadToHead:
    """Returns the result of the second entrant against the first."""
    low, high = [None if end is None else round(100 - end, 4) for end in (score.high, score.low)]
    return HeadToHead(round(100 - score.percent, 4), score.matches, low, high)


def _share_on_deals(weight: float, deals: Sequence[Mapping[_Pair, _HalfWins]], pair: _Pair, block: float) -> GameShare:
    """Returns the share of the matches of a pair that the first has won, deal by deal."""
    met = [wins.get(pair, _HalfWins()) for wins in deals]
    return GameShare(weight, [wins.halves / 2 for wins in met], [wins.matches for wins in met], block)


def _half_wins(matches: Batch) -> dict[_Pair, _HalfWins]:
    """Returns the half wins of all pairs that have met, each pair once, the bot with the smaller number first."""
    found: dict[_Pair, _HalfWins] = {}
    for finish, count in matches.items():
        for (bot, place), (other, other_place) in combinations(sorted(zip(*finish, strict=True)), 2):
            if bot != other:
                wins = found.get((bot, other))
                if wins is None:
                    wins = found[bot, other] = _HalfWins()
                wins.halves += count * ((place < other_place) + (place <= other_place))
                wins.matches += count
    return found


def _percent(share: Fraction | float) -> float:
    return round(float(100 * share), 4)


EVEN = 50.0
"""An even score in a cross-table, in percent."""
MIN_LENGTH = 3
"""The length of the shortest circle that there can be: of two bots, only one beats the other."""

Graph: TypeAlias = Mapping[str, Sequence[str]]
"""For each bot those that it beats."""


class Circle(msgspec.Struct, frozen=True):
    """Bots each of which beats each other one, directly or through others."""

    bots: tuple[str, ...]
    shortest: tuple[str, ...]
    """A shortest circle among them: each bot beats the next one, and the last the first."""


def is_off_even(pair: HeadToHead) -> bool:
    """Tells whether the 95 % interval of a score is known, and does not hold an even score."""
    return pair.low is not None and pair.high is not None and not pair.low <= EVEN <= pair.high


def circles(order: Sequence[str], pairs: Mapping[tuple[str, str], HeadToHead]) -> list[Circle]:
    """Returns the circles in a cross-table.

    A bot beats another if it scores more than even, and the 95 % interval does not hold an even score. Circles are the
    strongly connected components, of more than one bot, of the graph of these wins.

    Args:
        order: All bots; the bots in a circle, and the circles, come in this order.
        pairs: The cross-table.
    """
    rank = {name: i for i, name in enumerate(order)}
    wins = [pair for pair, score in pairs.items() if score.percent > EVEN and is_off_even(score)]
    beats: dict[str, list[str]] = {name: [] for name in order}
    for name, other in sorted(wins, key=lambda pair: rank[pair[1]]):
        beats[name].append(other)
    components = [sorted(bots, key=lambda bot: rank[bot]) for bots in _components(beats) if len(bots) > 1]
    return [
        Circle(tuple(bots), _shortest({bot: [other for other in beats[bot] if other in bots] for bot in bots}))
        for bots in sorted(components, key=lambda bots: rank[bots[0]])
    ]


def _components(graph: Graph) -> list[list[str]]:
    """Returns the strongly connected components of a graph, by Kosaraju's algorithm (Sharir 1981)."""
    beaten_by: dict[str, list[str]] = {name: [] for name in graph}
    for name, others in graph.items():
        for other in others:
            beaten_by[other].append(name)
    seen: set[str] = set()
    last_first = reversed(_finished(graph, graph, set()))
    return [_finished(beaten_by, (root,), seen) for root in last_first if root not in seen]


def _finished(graph: Graph, roots: Iterable[str], seen: set[str]) -> list[str]:
    """Searches a graph from the roots, depth first, and returns the bots in the order in which they are finished.

    Bots in `seen` are passed over; those that are found are added to it.
    """
    found = []
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(graph[root]))]
        while path:
            name, rest = path[-1]
            after = next((other for other in rest if other not in seen), None)
            if after is None:
                found.append(name)
                path.pop()
            else:
                seen.add(after)
                path.append((after, iter(graph[after])))
    return found


def _shortest(graph: Graph) -> tuple[str, ...]:
    """Returns a shortest circle of a strongly connected graph."""
    best: tuple[str, ...] = ()
    for start in graph:
        found = _circle_through(graph, start)
        if not best or len(found) < len(best):
            best = found
        if len(best) == MIN_LENGTH:
            break
    return best


def _circle_through(graph: Graph, start: str) -> tuple[str, ...]:
    """Returns a shortest circle that begins with a bot, found breadth first."""
    before = {start: start}
    queue = deque([start])
    while start not in graph[queue[0]]:
        name = queue.popleft()
        for other in graph[name]:
            if other not in before:
                before[other] = name
                queue.append(other)
    found = [queue[0]]
    while found[-1] != start:
        found.append(before[found[-1]])
    return tuple(reversed(found))
