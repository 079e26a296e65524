"""Two bots on the same deals: how far one is ahead, deal by deal, as docs/statistics.md explains.

A score is the share, from 0 to 1, of its opponents that a bot came before, averaged over its seats on a deal.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from math import ceil, fsum, inf, log, sqrt
from typing import NamedTuple, Self

import msgspec

from tourney.contracts.match import GameSetup, Places, Record, RecordedResult
from tourney.standings import intervals
from tourney.standings.results import PlayedMatch

MAX_ELO = 1000.0
"""Estimates are limited to this many Elo points either way; further out, a score says little about a strength."""
UNPLAYED = 0.5
"""The number of deals lost outright, and of deals won outright, added to the played ones."""
SURE = 0.05
"""A lead is sure if it is at most this likely between equals."""
POWER_NORMAL = 0.841621
"""The normal quantile of 80 %: the probability of seeing a true difference after `more_deals`."""


class Estimate(msgspec.Struct, frozen=True):
    """How much stronger a bot is than another, in Elo points."""

    elo: float
    low: float | None
    """The lower end of the 95 % interval; None if unknown, after a single deal."""
    high: float | None

    @property
    def is_exact(self) -> bool:
        """Whether every deal came out even and the two are the same bot, so every other deal will too."""
        return self.low == self.high == 0

    @property
    def texts(self) -> tuple[str, str]:
        """The strength and its interval, without a unit."""
        if self.is_exact:
            return "±0", "±0"
        return f"{round(self.elo):+d}", interval_text(self.low, self.high)

    def __str__(self) -> str:
        ends = "" if self.low is None else f" ({interval_text(self.low, self.high)})"
        return f"{round(self.elo):+d} Elo{ends}"


class Duel:
    """The lead of one bot over another on the same deals."""

    def __init__(self, same_bot: bool = False, met: bool = False, weights: Sequence[float] = ()) -> None:
        """Starts a duel before its first deal.

        Args:
            same_bot: Whether the two are one bot under two names.
            met: Whether the scores are against each other, rather than against the same others.
            weights: If a deal is one of each of several games: the weight of each.
        """
        self.deals = 0
        self.leads: dict[float, int] = {}
        """The number of deals by lead, from -1 to 1."""
        self.games = [Duel(same_bot, met) for _ in weights]
        self._same_bot, self._met, self._weights = same_bot, met, weights
        self._waiting: list[deque[tuple[float, float]]] = [deque() for _ in weights]  # for a deal of the other games
        self._scores = 0.0

    @classmethod
    def of(cls, scores: Iterable[tuple[float, float]], same_bot: bool = False, met: bool = False) -> Self:
        """The duel over deals with these scores of both."""
        duel = cls(same_bot, met)
        for one, other in scores:
            duel.add(one, other)
        return duel

    def add(self, one: float, other: float) -> None:
        """Adds the scores of both on the next deal."""
        lead = round(one - other, 12)  # rounding errors do not set leads apart
        self.leads[lead] = self.leads.get(lead, 0) + 1
        self._scores += (one + other) / 2
        self.deals += 1

    def add_to(self, game: int, one: float, other: float) -> None:
        """Adds the scores of both on the next deal of a game."""
        self.games[game].add(one, other)
        self._waiting[game].append((one, other))
        if all(self._waiting):
            ones, others = zip(*[scores.popleft() for scores in self._waiting], strict=True)
            self.add(mean(ones, self._weights), mean(others, self._weights))

    @property
    def lead(self) -> float:
        """The mean difference of their scores, from -1 to 1; 0 before the first deal."""
        return round(self._mean(), 9)

    @property
    def score(self) -> float:
        """How often the one is ahead, from 0 to 1; equals score 1/2."""
        return (1 + self.lead) / 2

    @property
    def error(self) -> float:
        """The standard error of the lead; infinite for fewer than two deals.

        The squares are at least a quarter of the squares of half a deal each way, because deals that hardly differ
        do not show how far others may. It is 0 only if the two are the same bot and every deal came out even.
        """
        squares, outright = self._squares()
        return self._error(max(squares, outright / 4))

    @property
    def cautious_error(self) -> float:
        """The standard error with half a deal each way, for rules that look again and so meet rare deals late."""
        return self._error(fsum(self._squares()))

    def _squares(self) -> tuple[float, float]:
        """The sums of squared differences from the mean lead: the deals', and the outright halves'."""
        lead = self._mean()
        squares = fsum([number * (each - lead) ** 2 for each, number in self.leads.items()])
        is_exact = self._same_bot and not any(self.leads)
        return squares, 0.0 if is_exact else UNPLAYED * ((1 - lead) ** 2 + (1 + lead) ** 2)

    def _error(self, squares: float) -> float:
        return round(sqrt(squares / (self.deals - 1) / self.deals), 9) if self.deals > 1 else inf

    def _mean(self) -> float:
        return fsum([each * number for each, number in self.leads.items()]) / max(self.deals, 1)

    def lead_at(self, elo: float) -> float:
        """The expected lead of a bot that is `elo` points ahead.

        Against the same others, the two are assumed to be equally far from the strength that their mean score implies.
        """
        if self.games:
            return mean([game.lead_at(elo) for game in self.games], self._weights)
        if self._met:
            return 2 * expected_score(elo) - 1
        middle = elo_of_score(round((self._scores + 1) / (self.deals + 2), 9))
        return expected_score(middle + elo / 2) - expected_score(middle - elo / 2)

    def interval(self, at_all_times: bool = False) -> tuple[float, float, float]:
        """The lead in Elo points, with its 95 % interval by t, or the one that holds however often you look."""
        lead, error = self.lead, self.error
        half = intervals.quantile_975(self.deals - 1) * error if error else 0.0
        half = self.half_at_all_times(SURE) if at_all_times else half
        ends = lead, max(-1.0, lead - half), min(1.0, lead + half)
        elo, low, high = map(self.elo_of, ends)
        return elo, low, high

    def half_at_all_times(self, risk: float) -> float:
        """Half of the lead's interval that misses the truth at any time with this probability."""
        error = self.cautious_error
        return intervals.standard_errors(self.deals, self.deals - 1, risk) * error if error else 0.0

    def elo_of(self, lead: float) -> float:
        """The Elo points of a lead; inverts `lead_at`."""
        return round(inverse(self.lead_at, lead), 6) + 0.0  # no -0.0

    @property
    def estimate(self) -> Estimate:
        """The lead in Elo points, with its 95 % interval."""
        return self._estimate()

    @property
    def at_all_times(self) -> tuple[Estimate, float]:
        """The lead in Elo points, and the p-value, both valid however often you look before you stop."""
        chance = intervals.risk(self.deals, self.deals - 1, self.lead, self.cautious_error)
        return self._estimate(at_all_times=True), min(1.0, round(chance, 9))

    def _estimate(self, at_all_times: bool = False) -> Estimate:
        elo, *ends = self.interval(at_all_times)
        return Estimate(elo, *(ends if self.deals > 1 else (None, None)))

    @property
    def p_value(self) -> float:
        """The probability of a lead at least this large either way, if neither is stronger; by Student's t."""
        if self.deals < 2 or not self.lead:
            return 1.0
        return max(0.0, round(2 * (1 - intervals.cdf(abs(self.lead) / self.error, self.deals - 1)), 9))

    @property
    def more_deals(self) -> int | None:
        """How many more deals make the lead sure (95 %) with the probability 80 %; None if there is no lead.

        n ((t + z)^2 se^2 / lead^2 - 1), the sample size of a paired t test (Cohen 1988, Statistical power analysis);
        0 if the lead is sure.
        """
        if self.deals < 2 or not self.lead:
            return None
        if self.p_value < SURE:
            return 0
        ratio = errors_to_find(self.deals - 1) * self.error / self.lead
        return max(0, ceil(self.deals * (ratio**2 - 1)))


