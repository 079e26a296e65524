"""By how much each deal moves the fitted strengths: what their error bars are made of.

A deal pulls the strengths by the gradient of the log-likelihood of its matches; the inverse of the information matrix
turns that into by how much it moves them. All matches on a deal are one observation, whoever played them, because they
share the cards. The squares of what the deals move, summed, are the variance of a strength, whatever the matches of
one deal have in common: the sandwich estimator for clustered data (Liang and Zeger 1986, Biometrika 73, 13-22; Cameron
and Miller 2015, Journal of Human Resources 50, 317-372).
"""

from collections.abc import Mapping, Sequence
from math import exp, fsum, sqrt
from operator import mul

from tourney.stats.connected import connected
from tourney.stats.information import Information
from tourney.stats.plackett_luce import Order, bots_of, slopes

MOVE_PRECISION = 1e-9
"""How precisely it is computed what a deal moves, see `Information.solve`."""
MAX_LEVERAGE = 0.9
"""No deal is taken to determine the strengths of those who played it by more than this share."""


def deal_moves(
    batches: Sequence[Mapping[Order, int]], strengths: Sequence[float], information: Information
) -> list[list[float]]:
    """Returns by how much each batch of deals moves each bot's strength: a row a bot, a column a batch.

    `strengths` are the fitted ones, as natural logarithms, and `information` is that at these strengths.
    """
    powers = [exp(t) for t in strengths]
    pulls = [_pull(batch, powers, information) for batch in batches]
    if len(strengths) > len(batches):
        return [list(row) for row in zip(*[information.solve(pull, MOVE_PRECISION) for pull in pulls], strict=True)]
    bots = range(len(strengths))
    inverse = [information.solve([float(i == bot) for i in bots], MOVE_PRECISION) for bot in bots]
    return [[fsum(map(mul, row, pull)) for pull in pulls] for row in inverse]


def _pull(batch: Mapping[Order, int], powers: list[float], information: Information) -> list[float]:
    """Returns the gradient of a batch, corrected for how far the fit has followed that batch.

    A fit follows its data, so gradients are a little smaller at the fitted strengths than at the true ones. Those of a
    table are divided by the square root of one less its leverage, the share of the information about its bots that is
    its own (CR2 of Bell and McCaffrey 2002, Survey Methodology 28, 169-181, with the leverage of the diagonal alone).
    """
    gradient, diagonal = slopes(batch, powers)
    size = len(powers)
    for table in connected([bots_of(order) for order in batch]):
        own = fsum([diagonal[bot] / information.diagonal[bot] for bot in table])
        # m bots at a table have m - 1 differences; n bots in the field have n - 1
        leverage = own * (size - 1) / size / max(len(table) - 1, 1)
        widen = 1 / sqrt(1 - min(leverage, MAX_LEVERAGE))
        for bot in table:
            gradient[bot] *= widen
    return gradient
