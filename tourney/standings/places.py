"""The places that bots may truly have: an interval of each bot's rank by strength (docs/statistics.md)."""

from bisect import bisect
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, combinations, pairwise
from math import erf, fsum, inf, isinf, sqrt
from statistics import NormalDist, fmean, pvariance
from typing import NamedTuple

from tourney.standings.hierarchy import Posterior

NORMAL = NormalDist()
MOST_PAIRS = 64
"""With more bots, probabilities come from the bots' own errors, not from each pair's."""
GROUPS = 64
"""The number of groups of a larger field."""
STEPS = 10
"""In a larger field, the number of stronger bots is computed this often within a standard error of a difference."""
MOST_EXACT = 24
"""With more bots whose order to a bot is open, the number above it is taken as normal."""
SURE = 5.0
"""Bots this many standard errors apart are surely in order."""
RISK = 0.025
"""The probability of a rank beyond either end of an interval."""


class _Other(NamedTuple):
    z: float  # how much stronger it is, in standard errors of the difference
    own: float  # the root of the bot's own share in the variance of the difference
    rest: float  # the root of twice the other's share


class Places(NamedTuple):
    """The 95 % interval of a bot's rank by strength, 1 the best."""

    low: int
    high: int
    best: float
    """The probability that it is the best, relative to the others'."""
    last: float


def place_intervals(ratings: Posterior, bots: Sequence[int]) -> dict[int, Places]:
    """The places by strength of some bots among them, by number.

    It is empty without bots, and if errors are unknown, after a single deal.
    """
    estimates = [ratings.difference(bot, None) for bot in bots]
    errors = [(high - low) / 2 / NORMAL.inv_cdf(1 - RISK) for _, low, high in estimates]
    if not bots or any(map(isinf, errors)):
        return {}
    if len(bots) > MOST_PAIRS and all(errors):
        return _to_ends(dict(zip(bots, _many([estimate.elo for estimate in estimates], errors), strict=True)))
    others: dict[int, list[_Other]] = {bot: [] for bot in bots}
    for (i, one), (j, other) in combinations(enumerate(bots), 2):
        both = errors[i] ** 2 + errors[j] ** 2
        chance = ratings.above(other, one) or 0.0
        z = NORMAL.inv_cdf(chance) if 0 < chance < 1 else inf * (chance - 0.5)
        share = errors[i] ** 2 / both if both else 0.5
        others[one].append(_Other(z, sqrt(share), sqrt(2 * (1 - share))))
        others[other].append(_Other(-z, sqrt(1 - share), sqrt(2 * share)))
    nodes = _nodes(20)
    return _to_ends({bot: _interval(its, nodes) for bot, its in others.items()})


def _to_ends(places: dict[int, Places]) -> dict[int, Places]:
    """Extends intervals to place 1 for the bots that probably include the best, and to the last place likewise."""
    for key, end in (("best", {"low": 1}), ("last", {"high": len(places)})):
        chances = {bot: getattr(its, key) for bot, its in places.items()}
        order = sorted(chances.values(), reverse=True)
        least = order[bisect([*accumulate(order[:-1])], (1 - RISK) * fsum(order))] - 1e-9  # equal bots stay equal
        places = {bot: its._replace(**end) if chances[bot] >= least else its for bot, its in places.items()}
    return places


def _nodes(number: int) -> list[float]:
    """Values of a bot's own error, in standard errors, each as likely."""
    return [NORMAL.inv_cdf((i + 0.5) / number) for i in range(number)]


def _many(elos: Sequence[float], errors: Sequence[float]) -> Iterator[Places]:
    """The places in a large field, whose bots are taken in `GROUPS` groups of about the same rating."""
    field = sorted(zip(elos, errors, strict=True))
    cuts = [len(field) * i // GROUPS for i in range(GROUPS + 1)]
    groups = [[*zip(*field[first:after], strict=True)] for first, after in pairwise(cuts)]
    sized = [
        (len(own), fmean(own), sqrt(2 * (pvariance(own) + fmean([error * error for error in its]))))
        for own, its in groups
    ]
    step = min([rest for *_, rest in sized]) / STEPS

    @cache
    def at(steps: int) -> tuple[float, float]:
        return _moments([(count, (1 + erf((own - steps * step) / rest)) / 2) for count, own, rest in sized])

    for elo, error in zip(elos, errors, strict=True):
        above = []
        for node in _nodes(16):
            itself = NORMAL.cdf(-node)
            steps, part = divmod((elo + error * node) / step, 1)
            mean, variance = [a + part * (b - a) for a, b in zip(at(int(steps)), at(int(steps) + 1), strict=True)]
            above.append(_normal_of(mean - itself, variance - itself * (1 - itself)))
        yield _normal(above, len(elos) - 1)


def _interval(others: Sequence[_Other], nodes: Sequence[float]) -> Places:
    """The places; the nodes are values of the bot's own error, in standard errors, each as likely."""
    above = sum([each.z >= SURE for each in others])
    unsure = [each for each in others if -SURE < each.z < SURE and each.rest]
    by_node = [[(1 + erf((z - own * node) / rest)) / 2 for z, own, rest in unsure] for node in nodes]
    if len(unsure) > MOST_EXACT:
        low, high, best, last = _normal(
            [_normal_of(*_moments([(1, chance) for chance in its])) for its in by_node], len(unsure)
        )
    else:
        numbers = [sum(column) / len(nodes) for column in zip(*map(_numbers, by_node), strict=True)]
        low = next(i for i, so_far in enumerate(accumulate(numbers), 1) if so_far > RISK)
        high = len(numbers) - next(i for i, so_far in enumerate(accumulate(reversed(numbers))) if so_far > RISK)
        best, last = numbers[0], numbers[-1]
    return Places(above + low, above + high, best * (not above), last * (above + len(unsure) == len(others)))


def _moments(chances: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """The mean and the variance of the number of independent events."""
    return (
        fsum([count * chance for count, chance in chances]),
        fsum([count * chance * (1 - chance) for count, chance in chances]),
    )


def _normal_of(mean: float, variance: float) -> tuple[float, float]:
    """A mean, and the root of twice the variance."""
    return mean, sqrt(2 * max(variance, 0.0)) + 1e-9


def _normal(above: Sequence[tuple[float, float]], others: int) -> Places:
    """The places if the number of stronger bots is normal, by its moments for each node."""

    def at_most(number: int) -> float:
        return fmean([(1 + erf((number + 0.5 - mean) / width)) / 2 for mean, width in above])

    low, high = [bisect(range(others), share, key=at_most) + 1 for share in (RISK, 1 - RISK)]
    return Places(low, high, at_most(0), 1 - at_most(others - 1))


def _numbers(chances: Sequence[float]) -> list[float]:
    """The probability of each number of independent events."""
    numbers = [1.0]
    for chance in chances:
        more = zip([*numbers, 0.0], [0.0, *numbers], strict=True)
        numbers = [same * (1 - chance) + fewer * chance for same, fewer in more]
    return numbers
