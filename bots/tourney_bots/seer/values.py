"""The value of playouts to `seer`: the share of points that the places give, as the tournament counts them.

Seats that share a place share its points, and so do the seats of a team. A playout that stops before the end of the
match counts by the scores. If there is a policy, its action stands unless another one is better for sure (`chosen`).
"""

from collections.abc import Mapping, Sequence
from math import fsum, inf, sqrt
from typing import NamedTuple

from tourney import ActionEstimate, State

WIDTH = 2.0
"""How much more than a usual gap in the scores it takes for three quarters of a point."""
TIE = 1e-3
"""How much the scores count, at most, between ends of matches with the same places."""


class Ending(NamedTuple):
    """The end of a playout, as one seat sees it."""

    points: float | None
    """The share of points that the places give, 0 to 1; None if the match is not over."""
    gaps: Sequence[int]
    """By how much the seat is ahead of each other one in the scores; negative if it is behind."""


def ending(state: State, seat: int) -> Ending:
    """The end of a playout."""
    scores = list(state.scores)
    mine = scores.pop(seat)
    gaps = [mine - other for other in scores]
    if state.seat is not None:
        return Ending(None, gaps)
    places = list(state.places)
    place = places.pop(seat)
    beaten = sum([(place < other) + (place <= other) for other in places])
    return Ending(beaten / (2 * len(places)), gaps)


def values(endings_of: Mapping[int, Sequence[Ending]]) -> dict[int, list[float]]:
    """The value of each playout, by actions, from 0 to 1."""
    every = [gap for endings in endings_of.values() for each in endings for gap in each.gaps]
    width = WIDTH * sqrt(fsum([gap * gap for gap in every]) / len(every)) if every else 0.0
    return {action: [_value(each, width or 1.0) for each in endings] for action, endings in endings_of.items()}


def _value(end: Ending, width: float) -> float:
    """The value of one playout: the match against each other seat is won, lost, or as likely won as the gap says."""
    ahead = fsum([gap / (abs(gap) + width) for gap in end.gaps]) / len(end.gaps)
    by_scores = 0.5 + ahead / 2
    return by_scores if end.points is None else (1 - TIE) * end.points + TIE * by_scores


def chosen(estimates: Mapping[int, Sequence[float]], guide: int | None, errors: float) -> int:
    """The policy's action, `guide`, or one that is better by `errors` standard errors; without a policy the best."""
    if guide is None:
        most = max([len(worth) for worth in estimates.values()])
        means = {action: fsum(worth) / most for action, worth in estimates.items() if len(worth) == most}
        return max(means, key=lambda action: means[action])
    best, most_ahead = guide, 0.0
    for action, worth in estimates.items():
        ahead, error = lead(worth, estimates[guide])
        if ahead > most_ahead and ahead >= errors * error:
            best, most_ahead = action, ahead
    return best


def lead(worth: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """By how much one action is better than another in the worlds of both, and the standard error of that."""
    return mean_and_error([one - two for one, two in zip(worth, other, strict=False)])


def estimate(action: int, worth: Sequence[float]) -> ActionEstimate:
    """How good an action is, by the values of its playouts."""
    mean, error = mean_and_error(worth)
    return ActionEstimate(action, 100 * mean, None if error == inf else 100 * error, len(worth))


def mean_and_error(sample: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error, which is infinite for less than two."""
    count = len(sample)
    mean = fsum(sample) / count
    if count < 2:
        return mean, inf
    return mean, sqrt(fsum([(each - mean) ** 2 for each in sample]) / (count - 1) / count)
