"""What playouts are worth to `seer`: the share of points that the places give, as the tournament counts them.

Seats that share a place share its points, and so do the seats of a team. A playout that stops before the end of the
match counts by the scores.
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from tourney import State

WIDTH = 2.0
"""How much more than a usual gap in the scores it takes for three quarters of a point."""
TIE = 1e-3
"""How much the scores count, at the most, between ends of matches in which the places are the same."""


class Ending(NamedTuple):
    """Where a playout has led, as one seat sees it."""

    points: float | None
    """The share of points that the places give, 0 to 1; None if the match is not over."""
    gaps: Sequence[int]
    """By how much the seat is ahead of each other one in the scores; negative if it is behind."""


def ending(state: State, seat: int) -> Ending:
    """Returns where a playout has led."""
    scores = list(state.scores)
    mine = scores.pop(seat)
    gaps = [mine - other for other in scores]
    if state.seat is not None:
        return Ending(None, gaps)
    places = list(state.places)
    place = places.pop(seat)
    beaten = sum([(place < other) + (place <= other) for other in places])
    return Ending(beaten / (2 * len(places)), gaps)


def values(found: Mapping[int, Sequence[Ending]]) -> dict[int, list[float]]:
    """Returns the value of each playout, by actions, from 0 to 1."""
    every = [gap for endings in found.values() for each in endings for gap in each.gaps]
    width = WIDTH * sqrt(fsum([gap * gap for gap in every]) / len(every)) if every else 0.0
    return {action: [_value(each, width or 1.0) for each in endings] for action, endings in found.items()}


def _value(end: Ending, width: float) -> float:
    """Returns the value of one playout.

    The match against each other seat counts alike: it is won, lost, or as likely to be won as the gap is large.
    """
    ahead = fsum([gap / (abs(gap) + width) for gap in end.gaps]) / len(end.gaps)
    by_scores = 0.5 + ahead / 2
    return by_scores if end.points is None else (1 - TIE) * end.points + TIE * by_scores
