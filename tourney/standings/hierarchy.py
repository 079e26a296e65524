"""Hierarchical ratings: strengths shrunk to their mean, for formats where results decide the pairings.

docs/statistics.md has the model, with its sources, and how often the intervals hold. The posterior is averaged over
tau, with a Laplace approximation for each (Tierney and Kadane 1986, Accurate approximations for posterior moments).
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import exp, fsum, inf, log, sqrt
from operator import mul
from typing import NamedTuple, TypeVar

from tourney.standings import intervals, luce
from tourney.standings.counts import Batch
from tourney.standings.luce import Choices, Information, Order, bots_of, choices, connected
from tourney.standings.ratings import DIGITS, ELO_PER_NAT, MEAN, PRIOR_SD, EloEstimate, orders_of, shares_of

SMALL_FIELD = 8
"""Fewer bots show little about tau, so its prior has a tail: it falls beyond `TAIL`."""
TAIL = 150.0
"""The size of tau, in Elo points, beyond which it is less likely in a small field."""
LEAST_TAU = 1.0  # in Elo points
EXACT = 96
"""With more bots than this, only the most likely tau is used, and errors only consider direct neighbours."""
DROP = 5.0
"""Values of tau are skipped if the logarithm of their density is this far below the maximum."""
WIDER = 1.5
"""The growth of each step away from the most likely tau."""
TOLERANCE = 1e-5
"""The change of strengths (natural logarithms) in a fit's last step; the remaining error is less than its square."""
FINE = 20
"""The steps between two nodes, for the interval of tau."""
LIKELY = 1.92
"""Values of tau are ruled out if their log-likelihood is this far below the maximum: at 95 % (Wilks 1938)."""
NEAR = 0.05
"""The relative precision of the most likely tau, unless `MOST_STEPS` end first."""
MOST_STEPS = 5
LEAST_DEFF = 1e-6
"""With a smaller design effect, of one bot against itself, rounding would outweigh the prior."""
TINY = 1e-12
"""Replaces 0 in logarithms."""


class Tally:
    """The results of one game that ratings depend on; they can be added in any order."""

    def __init__(self, batches: Iterable[Batch] = ()) -> None:
        self.orders: dict[Order, int] = {}
        """The number of matches with each finishing order."""
        self.deals: dict[frozenset[tuple[Order, int]], int] = {}
        """The number of deal batches with each outcome: the numbers of matches with each finishing order."""
        for batch in batches:
            self.add(batch)

    def add(self, batch: Batch, times: int = 1) -> None:
        """Adds `times` times the matches of a deal, or of several that count as one observation; may be negative."""
        if own := orders_of(batch):
            for order, count in own.items():
                _add(self.orders, order, times * count)
            _add(self.deals, frozenset(own.items()), times)


T = TypeVar("T")


def _add(counts: dict[T, int], key: T, number: int) -> None:
    counts[key] = counts.get(key, 0) + number
    if not counts[key]:
        del counts[key]


