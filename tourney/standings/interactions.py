"""Alliances: how two bots' points at common tables are not as their ratings let expect (docs/statistics.md).

With two seats, such a difference is one side of a cycle, so only larger tables count.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import exp, fsum, sqrt
from statistics import median
from typing import NamedTuple, TypeAlias

import msgspec

from tourney.standings.counts import MAX_DEALS, Batch, few_batches
from tourney.standings.duel import false_discovery_rates
from tourney.standings.hierarchy import Posterior
from tourney.standings.intervals import cdf, quantile_975
from tourney.standings.points import full_units, units

MOST_BOTS = 64
"""In larger fields, two bots meet too rarely to tell."""
MOST_FALSE = 0.01
"""The share of false pairs among the ones named, by a test that finds a few more: one in 5 % of honest fields."""
ROUNDS = 20
NORMAL_MAD = 1.4826
"""The standard deviation of a normal distribution in median absolute deviations."""

_Pair: TypeAlias = tuple[int, int]


class Interaction(msgspec.Struct, frozen=True):
    """A bot's points at tables with another bot, compared with the ratings' expectation; in points %."""

    bot: str
    other: str
    points: float
    """More than expected; negative if fewer."""
    low: float
    """The lower end of its 95 % interval."""
    high: float
    deals: int
    """The number of deals, or of batches of deals, on which they met."""
    q: float
    """The share of false pairs among all at least as sure as this one (Benjamini and Hochberg)."""

    @property
    def is_sure(self) -> bool:
        """Whether the difference is beyond chance, among all pairs."""
        return self.q <= MOST_FALSE


def sure_pairs(table: Sequence[Interaction]) -> list[tuple[str, str]]:
    """The pairs with a sure interaction of either, the surest first, which gains before the one that loses."""
    sure = sorted([each for each in table if each.is_sure], key=lambda each: each.q)
    gains = {(each.bot, each.other): each.points for each in table}
    named: dict[frozenset[str], tuple[str, str]] = {}
    for each in sure:
        pair, back = (each.bot, each.other), (each.other, each.bot)
        named.setdefault(frozenset(pair), max(pair, back, key=lambda its: gains.get(its, 0.0)))
    return list(named.values())


class _Cell(NamedTuple):
    """The residuals of a bot at tables with another."""

    mean: float
    parts: list[float]  # each batch of deals' part in the error of the mean
    weight: float
    deals: int
    freedom: int  # of the error: the deals of the game with the fewest, less one
    least: float  # the variance if one deal of each game had half a point more or less than the others, see `Duel`


def interactions(
    names: Sequence[str], games: Sequence[Sequence[Batch]], weights: Sequence[Fraction], ratings: Posterior
) -> list[Interaction]:
    """The interaction of each ordered pair of bots that met on several deals at tables of three or more seats.

    It is empty if no such table had a choice of opponents, or if there are more than `MOST_BOTS` bots.
    """
    if not 3 < len(ratings.bots) <= MOST_BOTS:
        return []
    cells = _cells(games, weights, ratings)
    excess = _polished(cells)
    rows, columns = _lines(cells, 0), _lines(cells, 1)
    every = _Line.of(list(cells.values()))
    squares: dict[_Pair, float] = {}  # of the errors of the pairs, and of what chance leaves of them in the whole table
    noises: dict[_Pair, float] = {}
    for pair, cell in cells.items():
        lines = rows[pair[0]], columns[pair[1]], every
        squares[pair], left = [_square(cell, *[line.without(out) for line in lines]) for out in (cell, None)]
        noises[pair] = sqrt(squares[pair] * left)
    if not cells:
        return []
    usual = NORMAL_MAD * median(map(abs, excess.values()))
    spread = max(usual * usual - median(noises.values()), 0.0)  # of honest bots' styles
    tails = []
    for pair, cell in cells.items():
        t = abs(excess[pair]) / sqrt(noises[pair] + spread)
        tails.append(round(2 * (1 - cdf(t, cell.freedom)), 12))
    table = []
    for (pair, cell), q in zip(cells.items(), false_discovery_rates(tails), strict=True):
        half = quantile_975(cell.freedom) * sqrt(squares[pair])
        by, low, high = [round(100 * each, 4) for each in (excess[pair], excess[pair] - half, excess[pair] + half)]
        table.append(Interaction(names[pair[0]], names[pair[1]], by, low, high, cell.deals, q))
    return table


def _square(cell: _Cell, row: Sequence[float], column: Sequence[float], whole: Sequence[float]) -> float:
    """The squared error of a cell's difference from the expectation of its row and column."""
    errors = [e - r - c + w for e, r, c, w in zip(cell.parts, row, column, whole, strict=True)]
    return max((1 + 1 / cell.freedom) * fsum([error * error for error in errors]), cell.least)


