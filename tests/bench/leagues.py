"""How many matches until the five best of twenty bots stand in order: a league beside other ways of matching.

Nothing is played: results are drawn. The strengths have a standard deviation of 100 Elo points. Ten bots are there at
the start, and one more comes after every 300 blocks; a block is a deal and its mirror, so two matches. Every way is
judged by the same ratings, a joint fit. The order is right when each of the five best stands above all that are weaker
by more than 10 points. What counts are the matches after which it is right in 95 % of the leagues, all twenty being in.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations, islice, pairwise
from math import log
from random import Random
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tests.bench.builds import ROOT
from tests.standings.simulate import player
from tourney import config
from tourney.contracts.match import Block
from tourney.contracts.rng import derive, pick
from tourney.schedule import ladder
from tourney.schedule.league import GROWTH, LEAST_TABLES, MOST_DEALS
from tourney.schedule.matchmaking import PLACEMENT_DEALS, Player, SettleGoal, next_round
from tourney.schedule.seatings import rotations
from tourney.standings.points import points

BOTS, FIRST, EVERY, SPREAD, TOP = 20, 10, 300, 100.0, 5
NAT = 400 / log(10)  # Elo points for a unit of the natural logarithm of a strength
OPPOSED = 0.1  # in this share of the deals the mirror takes the luck of the deal the other way round
DEFF = 1 - OPPOSED  # by how much that narrows the results of a block between equals; the ratings estimate it
EQUAL, SURE = 10.0, 0.99  # Elo points; the probability with which a league is to know an order
DEALS, BATCH = 10, 50  # deals of a table; blocks after which those who choose block by block see new ratings
STEP = 500  # of the numbers of matches that are looked at
CONFIG = 'name = "graded"\nseed = 1\n[[game]]\nname = "vole"\n'
GRADED = '[[bot]]\nname = "{}"\nuse = "tests/standings/coverage_bots.py:Mixture"\noptions = {{ share = {} }}\n'
Array: TypeAlias = Any
Tables: TypeAlias = list[tuple[int, int, int]]  # two bots, and on how many deals they meet


class Field(NamedTuple):
    strengths: Array  # in Elo points
    won: Callable[[int, int, int], float]  # the points of the first against the second, in both matches of some deals


def drawn(seed: int) -> Field:
    """Bots with strengths drawn by a seed, and results by their strengths."""
    luck = np.random.default_rng(seed)
    strengths = luck.normal(0, SPREAD, BOTS)

    def won(one: int, other: int, deals: int) -> float:
        p = 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400))
        both, none = [(1 - OPPOSED) * share**2 + OPPOSED * max(0.0, 2 * share - 1) for share in (p, 1 - p)]
        blocks = luck.multinomial(deals, [both, none, 1 - both - none])
        return float(2 * blocks[0] + blocks[2])

    return Field(strengths, won)


def graded(count: int, deals: int) -> list[Field]:
    """Graded bots that play Vole, the same in every league; their strengths are measured on `deals` deals a pair."""
    bots = [GRADED.format(number, number / (BOTS - 1)) for number in range(BOTS)]
    given = config.parse(CONFIG + "".join(bots), ROOT / "graded.toml")
    play, numbers = player(given), iter(range(10**9))

    def won(one: int, other: int, deals: int) -> float:
        total, names = 0.0, (str(one), str(other))
        for number in islice(numbers, deals):
            block = Block(number, given.setups[0], derive(given.seed, "deal", number), rotations(names))
            total += sum([points(record.places)[record.seats.index(names[0])] for record in play(block)])
        return total

    whole = League(0, Field(np.zeros(BOTS), won))
    whole.play([(one, other, deals) for one, other in combinations(range(BOTS), 2)])
    whole.present, tau = BOTS, np.full(1, SPREAD / NAT)
    for _ in range(20):
        tau = fit([whole], tau)
    strengths = np.polyval(np.polyfit(range(BOTS), whole.elo, 2), range(BOTS))
    orders = [np.random.default_rng(seed).permutation(BOTS) for seed in range(count)]
    return [Field(strengths[its], lambda one, other, n, its=its: won(its[one], its[other], n)) for its in orders]


class League:
    """One league: its bots in the order in which they come, and what is known of them."""

    def __init__(self, seed: int, field: Field) -> None:
        self.rng, self.field = Random(seed), field
        self.present, self.blocks, self.idle, self.over = FIRST, 0, 0, False  # idle: blocks that were not worth playing
        self.points, self.games = np.zeros((BOTS, BOTS)), np.zeros((BOTS, BOTS))  # of each against each, in matches
        self.met = np.zeros((BOTS, BOTS), int)  # at how many tables
        self.deals, self.rested = [0] * BOTS, [0] * BOTS
        self.elo, self.own_error = np.zeros(BOTS), np.full(BOTS, SPREAD)
        self.error = np.full((BOTS, BOTS), SPREAD)  # of each difference
        self.path: list[tuple[int, bool]] = []  # the matches, and whether the order was right
        self.placed: dict[int, tuple[float, float]] = {}  # how far off a newcomer's rating is, and its error

    def play(self, tables: Tables) -> None:
        """Plays a round. Whoever has come in the meantime is there from the next one on."""
        for one, other, deals in tables:
            won = self.field.won(one, other, deals)
            for bot, opponent, its in ((one, other, won), (other, one, 2 * deals - won)):
                self.points[bot, opponent] += its
                self.games[bot, opponent] += 2 * deals
                self.met[bot, opponent] += 1
                self.deals[bot] += deals
        sat = [bot for table in tables for bot in table[:2]]
        self.rested = [0 if bot in sat or bot >= self.present else rest + 1 for bot, rest in enumerate(self.rested)]
        self.blocks += sum([deals for _, _, deals in tables])
        if not tables:
            self.idle += EVERY - (self.blocks + self.idle) % EVERY
        self.over = not tables and self.present == BOTS
        self.present = min(BOTS, FIRST + (self.blocks + self.idle) // EVERY)

    def judge(self) -> None:
        """Notes whether the order is right, and how well newcomers are known."""
        true, rated = self.field.strengths[: self.present], self.elo[: self.present]
        top = np.argsort(-true)[:TOP]
        wrong = (true[top][:, None] - true[None, :] > EQUAL) & (rated[top][:, None] <= rated[None, :])
        self.path.append((2 * self.blocks, self.present == BOTS and not wrong.any()))
        for bot in range(FIRST, self.present):
            if PLACEMENT_DEALS - DEALS < self.deals[bot] <= PLACEMENT_DEALS:
                off = rated[bot] - rated.mean() - true[bot] + true.mean()
                self.placed[bot] = (float(off), float(self.own_error[bot]))


def fit(leagues: list[League], tau: Array) -> Array:
    """Rates leagues side by side: strengths ~ N(0, tau^2), the normal approximation to the posterior, tau by EM."""
    games, points = np.array([each.games for each in leagues]), np.array([each.points for each in leagues])
    present = np.arange(BOTS)[None, :] < np.array([each.present for each in leagues])[:, None]
    t = np.array([each.elo for each in leagues]) / NAT
    for _ in range(2):  # the rounds before have brought it near
        p = 1 / (1 + np.exp(t[:, None, :] - t[:, :, None]))
        known = games * p * (1 - p) / DEFF
        hessian = -known
        hessian[:, range(BOTS), range(BOTS)] = known.sum(2) + 1 / tau[:, None] ** 2
        inverse = np.linalg.inv(hessian)
        gradient = (points - games * p).sum(2) / DEFF - t / tau[:, None] ** 2
        t = t + np.clip((inverse @ gradient[:, :, None])[:, :, 0], -1, 1)
        own = np.diagonal(inverse, axis1=1, axis2=2)
        tau = np.sqrt(((t**2 + own) * present).sum(1) / present.sum(1))
    errors = np.sqrt(np.maximum(own[:, :, None] + own[:, None, :] - 2 * inverse, 0))
    share = present / present.sum(1)[:, None]
    mean = (inverse @ share[:, :, None])[:, :, 0]
    from_mean = np.sqrt(own - 2 * mean + (share * mean).sum(1)[:, None])
    for each, elo, own_error, error in zip(leagues, NAT * t, NAT * from_mean, NAT * errors, strict=True):
        each.elo, each.own_error, each.error = elo, own_error, error
    return tau


def league(settle: str, at: League) -> Tables:
    """A league by `tourney.schedule.matchmaking`."""
    players = [Player(str(bot), float(at.elo[bot]), at.deals[bot], at.rested[bot]) for bot in range(at.present)]
    aim, tables = SettleGoal(settle, SURE, EQUAL), max(LEAST_TABLES, at.present // 2)

    def look(values: list[list[Any]]) -> Callable[[str, str], Any]:
        return lambda one, other: values[int(one)][int(other)]

    found = next_round(players, look(at.error.tolist()), look(at.met.tolist()), aim, 2, tables, at.rng)
    pairs = [(int(meeting.group[0]), int(meeting.group[1])) for meeting in found]
    return [(*pair, max(DEALS, min(MOST_DEALS, min([at.deals[bot] for bot in pair]) // GROWTH))) for pair in pairs]


def round_robin(at: League) -> Tables:
    """A round-robin; newcomers first play all deals so far against all, as by `tourney run --extend`."""
    pairs = [(one, other) for one in range(at.present) for other in range(one)]
    most = at.games[0, 1] // 2
    behind = [(*pair, int(most - at.games[pair] // 2)) for pair in pairs if at.games[pair] // 2 < most]
    return behind or [(*pair, 1) for pair in pairs]


def ladder_rule(at: League) -> Tables:
    """The rule of the ladder: undecided neighbours meet. A newcomer has the mean rating, and is undecided."""
    found = []
    for one, other in pairwise(sorted(range(at.present), key=lambda bot: -at.elo[bot])):
        known, least = float(at.elo[one] - at.elo[other]), min(at.deals[one], at.deals[other])
        pair = ladder.Neighbours(one, other, known, known, float(at.error[one, other]), least, least - 1)
        if not pair.verdict(SURE, EQUAL):
            found.append((one, other, max(DEALS, min(ladder.MOST_DEALS, least // ladder.GROWTH))))
    return found


def psyleague(at: League) -> Tables:
    """As psyleague 0.4.1 (`choose_match`): a bot with fewer than 200 matches, or else any, against any other."""
    everybody = list(range(at.present))
    one = pick([bot for bot in everybody if at.deals[bot] < 100] or everybody, at.rng)
    return [(one, pick([bot for bot in everybody if bot != one], at.rng), 1)]


def cgarena(at: League) -> Tables:
    """As cgarena 1.3.1 (`pick_participants_v2`): the two who have met least, up to 100 matches; then any two."""
    games = at.games[: at.present, : at.present] + np.diag([np.inf] * at.present)
    one, other = divmod(int(games.argmin()), at.present)
    return [(one, other, 1)] if games[one, other] < 100 else psyleague(at)


def nearest(at: League) -> Tables:
    """The nearest neighbour: whoever is known least meets one of those next to it by rating, mostly the nearest."""
    one = int(at.own_error[: at.present].argmax())
    at.own_error[one] = (at.own_error[one] ** -2 + 0.5 / NAT**2) ** -0.5  # until the next fit
    near = sorted([bot for bot in range(at.present) if bot != one], key=lambda bot: abs(at.elo[bot] - at.elo[one]))
    return [(one, near[min(int(abs(at.rng.gauss(0, 2))), len(near) - 1)], 1)]


def batch(choose: Callable[[League], Tables], at: League) -> Tables:
    """The blocks that are chosen one by one until the next fit."""
    return [table for _ in range(BATCH) for table in choose(at)]


WAYS: dict[str, Callable[[League], Tables]] = {
    "league, top:5": partial(league, f"top:{TOP}"),
    "league, order": partial(league, "order"),
    "nearest neighbour": partial(batch, nearest),
    "cgarena": partial(batch, cgarena),
    "psyleague": partial(batch, psyleague),
    "round-robin": round_robin,
    "ladder": ladder_rule,
}


def simulate(choose: Callable[[League], Tables], fields: Sequence[Field], most: int) -> list[League]:
    """Plays leagues side by side, until each has nothing more to play or `most` matches."""
    leagues = [League(seed, field) for seed, field in enumerate(fields)]
    tau, going = np.full(len(leagues), SPREAD / NAT), list(range(len(leagues)))
    while going:
        at = [leagues[i] for i in going]
        tau[going] = fit(at, tau[going])
        for each in at:
            each.judge()
            each.play(choose(each))
        going = [i for i in going if not leagues[i].over and leagues[i].path[-1][0] < most]
    return leagues


def needed(leagues: list[League], most: int) -> int | None:
    """After how many matches the order is right in 95 % of the leagues, in the mean of five steps; None if never."""
    shares = []
    for matches in range(0, most, STEP):
        last = [next((right for after, right in reversed(each.path) if after <= matches), False) for each in leagues]
        shares.append(sum(last) / len(last))
    means = [sum(shares[i - 2 : i + 3]) / 5 for i in range(2, len(shares) - 2)]
    return next((STEP * (i + 2) for i, mean in enumerate(means) if mean >= 0.95), None)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.leagues", description=__doc__)
    parser.add_argument("--leagues", type=int, default=100, help="how many leagues are simulated (%(default)s)")
    parser.add_argument("--most", type=int, default=60_000, help="the most matches of a league (%(default)s)")
    parser.add_argument("--only", action="append", choices=WAYS, metavar="WAY", help="this way; may be repeated")
    parser.add_argument(
        "--play", type=int, metavar="DEALS", help="play Vole for real, with strengths from this many deals a pair"
    )
    given = parser.parse_args()
    real = graded(given.leagues, given.play) if given.play else None
    print(f"{'':18} 95 % right  ended: after, right   newcomers after {PLACEMENT_DEALS} deals: within 60, mean ±")
    for name in given.only or WAYS:
        leagues = simulate(WAYS[name], real or list(map(drawn, range(given.leagues))), given.most)
        matches, ended = needed(leagues, given.most), [each.path[-1] for each in leagues if each.over]
        end = f"{median([at for at, _ in ended]):,.0f}, {sum([ok for _, ok in ended])}/{len(ended)}" if ended else ""
        placed = [each for its in leagues for each in its.placed.values()]
        within = f"{sum([abs(off) <= 60 for off, _ in placed]) / len(placed):.1%}" if placed else ""
        width = f"{1.96 * sum([error for _, error in placed]) / len(placed):.0f}" if placed else ""
        shown = f"{matches:,}" if matches else f"> {given.most:,}"
        print(f"{name:18}{shown:>11}{end:>23}{within:>32}{width:>7}", flush=True)


if __name__ == "__main__":
    main()
