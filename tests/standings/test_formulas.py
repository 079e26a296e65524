"""Every number of the standings with its error bars, computed anew from the formulas with dense matrices and scipy."""

from collections import Counter
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations, product
from random import Random
from statistics import fmean

import networkx
import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t as student

from tests.standings.simulate import counted, record
from tourney.contracts.game import places_by
from tourney.standings.crosstable import cross_table
from tourney.standings.ranking import points_intervals, seat_points
from tourney.standings.ratings import Ratings

NAT = 400 / np.log(10)
SD = 1000 / NAT  # the standard deviation of the prior


def choices(played):
    """How often each bot was chosen from each set, by (bot, set); of equal places, all orders count alike."""
    found = Counter()
    for each in played:
        ranked = [[bot for bot, p in zip(each.seats, each.places, strict=True) if p == place] for place in range(1, 9)]
        orders = [list(chain(*order)) for order in product(*map(permutations, filter(None, ranked)))]
        for order in orders:
            for i, bot in enumerate(order[:-1]):
                found[bot, tuple(sorted(order[i:]))] += 1 / len(orders)
    return found


def blocks(played):
    """The mean number of matches that one group plays on a deal."""
    return len(played) / len({(each.block, frozenset(each.seats)) for each in played})


def components(groups):
    graph = networkx.Graph()
    for group in groups:
        graph.add_edges_from(combinations(group, 2))
    return [sorted(each) for each in networkx.connected_components(graph)]


class Game:
    """The strengths of one game, what each deal moves them by, and the corrections for what results do not bound."""

    def __init__(self, played, deals):
        self.played = played
        self.bots = sorted({bot for each in played for bot in each.seats})
        self.at = {bot: i for i, bot in enumerate(self.bots)}
        self.deals = {bot: len({each.block for each in played if bot in each.seats}) for bot in self.bots}
        size = len(self.bots)
        self.strengths = np.zeros(size)
        for _ in range(40):
            gradient, information = self.derivatives(played)
            information = information + np.eye(size) / SD**2
            self.strengths = self.strengths + np.linalg.solve(information, gradient - self.strengths / SD**2)
        pulls = np.zeros((size, len(deals)))
        for column, deal in enumerate(deals):
            its = [each for each in played if each.block == deal]
            gradient, own = self.derivatives(its)
            for table in components([each.seats for each in its]):
                rows = [self.at[bot] for bot in table]
                leverage = sum(own[i, i] / information[i, i] for i in rows) * (size - 1) / size / (len(table) - 1)
                pulls[rows, column] = gradient[rows] / np.sqrt(1 - min(leverage, 0.9))
        self.moves = np.linalg.solve(information, pulls)

    def derivatives(self, played):
        """The gradient of the log-likelihood, and the information."""
        gradient, information = np.zeros(len(self.bots)), np.zeros((len(self.bots),) * 2)
        for (bot, among), weight in choices(played).items():
            share = np.zeros(len(self.bots))
            rows = [self.at[each] for each in among]
            share[rows] = np.exp(self.strengths[rows]) / np.exp(self.strengths[rows]).sum()
            gradient += weight * ((np.arange(len(self.bots)) == self.at[bot]) - share)
            information += weight * (np.diag(share) - np.outer(share, share))
        return gradient, information

    @cached_property
    def fields(self):
        """The bots that have met, by strength, with the excess and the variance of each gap between them."""
        half, found = blocks(self.played) / 2, []
        for bots in components([each.seats for each in self.played]):
            order = sorted(bots, key=lambda bot: -self.strengths[self.at[bot]])
            gaps = []
            for top in range(1, len(order)):
                sums = np.zeros(3)
                for (_, among), times in choices(self.played).items():
                    leading = [self.at[bot] for bot in among if bot in order[:top]]
                    if 0 < len(leading) < len(among):
                        powers = np.exp(self.strengths)
                        above = powers[leading].sum() / powers[[self.at[bot] for bot in among]].sum()
                        sums += times * np.array([1, 1 - above, above * (1 - above)])
                weight, upsets, known = sums
                excess = max(np.log(half * (weight - upsets) / (weight * upsets)), 0) if upsets < half else 0.0
                gaps.append((excess, (half / max(known, weight * half / (weight + half))) ** 2))
            found.append((order, gaps))
        return found

    @cached_property
    def unseen(self):
        """By how much half a block moves each bot."""
        half, found = blocks(self.played) / 2, {}
        for bots in components([each.seats for each in self.played]):
            for bot in bots:
                weight, known, powers = 0.0, 0.0, np.exp(self.strengths)
                for (_, among), times in choices(self.played).items():
                    if bot in among:
                        share = powers[self.at[bot]] / powers[[self.at[each] for each in among]].sum()
                        weight, known = weight + times, known + times * share * (1 - share)
                found[bot] = (1 - 1 / len(bots)) * half / max(known, weight * half / (weight + half))
        return found

    def correction(self, bot, other=None):
        (mine, gaps), (theirs, _) = [next(f for f in self.fields if each in f[0]) for each in (bot, other or bot)]
        if other is not None and mine is not theirs:
            return 0.0, SD**2 / len(mine) + SD**2 / len(theirs)
        rank, size, total = mine.index(bot), len(mine), len(self.bots)
        # by what share of each gap the bot moves up when it widens
        zeros = [top / size if other is None else mine.index(other) < top for top in range(1, size)]
        shares = np.array([(rank < top) - zero for top, zero in enumerate(zeros, 1)])
        excess, variance = (shares * [gap[0] for gap in gaps]).sum(), (shares**2 * [gap[1] for gap in gaps]).sum()
        variance = max(variance, (self.unseen[bot] + (0 if other is None else self.unseen[other])) ** 2)
        if other is None and size < total:
            variance += SD**2 / size - SD**2 / total
        return excess, variance