def errors_to_find(freedom: int) -> float:
    """How many standard errors a lead must be, to be sure (95 %) with the probability 80 %."""
    return intervals.quantile_975(freedom) + POWER_NORMAL


class SeatPair(NamedTuple):
    """Both bots in the same seat on the same deal, each in its match."""

    deal: int
    """The number of the deal within its game, counted from 0."""
    game: str
    seats: int
    seat: int
    score: float
    """The share of its opponents that the first bot came before, from 0 to 1; ties count half."""
    other_score: float
    margin: int
    """How much more the first bot scored, in the game's units."""
    match: str
    """The match of the first bot."""
    other_match: str

    @property
    def matches(self) -> frozenset[str]:
        """Both matches."""
        return frozenset((self.match, self.other_match))


class _Side(NamedTuple):
    seated: tuple[str, ...]  # the players around the table, from seat 0 on
    match: str
    score: float
    points: int


SELF, RIVAL = "(self)", "(rival)"
"""The names of the two when tables are compared; no entrant has such a name."""


class SeatPairs:
    """Pairs the seats of two bots on the same deals, among the same others."""

    def __init__(self, new: str, old: str, setups: Sequence[GameSetup]) -> None:
        self._rivals = {new: old, old: new}
        self._new, self._setups = new, setups
        # by whether the two met, game, deal, seats, seat, and who sits there: the new one's sides, and the old one's
        self._found: dict[tuple[bool, int, int, int, int, tuple[str, ...]], tuple[list[_Side], list[_Side]]] = {}

    def add(self, setup: int, deal: int, record: Record | RecordedResult | PlayedMatch) -> None:
        """Adds a match of the game and on the deal with these numbers."""
        seats = record.seats
        met = all([name in seats for name in self._rivals])
        for seat, name in enumerate(seats):
            if name in self._rivals:
                roles = {name: SELF, self._rivals[name]: RIVAL}
                seated = tuple([roles.get(each, each) for each in seats])
                opponents = [i for i, each in enumerate(seated) if (each == RIVAL if met else i != seat)]
                key = met, setup, deal, len(seats), seat, tuple(sorted(seated))
                side = _Side(seated, record.match, beaten(record.places, seat, opponents), record.scores[seat])
                self._found.setdefault(key, ([], []))[name != self._new].append(side)

    def paired(self) -> tuple[dict[int, list[SeatPair]], bool]:
        """The pairs of each game in deal order, and whether the two met: meetings count if a game has nothing else."""
        both = {key: sides for key, sides in self._found.items() if all(sides)}
        apart = {setup for met, setup, *_ in both if not met}
        have_met = not apart.issuperset([setup for _, setup, *_ in both])
        games: dict[int, list[SeatPair]] = {}
        for (met, setup, deal, size, seat, _), sides in both.items():
            if met == have_met:
                for mine, its in zip(*map(sorted, sides), strict=False):  # the others sit in the same seats
                    scores = mine.score, its.score, mine.points - its.points
                    pair = SeatPair(deal, self._setups[setup].game, size, seat, *scores, mine.match, its.match)
                    games.setdefault(setup, []).append(pair)
        return dict(sorted(games.items())), have_met