class Posterior:
    """The posterior of all bots' strengths, in Elo points, by number: the prior without matches."""

    def __init__(
        self,
        games: Sequence[Sequence[Batch] | Tally],
        weights: Sequence[Fraction],
        anchor: tuple[int, float] | None = None,
        bot_ids: Sequence[Hashable] | None = None,
        flat: bool = False,
    ) -> None:
        """The arguments are as in `tourney.standings.ratings.Ratings`.

        With `flat`, the prior is uniform in a small field, too. Schedules use it, as all earlier ones did.
        """
        tallies = [game if isinstance(game, Tally) else Tally(game) for game in games]
        played = sorted({bot for tally in tallies for order in tally.orders for bot in bots_of(order)})
        self.bots: Sequence[int] = played
        """The bots with matches, sorted."""
        differ = bot_ids is None or len({bot_ids[bot] for bot in played}) > 1
        self._games = [_GameFit(tally, differ, flat) for tally in tallies]
        self._shares = {bot: shares_of(bot, [fit.numbers for fit in self._games], weights) for bot in played}
        strengths = {
            bot: fsum([share * fit.mean(bot) for share, fit in zip(shares, self._games, strict=True) if share])
            for bot, shares in self._shares.items()
        }
        middle = fsum(strengths.values()) / max(len(played), 1)
        self._elos = {bot: round(ELO_PER_NAT * (own - middle), DIGITS) for bot, own in strengths.items()}
        whole = float(sum(weights))
        self.tau = PRIOR_SD
        """The posterior mean of the standard deviation of the strengths."""
        if played:
            taus = [float(weight) / whole * fit.tau for weight, fit in zip(weights, self._games, strict=True)]
            self.tau = round(ELO_PER_NAT * fsum(taus), DIGITS)
        self.anchor = None if anchor is None or anchor[0] not in self._shares else anchor
        self._weights = [float(weight) / whole for weight in weights]

    def spread(self) -> EloEstimate:
        """The most likely tau, and its 95 % interval, which is infinite if unknown, after a single deal."""
        games = [(weight, fit) for weight, fit in zip(self._weights, self._games, strict=True) if fit.numbers]
        if not min([fit.freedom for _, fit in games], default=0):
            return EloEstimate(self.tau, 0.0, inf)
        taus = [[weight * end for end in fit.tau_interval()] for weight, fit in games]
        whole = fsum([weight for weight, _ in games])
        return EloEstimate(*[round(ELO_PER_NAT * fsum(its) / whole, DIGITS) for its in zip(*taus, strict=True)])

    def of(self, bot: int) -> EloEstimate:
        """A bot's rating with its interval: relative to the overall mean, or to the fixed anchor."""
        other, origin = self.anchor or (None, MEAN)
        elo, low, high = self.difference(bot, other)
        return EloEstimate(origin + elo, origin + low, origin + high)

    def difference(self, one: int, other: int | None) -> EloEstimate:
        """A bot's rating minus another's, or minus the overall mean."""
        elo = round(self.elo(one) - (MEAN if other is None else self.elo(other)), DIGITS)
        if one == other:
            return EloEstimate(elo, elo, elo)
        freedom = self.freedom(one, other)
        half = intervals.quantile_975(freedom) * self.difference_error(one, other) if freedom else inf
        return EloEstimate(elo, elo - half, elo + half)

    def above(self, one: int, other: int) -> float | None:
        """The probability that the first bot is stronger than the second; None if unknown, after a single deal."""
        freedom = self.freedom(one, other)
        if not freedom:
            return None
        elo = round(self.elo(one) - self.elo(other), DIGITS)
        return intervals.cdf(elo / max(self.difference_error(one, other), TINY), freedom)

    def elo(self, bot: int) -> float:
        """The rating, with the mean of all bots with matches at `MEAN`."""
        return MEAN + self._elos.get(bot, 0.0)

    def strength(self, bot: int, game: int) -> float:
        """The strength of a bot in one game that it has played, as a natural logarithm."""
        return self._games[game].mean(bot)

    def difference_error(self, one: int, other: int | None) -> float:
        """The standard error of the difference of two ratings, or between a rating and the overall mean."""
        if one == other:
            return 0.0
        return self.sum_error({one: 1.0} if other is None else {one: 1.0, other: -1.0})

    def sum_error(self, factors: Mapping[int, float]) -> float:
        """The standard error of a linear combination of ratings, relative to the overall mean."""
        new = fsum([factor * factor for bot, factor in factors.items() if bot not in self._shares])
        own = [(self._shares[bot], bot, factor) for bot, factor in factors.items() if bot in self._shares]
        variance = new * (self.tau / ELO_PER_NAT) ** 2
        for game, fit in enumerate(self._games):
            variance += fit.variance([(bot, factor * shares[game]) for shares, bot, factor in own if shares[game]])
        return round(ELO_PER_NAT * sqrt(max(variance, 0.0)), DIGITS)

    def freedom(self, one: int, other: int | None = None) -> int:
        """The degrees of freedom of these errors; 0 if unknown, after a single deal."""
        its = [
            fit.freedom
            for game, fit in enumerate(self._games)
            if any([self._shares[bot][game] for bot in (one, other) if bot in self._shares])
        ]
        return min(its, default=0)


