"""Knockout: a seeded bracket with byes; the better half of every group advances (docs/formats.md)."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from tourney.config import Tournament
from tourney.contracts.wording import counted
from tourney.schedule.adaptive import AdaptiveSchedule, RoundResults
from tourney.schedule.seatings import Group
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.results import RoundEntrant


class BracketRound(NamedTuple):
    """The shape of one round of a bracket."""

    byes: int
    """How many of the best seeds have a bye."""
    advancing: tuple[int, ...]
    """How many advance from each group."""


def bracket(entrants: int, seats: int) -> list[BracketRound]:
    """The rounds of a knockout, the final last, for `seats` entrants or more.

    Half of a group advances; with an odd number of seats, one fewer than are eliminated. If that would not leave enough
    entrants for a full final, more advance from the last group of a round.
    """
    pairs, half = [], seats // 2
    while entrants > seats:
        goal = seats  # the largest smaller number of entrants for which all groups up to the final can be full
        while (larger := goal + goal // half * (seats - half)) < entrants:
            goal = larger
        eliminated = entrants - goal
        groups = min(-(-eliminated // (seats - half)), entrants // seats)
        last = max(half, seats - (eliminated - (groups - 1) * (seats - half)))
        pairs.append(BracketRound(entrants - groups * seats, (half,) * (groups - 1) + (last,)))
        entrants = pairs[-1].byes + sum(pairs[-1].advancing)
    return [*pairs, BracketRound(0, (1,))]


class Knockout(AdaptiveSchedule):
    """A bracket: losers are eliminated."""

    name = "knockout"

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._bracket = bracket(len(tournament.entrants), self._seats)
        self._alive = [list(tournament.names)]  # in each started round, the best seed first
        self._eliminated: dict[str, tuple[int, Fraction]] = {}  # each one's last round, and its share of points there

    @cached_property
    def group_sizes(self) -> Sequence[Sequence[int]]:
        return [(self._seats,) * len(bracket_round.advancing) for bracket_round in self._bracket]

    def pair(self, number: int) -> list[Group]:
        if number == len(self._bracket):
            return []
        byes, advancing = self._bracket[number]
        groups: list[list[str]] = [[] for _ in advancing]
        to_and_fro = [*range(len(groups)), *reversed(range(len(groups)))]
        for i, name in enumerate(self._alive[-1][byes:]):
            groups[to_and_fro[i % len(to_and_fro)]].append(name)
        return [tuple(group) for group in groups]

    def what_follows(self) -> str | None:
        later = [
            f"{self.round_name(number)}, {counted(len(sizes), 'meeting')}"
            for number, sizes in enumerate(self.group_sizes)
            if number
        ]
        return f"Then advancing entrants, and entrants with a bye: {'; '.join(later)}." if later else None

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        """Advances the largest shares of the points, in ties the better seeds; disqualified entrants come last."""
        out = self.disqualified()
        byes, advancing = self._bracket[self._round]
        seeds = {name: seed for seed, name in enumerate(self._alive[-1])}
        by_seed = dict(list(enumerate(self._alive[-1]))[:byes])
        for group, count in zip(groups, advancing, strict=True):
            shares = results.shares(group)
            best = sorted(group, key=lambda name: (name in out, -shares[name], seeds[name]))[:count]
            free = sorted([seeds[name] for name in group])
            by_seed |= dict(zip(free, best, strict=False))
            self._eliminated |= {name: (self._round, shares[name]) for name in group if name not in best}
        self._alive.append([by_seed[seed] for seed in sorted(by_seed)])

    def round_name(self, number: int) -> str:
        return {len(self._bracket): "winner", len(self._bracket) - 1: "final"}.get(number, f"round {number + 1}")

    def entrants_of_round(self, number: int) -> Sequence[str]:
        return self._alive[number]

    def round_entrant(self, number: int, name: str, group: Group, points_percent: float | None) -> RoundEntrant:
        advanced = name in self._alive[number + 1] if number < self._round else None
        return RoundEntrant(name, points_percent=points_percent, advanced=advanced)

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The round that each entrant has reached, then the share of the points in the round it lost."""
        out = self._eliminated
        reached = {name: out[name][0] if name in out else self._round for name in self._tournament.names}
        shares = {name: out[name][1] if name in out else None for name in reached}
        labels = {name: self.round_name(number) for name, number in reached.items()}
        rounds = {name: Fraction(number) for name, number in reached.items()}
        return (
            Tiebreak("reached", "reached", "round reached", rounds, labels),
            Tiebreak("last_meeting_percent", "", "points % of the last meeting", shares),
            "points",
        )
