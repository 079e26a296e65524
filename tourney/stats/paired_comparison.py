"""Two entrants compared by the records of a mirror: scores of the deals, strength, verdict (docs/gate.md).

A unit is what is played of one game on one deal. Its score runs from 0 to 1, and equals come to 1/2. Where the two meet
(two names), it is how often a seat of the one came before a seat of the other at the same table, counting equal places
half: that is their difference in points, on another scale. Where they meet a field, it is 1/2 and half of the
difference between the mean points of the one and of the other. The score of a deal is the weighted mean over the games.
"""

import heapq
from collections.abc import Callable, Sequence
from math import fsum
from typing import Literal, NamedTuple, TypeAlias

from tourney.config import Tournament
from tourney.match import Fault, GameSetup, Record
from tourney.stats.points import points
from tourney.stats.sprt import MAX_ELO, Hypotheses, ScoreSample, elo_of_score, expected_score

Verdict: TypeAlias = Literal["passed", "failed", "undecided"]

MAX_LOSSES = 5
"""So many of the worst units are kept."""


class Estimate(NamedTuple):
    """What is known of a strength so far."""

    deals: int
    score: float
    """The mean score, from 0 to 1."""
    elo: float
    low: float
    """The 95 % interval of the strength: from here …"""
    high: float
    """… to here. All three end at `MAX_ELO`."""


class LostUnit(NamedTuple):
    """A unit in which the one did worse than the other."""

    deal: int
    """Counted from 0."""
    game: str
    seats: int
    score: float
    match: str
    """The match of the unit in which it did worst."""


class MatchFault(NamedTuple):
    """A fault, and where it was."""

    match: str
    bot: str
    fault: Fault


def came_before(record: Record, new: str, old: str) -> float:
    """How often a seat of the one came before a seat of the other, from 0 to 1; equal places count half."""
    seated = list(zip(record.seats, record.places, strict=True))
    ours = [place for name, place in seated if name == new]
    theirs = [place for name, place in seated if name == old]
    halves = sum([(one < other) + (one <= other) for one in ours for other in theirs])
    return halves / (2 * len(ours) * len(theirs))


class _ComparedGame:
    """One game of the comparison: its scores, and how strong the field is."""

    def __init__(self, setup: GameSetup, weight: float, meets_field: bool) -> None:
        self.setup = setup
        self.weight = weight
        self.matches = 2 * setup.seats if meets_field else 2
        self.meets_field = meets_field
        self.sample = ScoreSample()
        self._points = 0.0

    def add(self, score: float, mean_points: float) -> None:
        """Counts a unit in, with the mean points of both against the field."""
        self.sample.add(score)
        self._points += mean_points

    def expected(self, elo: float) -> float:
        """The score that a strength is expected to come to.

        Against a field that depends on how strong the field is: the strength is the distance of the two, and they are
        taken to lie at equal distances from where their points say that both lie together.
        """
        if not self.meets_field:
            return expected_score(elo)
        middle = elo_of_score((self._points + 1) / (self.sample.count + 2))
        return 0.5 + (expected_score(middle + elo / 2) - expected_score(middle - elo / 2)) / 2


