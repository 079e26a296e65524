"""Compares two entrants, called new and old, by the records of a mirror: scores, strength, verdict (docs/gate.md).

A unit is all that is played of one game on one deal. Its score is from 0 to 1, 1/2 for equals; higher is better for the
new entrant. Where the two meet each other, it is how often a seat of the new one came before one of the old one, with
ties counted half; where they meet a field, 1/2 plus half of the difference between their mean points.
"""

import heapq
from collections.abc import Callable, Sequence
from math import fsum, log, sqrt
from typing import Any, Literal, NamedTuple, TypeAlias

from tourney.config import Tournament
from tourney.contracts.match import Fault, GameSetup, Record, RecordedResult
from tourney.contracts.wording import counted
from tourney.standings.intervals import quantile_975
from tourney.standings.points import points
from tourney.standings.results import PlayedMatch

MAX_ELO = 1000.0
"""Estimates end at this many Elo points either way; so far out, a score says little about a strength."""
MAX_LOSSES = 5
"""How many of the worst units are reported."""
SHOWN_FAULTS = 3
"""How many faults are named."""
UNPLAYED = 0.5
"""How many units that were lost wholly, and as many that were won wholly, are added to those that were played."""

Verdict: TypeAlias = Literal["passed", "failed", "undecided", "invalid"]
Data: TypeAlias = dict[str, Any]


class Hypotheses(NamedTuple):
    """The two strengths between which the test decides, and the risks of a wrong verdict."""

    elo0: float
    elo1: float
    alpha: float
    """The probability, at most, that the test ends high although the strength is `elo0` or less."""
    beta: float
    """The probability, at most, that the test ends low although the strength is `elo1` or more."""

    @property
    def low(self) -> float:
        """At this log-likelihood ratio or below, the test takes the strength to be `elo0` or less (Wald 1945)."""
        return log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """At this log-likelihood ratio or above, the test takes the strength to be `elo1` or more (Wald 1945)."""
        return log((1 - self.beta) / self.alpha)


class Estimate(NamedTuple):
    """An estimate of how much stronger the new entrant is; strengths are Elo points, at most `MAX_ELO` either way."""

    deals: int
    score: float
    """The mean score, from 0 to 1."""
    elo: float
    low: float | None
    """The lower end of the 95 % interval of the strength; None for fewer than two deals."""
    high: float | None

    @property
    def exactly_equal(self) -> bool:
        """Whether every deal came out even, and the two are the same bot, so that every other deal will."""
        return self.score == 0.5 and self.low is not None and self.low == self.high

    @property
    def texts(self) -> tuple[str, str]:
        """The strength and its interval, in Elo."""
        if self.exactly_equal:
            return "±0", "±0"
        interval = (
            "unknown" if self.low is None or self.high is None else f"{round(self.low):+d} to {round(self.high):+d}"
        )
        return f"{round(self.elo):+d}", interval


class LostUnit(NamedTuple):
    """A unit in which the new entrant did worse than the old one. The field names are the keys in gate.json."""

    deal: int
    """The number of the deal, counted from 0."""
    game: str
    seats: int
    score: float
    match: str
    """The match of the unit in which the new entrant did worst."""


class MatchFault(NamedTuple):
    """A fault, with its match and the entrant that made it."""

    match: str
    bot: str
    fault: Fault


class FaultyMatches(NamedTuple):
    """In how many of its matches the old entrant, or the field, made faults."""

    faulty: int
    matches: int

    @property
    def too_many(self) -> bool:
        """Whether these are more than a tenth, so that a pass says little."""
        return 10 * self.faulty > self.matches