def _cells(games: Sequence[Sequence[Batch]], weights: Sequence[Fraction], ratings: Posterior) -> dict[_Pair, _Cell]:
    by_game = [_residuals(few_batches(batches, MAX_DEALS), ratings, game) for game, batches in enumerate(games)]
    size = min(max(map(len, games), default=0), MAX_DEALS)
    cells = {}
    for pair in sorted({pair for sums in by_game for pair, deals in sums.items() if len(deals) > 1}):
        met = [(float(weights[game]), sums[pair]) for game, sums in enumerate(by_game) if len(sums.get(pair, ())) > 1]
        whole, mean, matches, least, parts = fsum([weight for weight, _ in met]), 0.0, 0, 0.0, [0.0] * size
        for weight, deals in met:
            share, number = weight / whole, len(deals)
            total, played = fsum([gained for gained, _ in deals.values()]), sum([count for _, count in deals.values()])
            mean += share * total / played
            matches += played
            least += share * share / 16 / number / (number - 1)
            for deal, (gained, count) in deals.items():
                parts[deal] += share * (gained - total / played * count) / played
        every = {deal for _, deals in met for deal in deals}
        cells[pair] = _Cell(mean, parts, matches, len(every), min([len(deals) for _, deals in met]) - 1, least)
    return cells


def _residuals(batches: Sequence[Batch], ratings: Posterior, game: int) -> dict[_Pair, dict[int, tuple[float, int]]]:
    """For each pair and batch: the sum of the first bot's points minus the expected ones, and the number of matches."""
    expected: dict[tuple[int, ...], list[float]] = {}
    sums: dict[_Pair, dict[int, tuple[float, int]]] = {}
    size = max(ratings.bots) + 1
    for number, batch in enumerate(batches):
        gains = [[0.0] * size for _ in range(size)]
        met = [[0] * size for _ in range(size)]
        for (bots, places), count in batch.items():
            if len(bots) < 3 or len(set(bots)) < len(bots):
                continue
            if bots not in expected:
                powers = [exp(ratings.strength(bot, game)) for bot in bots]
                expected[bots] = [(fsum([own / (own + it) for it in powers]) - 0.5) / (len(bots) - 1) for own in powers]
            full = full_units(len(bots))
            for bot, won, usual in zip(bots, units(places), expected[bots], strict=True):
                row, meetings, by = gains[bot], met[bot], count * (won / full - usual)
                for other in bots:
                    row[other] += by
                    meetings[other] += count
        for one, meetings in enumerate(met):
            for other, count in enumerate(meetings):
                if count and other != one:
                    sums.setdefault((one, other), {})[number] = gains[one][other], count
    return sums


def _polished(cells: Mapping[_Pair, _Cell]) -> dict[_Pair, float]:
    """The cells without each bot's own level, with others and others' with it.

    Tukey 1977, Exploratory data analysis, 11: by medians, one odd pair does not move the others.
    """
    left = {pair: cell.mean for pair, cell in cells.items()}
    for turn in range(ROUNDS):
        lines: dict[int, list[tuple[float, float]]] = {}
        for pair, mean in left.items():
            lines.setdefault(pair[turn % 2], []).append((mean, cells[pair].weight))
        middles = {bot: _median(line) for bot, line in lines.items()}
        left = {pair: mean - middles[pair[turn % 2]] for pair, mean in left.items()}
    return left


def _median(line: list[tuple[float, float]]) -> float:
    """The weighted median of values with their weights."""
    half, before, line = fsum([weight for _, weight in line]) / 2, 0.0, sorted(line)
    for i, (value, weight) in enumerate(line):
        before += weight
        if before > half:
            return value
        if before == half:
            return (value + line[min(i + 1, len(line) - 1)][0]) / 2
    return line[-1][0]


class _Line(NamedTuple):
    sums: list[float]
    weight: float

    @classmethod
    def of(cls, cells: Sequence[_Cell]) -> "_Line":
        sums = [
            fsum(column) for column in zip(*[[cell.weight * it for it in cell.parts] for cell in cells], strict=True)
        ]
        return cls(sums, fsum([cell.weight for cell in cells]))

    def without(self, cell: _Cell | None) -> list[float]:
        """The parts of the mean over all cells but one."""
        if cell is None:
            return [whole / self.weight for whole in self.sums]
        left = max(self.weight - cell.weight, 1.0)  # 1 if there are none, with a sum of 0
        return [(whole - cell.weight * it) / left for whole, it in zip(self.sums, cell.parts, strict=True)]


def _lines(cells: Mapping[_Pair, _Cell], side: int) -> dict[int, _Line]:
    lines: dict[int, list[_Cell]] = {}
    for pair, cell in cells.items():
        lines.setdefault(pair[side], []).append(cell)
    return {bot: _Line.of(line) for bot, line in lines.items()}
