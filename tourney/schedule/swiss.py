"""Swiss: in each round, entrants meet others with about the same score whom they have not met yet (docs/formats.md).

Pairings minimise several costs in a strict order: the next one only decides between otherwise equal pairings.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, combinations, islice, pairwise
from math import ceil, lcm, log2
from random import Random
from typing import Annotated

import msgspec

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.rng import shuffle, stream
from tourney.schedule.adaptive import AdaptiveSchedule, RoundResults
from tourney.schedule.seatings import Group, seating_count
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.results import RoundEntrant

STARTS = 10
"""The number of starting points for larger groups, unless groups without repeated meetings are found earlier."""
PART = 16
"""Fields of four times this many groups are paired in parts, because time grows with the third power of the size."""
DRAW = 1 << 53
"""Draws of a `Random` are fractions of this number."""


class SwissOptions(Options, frozen=True):
    """The Swiss format's own tournament file keys."""

    rounds: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    """The number of rounds; required."""


class Swiss(AdaptiveSchedule):
    """A given number of rounds, played by all entrants except disqualified ones."""

    name = "swiss"
    Options = SwissOptions
    plays_smaller_groups = True
    hierarchical = True

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._history = PairingHistory(tournament.names)
        self._scores = [self._history.scores.copy()]  # before each started round
        self._recalled: Callable[[int], Iterator[Group]] = lambda _: iter(())
        self.may_end_early = tournament.fault_limits.disqualify

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        if tournament.format_options.rounds is None:
            names = tournament.names
            raise ConfigError(f"rounds: required; for {len(names)} bots try rounds = {ceil(log2(len(names)))}")

    @cached_property
    def group_sizes(self) -> Sequence[Sequence[int]]:
        rounds: int = self._tournament.format_options.rounds
        which, entrants = self._tournament.seatings, len(self._tournament.entrants)
        # if some are disqualified, the others may have more matches, at larger tables
        least = self._seats if self.may_end_early else entrants
        fields = map(self._sizes, range(entrants, least - 1, -1))
        return [max(fields, key=lambda sizes: sum([seating_count(which, size) for size in sizes]))] * rounds

    def _sizes(self, entrants: int) -> Sequence[int]:
        seats = self._seats
        full, over = divmod(entrants, seats)
        smaller = seats - over  # groups that must be smaller by one for all to play
        if over and self._tournament.fits_fewer_seats and smaller <= full:
            return (seats,) * (full + 1 - smaller) + (seats - 1,) * smaller
        return (seats,) * full

    def duels(self) -> float:
        sizes = self.group_sizes[0]
        meetings = sum([size * (size - 1) for size in sizes]) / max(sizes) / max(1, len(self._tournament.names) - 1)
        return len(self.group_sizes) * self._tournament.deals * meetings

    def pair(self, number: int) -> list[Group]:
        names = [name for name in self._tournament.names if name not in self._out[number]]
        sizes = self._sizes(len(names))
        if number == len(self.group_sizes) or not sizes:
            return []
        rng = stream(self._tournament.seed, "pairing", number)
        shuffle(names, rng)
        scores, byes = self._history.scores, self._history.byes
        ranked = sorted(names, key=lambda name: -scores[name])
        if groups := self._played(ranked, sizes):
            return groups
        if self._seats == 2:
            return pairs(self._history, ranked, rng)
        with_bye = sorted(names, key=lambda name: (byes[name], scores[name]))[: len(names) - sum(sizes)]
        return larger_groups(self._history, [name for name in ranked if name not in with_bye], sizes, rng)

    def recall(self, rounds: Callable[[int], Iterator[Group]]) -> None:
        self._recalled = rounds

    def _played(self, ranked: Sequence[str], sizes: Sequence[int]) -> list[Group]:
        """The groups of a round whose first deal was played, from its records; none otherwise."""
        rank = {name: i for i, name in enumerate(ranked)}
        groups = list(islice(self._recalled(self._first_blocks[-1]), len(sizes)))
        seated = {name for group in groups for name in group}
        if list(map(len, groups)) != list(sizes) or len(seated) != sum(sizes) or not seated <= rank.keys():
            return []
        return [tuple(sorted(group, key=lambda name: rank[name])) for group in groups]

    def what_follows(self) -> str | None:
        rounds = len(self.group_sizes)
        which = "Round 2" if rounds == 2 else f"Rounds 2 to {rounds}"
        return f"{which}: entrants of about the same score who have not met yet." if rounds > 1 else None

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        for group in groups:
            self._history.add_meeting(group)
        scores = {name: score for group in groups for name, score in results.scores(group).items()}
        self._history.add_scores(scores)
        for name in self._tournament.names:
            if name not in scores and name not in self._out[self._round]:
                self._history.add_bye(name)
        self._scores.append(self._history.scores.copy())

    def round_entrant(self, number: int, name: str, group: Group, points_percent: float | None) -> RoundEntrant:
        scores = self._scores[number]
        after = self._scores[number + 1][name] if number < self._round else None
        return RoundEntrant(
            name,
            score_before=round(float(scores[name]), 4),
            upfloats=sum([scores[other] > scores[name] for other in group]),
            downfloats=sum([scores[other] < scores[name] for other in group]),
            points_percent=points_percent,
            round_score=None if after is None else round(float(after - scores[name]), 4),
        )

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        over, rounds = self._round, len(self.group_sizes)
        description = "sum of the round scores" + (f" after {over} of {rounds} rounds" if over < rounds else "")
        return (
            Tiebreak("round_score", "rounds", description, self._history.scores),
            "rating",
            Tiebreak("buchholz", "buch", "Buchholz", self._history.buchholz()),
            "points",
        )