class Comparison:
    """Reads the records of a mirror in the order of the schedule, until the test, or a fault, decides."""

    def __init__(
        self, tournament: Tournament, test: Hypotheses, allowed_faults: int = 0, allow_old_faults: bool = False
    ) -> None:
        """The first entrant of the mirror is the new one, the second the old one.

        The new one may make `allowed_faults` faults, and pass in spite of those of others if `allow_old_faults`.
        """
        self.test = test
        self.new, self.old, *self._field = tournament.names
        self.verdict: Verdict | None = None
        """The verdict on the new entrant; None until a deal has decided."""
        self.matches = 0
        self.deals = 0
        self.faults: list[MatchFault] = []
        self._allowed = allowed_faults
        self._allow_old_faults = allow_old_faults
        weights = tournament.all_weights
        whole = fsum(weights)
        same_bot = tournament.kinds[0] == tournament.kinds[1]
        self._games = [
            _ComparedGame(setup, weight / whole, bool(self._field), same_bot)
            for setup, weight in zip(tournament.setups, weights, strict=True)
        ]
        self._sample = ScoreSample(same_bot)
        self._unit: list[Record | RecordedResult | PlayedMatch] = []
        self._scores: list[float] = []  # of the units of this deal so far
        self._worst: list[tuple[tuple[float, float, int], LostUnit]] = []  # a heap, the least bad first

    def add(self, record: Record | RecordedResult | PlayedMatch) -> None:
        """Adds the record of the next match; there must be none after the verdict."""
        assert self.verdict is None
        self.matches += 1
        self.faults += [MatchFault(record.match, record.seats[fault.seat], fault) for fault in record.faults]
        self._unit.append(record)
        game = self._games[len(self._scores)]
        if len(self._unit) == game.matches:
            self._close_unit(game)
            if len(self._scores) == len(self._games):
                self._close_deal()

    def faults_of(self, bot: str) -> list[MatchFault]:
        """The faults of an entrant."""
        return [charged for charged in self.faults if charged.bot == bot]

    @property
    def too_many_faults(self) -> bool:
        """Whether the new entrant has made more faults than it may."""
        return len(self.faults) > self._allowed and len(self.faults_of(self.new)) > self._allowed

    @property
    def old_faulty(self) -> FaultyMatches:
        """In how many of its matches the old entrant made faults; only correct after whole deals."""
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
        return estimate(self._sample, self._score_at)

    @property
    def games(self) -> list[tuple[GameSetup, Estimate]]:
        """The estimate in each game by itself."""
        return [(game.setup, estimate(game.sample, game.score_at)) for game in self._games]

    @property
    def named_estimates(self) -> list[tuple[str, Estimate]]:
        """The estimate in each game by its name, and if there are several, that over `all` of them."""
        named = [(f"{setup.game}, {setup.seats} seats", estimate) for setup, estimate in self.games]
        return [*named, ("all", self.estimate)] if len(named) > 1 else named

    @property
    def worst(self) -> list[LostUnit]:
        """The units in which the new entrant did worst, the worst first."""
        return [loss for _, loss in sorted(self._worst, reverse=True)]

    def _faulty(self, bots: Sequence[str], matches: int) -> FaultyMatches:
        return FaultyMatches(len({charged.match for charged in self.faults if charged.bot in bots}), matches)

    def _score_at(self, elo: float) -> float:
        return fsum([game.weight * game.score_at(elo) for game in self._games])

    def _close_unit(self, game: "_ComparedGame") -> None:
        records, self._unit = self._unit, []
        half = len(records) // 2
        if self._field:
            ones = [points(record.places)[record.seats.index(self.new)] for record in records[:half]]
            others = [points(record.places)[record.seats.index(self.old)] for record in records[half:]]
            leads = [(one - other) / 2 for one, other in zip(ones, others, strict=True)]
            game.add(score := 0.5 + fsum(leads) / half, fsum(ones + others) / len(records))
        else:
            leads = [came_before(record, self.new, self.old) - 0.5 for record in records]
            game.add(score := 0.5 + fsum(leads) / 2, 0.5)
        self._scores.append(score)
        if score < 0.5:
            match = records[leads.index(min(leads))].match
            loss = LostUnit(self.deals, game.setup.game, game.setup.seats, score, match)
            signs = {self.new: -1, self.old: 1}
            seated = [pair for record in records for pair in zip(record.seats, record.scores, strict=True)]
            margin = sum([signs.get(name, 0) * own for name, own in seated])
            # ranked by score, then by the lead of the old one in the game's own scores; of equals the earlier is worse
            heapq.heappush(self._worst, ((-score, margin, -self.matches), loss))
            if len(self._worst) > MAX_LOSSES:
                heapq.heappop(self._worst)

    def _close_deal(self) -> None:
        self._sample.add(fsum([game.weight * score for game, score in zip(self._games, self._scores, strict=True)]))
        self._scores = []
        self.deals += 1
        llr = self.llr
        if self.too_many_faults or llr <= self.test.low:
            self.verdict = "failed"
        elif llr >= self.test.high:
            faulty = self.old_faulty.too_many or self.field_faulty.too_many
            self.verdict = "invalid" if faulty and not self._allow_old_faults else "passed"


def came_before(record: Record | RecordedResult | PlayedMatch, new: str, old: str) -> float:
    """The share, from 0 to 1, of the pairs of their seats in which `new` came before `old`; ties count half."""
    seated = list(zip(record.seats, record.places, strict=True))
    new_places = [place for name, place in seated if name == new]
    old_places = [place for name, place in seated if name == old]
    halves = sum([(one < other) + (one <= other) for one in new_places for other in old_places])
    return halves / (2 * len(new_places) * len(old_places))


