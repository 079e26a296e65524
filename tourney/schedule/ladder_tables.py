"""The tables of a ladder's round: who meets whom, for how many deals."""

from collections.abc import Sequence

from tourney.schedule.seatings import Group

GROWTH = 4
"""A table plays a quarter as many deals as its members have played before, so that ratings are fitted rarely …"""
MOST_DEALS = 1000
"""… but at most this many, so that the results of a round stay small in memory."""


def ring(names: Sequence[str], seats: int) -> list[Group]:
    """Returns groups that together are connected, for a round before which nothing is known of the entrants.

    The entrants stand in a ring in the given order, and the last of each group is the first of the next. So with two
    seats everyone meets two others.
    """
    if len(names) == seats:
        return [tuple(names)]
    circle = [*names, *names]
    return [tuple(circle[first : first + seats]) for first in range(0, len(names), seats - 1)]


def groups(gaps: Sequence[float], undecided: Sequence[int], seats: int) -> list[range]:
    """Returns groups in which all undecided neighbours meet, as ranges of ranks.

    Each group takes undecided neighbours from the top as far as its seats go. Free seats go to the nearest by rating;
    where two are as near, to the stronger one.
    """
    found: list[range] = []
    for upper in undecided:
        if found and upper + 1 in found[-1]:
            continue
        first, after = upper, upper + 2
        while after - first < seats and after - 1 in undecided:
            after += 1
        while after - first < seats:
            if after > len(gaps) or (first > 0 and gaps[first - 1] <= gaps[after - 1]):
                first -= 1
            else:
                after += 1
        found.append(range(first, after))
    return found


def deals(least: int, played: Sequence[int]) -> int:
    """Returns on how many deals a group plays: `least` at the least; its members have played on so many before."""
    return max(least, min(MOST_DEALS, min(played) // GROWTH))