def satterthwaite(parts, freedoms):
    squares = (np.array(parts) ** 2).sum(axis=1)
    if not squares.any():
        return min(freedoms)
    whole = squares.sum() ** 2 / (squares**2 / freedoms).sum()
    return max(min(freedoms), min(int(round(whole, 6)), len(parts[0]) - 1))


def difference(games, weights, bot, other=None):
    """The rating of a bot less that of another, or of the mean, with its interval, and the chance that it is above."""
    bots = sorted({each for game in games for each in game.bots})
    own = {each: [float(w) * (each in game.bots) for game, w in zip(games, weights, strict=True)] for each in bots}
    share = {each: np.array(its) / sum(its) for each, its in own.items()}
    zeros = bots if other is None else [other]
    elo, parts, freedoms, excess, variance = 0.0, [], [], 0.0, 0.0
    for i, game in enumerate(games):
        its = {each: share[each][i] for each in bots if each in game.bots}
        rows = np.column_stack([game.strengths, game.moves])
        moves = {each: share * rows[game.at[each]] for each, share in its.items()}
        one = moves.get(bot, 0 * rows[0])
        less = sum([moves[each] for each in zeros if each in its], 0 * rows[0]) / len(zeros)
        elo += NAT * (one - less)[0]
        if bot not in its and other not in its:
            continue
        parts.append((one - less)[1:])
        freedoms.append(min(game.deals[each] for each in (bot, other) if each in its) - 1)
        if bot in its and other in its:
            found, by = game.correction(bot, other), max(its[bot], its[other])
        else:
            found, by = (game.correction(bot), its[bot]) if bot in its else (game.correction(other), -its[other])
        excess, variance = excess + NAT * by * found[0], variance + by**2 * found[1]
    known = max(abs(elo) - max(np.sign(elo) * excess, 0), 0)
    error, freedom = NAT * np.sqrt((sum(parts) ** 2).sum() + variance), satterthwaite(parts, freedoms)
    half = abs(elo) - known + student.ppf(0.975, freedom) * error
    return elo, elo - half, elo + half, student.cdf(np.sign(elo) * known / error, freedom)


def ratio(won, possible):
    """The ratio of the sums, and the part of each deal in its error."""
    deals, share = sum(possible > 0), won.sum() / possible.sum()
    return share, np.sqrt(deals / (deals - 1)) * (won - share * possible) / possible.sum()


def share_with_ends(games):
    """The weighted mean of shares, and its interval on the scale of log odds; of (weight, won, possible, block)."""
    whole = sum(weight for weight, *_ in games)
    parts, freedoms, share, middle, unseen = [], [], 0.0, 0.0, 0.0
    for weight, won, possible, block in games:
        part, (own, errors) = weight / whole, ratio(won, possible)
        parts.append(part * errors)
        freedoms.append(sum(possible > 0) - 1)
        less, more = sorted((won.sum(), possible.sum() - won.sum()))
        moved = own if less >= block / 2 else abs((own < 0.5) - more / (more + block / 2))
        share, middle = share + part * own, middle + part * moved
        unseen += (part * block / 2 / (possible.sum() + block / 2)) ** 2
    error = np.sqrt((sum(parts) ** 2).sum() + unseen)
    half = student.ppf(0.975, satterthwaite(parts, freedoms)) * error / middle / (1 - middle)
    low, high = expit(logit(middle) - half), expit(logit(middle) + half)
    return share, min(low, share), max(high, share)


def points(places):
    """The mean of what the shared places give."""
    return [fmean([1 - (p - 1 + i) / (len(places) - 1) for i in range(places.count(p))]) for p in places]