class _ComparedGame:
    """One game of the comparison: the scores of its units, and the points against its field."""

    def __init__(self, setup: GameSetup, weight: float, meets_field: bool, same_bot: bool) -> None:
        self.setup = setup
        self.weight = weight
        self.matches = 2 * setup.seats if meets_field else 2
        """How many matches a unit has."""
        self.sample = ScoreSample(same_bot)
        self._meets_field = meets_field
        self._points = 0.0

    def add(self, score: float, mean_points: float) -> None:
        self.sample.add(score)
        self._points += mean_points

    def score_at(self, elo: float) -> float:
        """The expected score if the new entrant is stronger by that many Elo points.

        Against a field, the two are assumed to lie at equal distances from what the mean of their points amounts to.
        """
        if not self._meets_field:
            return expected_score(elo)
        return 0.5 + expected_lead(elo, (self._points + 1) / (self.sample.count + 2)) / 2


class ScoreSample:
    """The scores of units, each from 0 to 1, and a sequential test between two means of them.

    The test is Wald's sequential probability ratio test, generalised to the mean of scores whose distribution is
    unknown: the log-likelihood ratio is that of the likeliest distribution with the one mean to the likeliest with the
    other (the empirical likelihood of Owen 1988; docs/gate.md has the sources). Half a unit lost wholly and half a unit
    won wholly are added to those that were played, so that units that are all alike do not decide too early.
    """

    def __init__(self, same_bot: bool = False) -> None:
        """`same_bot`: the two are one bot under two names."""
        self.count = 0
        self._same_bot = same_bot
        self._units: dict[float, int] = {}  # how many had each score

    def add(self, score: float) -> None:
        """Adds the score of a unit."""
        score = round(score, 9)  # scores that differ by an error of rounding are one
        self.count += 1
        self._units[score] = self._units.get(score, 0) + 1

    @property
    def mean(self) -> float:
        """The mean score; 1/2 before the first unit."""
        return fsum([score * number for score, number in self._units.items()]) / self.count if self.count else 0.5

    def llr(self, score0: float, score1: float) -> float:
        """The logarithm of how much likelier the units are with the mean `score1` than with `score0`."""
        if not self.count:
            return 0.0
        units = [(0.0, UNPLAYED), (1.0, UNPLAYED), *self._units.items()]
        return round(_log_likelihood(units, score1) - _log_likelihood(units, score0), 6)  # the same on every machine

    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the mean by Student's t, cut off at 0 and 1; None for fewer than two units.

        The spread is that of the units, half a unit lost wholly and half a unit won wholly. Where the same bot came out
        even in all units, the interval has no width.
        """
        if self.count < 2:
            return None
        mean, freedom = self.mean, self.count - 1
        squares = [number * (score - mean) ** 2 for score, number in self._units.items()]
        if not (self._same_bot and list(self._units) == [0.5]):
            squares += [UNPLAYED * mean**2, UNPLAYED * (1 - mean) ** 2]
        variance = fsum(squares) / freedom
        half = quantile_975(freedom) * sqrt(variance / self.count)
        return max(0.0, mean - half), min(1.0, mean + half)


def _log_likelihood(units: Sequence[tuple[float, float]], mean: float) -> float:
    """The greatest log-likelihood of the units under distributions with the mean, but for a common constant.

    The likeliest distribution gives a score x that n units had a probability in proportion to n / (1 + t (x - mean)),
    where t is such that the distribution has the mean (Owen 1988). There must be units with the scores 0 and 1.
    """
    parts = [(score - mean, number) for score, number in units]
    most = 1 - UNPLAYED / fsum([number for _, number in parts])  # no probability is above 1
    low, high = -most / (1 - mean), most / mean
    tilt = 0.0
    for _ in range(100):
        pulls = [(part / (1 + tilt * part), number) for part, number in parts]
        slope = fsum([number * pull for pull, number in pulls])
        low, high = (tilt, high) if slope > 0 else (low, tilt)
        step = slope / fsum([number * pull * pull for pull, number in pulls])  # Newton's
        if slope * step < 1e-9:  # what is left to gain is half as much
            break
        tilt = tilt + step if low < tilt + step < high else (low + high) / 2
    return -fsum([number * log(1 + tilt * part) for part, number in parts])


def expected_score(elo: float) -> float:
    """The expected score, from 0 to 1, of a bot that is `elo` points stronger than the other (Elo 1978)."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def elo_of_score(score: float) -> float:
    """The Elo points with that expected score, which is above 0 and below 1; inverts `expected_score`."""
    return 400 * log(score / (1 - score), 10)