class _Node(NamedTuple):
    """The posterior of the strengths (natural logarithms) at one tau."""

    x: float  # the logarithm of tau
    density: float  # the logarithm of the density of x, up to a constant; rounded, because it selects the values of x
    strengths: list[float]
    lower: list[list[float]]  # the Cholesky factor of `deff` times the inverse of the covariance


class _GameFit:
    """The posterior of the strengths in one game; strengths are natural logarithms, and their mean is 0."""

    def __init__(self, tally: Tally, differ: bool, flat: bool) -> None:
        chosen, sets = luce.combined([tally.orders])
        bots = sorted({bot for members, _ in sets for bot in members})
        self.numbers = numbers = {bot: number for number, bot in enumerate(bots)}
        self._has_tail = len(bots) < SMALL_FIELD and not flat
        self.freedom = 0
        self.deff = 1.0
        self._rows: list[list[float]] = []  # of the covariance, up to the diagonal, for few bots
        self._nodes: list[tuple[float, float]] = []  # the logarithms of tau and of its density, for few bots
        self.tau = PRIOR_SD / ELO_PER_NAT
        if not bots:
            return
        own = Choices(
            tuple([(numbers[bot], weight) for bot, weight in chosen]),
            tuple([(tuple([numbers[bot] for bot in its]), weight) for its, weight in sets]),
        )
        self._matches = luce.Posterior(own, len(bots))
        strengths, at = self._matches.fit(PRIOR_SD / ELO_PER_NAT, [0.0] * len(bots), TOLERANCE)
        self._measure_deff(tally, dict(zip(bots, strengths, strict=True)), differ)
        if len(bots) <= EXACT:
            self._average(strengths)
        else:
            self._take_most_likely(strengths, at.information)

    def mean(self, bot: int) -> float:
        return self._strengths[self.numbers[bot]]

    def variance(self, factors: Sequence[tuple[int, float]]) -> float:
        own = [(self.numbers[bot], factor) for bot, factor in factors]
        single = fsum([factor * factor * self._covariance(i, i) for i, factor in own])
        return single + 2 * fsum([a * b * self._covariance(i, j) for (i, a), (j, b) in combinations(own, 2)])

    def _measure_deff(self, tally: Tally, strengths: Mapping[int, float], differ: bool) -> None:
        """Computes `deff`: the sum of the deals' squared pulls (gradients) divided by the sum of their information.

        The log-likelihood is divided by it (quasi-likelihood: McCullagh and Nelder 1989, Generalized linear models,
        9.2). The sum is widened for the fitted parameters. A block with a clean sweep is added; it matters most where
        deals show least: if all had the expected result, or all were even.
        """
        powers = {bot: exp(t) for bot, t in strengths.items()}
        square, known = [], []
        ranks = deals = matches = blocks = 0
        for outcome, times in tally.deals.items():
            pulls, information, groups = _pulls(outcome, powers)
            square.append(times * fsum([pull * pull for pull in pulls]))
            known.append(times * information)
            ranks += times * (len(pulls) - (len(connected(groups)) if len(groups) > 1 else 1))
            deals += times
            blocks += times * len(groups)
            matches += times * sum([count for _, count in outcome])
        left = ranks - len(powers) + 1
        self.freedom = 0 if deals < 2 else max(0, min(left, intervals.MOST_FREEDOM))
        block = matches / blocks if differ else 0.0
        more = fsum(square) * ranks / max(left, 1) + block * block / 2
        self.deff = max(more / (fsum(known) + block / 2), LEAST_DEFF)

    def _average(self, strengths: list[float]) -> None:
        """Averages over tau, from its most likely value to both sides."""
        bots, sd = len(strengths), sqrt(fsum([t * t for t in strengths]) / len(strengths))
        step = max(0.1, 1 / sqrt(2 * bots))
        least, most = log(LEAST_TAU / ELO_PER_NAT), log(PRIOR_SD / ELO_PER_NAT)
        top = self._at(min(max(log(max(sd, TINY)), least), most), strengths)
        for stride in (4 * step, 2 * step, step):
            for sign in (-1, 1):
                while least < top.x + sign * stride < most:
                    node = self._at(top.x + sign * stride, top.strengths)
                    if node.density <= top.density:
                        break
                    top = node
        nodes = [top]
        for sign, end in ((-1, least), (1, most)):
            node, stride = top, step
            while node.density > top.density - DROP and node.x != end:
                x = node.x + sign * stride
                node = self._at(min(max(x, least), most), node.strengths)
                nodes.append(node)
                stride *= WIDER
        nodes.sort(key=lambda node: node.x)
        self._nodes = [(node.x, node.density) for node in nodes]
        ends = [nodes[0].x, *[node.x for node in nodes], nodes[-1].x]
        shares = [
            exp(node.density - top.density) * (ends[i + 2] - ends[i]) / 2 if len(nodes) > 1 else 1.0
            for i, node in enumerate(nodes)
        ]
        whole = fsum(shares)
        shares = [share / whole for share in shares]
        self.tau = fsum([share * exp(node.x) for share, node in zip(shares, nodes, strict=True)])
        columns = zip(*[node.strengths for node in nodes], strict=True)
        self._strengths = mean = [fsum(map(mul, column, shares)) for column in columns]
        self._rows = [[0.0] * (i + 1) for i in range(bots)]
        for share, node in zip(shares, nodes, strict=True):
            moved = [t - m for t, m in zip(node.strengths, mean, strict=True)]
            common = exp(2 * node.x) / bots  # the contribution of the mean, which is not fitted, to all entries
            for i, inverse in enumerate(inverted(node.lower)):
                row, own = self._rows[i], moved[i]
                self._rows[i] = [
                    so_far + share * (self.deff * entry - common + own * by)
                    for so_far, entry, by in zip(row, inverse, moved, strict=False)
                ]

    def tau_interval(self) -> tuple[float, float, float]:
        """The most likely tau, and the ends of the values whose log-likelihood is at most `LIKELY` less."""
        nodes = [(exp(x), density - 2 * x + self._log_tail(x)) for x, density in self._nodes]  # without the prior
        if not nodes:
            kept = fsum([max(1 - self._covariance(i, i) / self.tau**2, 0.0) ** 2 for i in self.numbers.values()])
            nodes = [(self.tau * exp(z / sqrt(2 * max(kept, 1.0))), -z * z / 2) for z in (-2, -1, 0, 1, 2)]
        nodes = [(0.0, nodes[0][1]), *nodes]
        most = max([value for _, value in nodes])
        inside = [
            before + (tau - before) * i / FINE
            for (before, earlier), (tau, value) in pairwise(nodes)
            for i in range(FINE)
            if earlier + (value - earlier) * i / FINE >= most - LIKELY
        ]
        top = next(i for i, (_, value) in enumerate(nodes) if value == most)
        tau = nodes[top][0]
        if 0 < top < len(nodes) - 1:  # the vertex of the parabola through the three highest
            (x0, y0), (x1, y1), (x2, y2) = nodes[top - 1 : top + 2]
            left, right = (x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0)
            tau = x1 - ((x1 - x0) * left - (x1 - x2) * right) / 2 / (left - right)
        return tau, inside[0], inside[-1]

    def _log_tail(self, x: float) -> float:
        """By how much the logarithm of the prior falls for tau = exp(x) in a small field."""
        return 1.5 * log(1 + (ELO_PER_NAT * exp(x) / TAIL) ** 2) if self._has_tail else 0.0

    def _covariance(self, i: int, j: int) -> float:
        if self._rows:
            return self._rows[max(i, j)][min(i, j)]
        diagonal, values = self._near
        return self.deff * (diagonal[i] if i == j else values.get((min(i, j), max(i, j)), 0.0))

    def _at(self, x: float, start: Sequence[float]) -> _Node:
        """The posterior for tau = exp(x); the fit starts at those strengths."""
        strengths, at = self._matches.fit(exp(x) / sqrt(self.deff), start, TOLERANCE)
        lower = cholesky(at.information.lower_rows())
        half_log_det = fsum([log(row[-1]) for row in lower])
        density = at.value / self.deff - half_log_det - (len(strengths) - 2) * x  # all tau squared are alike
        density -= self._log_tail(x)
        return _Node(x, round(density, DIGITS), strengths, lower)

    def _take_most_likely(self, strengths: list[float], information: Information) -> None:
        """Uses the most likely tau alone, which many bots determine well, and errors that only consider neighbours.

        Tau is found by expectation and maximisation (Dempster, Laird and Rubin 1977, JRSS B 39, 1-38).
        """
        bots = len(strengths)
        self._near = near_inverse(information)
        spread, unknown = fsum([t * t for t in strengths]), self.deff * fsum(self._near[0])
        tau = sqrt(max(spread - unknown, unknown / 4) / bots)
        for _ in range(MOST_STEPS):
            strengths, at = self._matches.fit(tau / sqrt(self.deff), strengths, TOLERANCE)
            self._near = near_inverse(at.information)
            before = tau
            tau = sqrt((fsum([t * t for t in strengths]) + self.deff * fsum(self._near[0])) / (bots - 3))
            if abs(log(tau / before)) < NEAR:
                break
        self._strengths, self.tau = strengths, tau


