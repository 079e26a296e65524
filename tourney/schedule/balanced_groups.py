"""A balanced random choice of groups: every entrant in equally many, every pair together as evenly as can be found.

Groups are filled one by one with those who have played least and have met the others in the group least. Then members
are exchanged between groups wherever that makes the meetings more even.
"""

from itertools import combinations
from math import comb
from random import Random

from tourney.rng import pick, stream

Group = tuple[int, ...]

PATIENCE = 2000
"""Exchanges are tried until so many in a row, or as many as all groups have members, have gained nothing."""


def balanced_groups(entrants: int, seats: int, count: int, seed: int) -> list[Group]:
    """So many different groups of `seats` out of the entrants 0, 1, …; each entrant is in equally many of them.

    `count` has to be a multiple of `format_keys.group_step` and less than the number of groups there are. Memory and
    time grow with the groups that are chosen, or with those that are left out where these are fewer.
    """
    rng = stream(seed, "groups", seats)
    if 2 * count <= comb(entrants, seats):
        return _Choice(entrants, seats, count, rng).groups()
    # what is left out of all groups, which are balanced, is balanced as well
    left_out = set(_Choice(entrants, seats, comb(entrants, seats) - count, rng).groups())
    return [group for group in combinations(range(entrants), seats) if group not in left_out]


class _Choice:
    """Groups in the making."""

    def __init__(self, entrants: int, seats: int, count: int, rng: Random) -> None:
        self._entrants, self._seats, self._rng = entrants, seats, rng
        self._played = [0] * entrants
        self._met = [[0] * entrants for _ in range(entrants)]
        self._groups: list[list[int]] = []
        self._known: dict[Group, int] = {}  # how often a group was chosen
        for _ in range(count):
            self._fill()
        self._even_out()

    def groups(self) -> list[Group]:
        """The groups, each in ascending order."""
        return [tuple(sorted(group)) for group in self._groups]

    def _fill(self) -> None:
        """Adds a group of those who have played least; nobody is ever more than one group ahead."""
        group: list[int] = []
        cost = [0] * self._entrants  # what it costs to add an entrant: the growth of the sum of squares of meetings
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
        self._note(group, 1)

    def _meet(self, one: int, others: list[int], times: int) -> None:
        for other in others:
            self._met[one][other] += times
            self._met[other][one] += times

    def _note(self, group: list[int], times: int) -> None:
        key = tuple(sorted(group))
        self._known[key] = self._known.get(key, 0) + times
        if not self._known[key]:
            del self._known[key]

    def _even_out(self) -> None:
        """Exchanges members of two groups until that gains nothing any more; no group may be there twice."""
        idle, patience = 0, max(PATIENCE, len(self._groups) * self._seats)
        while idle < patience or len(self._known) < len(self._groups):
            idle = 0 if self._exchange() else idle + 1

    def _times_over(self, group: list[int], times: int) -> bool:
        return self._known.get(tuple(sorted(group)), 0) > times

    def _exchange(self) -> bool:
        """Tries one exchange drawn at random, and makes it unless it is for the worse; says whether it gained."""
        rng = self._rng
        first, second = pick(self._groups, rng), pick(self._groups, rng)
        one, other = pick(first, rng), pick(second, rng)
        if one in second or other in first:
            return False
        rest, others = [i for i in first if i != one], [i for i in second if i != other]
        new, newer = [*rest, other], [*others, one]
        gain = self._squares(one, rest, others) + self._squares(other, others, rest)
        twice = self._times_over(first, 1) + self._times_over(second, 1)
        twice -= self._times_over(new, 0) + self._times_over(newer, 0)
        if (twice, gain) < (0, 0):
            return False
        for group in (first, second):
            self._note(group, -1)
        for who, left, joined in ((one, rest, others), (other, others, rest)):
            self._meet(who, left, -1)
            self._meet(who, joined, 1)
        first[:], second[:] = new, newer
        for group in (first, second):
            self._note(group, 1)
        return (twice, gain) > (0, 0)

    def _squares(self, who: int, left: list[int], joined: list[int]) -> int:
        """By how much the sum of squares of meetings falls when `who` meets `joined` instead of `left`."""
        met = self._met[who]
        return sum([2 * met[i] - 1 for i in left if i not in joined]) - sum(
            [2 * met[i] + 1 for i in joined if i not in left]
        )