class PairingHistory:
    """Facts for pairing a round: the scores, meetings, byes and floats of the previous rounds."""

    def __init__(self, names: Sequence[str]) -> None:
        self.scores = dict.fromkeys(names, Fraction())
        """The sum of each entrant's round scores; higher is better."""
        self.byes = dict.fromkeys(names, 0)
        self.upfloats = dict.fromkeys(names, 0)  # meetings with a higher-scored entrant
        self.downfloats = dict.fromkeys(names, 0)
        self._met: dict[tuple[str, str], int] = {}
        self._groups: dict[str, list[Sequence[str]]] = {name: [] for name in names}  # each entrant's groups

    def met(self, one: str, other: str) -> int:
        """How often the two have met."""
        return self._met.get((one, other), 0)

    def add_meeting(self, group: Sequence[str]) -> None:
        """Adds a meeting; call it before adding the scores of its round."""
        for one in group:
            self._groups[one].append(group)
            for other in group:
                if one != other:
                    self._met[one, other] = self.met(one, other) + 1
                    self.upfloats[one] += self.scores[other] > self.scores[one]
                    self.downfloats[one] += self.scores[other] < self.scores[one]

    def add_scores(self, scores: Mapping[str, Fraction]) -> None:
        """Adds the scores of a round, each from 0 to 1."""
        for name, score in scores.items():
            self.scores[name] += score

    def add_bye(self, name: str) -> None:
        """Adds a bye, which scores 1, like a win."""
        self.byes[name] += 1
        self.scores[name] += 1

    def buchholz(self) -> dict[str, Fraction]:
        """Each entrant's Buchholz score (docs/formats.md); a bye counts as an opponent with the same score."""
        sums = {name: self.byes[name] * score for name, score in self.scores.items()}
        for name, groups in self._groups.items():
            for group in groups:
                others = sum([self.scores[other] for other in group]) - self.scores[name]
                sums[name] += others / (len(group) - 1)
        return sums

    def whole_scores(self) -> dict[str, int]:
        """The scores multiplied by their common denominator, as whole numbers."""
        unit = lcm(*[score.denominator for score in self.scores.values()])
        return {name: int(score * unit) for name, score in self.scores.items()}