def drawn(seed, groups, deals, games=("g",), strength=0.7):
    """Records on common deals; each deal has some of the groups, and of two games the second only every other deal."""
    rng = Random(seed)
    played = []
    for deal in range(deals):
        for game in games[: 1 + deal % 2]:
            for group in rng.sample(groups, max(1, len(groups) * 2 // 3)):
                lucks = [rng.gauss(0, 1) for _ in group]
                for _ in range(2):
                    seats = rng.sample(group, len(group))
                    worth = [round(rng.gauss(lucks[group.index(b)], 1) - strength * "abcdefgh".index(b)) for b in seats]
                    played.append(record(deal, seats, places_by(worth), game=game))
    return played


FIELDS = {
    "pairs": (drawn(1, ["".join(pair) for pair in combinations("abcde", 2)], 12), [1]),
    "tables of three and four with ties": (drawn(2, ["abc", "bcd", "acde", "cdef"], 15, strength=0.4), [1]),
    "two games, with bots that play only one": (
        [each for each in drawn(3, ["abc", "bcd", "de"], 14, ("g", "h")) if each.game == "g" or "d" not in each.seats]
        + [record(deal, "af", (1 + deal % 3 // 2, 2 - deal % 3 // 2), game="h") for deal in range(6)],
        [1, 3],
    ),
    "nobody loses to a worse one": (drawn(4, ["ab", "bc", "acd"], 10, strength=9), [1]),
    "two fields that never met": (drawn(5, ["ab", "bc", "def"], 12, strength=0.3), [1]),
    "few deals": (
        [record(*each) for each in ((0, "ab", (1, 2)), (0, "cd", (1, 2)), (0, "bc", (2, 1)), (1, "ba", (1, 2)))]
        + [record(*each) for each in ((1, "dc", (1, 1)), (2, "ab", (1, 2)), (2, "cd", (1, 2)), (2, "dc", (1, 2)))],
        [1],
    ),
}


@pytest.fixture(params=FIELDS)
def field(request):
    """The counts of the records, the records of each game, and the weights of the games."""
    played, weights = FIELDS[request.param]
    counts = counted(played)
    games = [[each for each in played if each.game == setup.game] for setup in counts.setups]
    return counts, games, [Fraction(weight) for weight in weights]


def test_ratings_and_their_error_bars_are_those_of_the_formulas(field):
    counts, played, weights = field
    deals = sorted({each.block for game in played for each in game})
    games = [Game(game, deals) for game in played]
    found = Ratings(counts.batches(), weights)
    numbers = range(len(counts.names))
    for one, other in chain(permutations(numbers, 2), [(bot, None) for bot in numbers]):
        *ends, above = difference(games, weights, *[bot if bot is None else counts.names[bot] for bot in (one, other)])
        assert found.difference(one, other) == pytest.approx(tuple(ends), abs=2e-4, rel=1e-6)
        if other is None:
            assert found.of(one) == pytest.approx(tuple(1500 + end for end in ends), abs=2e-4)
        else:
            assert found.above(one, other) == pytest.approx(above, abs=1e-6)


def points_block(played):
    """A block against each of the others at the largest table, as if they were independent."""
    return blocks(played) / np.sqrt(max(len(each.seats) for each in played) - 1)


def shares(games, weights, gained, block=points_block):
    """The weight of each game in which anything counts, what was won and possible on each deal, and its block."""
    deals = sorted({each.block for game in games for each in game})
    found = []
    for weight, game in zip(weights, games, strict=True):
        its = [[won for m in game if m.block == deal and (won := gained(m)) is not None] for deal in deals]
        if any(its):
            found.append((float(weight), np.array(list(map(sum, its))), np.array(list(map(len, its))), block(game)))
    return found


def test_points_have_the_shares_and_intervals_of_the_formulas(field):
    counts, games, weights = field
    found = points_intervals(counts.batches(), weights)
    for bot, name in enumerate(counts.names):
        own = shares(games, weights, lambda m, b=name: points(m.places)[m.seats.index(b)] if b in m.seats else None)
        assert found[bot] == pytest.approx(share_with_ends(own)[1:], abs=1e-6)


def came_before(match, pair):
    """1, or 1/2 for a draw, or 0; None if one of the two did not play."""
    if not set(pair) <= set(match.seats):
        return None
    one, other = [match.places[match.seats.index(name)] for name in pair]
    return 0.5 + (other > one) / 2 - (one > other) / 2


def test_the_cross_table_has_the_shares_and_intervals_of_the_formulas(field):
    counts, games, weights = field
    table = cross_table(counts, weights)
    for pair in permutations(counts.names, 2):
        own = shares(games, weights, lambda match, pair=pair: came_before(match, pair), blocks)
        if not own:
            assert pair not in table
            continue
        its = table[pair]
        assert its.matches == sum(possible.sum() for *_, possible, _ in own)
        if min(sum(possible > 0) for *_, possible, _ in own) == 1:
            assert its.low is its.high is None
        else:
            expected = [100 * each for each in share_with_ends(own)]
            assert [its.percent, its.low, its.high] == pytest.approx(expected, abs=1e-4)


def test_seats_have_the_points_and_intervals_of_the_formulas(field):
    counts, games, _ = field
    tables = [(game[0].game, seats) for game in games for seats in sorted({len(each.seats) for each in game})]
    rows = seat_points(counts)
    assert [(row.game, row.seats, row.seat) for row in rows] == [(*it, seat) for it in tables for seat in range(it[1])]
    for row in rows:
        own = [each for game in games for each in game if (each.game, len(each.seats)) == (row.game, row.seats)]
        its = shares([own], [1], lambda match, seat=row.seat: points(match.places)[seat])
        assert row.matches == len(own)
        assert (row.points, row.low, row.high) == pytest.approx([100 * end for end in share_with_ends(its)], abs=1e-4)
