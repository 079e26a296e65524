"""The gate of `seer`: the policy's action stands unless another one is better for sure."""

from collections.abc import Mapping, Sequence
from math import fsum, inf, sqrt

from tourney import ActionEstimate


def chosen(found: Mapping[int, Sequence[float]], guide: int | None, errors: float) -> int:
    """Returns the action to take.

    Args:
        found: The values of each action's playouts, in the order of the worlds.
        guide: The policy's action; None for none, and then the action with the highest mean is taken.
        errors: By how many standard errors of the difference, in the same worlds, another action has to be better.
    """
    if guide is None:
        most = max([len(worth) for worth in found.values()])
        means = {action: fsum(worth) / most for action, worth in found.items() if len(worth) == most}
        return max(means, key=lambda action: means[action])
    best, most_ahead = guide, 0.0
    for action, worth in found.items():
        ahead, error = lead(worth, found[guide])
        if ahead > most_ahead and ahead >= errors * error:
            best, most_ahead = action, ahead
    return best


def lead(worth: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Returns by how much one action is better than another in the worlds of both, and the standard error of that."""
    return mean_and_error([one - two for one, two in zip(worth, other, strict=False)])


def estimate(action: int, worth: Sequence[float]) -> ActionEstimate:
    """Returns how good an action is, by the values of its playouts."""
    mean, error = mean_and_error(worth)
    return ActionEstimate(action, 100 * mean, None if error == inf else 100 * error, len(worth))


def mean_and_error(sample: Sequence[float]) -> tuple[float, float]:
    """Returns the mean and its standard error, which is infinite for less than two."""
    count = len(sample)
    mean = fsum(sample) / count
    if count < 2:
        return mean, inf
    return mean, sqrt(fsum([(each - mean) ** 2 for each in sample]) / (count - 1) / count)