def pairs(history: PairingHistory, ranked: Sequence[str], rng: Random) -> list[Group]:
    """The pairs of a round, best scores first; with an odd number of entrants, one has a bye.

    Byes go to an entrant with the fewest. Then the pairing minimises, in this order: repeated meetings; the score of
    the entrant with a bye; squared score differences; floats of entrants who have floated in the same direction before.
    Ties are drawn. In a large field, see `_in_parts`, nobody meets again while all have met fewer than `PART` others
    (Dirac 1952, "Some theorems on abstract graphs").
    """
    fewest = min([history.byes[name] for name in ranked])
    candidates = [i for i, name in enumerate(ranked) if history.byes[name] == fewest] if len(ranked) % 2 else []
    playing = [name for i, name in enumerate(ranked) if i not in candidates[-1:]]
    in_parts = _in_parts(history, playing, [2] * (len(playing) // 2), lambda part, _: _matching(history, part, [], rng))
    return in_parts or _matching(history, ranked, candidates, rng)


def _in_parts(
    history: PairingHistory, ranked: Sequence[str], sizes: Sequence[int],
    form: Callable[[Sequence[str], Sequence[int]], list[Group]],
) -> list[Group]:  # fmt: skip
    """The groups of a large field, in at least four parts of `PART` groups by score; none for a smaller field."""
    size, firsts = PART, [0, *accumulate(sizes)]
    while (parts := len(sizes) // size) >= 4:
        ends = [len(sizes) * i // parts for i in range(parts + 1)]
        groups = []
        for first, after in pairwise(ends):
            groups += form(ranked[firsts[first] : firsts[after]], sizes[first:after])
        if not _meets_again(history, groups):
            return groups
        size *= 2
    return []


def _meets_again(history: PairingHistory, groups: Sequence[Sequence[str]]) -> bool:
    return any([history.met(one, other) for group in groups for one, other in combinations(group, 2)])


def _matching(history: PairingHistory, ranked: Sequence[str], with_bye: Sequence[int], rng: Random) -> list[Group]:
    """The best of all pairings; if `with_bye` contains indices, one of these entrants is left out."""
    import networkx  # noqa: PLC0415 - slow to load, and only needed here

    scores, count = history.whole_scores(), len(ranked)
    edges = list(combinations(range(count), 2))
    costs = [_pair_cost(history, scores, ranked[i], ranked[j]) for i, j in edges]
    edges += [(i, count) for i in with_bye]
    costs += [(0, scores[ranked[i]], 0, 0) for i in with_bye]
    # drawn numbers make the best matching unique, so the algorithm does not matter
    whole = _joined([(*cost, int(rng.random() * DRAW)) for cost in costs], count // 2 + 1)
    most = max(whole)
    graph = networkx.Graph()
    graph.add_weighted_edges_from([(i, j, most - cost) for (i, j), cost in zip(edges, whole, strict=True)])
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    paired = sorted([(min(pair), max(pair)) for pair in matching])
    return [(ranked[i], ranked[j]) for i, j in paired if j < count]


def _pair_cost(history: PairingHistory, scores: Mapping[str, int], one: str, other: str) -> tuple[int, int, int, int]:
    """The costs of a pair in the order of `pairs`; `other` must not have the higher score."""
    # the sums of squares grow by these amounts, which spreads meetings and floats evenly
    floats = 2 * (history.downfloats[one] + history.upfloats[other]) + 2 if scores[one] > scores[other] else 0
    times = history.met(one, other)
    return times * times, 0, (scores[one] - scores[other]) ** 2, floats


def _joined(costs: Sequence[tuple[int, ...]], count: int) -> list[int]:
    """Each cost as one number, such that sums of up to `count` numbers compare like the sums of their tuples."""
    whole = [0] * len(costs)
    for level in zip(*costs, strict=True):
        room = count * max(level) + 1
        whole = [so_far * room + cost for so_far, cost in zip(whole, level, strict=True)]
    return whole


def larger_groups(history: PairingHistory, ranked: Sequence[str], sizes: Sequence[int], rng: Random) -> list[Group]:
    """The groups of a round with more than two seats, by score (docs/formats.md); large fields: see `_in_parts`."""
    in_parts = _in_parts(history, ranked, sizes, lambda part, sizes: _exchanged_groups(history, part, sizes, rng))
    return in_parts or _exchanged_groups(history, ranked, sizes, rng)


def _exchanged_groups(history: PairingHistory, ranked: Sequence[str], sizes: Sequence[int], rng: Random) -> list[Group]:
    scores = history.whole_scores()
    costs = {
        (one, other): (history.met(one, other), (scores[one] - scores[other]) ** 2)
        for one, other in combinations(ranked, 2)
    }
    whole = dict(zip(costs, _joined(list(costs.values()), len(costs)), strict=True))
    whole |= {(other, one): cost for (one, other), cost in whole.items()}
    order, best = list(ranked), _exchanged(ranked, sizes, whole)
    for _ in range(STARTS - 1):
        if not _meets_again(history, best):
            break
        shuffle(order, rng)
        best = min(best, _exchanged(order, sizes, whole), key=lambda groups: _cost(groups, whole))
    rank = {name: i for i, name in enumerate(ranked)}
    return [tuple(sorted(group, key=lambda name: rank[name])) for group in best]


def _exchanged(order: Sequence[str], sizes: Sequence[int], cost: Mapping[tuple[str, str], int]) -> list[list[str]]:
    """Fills groups in that order, then exchanges two entrants at a time until no exchange lowers the cost."""
    names = iter(order)
    groups = [[next(names) for _ in range(size)] for size in sizes]
    improved = True
    while improved:
        improved = False
        for first, second in combinations(groups, 2):
            for i in range(len(first)):
                for j in range(len(second)):
                    one, other = first[i], second[j]
                    gain = sum([cost[one, name] - cost[other, name] for name in first if name not in (one, other)])
                    gain += sum([cost[other, name] - cost[one, name] for name in second if name not in (one, other)])
                    if gain > 0:
                        first[i], second[j] = other, one
                        improved = True
    return groups


def _cost(groups: Sequence[Sequence[str]], cost: Mapping[tuple[str, str], int]) -> int:
    return sum([cost[pair] for group in groups for pair in combinations(group, 2)])
