"""Circles in the cross-table: bots that beat each other round about, each beyond the error bar."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from tourney.stats.crosstable import HeadToHead

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
