"""The mixture that no bot of a cycle beats: each bot's share, and its error bars by resampled deals."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor, fsum
from random import Random
from typing import TypeAlias

import msgspec

from tourney.standings.counts import MAX_DEALS, Batch, few_batches
from tourney.standings.crosstable import Cycle, half_wins

MOST_BOTS = 12
"""In a larger cycle, the mixture is not computed."""
SAMPLES = 200
"""The number of resampled sets of deals; the interval leaves out 2.5 % of them at each end."""

_Pairs: TypeAlias = Mapping[tuple[int, int], tuple[int, int]]


class Portion(msgspec.Struct, frozen=True):
    """A bot's share in a mixture, in percent, with its 95 % interval; the field names are the keys in JSON."""

    bot: str
    percent: float
    low: float
    high: float


def mixture(
    cycle: Cycle, names: Sequence[str], games: Sequence[Sequence[Batch]], weights: Sequence[Fraction]
) -> list[Portion]:
    """The mixture of a cycle's bots that none of them beats; empty if two have not met, or if they are too many."""
    bots = [names.index(bot) for bot in cycle.bots]
    deals = [[half_wins(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    size = max(map(len, deals), default=0)
    best = _best(bots, deals, weights, range(size)) if len(bots) <= MOST_BOTS else None
    if best is None:
        return []
    rng = Random("mixture")
    drawn = (_best(bots, deals, weights, [floor(size * rng.random()) for _ in range(size)]) for _ in range(SAMPLES))
    shares = [best, *[each for each in drawn if each is not None]]
    portions = []
    for bot, share, column in zip(cycle.bots, best, map(sorted, zip(*shares, strict=True)), strict=True):
        out = len(column) // 40
        ends = [round(100 * end, 4) for end in (share, min(share, column[out]), max(share, column[-1 - out]))]
        portions.append(Portion(bot, *ends))
    return portions


def _best(
    bots: Sequence[int], games: Sequence[Sequence[_Pairs]], weights: Sequence[Fraction], deals: Sequence[int]
) -> list[float] | None:
    """The mixture by some of the deals; None if two of the bots did not meet on them."""
    leads = [[0.0] * len(bots) for _ in bots]
    for i, one in enumerate(bots):
        for j in range(i):
            pair, sign = ((one, bots[j]), 1) if one < bots[j] else ((bots[j], one), -1)
            whole = lead = 0.0
            for weight, its in zip(weights, games, strict=True):
                met = [its[deal][pair] for deal in deals if deal < len(its) and pair in its[deal]]
                if met:
                    halves, matches = sum([halves for halves, _ in met]), sum([count for _, count in met])
                    whole += float(weight)
                    lead += float(weight) * (halves / matches - 1)
            if not whole:
                return None
            leads[i][j], leads[j][i] = sign * lead / whole, -sign * lead / whole
    return maximin(leads)


def maximin(leads: Sequence[Sequence[float]]) -> list[float]:
    """The mixture of columns against which no row has a lead; `leads[i][j]` is row i's over j, and minus j's over i.

    The linear program "the largest sum of y, with (1.5 + leads) y <= 1 and y >= 0" is solved by the simplex method with
    Bland's rule (Dantzig 1951, A proof of the equivalence of the programming problem and the game problem).
    """
    size = len(leads)
    rows = [[1.5 + lead for lead in row] + [float(i == j) for j in range(size)] + [1.0] for i, row in enumerate(leads)]
    goal = [-1.0] * size + [0.0] * (size + 1)
    basis = [*range(size, 2 * size)]
    while (enters := next((j for j, cost in enumerate(goal[:-1]) if cost < -1e-12), None)) is not None:
        ratios = [(row[-1] / row[enters], basis[i], i) for i, row in enumerate(rows) if row[enters] > 1e-12]
        _, _, out = min(ratios)
        pivot = [value / rows[out][enters] for value in rows[out]]
        rows = [
            pivot if i == out else [value - row[enters] * by for value, by in zip(row, pivot, strict=True)]
            for i, row in enumerate(rows)
        ]
        goal = [value - goal[enters] * by for value, by in zip(goal, pivot, strict=True)]
        basis[out] = enters
    values = [0.0] * (2 * size)
    for bot, row in zip(basis, rows, strict=True):
        values[bot] = row[-1]
    whole = fsum(values[:size])
    return [round(max(value, 0.0) / whole, 9) for value in values[:size]]