def beaten(places: Places, seat: int, opponents: Iterable[int]) -> float:
    """The share of the opponents that a seat came before, from 0 to 1; ties count half."""
    own = places[seat]
    halves = [(own < places[each]) + (own <= places[each]) for each in opponents]
    return sum(halves) / (2 * len(halves))


def mean_scores(pairs: Sequence[SeatPair]) -> tuple[float, float]:
    """The mean scores of both bots."""
    return mean([pair.score for pair in pairs]), mean([pair.other_score for pair in pairs])


def scores_by_deal(pairs: Sequence[SeatPair]) -> list[tuple[float, float]]:
    """The mean scores of both bots on each deal."""
    deals: dict[int, list[SeatPair]] = {}
    for pair in pairs:
        deals.setdefault(pair.deal, []).append(pair)
    return list(map(mean_scores, deals.values()))


def mean(values: Sequence[float], weights: Sequence[float] = ()) -> float:
    """The mean, by weights if they are given."""
    weights = weights or [1.0] * len(values)
    return fsum([value * weight for value, weight in zip(values, weights, strict=True)]) / fsum(weights)


def interval_text(low: float | None, high: float | None) -> str:
    """An interval, without a unit."""
    return "unknown" if low is None or high is None else f"{round(low):+d} to {round(high):+d}"


def expected_score(elo: float) -> float:
    """The expected score, from 0 to 1, of a bot that is `elo` points stronger than the other (Elo 1978)."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """The Elo points with that expected score, which is above 0 and below 1; inverts `expected_score`."""
    return 400 * log(score / (1 - score), 10)


def inverse(function: Callable[[float], float], value: float) -> float:
    """The Elo points, at most `MAX_ELO` either way, at which an increasing function has the value; by bisection."""
    low, high = -MAX_ELO, MAX_ELO
    if value <= function(low):
        return low
    if value >= function(high):
        return high
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < value else (low, middle)
    return (low + high) / 2


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """For each of several tests, the share of false ones among all at least as sure as it.

    The adjusted p-values of Benjamini and Hochberg 1995, Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57.

    >>> false_discovery_rates([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.03]
    """
    count, least = len(p_values), 1.0
    rates = [least] * count
    for rank, i in zip(range(count, 0, -1), sorted(range(count), key=lambda i: -p_values[i]), strict=True):
        rates[i] = least = min(least, round(p_values[i] * count / rank, 9))
    return rates
