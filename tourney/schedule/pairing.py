"""Who meets whom in a round of a Swiss: pairs by matching, larger tables by exchanges.

Both weigh what they avoid in a strict order: whatever is worth less only decides between what is equal in all before.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import lcm
from random import Random

from tourney.rng import shuffle

TRIES = 10
"""Tables are sought from so many beginnings, until none of them meets again."""
PART = 64
"""A field is paired in parts of this size or up to double of it; the time grows with the third power of the size."""
DRAW = 1 << 53
"""Draws of a `Random` are fractions of this."""


class Field:
    """What is known of the entrants before a round."""

    def __init__(self, names: Sequence[str]) -> None:
        """Starts before the first round."""
        self.scores = dict.fromkeys(names, Fraction())
        self.byes = dict.fromkeys(names, 0)
        self.ups = dict.fromkeys(names, 0)
        """How often each met one with a higher score."""
        self.downs = dict.fromkeys(names, 0)
        """How often each met one with a lower score."""
        self._met: dict[tuple[str, str], int] = {}
        self._tables: dict[str, list[Sequence[str]]] = {name: [] for name in names}  # that each sat at

    def met(self, one: str, other: str) -> int:
        """How often the two have met."""
        return self._met.get((one, other), 0)

    def note_meeting(self, table: Sequence[str]) -> None:
        """Notes that these meet in a round, before its scores."""
        for one in table:
            self._tables[one].append(table)
            for other in table:
                if one != other:
                    self._met[one, other] = self.met(one, other) + 1
                    self.ups[one] += self.scores[other] > self.scores[one]
                    self.downs[one] += self.scores[other] < self.scores[one]

    def note_scores(self, scores: Mapping[str, Fraction]) -> None:
        """Adds what entrants scored in a round."""
        for name, score in scores.items():
            self.scores[name] += score

    def note_bye(self, name: str) -> None:
        """Notes that an entrant rested in a round, which scores like a win."""
        self.byes[name] += 1
        self.scores[name] += 1

    def buchholz(self) -> dict[str, Fraction]:
        """The sum of the opponents' scores: of each round the mean over the others at the table.

        Whoever rested counts as having met one with the same score, much like the dummy opponent of FIDE's
        tie-break regulations (2023).
        """
        found = {name: self.byes[name] * score for name, score in self.scores.items()}
        for name, tables in self._tables.items():
            for table in tables:
                others = sum([self.scores[other] for other in table]) - self.scores[name]
                found[name] += others / (len(table) - 1)
        return found

    def whole_scores(self) -> dict[str, int]:
        """The scores as whole numbers, all multiplied by the same."""
        unit = lcm(*[score.denominator for score in self.scores.values()])
        return {name: int(score * unit) for name, score in self.scores.items()}


def pairs(field: Field, ranked: Sequence[str], rng: Random) -> list[tuple[str, str]]:
    """The pairs of a round, those with the best scores first; one of an odd number of entrants is left out.

    Who is left out has had no more byes than anybody else. Then, in this order, as little as possible of: repeated
    meetings; the score of who is left out; differences of score, squared; floats of those who have floated that way
    before. What is still equal is drawn.

    A field of `PART` entrants twice or more is cut by score into parts of that size, or somewhat more, which are paired
    each by itself. If that makes for a repeated meeting, parts of double the size are tried, up to the whole field, so
    that nobody meets again who need not. It does not while everybody has met fewer than half of `PART` others: whoever
    can meet half of a part can all be paired (Dirac 1952, on circuits in graphs).
    """
    size = PART
    while len(ranked) // size > 1:
        found = [pair for part in _parts(field, ranked, size) for pair in _matching(field, part, [], rng)]
        if not any([field.met(*pair) for pair in found]):
            return found
        size *= 2
    return _matching(field, ranked, _may_rest(field, ranked), rng)


def _may_rest(field: Field, ranked: Sequence[str]) -> list[int]:
    """The places of those who may be left out, where somebody has to be."""
    fewest = min(field.byes.values())
    return [i for i, name in enumerate(ranked) if field.byes[name] == fewest] if len(ranked) % 2 else []


def _parts(field: Field, ranked: Sequence[str], size: int) -> list[Sequence[str]]:
    """The field in parts of even size, at least `size`. Of an odd number the last in order that may is left out."""
    left_out = _may_rest(field, ranked)[-1:]
    playing = [name for i, name in enumerate(ranked) if i not in left_out]
    pairs, parts = len(playing) // 2, len(playing) // size
    ends = [2 * (pairs * i // parts) for i in range(parts + 1)]
    return [playing[begin:end] for begin, end in pairwise(ends)]


def _matching(field: Field, ranked: Sequence[str], resting: Sequence[int], rng: Random) -> list[tuple[str, str]]:
    """The best of all ways to pair them; one of those in the places `resting`, if there are any, is left out."""
    import networkx  # noqa: PLC0415 - it is slow to load, and needed here only

    scores, count = field.whole_scores(), len(ranked)
    lowest = min(scores.values())
    edges = list(combinations(range(count), 2))
    costs = [_pair_cost(field, scores, ranked[i], ranked[j]) for i, j in edges]
    edges += [(i, count) for i in resting]
    costs += [(0, scores[ranked[i]] - lowest, 0, 0) for i in resting]
    # drawn numbers make the best matching the only best one, whatever way it is found
    whole = _joined([(*cost, int(rng.random() * DRAW)) for cost in costs], count // 2 + 1)
    most = max(whole)
    graph = networkx.Graph()
    graph.add_weighted_edges_from([(i, j, most - cost) for (i, j), cost in zip(edges, whole, strict=True)])
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    found = sorted([(min(pair), max(pair)) for pair in matching])
    return [(ranked[i], ranked[j]) for i, j in found if j < count]


def _pair_cost(field: Field, scores: Mapping[str, int], one: str, other: str) -> tuple[int, int, int, int]:
    """What speaks against a pair, in the order of `pairs`; `other` has no higher score."""
    # the sums of squares grow by this much, so that meetings and floats are spread evenly
    floats = 2 * (field.downs[one] + field.ups[other]) + 2 if scores[one] > scores[other] else 0
    times = field.met(one, other)
    return times * times, 0, (scores[one] - scores[other]) ** 2, floats


def _joined(costs: Sequence[tuple[int, ...]], count: int) -> list[int]:
    """Each cost as one number, so that sums of up to `count` of them compare like the tuples of their sums."""
    whole = [0] * len(costs)
    for level in zip(*costs, strict=True):
        room = count * max(level) + 1
        whole = [so_far * room + cost for so_far, cost in zip(whole, level, strict=True)]
    return whole


def tables(field: Field, ranked: Sequence[str], sizes: Sequence[int], rng: Random) -> list[tuple[str, ...]]:
    """The tables of a round, by score, with the sizes that are given; together they seat everybody in `ranked`.

    First as few repeated meetings, then as small differences of score (squared) at the tables as exchanges of two
    entrants can reach.
    """
    scores = field.whole_scores()
    costs = {
        (one, other): (field.met(one, other), (scores[one] - scores[other]) ** 2)
        for one, other in combinations(ranked, 2)
    }
    whole = dict(zip(costs, _joined(list(costs.values()), len(costs)), strict=True))
    whole |= {(other, one): cost for (one, other), cost in whole.items()}
    order, best = list(ranked), _settled(ranked, sizes, whole)
    for _ in range(TRIES - 1):
        if not any([field.met(one, other) for table in best for one, other in combinations(table, 2)]):
            break
        shuffle(order, rng)
        best = min(best, _settled(order, sizes, whole), key=lambda found: _cost(found, whole))
    place = {name: i for i, name in enumerate(ranked)}
    return [tuple(sorted(table, key=lambda name: place[name])) for table in best]


def _settled(order: Sequence[str], sizes: Sequence[int], cost: Mapping[tuple[str, str], int]) -> list[list[str]]:
    """Tables filled in that order, and then exchanged two by two until no exchange is for the better."""
    names = iter(order)
    found = [[next(names) for _ in range(size)] for size in sizes]
    better = True
    while better:
        better = False
        for first, second in combinations(found, 2):
            for i in range(len(first)):
                for j in range(len(second)):
                    one, other = first[i], second[j]
                    gain = sum([cost[one, name] - cost[other, name] for name in first if name not in (one, other)])
                    gain += sum([cost[other, name] - cost[one, name] for name in second if name not in (one, other)])
                    if gain > 0:
                        first[i], second[j] = other, one
                        better = True
    return found


def _cost(found: Sequence[Sequence[str]], cost: Mapping[tuple[str, str], int]) -> int:
    return sum([cost[pair] for table in found for pair in combinations(table, 2)])
