"""Compares two entrants, called new and old, by the records of a mirror: scores, strength, verdict (docs/gate.md).

A unit is all that is played of one game on one deal. Its score is from 0 to 1, and the expected score of equals is 1/2;
higher is better for the new entrant. Where the two meet each other, the score is how often a seat of the new one came
before a seat of the old one at the same table, with ties counted half; that is their difference in points on another
scale. Where they meet a field, it is 1/2 plus half of the difference between the mean points of the new and of the old
entrant. The score of a deal is the weighted mean over the games.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, NamedTuple, TypeAlias

from tourney.config import Tournament
from tourney.match import Fault, GameSetup, Record
from tourney.match_results import PlayedMatch
from tourney.stats.points import points
from tourney.stats.sprt import MAX_ELO, Hypotheses, ScoreSample, elo_of_score, expected_score

Verdict: TypeAlias = Literal["passed", "failed", "undecided", "invalid"]

MAX_LOSSES = 5
"""How many of the worst units are reported."""


class Estimate(NamedTuple):
    """An estimate of how much stronger the new entrant is; strengths are Elo points, at most `MAX_ELO` either way."""

    deals: int
    """How many deals it rests on."""
    score: float
    """The mean score, from 0 to 1."""
    elo: float
    low: float | None
    """The lower end of the 95 % interval of the strength; None for fewer than two deals."""
    high: float | None
    """The upper end of the 95 % interval of the strength; None for fewer than two deals."""

    @property
    def exactly_equal(self) -> bool:
        """Whether every deal came out even."""
        return self.score == 0.5 and self.low is not None and self.low == self.high


class LostUnit(NamedTuple):
    """A unit in which the new entrant did worse than the old one. The field names are the keys in gate.json."""

    deal: int
    """The number of the deal, counted from 0."""
    game: str
    seats: int
    score: float
    """The score of the unit, below 1/2."""
    match: str
    """The match of the unit in which the new entrant did worst."""


class MatchFault(NamedTuple):
    """A fault, with the match in which it was made and the entrant that made it."""

    match: str
    bot: str
    fault: Fault


@dataclass(frozen=True, slots=True)
class FaultyMatches:
    """In how many of its matches the old entrant, or the field, made faults."""

    faulty: int
    matches: int

    @property
    def too_many(self) -> bool:
        """Whether these are more than a tenth, so that to pass says little."""
        return 10 * self.faulty > self.matches


def came_before(record: Record | PlayedMatch, new: str, old: str) -> float:
    """Returns the share, from 0 to 1, of the pairs of their seats in which `new` came before `old`; ties count half."""
    seated = list(zip(record.seats, record.places, strict=True))
    new_places = [place for name, place in seated if name == new]
    old_places = [place for name, place in seated if name == old]
    halves = sum([(one < other) + (one <= other) for one in new_places for other in old_places])
    return halves / (2 * len(new_places) * len(old_places))


class _ComparedGame:
    """One game of the comparison: the scores of its units, and the points against its field."""

    def __init__(self, setup: GameSetup, weight: float, meets_field: bool) -> None:
        self.setup = setup
        self.weight = weight
        self.matches = 2 * setup.seats if meets_field else 2
        self.meets_field = meets_field
        self.sample = ScoreSample()
        self._points = 0.0

    def add(self, score: float, mean_points: float) -> None:
        """Adds the score of a unit, with the mean points of both entrants against the field."""
        self.sample.add(score)
        self._points += mean_points

    def score_at(self, elo: float) -> float:
        """Returns the expected score if the new entrant is stronger by that many Elo points.

        Against a field, that depends on the strength of the field: the two entrants are assumed to lie at equal
        distances from the strength that the mean of their points amounts to.
        """
        if not self.meets_field:
            return expected_score(elo)
        middle = elo_of_score((self._points + 1) / (self.sample.count + 2))
        return 0.5 + (expected_score(middle + elo / 2) - expected_score(middle - elo / 2)) / 2


class Comparison:
    """Reads the records of a mirror in the order of the schedule, until the test, or a fault, decides."""

    def __init__(
        self, tournament: Tournament, test: Hypotheses, allowed_faults: int = 0, allow_old_faults: bool = False
    ) -> None:
        """Starts without a record; the first entrant of the tournament is the new one, the second the old one.

        Args:
            tournament: The mirror that is played.
            test: The two strengths between which the test decides.
            allowed_faults: How many faults the new entrant may make without failing.
            allow_old_faults: Whether the new entrant may pass however often the old one or the field makes faults.
        """
        self.test = test
        self.new, self.old, *self._field = tournament.names
        self.verdict: Verdict | None = None
        """The verdict on the new entrant; None until a deal has decided."""
        self.matches = 0
        self.deals = 0
        self.faults: list[MatchFault] = []
        self._faults_of_new = 0
        self._allowed = allowed_faults
        self._allow_old_faults = allow_old_faults
        weights = tournament.all_weights
        whole = fsum(weights)
        self._games = [
            _ComparedGame(setup, weight / whole, bool(self._field))
            for setup, weight in zip(tournament.setups, weights, strict=True)
        ]
        self._sample = ScoreSample()
        self._unit: list[Record | PlayedMatch] = []
        self._scores: list[float] = []  # of the units of this deal so far
        self._worst: list[tuple[tuple[float, float, int], LostUnit]] = []  # a heap, the least bad first

    def add(self, record: Record | PlayedMatch) -> None:
        """Adds the record of the next match; there must be none after the verdict."""
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
        """Returns the faults of an entrant."""
        return [charged for charged in self.faults if charged.bot == bot]

    @property
    def too_many_faults(self) -> bool:
        """Whether the new entrant has made more faults than it may."""
        return self._faults_of_new > self._allowed

    @property
    def old_faulty(self) -> FaultyMatches:
        """In how many of its matches the old entrant made faults; to be asked after whole deals."""
        return self._faulty([self.old], self.matches // 2 if self._field else self.matches)

    @property
    def field_faulty(self) -> FaultyMatches:
        """In how many matches a bot of the field made a fault."""
        return self._faulty(self._field, self.matches)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio; a low one speaks for `elo0`, a high one for `elo1`."""
        return self._sample.llr(self._score_at(self.test.elo0), self._score_at(self.test.elo1))

    @property
    def estimate(self) -> Estimate:
        """The estimate over all games together."""
        return _estimate(self._sample, self._score_at)

    @property
    def games(self) -> list[tuple[GameSetup, Estimate]]:
        """The estimate in each game by itself."""
        return [(game.setup, _estimate(game.sample, game.score_at)) for game in self._games]

    @property
    def worst(self) -> list[LostUnit]:
        """The units in which the new entrant did worst, the worst first."""
        return [loss for _, loss in sorted(self._worst, reverse=True)]

    def _faulty(self, bots: Sequence[str], matches: int) -> FaultyMatches:
        return FaultyMatches(len({charged.match for charged in self.faults if charged.bot in bots}), matches)

    def _score_at(self, elo: float) -> float:
        return fsum([game.weight * game.score_at(elo) for game in self._games])

    def _close_unit(self, game: _ComparedGame) -> None:
        """Scores the unit whose records are complete."""
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

    def _note_loss(self, loss: LostUnit, records: Sequence[Record | PlayedMatch]) -> None:
        """Adds a unit to the worst, which rank by score, then by margin in the game's own scores, then by age."""
        margin = sum([self._margin(record) for record in records])
        entry = (-loss.score, margin, -self.matches), loss
        if len(self._worst) < MAX_LOSSES:
            heapq.heappush(self._worst, entry)
        else:
            heapq.heappushpop(self._worst, entry)

    def _margin(self, record: Record | PlayedMatch) -> int:
        """Returns by how much the old entrant's seats lead those of the new one, in the game's own scores."""
        signs = {self.new: -1, self.old: 1}
        return sum([signs.get(name, 0) * score for name, score in zip(record.seats, record.scores, strict=True)])

    def _close_deal(self) -> None:
        """Scores the deal whose units are complete, and decides if the test can."""
        weighted = [game.weight * score for game, score in zip(self._games, self._scores, strict=True)]
        self._sample.add(fsum(weighted))
        self._scores = []
        self.deals += 1
        llr = self.llr
        if self.too_many_faults or llr <= self.test.low:
            self.verdict = "failed"
        elif llr >= self.test.high:
            faulty = self.old_faulty.too_many or self.field_faulty.too_many
            self.verdict = "invalid" if faulty and not self._allow_old_faults else "passed"


def _estimate(sample: ScoreSample, expected_score: Callable[[float], float]) -> Estimate:
    elo = _inverse(expected_score, sample.mean)
    interval = sample.interval()
    if interval is None:
        return Estimate(sample.count, sample.mean, elo, None, None)
    low, high = [_inverse(expected_score, score) for score in interval]
    return Estimate(sample.count, sample.mean, elo, low, high)


def _inverse(function: Callable[[float], float], value: float) -> float:
    """Returns the Elo points, at most `MAX_ELO` either way, at which an increasing function has the value; bisects."""
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