def _pulls(
    outcome: Iterable[tuple[Order, int]], powers: Mapping[int, float]
) -> tuple[list[float], float, Collection[tuple[int, ...]]]:
    """The gradient of some matches' log-likelihood for each bot, the sum of its information, and the tables."""
    gradient: dict[int, list[float]] = {}
    known = []
    tables: dict[tuple[int, ...], None] = {}
    for order, count in outcome:
        chosen, sets = choices(order)
        members, _ = sets[0]  # the first choice is from the whole table
        tables[members] = None
        if len(members) == 2:  # saves half of the time
            one, other = members
            share = powers[one] / (powers[one] + powers[other])
            pull = count * (sum([weight for bot, weight in chosen if bot == one]) - share)
            gradient.setdefault(one, []).append(pull)
            gradient.setdefault(other, []).append(-pull)
            known.append(2 * count * share * (1 - share))
            continue
        for bot, weight in chosen:
            gradient.setdefault(bot, []).append(count * weight)
        for members, weight in sets:
            own = [powers[bot] for bot in members]
            among = sum(own)
            for bot, power in zip(members, own, strict=True):
                share = power / among
                gradient.setdefault(bot, []).append(-count * weight * share)
                known.append(count * weight * share * (1 - share))
    return [fsum(parts) for parts in gradient.values()], fsum(known), tables