def expected_lead(elo: float, mean: float) -> float:
    """The expected lead in score of a bot over one that is `elo` points weaker, of which the mean score is `mean`."""
    middle = elo_of_score(mean)
    return expected_score(middle + elo / 2) - expected_score(middle - elo / 2)


def estimate(sample: ScoreSample, expected_score: Callable[[float], float]) -> Estimate:
    """The strength by a sample of scores, of which `expected_score` is the mean at each strength."""
    elo = inverse(expected_score, sample.mean)
    low, high = [None if end is None else inverse(expected_score, end) for end in sample.interval() or (None, None)]
    return Estimate(sample.count, sample.mean, elo, low, high)


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


def verdict_data(comparison: Comparison, settings: Data) -> Data:
    """The verdict and its figures, for gate.json; nothing in it depends on the time or the machine."""
    new, old, test = comparison.new, comparison.old, comparison.test
    return {
        "verdict": comparison.verdict or "undecided",
        "because": _because(comparison),
        "new": new,
        "old": old,
        "settings": settings,
        "deals": comparison.deals,
        "matches": comparison.matches,
        "llr": round(comparison.llr, 4),
        "llr_low": round(test.low, 4),
        "llr_high": round(test.high, 4),
        "all": _estimate_data(comparison.estimate),
        "games": [
            {"game": setup.game, "seats": setup.seats, "options": setup.options} | _estimate_data(estimate)
            for setup, estimate in comparison.games
        ],
        "faults": {
            "new": len(comparison.faults_of(new)),
            "old": len(comparison.faults_of(old)),
            "all": len(comparison.faults),
            "old_matches": comparison.old_faulty._asdict(),
            "field_matches": comparison.field_faulty._asdict(),
        },
        "first_faults": [
            {"match": match, "bot": bot, "kind": fault.kind, "decision": fault.decision}
            for match, bot, fault in comparison.faults[:SHOWN_FAULTS]
        ],
        "worst": [loss._asdict() | {"score": round(loss.score, 4)} for loss in comparison.worst],
    }


def _because(comparison: Comparison) -> str:
    if comparison.too_many_faults:
        return "faults"
    if comparison.verdict == "invalid":
        return "old faults" if comparison.old_faulty.too_many else "field faults"
    return "cap" if comparison.verdict is None else "llr"


def _estimate_data(estimate: Estimate) -> Data:
    elo, low, high = [None if each is None else round(each, 1) + 0.0 for each in estimate[2:]]  # no -0.0
    return {"score": round(estimate.score, 4), "elo": elo, "elo_low": low, "elo_high": high}


def headline(comparison: Comparison) -> str:
    """The verdict in a sentence."""
    new, old, test = comparison.new, comparison.old, comparison.test
    played = f"{counted(comparison.deals, 'deal')}, {comparison.matches} matches"
    if comparison.too_many_faults:
        (match, _, fault), *more = comparison.faults_of(new)
        made = f"{len(more) + 1} faults, the first: {fault.kind}" if more else f"a fault: {fault.kind}"
        return f"FAILED: {new} made {made} at decision {fault.decision} of {match} ({played})"
    match comparison.verdict:
        case "passed":
            return f"PASSED: {_relation(new, old, test.elo0, more=True)} ({played})"
        case "failed":
            return f"FAILED: {_relation(new, old, test.elo1, more=False)} ({played})"
        case "invalid":
            by_old = comparison.old_faulty.too_many
            who, found = (old, comparison.old_faulty) if by_old else ("the field", comparison.field_faulty)
            faulty = f"{who} made faults in {found.faulty} of its {found.matches} matches, more than a tenth"
            return f"INVALID: {new} would pass, but {faulty} ({played})"
    return f"UNDECIDED: the most deals were played without a verdict on {new} and {old} ({played})"


def _relation(new: str, old: str, elo: float, more: bool) -> str:
    """The accepted hypothesis: NEW is stronger (or weaker) than OLD, or than OLD by a number of Elo."""
    word, opposite = ("stronger", "weaker") if more else ("weaker", "stronger")
    if elo == 0:
        return f"{new} is {word} than {old}"
    if (elo < 0) == more:
        return f"{new} is not {opposite} than {old} by {abs(elo):g} Elo or more"
    return f"{new} is {word} than {old} by more than {abs(elo):g} Elo"
