"""Chooses groups at random in a balanced way: every entrant is in equally many, and pairs meet about equally often.

The choice is found by local search. Groups are filled one by one with those who are in the fewest groups and have met
the other members least. Then members are exchanged between groups wherever that makes the meetings more even.
"""

from itertools import combinations
from math import comb, gcd
from random import Random

from tourney.rng import pick, stream

Indices = tuple[int, ...]
"""A group of entrants, numbered from 0."""

PATIENCE = 2000
"""How many exchanges in a row must gain nothing before the search ends; more, if the groups have more members."""


def group_step(entrants: int, seats: int) -> int:
    """Returns the smallest number of groups in which all entrants can play equally often; others are its multiples."""
    return entrants // gcd(entrants, seats)


def balanced_groups(entrants: int, seats: int, count: int, seed: int) -> list[Indices]:
    """Returns different groups of entrants such that every entrant is in equally many.

    Memory and time grow with the number of groups that are chosen, or of those that are left out where it is smaller.
    """
    rng = stream(seed, "groups", seats)
    if 2 * count <= comb(entrants, seats):
        return _GroupSearch(entrants, seats, count, rng).groups()
    # what is left out of all groups, which are balanced, is balanced as well
    left_out = set(_GroupSearch(entrants, seats, comb(entrants, seats) - count, rng).groups())
    return [group for group in combinations(range(entrants), seats) if group not in left_out]


class _GroupSearch:
    """A local search for balanced groups."""

    def __init__(self, entrants: int, seats: int, count: int, rng: Random) -> None:
        self._entrants, self._seats, self._rng = entrants, seats, rng
        self._played = [0] * entrants
        self._met = [[0] * entrants for _ in range(entrants)]
        self._groups: list[list[int]] = []
        self._counts: dict[Indices, int] = {}  # how often each group is chosen
        for _ in range(count):
            self._fill()
        self._even_out()

    def groups(self) -> list[Indices]:
        """Returns the groups, each in ascending order."""
        return [tuple(sorted(group)) for group in self._groups]

    def _fill(self) -> None:
        """Adds a group of those who are in the fewest, so that the numbers of their groups differ by one at most."""
        group: list[int] = []
        cost = [0] * self._entrants  # of each entrant: how much the sum of squared meetings would grow
        for _ in range(self._seats):
            free = [i for i in range(self._entrants) if i not in group]
            least = min([self._played[i] for i in free])
            free = [i for i in free if self._played[i] == least]
            best = min([cost[i] for i in free])
            new = pick([i for i in free if cost[i] == best], self._rng)
            self._meet(new, group, 1)
            group.append(new)
            self._played[new] += 1
            cost = [so_far + 2 * times + 1 for so_far, times in zip(cost, self._met[new], strict=True)]
        self._groups.append(group)
        self._count(group, 1)

    def _meet(self, one: int, others: list[int], times: int) -> None:
        for other in others:
            self._met[one][other] += times
            self._met[other][one] += times

    def _count(self, group: list[int], times: int) -> None:
        key = tuple(sorted(group))
        self._counts[key] = self._counts.get(key, 0) + times
        if not self._counts[key]:
            del self._counts[key]

    def _even_out(self) -> None:
        """Exchanges members of two groups until that gains nothing more, and no group is chosen twice."""
        idle, patience = 0, max(PATIENCE, len(self._groups) * self._seats)
        while idle < patience or len(self._counts) < len(self._groups):
            idle = 0 if self._exchange() else idle + 1

    def _chosen_more_than(self, group: list[int], times: int) -> bool:
        return self._counts.get(tuple(sorted(group)), 0) > times

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
        """Returns by how much the sum of squared meetings falls when `who` meets `joined` instead of `left`."""
        met = self._met[who]
        return sum([2 * met[i] - 1 for i in left if i not in joined]) - sum(
            [2 * met[i] + 1 for i in joined if i not in left]
        )