def near_inverse(information: Information) -> tuple[list[float], dict[tuple[int, int], float]]:
    """The part of a matrix's inverse that belongs to the diagonal and to pairs with an entry.

    The first terms of Neumann's series for a nearly diagonal matrix (Golub and Van Loan 2013, Matrix computations).
    """
    diagonal = information.diagonal
    more = [1.0] * len(diagonal)
    values = {}
    for (i, j), value in zip(information.pattern.pairs, information.values, strict=True):
        both = diagonal[i] * diagonal[j]
        values[i, j] = -value / both
        more[i] += value * value / both
        more[j] += value * value / both
    return [by / own for by, own in zip(more, diagonal, strict=True)], values


def cholesky(rows: Sequence[Sequence[float]]) -> list[list[float]]:
    """The lower triangular factor of a matrix (Golub and Van Loan 2013, 4.2); rows end at the diagonal."""
    factor: list[list[float]] = []
    for i, entries in enumerate(rows):
        row: list[float] = []
        for entry, other in zip(entries, factor, strict=False):
            row.append((entry - sum(map(mul, row, other))) / other[-1])
        row.append(sqrt(entries[i] - sum(map(mul, row, row))))
        factor.append(row)
    return factor


def inverted(lower: Sequence[Sequence[float]]) -> Iterator[list[float]]:
    """The rows, up to the diagonal, of the inverse of the matrix with that Cholesky factor."""
    columns: list[list[float]] = []  # of the inverse factor, from the diagonal down
    for i, row in enumerate(lower):
        for j, column in enumerate(columns):
            column.append(-sum(map(mul, row[j:], column)) / row[i])
        columns.append([1 / row[i]])
    for i, column in enumerate(columns):
        yield [sum(map(mul, column, other[i - j :])) for j, other in enumerate(columns[: i + 1])]
