"""Round-robin: on every deal all groups of entrants meet, or a balanced choice of them if there are many."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import combinations
from math import comb, gcd
from random import Random
from typing import Annotated

import msgspec

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import GameSetup
from tourney.contracts.rng import pick, stream
from tourney.contracts.wording import counted
from tourney.schedule.base import FixedSchedule
from tourney.schedule.seatings import Group
from tourney.standings.luce import connected

Indices = tuple[int, ...]
"""A group of entrants, numbered from 0."""

MOST_GROUPS = 2500
"""The default maximum number of groups: all pairs of 71 entrants, all fives of 14."""
PATIENCE = 2000
"""The number of consecutive fruitless exchanges that ends the search; more, if the groups have more members."""


class RoundRobinOptions(Options, frozen=True):
    """The round-robin's own tournament file keys."""

    groups: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The number of groups that meet in each game; None: all, up to `MOST_GROUPS`."""


class RoundRobin(FixedSchedule):
    """All groups of entrants, or a balanced choice of them."""

    name = "round-robin"
    leaves_out = True
    Options = RoundRobinOptions

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        options: RoundRobinOptions = tournament.format_options
        groups, entrants = options.groups, len(tournament.scheduled)
        if groups is None:
            return
        for setup in tournament.setups:
            most, step = comb(entrants, setup.seats), group_step(entrants, setup.seats)
            where = f"groups: {setup.game} with {setup.seats} seats and {entrants} bots"
            if groups > most:
                raise ConfigError(f"{where}: at most {counted(most, 'group')}, got {groups}")
            if groups % step:
                below = groups // step * step
                near = [number for number in (below, below + step) if 0 < number <= most]
                raise ConfigError(
                    f"{where}: bots cannot play equally often in {groups} groups; use {' or '.join(map(str, near))}"
                )

    def group_count(self, setup: GameSetup) -> int:
        """The number in `groups`; else all groups, or the largest balanced number up to `MOST_GROUPS`, connected."""
        options: RoundRobinOptions = self._tournament.format_options
        if options.groups is not None:
            return options.groups
        entrants = len(self._tournament.scheduled)
        every = comb(entrants, setup.seats)
        if every <= MOST_GROUPS:
            return every
        step = group_step(entrants, setup.seats)
        least = step if step * setup.seats > entrants else 2 * step
        return max(least, MOST_GROUPS // step * step)

    def groups(self, setup: GameSetup) -> Iterable[Group]:
        chosen = self._chosen.get(setup.seats)
        return combinations(self._tournament.scheduled, setup.seats) if chosen is None else chosen

    def describe(self) -> str:
        names = self._tournament.scheduled
        chosen = [
            f"{self.group_count(setup)} of {comb(len(names), setup.seats)}"
            for setup in self._tournament.setups
            if not self._all_meet(setup)
        ]
        return f"round-robin of {', '.join(chosen)} groups" if chosen else "round-robin"

    def why_not_extendable(self) -> str | None:
        for setup in self._tournament.setups:
            if not self._all_meet(setup):
                every = comb(len(self._tournament.scheduled), setup.seats)
                return (
                    f"only {self.group_count(setup)} of {every} groups of {setup.game} meet, and more entrants "
                    f"change the choice (all meet with groups = {every})"
                )
        return None

    def _all_meet(self, setup: GameSetup) -> bool:
        return self.group_count(setup) == comb(len(self._tournament.scheduled), setup.seats)

    @cached_property
    def _chosen(self) -> dict[int, list[Group]]:
        names, seed, setups = self._tournament.scheduled, self._tournament.seed, self._tournament.setups
        counts = {setup.seats: self.group_count(setup) for setup in setups if not self._all_meet(setup)}
        return {
            seats: [tuple([names[i] for i in group]) for group in balanced_groups(len(names), seats, count, seed)]
            for seats, count in counts.items()
        }


def group_step(entrants: int, seats: int) -> int:
    """The smallest number of groups in which all entrants can play equally often; others are its multiples."""
    return entrants // gcd(entrants, seats)


def balanced_groups(entrants: int, seats: int, count: int, seed: int) -> list[Indices]:
    """Draws different groups of entrants, with every entrant in equally many.

    If these are at least two, the groups are connected, directly or through others.
    """
    rng = stream(seed, "groups", seats)
    if 2 * count <= comb(entrants, seats):
        search = _GroupSearch(entrants, seats, count, rng)
        search.connect()
        return search.groups()
    # the groups left out of all groups are balanced, because both others are
    left_out = set(_GroupSearch(entrants, seats, comb(entrants, seats) - count, rng).groups())
    return [group for group in combinations(range(entrants), seats) if group not in left_out]


class _GroupSearch:
    """A local search for groups with every entrant in equally many, and pairs that meet about equally often."""

    def __init__(self, entrants: int, seats: int, count: int, rng: Random) -> None:
        self._entrants, self._seats, self._rng = entrants, seats, rng
        self._behind: list[int] = []  # the entrants in one group fewer than the others, if any
        self._met: list[dict[int, int]] = [{} for _ in range(entrants)]  # how often each has met others
        self._groups: list[list[int]] = []
        self._counts: dict[Indices, int] = {}  # how often each group is chosen
        for _ in range(count):
            self._fill()
        idle, patience = 0, max(PATIENCE, count * seats)
        while idle < patience or len(self._counts) < count:
            idle = 0 if self._exchange() else idle + 1

    def groups(self) -> list[Indices]:
        return [tuple(sorted(group)) for group in self._groups]

    def _fill(self) -> None:
        """Adds a group of the entrants in the fewest, so the numbers of their groups differ by at most one."""
        group: list[int] = []
        for _ in range(self._seats):
            self._behind = self._behind or list(range(self._entrants))
            new = self._least_met(group)
            self._meet(new, group, 1)
            group.append(new)
            del self._behind[bisect_left(self._behind, new)]
        self._groups.append(group)
        self._count(group, 1)

    def _least_met(self, group: list[int]) -> int:
        """Draws one of those behind that have met the group least: mostly never, among many."""
        behind, times = self._behind, Counter[int]()
        for each in group:
            times.update(self._met[each])
        known = [(bisect_left(behind, i), i) for i in sorted({*group, *times})]
        taken = [at for at, i in known if behind[at : at + 1] == [i]]
        if len(taken) < len(behind):
            at = pick(range(len(behind) - len(taken)), self._rng)
            for each in taken:
                at += each <= at
            return behind[at]
        free = [i for i in behind if i not in group]
        least = min([times[i] for i in free])
        return pick([i for i in free if times[i] == least], self._rng)

    def _meet(self, one: int, others: list[int], times: int) -> None:
        for other in others:
            for each, met in ((one, other), (other, one)):
                self._met[each][met] = self._met[each].get(met, 0) + times

    def _count(self, group: list[int], times: int) -> None:
        key = tuple(sorted(group))
        self._counts[key] = self._counts.get(key, 0) + times
        if not self._counts[key]:
            del self._counts[key]

    def _chosen_more_than(self, group: list[int], times: int) -> bool:
        return self._counts.get(tuple(sorted(group)), 0) > times

    def connect(self) -> None:
        """Connects the groups by exchanging members, if every entrant is in at least two groups."""
        parts = self._parts() if len(self._groups) * self._seats > self._entrants else []
        while len(parts) > 1:
            first, second = [pick(part, self._rng) for part in parts[:2]]
            i, j = [pick(range(self._seats), self._rng) for _ in range(2)]
            first[i], second[j] = second[j], first[i]
            after = self._parts()
            if len(after) < len(parts):
                parts = after
            else:
                first[i], second[j] = second[j], first[i]

    def _parts(self) -> list[list[list[int]]]:
        part_of = {entrant: number for number, part in enumerate(connected(self._groups)) for entrant in part}
        parts: dict[int, list[list[int]]] = {}
        for group in self._groups:
            parts.setdefault(part_of[group[0]], []).append(group)
        return list(parts.values())

    def _exchange(self) -> bool:
        """Draws an exchange and makes it unless the choice becomes worse; returns whether it became better."""
        rng = self._rng
        first, second = pick(self._groups, rng), pick(self._groups, rng)
        one, other = pick(first, rng), pick(second, rng)
        if one in second or other in first:
            return False
        rest, others = [i for i in first if i != one], [i for i in second if i != other]
        new, newer = [*rest, other], [*others, one]
        gain = self._squares(one, rest, others) + self._squares(other, others, rest)
        twice = self._chosen_more_than(first, 1) + self._chosen_more_than(second, 1)
        twice -= self._chosen_more_than(new, 0) + self._chosen_more_than(newer, 0)
        if (twice, gain) < (0, 0):
            return False
        for group in (first, second):
            self._count(group, -1)
        for who, left, joined in ((one, rest, others), (other, others, rest)):
            self._meet(who, left, -1)
            self._meet(who, joined, 1)
        first[:], second[:] = new, newer
        for group in (first, second):
            self._count(group, 1)
        return (twice, gain) > (0, 0)

    def _squares(self, who: int, left: list[int], joined: list[int]) -> int:
        """The decrease of the sum of squared meetings when `who` meets `joined` instead of `left`."""
        met = self._met[who]
        return sum([2 * met.get(i, 0) - 1 for i in left if i not in joined]) - sum(
            [2 * met.get(i, 0) + 1 for i in joined if i not in left]
        )