class Comparison:
    """Takes in the records of a mirror in the order of the schedule, until the test, or a fault, decides."""

    def __init__(self, tournament: Tournament, test: Hypotheses, allowed_faults: int = 0) -> None:
        """Starts without a record."""
        self.test = test
        self.new, self.old, *field = tournament.names
        self.verdict: Verdict | None = None
        """Stands once a deal has decided; None before that."""
        self.matches = 0
        self.deals = 0
        self.faults: list[MatchFault] = []
        self._faults_of_new = 0
        self._allowed = allowed_faults
        weights = tournament.all_weights
        whole = fsum(weights)
        self._games = [
            _ComparedGame(setup, weight / whole, bool(field))
            for setup, weight in zip(tournament.setups, weights, strict=True)
        ]
        self._sample = ScoreSample()
        self._unit: list[Record] = []
        self._scores: list[float] = []  # of the units of this deal
        self._worst: list[tuple[tuple[float, float, int], LostUnit]] = []  # a heap, the least bad first

    def add(self, record: Record) -> None:
        """Counts a match in; once the verdict stands, there must be no more."""
        assert self.verdict is None
        self.matches += 1
        for fault in record.faults:
            self.faults.append(MatchFault(record.match, record.seats[fault.seat], fault))
            self._faults_of_new += record.seats[fault.seat] == self.new
        self._unit.append(record)
        game = self._games[len(self._scores)]
        if len(self._unit) < game.matches:
            return
        self._close_unit(game)
        if len(self._scores) == len(self._games):
            self._close_deal()

    def faults_of(self, bot: str) -> list[MatchFault]:
        """The faults of an entrant."""
        return [charged for charged in self.faults if charged.bot == bot]

    @property
    def too_many_faults(self) -> bool:
        """Whether the one has more faults than it may have."""
        return self._faults_of_new > self._allowed

    @property
    def llr(self) -> float:
        """The log-likelihood ratio: the lower, the more likely elo0 is; the higher, elo1."""
        return self._sample.llr(self._expected(self.test.elo0), self._expected(self.test.elo1))

    @property
    def estimate(self) -> Estimate:
        """The strength over all games together."""
        return _estimate(self._sample, self._expected)

    @property
    def games(self) -> list[tuple[GameSetup, Estimate]]:
        """The strength in each game by itself."""
        return [(game.setup, _estimate(game.sample, game.expected)) for game in self._games]

    @property
    def worst(self) -> list[LostUnit]:
        """The units in which the one did worst, the worst first."""
        return [loss for _, loss in sorted(self._worst, reverse=True)]

    def _expected(self, elo: float) -> float:
        return fsum([game.weight * game.expected(elo) for game in self._games])

    def _close_unit(self, game: _ComparedGame) -> None:
        records, self._unit = self._unit, []
        half = len(records) // 2
        if game.meets_field:
            ones = [points(record.places)[record.seats.index(self.new)] for record in records[:half]]
            others = [points(record.places)[record.seats.index(self.old)] for record in records[half:]]
            leads = [(one - other) / 2 for one, other in zip(ones, others, strict=True)]
            game.add(score := 0.5 + fsum(leads) / half, fsum(ones + others) / len(records))
        else:
            leads = [came_before(record, self.new, self.old) - 0.5 for record in records]
            game.add(score := 0.5 + fsum(leads) / 2, 0.5)
        self._scores.append(score)
        if score < 0.5:
            match = records[leads.index(min(leads))]
            self._note_loss(LostUnit(self.deals, game.setup.game, game.setup.seats, score, match.match), records)

    def _note_loss(self, loss: LostUnit, records: Sequence[Record]) -> None:
        """Keeps the worst; of equal ones those with the larger margin in the game's own scores, then the earlier."""
        margin = sum([self._margin(record) for record in records])
        entry = (-loss.score, margin, -self.matches), loss
        if len(self._worst) < MAX_LOSSES:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def _margin(self, record: Record) -> int:
        """By how much the other's seats lead the one's, in the game's own scores."""
        signs = {self.new: -1, self.old: 1}
        return sum([signs.get(name, 0) * score for name, score in zip(record.seats, record.scores, strict=True)])

    def _close_deal(self) -> None:
        weighted = [game.weight * score for game, score in zip(self._games, self._scores, strict=True)]
        self._sample.add(fsum(weighted))
        self._scores = []
        self.deals += 1
        llr = self.llr
        if self.too_many_faults or llr <= self.test.low:
            self.verdict = "failed"
        elif llr >= self.test.high:
            self.verdict = "passed"


def _estimate(sample: ScoreSample, expected_score: Callable[[float], float]) -> Estimate:
    low, high = sample.interval()
    elos = [_inverse(expected_score, score) for score in (sample.mean, low, high)]
    return Estimate(sample.count, sample.mean, *elos)


def _inverse(function: Callable[[float], float], value: float) -> float:
    """The strength, up to `MAX_ELO` either way, for which a growing function of it has the value."""
    low, high = -MAX_ELO, MAX_ELO
    if value <= function(low):
        return low
    if value >= function(high):
        return high
    for _ in range(40):
        middle = (low + high) / 2
        if function(middle) < value:
            low = middle
        else:
            high = middle
    return (low + high) / 2
