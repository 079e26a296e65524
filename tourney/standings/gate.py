"""The gate: a duel of two entrants of a mirror, called new and old, that ends early if it can (docs/statistics.md).

A pair is everything played of one game on one deal. Its score is from 0 to 1, 1/2 for equals; higher is better for the
new entrant.
"""

from collections.abc import Sequence
from math import fsum, log
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.validation import PositiveInt
from tourney.config import Tournament
from tourney.contracts.match import Count, Fault, GameSetup, Record, RecordedResult
from tourney.contracts.wording import counted
from tourney.hosts.timing import Pace, Slowdown
from tourney.standings import stopping
from tourney.standings.duel import UNPLAYED, Duel, Estimate, SeatPair, SeatPairs, mean, mean_scores
from tourney.standings.results import PlayedMatch

MOST_ELO = 500.0
"""The largest strength that can be tested, in Elo points."""
MAX_LOSSES = 5
"""The number of worst pairs reported."""
SHOWN_FAULTS = 3

Verdict: TypeAlias = Literal["passed", "failed", "undecided", "invalid"]
Data: TypeAlias = dict[str, Any]


Strength: TypeAlias = Annotated[float, msgspec.Meta(ge=-MOST_ELO, le=MOST_ELO)]
Risk: TypeAlias = Annotated[float, msgspec.Meta(gt=0, lt=0.5)]


class Settings(msgspec.Struct, frozen=True):
    """The arguments of `tourney.gate`, which are also the keys in gate.json.

    The test is a generalised sequential probability ratio test, see docs/statistics.md. Half a deal each way is added
    to the played ones, to keep identical deals from deciding too early.
    """

    elo0: Strength
    elo1: Strength
    alpha: Risk
    """The maximum probability that the test ends high although the strength is `elo0` or less."""
    beta: Risk
    """The maximum probability that the test ends low although the strength is `elo1` or more."""
    max_deals: PositiveInt = 5000
    allow_faults: Count = 0
    allow_old_faults: bool = False
    max_slower: Annotated[float, msgspec.Meta(ge=1)] | None = None
    """How many times the old bot's decision time the new one may take; None for any."""

    @property
    def low(self) -> float:
        """The test accepts a strength of `elo0` or less at this log-likelihood ratio or below (Wald 1945)."""
        return log(self.beta / (1 - self.alpha))

    @property
    def high(self) -> float:
        """The test accepts a strength of `elo1` or more at this log-likelihood ratio or above (Wald 1945)."""
        return log((1 - self.beta) / self.alpha)

    def llr(self, duel: Duel) -> float:
        """The log-likelihood ratio of a duel's deals, with the strength `elo1` to `elo0`."""
        if not duel.deals:
            return 0.0
        deals = [(0.0, UNPLAYED), (1.0, UNPLAYED), *[((1 + lead) / 2, number) for lead, number in duel.leads.items()]]
        low, high = [_log_likelihood(deals, (1 + duel.lead_at(elo)) / 2) for elo in (self.elo0, self.elo1)]
        return round(high - low, 6)  # the same on every machine

    def adjusted(self, duel: Duel) -> list[float]:
        """The lead of a duel stopped by this test, adjusted for that, and the ends of its 95 % interval."""
        low, high = duel.lead_at(self.elo0), duel.lead_at(self.elo1)
        middle, variance, llr = (low + high) / 2, duel.cautious_error**2 * duel.deals, self.llr(duel)
        barriers = variance * self.low / (high - low), variance * self.high / (high - low)
        reached = (llr >= self.high) - (llr <= self.low)
        means = stopping.adjusted(duel.lead - middle, duel.deals, variance, barriers, reached, self.max_deals)
        return [mean + middle for mean in means]


class LostPair(NamedTuple):
    """A pair in which the new entrant did worse than the old one. The field names are the keys in gate.json."""

    deal: int
    """The number of the deal, counted from 0."""
    game: str
    seats: int
    score: float
    match: str
    """The match of the pair in which the new entrant did worst."""
    other_match: str
    """The match with the old entrant in that seat."""


class MatchFault(NamedTuple):
    """A fault, with its match and the entrant that made it."""

    match: str
    bot: str
    fault: Fault


class FaultyMatches(NamedTuple):
    """The matches in which the old entrant, or the field, made faults."""

    faulty: int
    matches: int

    @property
    def too_many(self) -> bool:
        """Whether faults are in more than a tenth of the matches, so a pass says little."""
        return 10 * self.faulty > self.matches


class Gate:
    """Reads a mirror's records in schedule order, until the test, or a fault, decides."""

    def __init__(self, tournament: Tournament, test: Settings) -> None:
        """The mirror's first entrant is the new one, the second the old one."""
        self.test = test
        self.new, self.old, *self._field = tournament.names
        self.verdict: Verdict | None = None
        """The verdict on the new entrant; None until decided."""
        self.matches = 0
        self.faults: list[MatchFault] = []
        self.worst: list[LostPair] = []
        """The new entrant's worst pairs, the worst first."""
        self._setups = tournament.setups
        same_bot, met = tournament.bot_ids[0] == tournament.bot_ids[1], not self._field
        self.total = Duel(same_bot, met, tournament.all_weights)
        self.pace = Pace()
        self._pair: list[Record | RecordedResult | PlayedMatch] = []
        self._game = 0  # of the pair
        self._ranks: dict[LostPair, tuple[float, float, int]] = {}  # of the worst

    def add(self, record: Record | RecordedResult | PlayedMatch) -> None:
        """Adds the record of the next match; there must be none after the verdict."""
        assert self.verdict is None
        self.matches += 1
        self.faults += [MatchFault(record.match, record.seats[fault.seat], fault) for fault in record.faults]
        self._pair.append(record)
        if len(self._pair) == (2 * len(record.seats) if self._field else 2):
            self._close_pair()
            self._game = (self._game + 1) % len(self._setups)
            if not self._game:
                self._decide()

    @property
    def deals(self) -> int:
        """The number of deals played."""
        return self.total.deals

    def faults_of(self, bot: str) -> list[MatchFault]:
        """The faults of an entrant."""
        return [charged for charged in self.faults if charged.bot == bot]

    @property
    def too_many_faults(self) -> bool:
        """Whether the new entrant has made too many faults."""
        allowed = self.test.allow_faults
        return len(self.faults) > allowed and len(self.faults_of(self.new)) > allowed

    @property
    def old_faulty(self) -> FaultyMatches:
        """The old entrant's matches with faults; only correct after whole deals."""
        return self._faulty([self.old], self.matches // 2 if self._field else self.matches)

    @property
    def field_faulty(self) -> FaultyMatches:
        """The matches in which a field bot made a fault."""
        return self._faulty(self._field, self.matches)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio; a low one speaks for `elo0`, a high one for `elo1`."""
        return self.test.llr(self.total)

    @property
    def games(self) -> list[tuple[GameSetup, Duel]]:
        """The duel in each game separately."""
        return list(zip(self._setups, self.total.games, strict=True))

    @property
    def named_duels(self) -> list[tuple[str, Duel, Estimate | None]]:
        """The duels by game and, if there are several, over `all` of them; with their estimates."""
        named = [(f"{setup.game}, {setup.seats} seats", duel) for setup, duel in self.games]
        named += [("all", self.total)] if len(named) > 1 else []
        return [(name, duel, self.estimate(duel)) for name, duel in named]

    def end(self, pace: Pace) -> None:
        """Takes the decision times of both, and fails the new entrant if it was too slow."""
        self.pace = pace
        self.verdict = "failed" if self.too_slow else self.verdict

    @property
    def too_slow(self) -> bool:
        """Whether the new entrant fails only because of its time."""
        most, slowdown = self.test.max_slower, self.pace.slowdown
        if most is None or slowdown is None or slowdown.sure <= most:
            return False
        return not self.too_many_faults and self.llr > self.test.low

    def estimate(self, duel: Duel) -> Estimate | None:
        """The strength in all games, adjusted for the early stop, or in one of several.

        None if unknown: after a single deal, and if faults have stopped the gate.
        """
        deals = duel.deals
        if deals < 2 or self.too_many_faults:
            return None
        lead, (_, *ends) = duel.lead, duel.interval()
        is_over = self.verdict is not None or deals == self.test.max_deals
        if is_over and any(duel.leads) and (duel is self.total or len(self._setups) == 1):
            lead, *leads = self.test.adjusted(duel)
            ends = [duel.elo_of(end) for end in leads]
        most = deals / (deals + 1)
        return Estimate(duel.elo_of(min(max(lead, -most), most)), *ends)

    def _faulty(self, bots: Sequence[str], matches: int) -> FaultyMatches:
        return FaultyMatches(len({charged.match for charged in self.faults if charged.bot in bots}), matches)

    def _close_pair(self) -> None:
        seats = SeatPairs(self.new, self.old, self._setups)
        for record in self._pair:
            seats.add(self._game, self.total.games[self._game].deals, record)
        (pairs,) = seats.paired()[0].values()
        one, other = mean_scores(pairs)
        self.total.add_to(self._game, one, other)
        if (ahead := round(one - other, 12)) < 0:
            self._add_loss(pairs, (1 + ahead) / 2)
        self._pair.clear()

    def _add_loss(self, pairs: Sequence[SeatPair], score: float) -> None:
        in_match: dict[str, list[float]] = {record.match: [] for record in self._pair}
        for pair in pairs:
            in_match[pair.match].append(pair.score - pair.other_score * bool(self._field))
        match = min(filter(in_match.get, in_match), key=lambda name: round(mean(in_match[name]), 12))
        other = next(pair.other_match for pair in pairs if pair.match == match)
        loss = LostPair(pairs[0].deal, pairs[0].game, pairs[0].seats, score, match, other)
        # ranked by score, then by the old one's lead in the game's scores; the earlier of equals is worse
        self._ranks[loss] = score, sum([pair.margin for pair in pairs]), self.matches
        self.worst = sorted(self._ranks, key=self._ranks.__getitem__)[:MAX_LOSSES]
        self._ranks = {each: self._ranks[each] for each in self.worst}

    def _decide(self) -> None:
        llr = self.llr
        if self.too_many_faults or llr <= self.test.low:
            self.verdict = "failed"
        elif llr >= self.test.high:
            faulty = self.old_faulty.too_many or self.field_faulty.too_many
            self.verdict = "invalid" if faulty and not self.test.allow_old_faults else "passed"


def _log_likelihood(deals: Sequence[tuple[float, float]], mean: float) -> float:
    """The greatest log-likelihood of the deals under distributions with the mean, up to a common constant.

    The likeliest distribution gives a score x of n deals a probability proportional to n / (1 + t (x - mean)), with the
    t that yields the mean (Owen 1988). There must be deals with the scores 0 and 1.
    """
    parts = [(score - mean, number) for score, number in deals]
    most = 1 - UNPLAYED / fsum([number for _, number in parts])  # no probability is above 1
    low, high = -most / (1 - mean), most / mean
    tilt = 0.0
    for _ in range(100):
        pulls = [(part / (1 + tilt * part), number) for part, number in parts]
        slope = fsum([number * pull for pull, number in pulls])
        low, high = (tilt, high) if slope > 0 else (low, tilt)
        step = slope / fsum([number * pull * pull for pull, number in pulls])  # Newton's
        if slope * step < 1e-9:  # the remaining gain is half of it
            break
        tilt = tilt + step if low < tilt + step < high else (low + high) / 2
    return -fsum([number * log(1 + tilt * part) for part, number in parts])


def verdict_data(gate: Gate) -> Data:
    """The verdict and its figures, for gate.json; independent of the time and the machine."""
    new, old, test = gate.new, gate.old, gate.test
    return {
        "verdict": gate.verdict or "undecided",
        "because": _because(gate),
        "new": new,
        "old": old,
        "settings": msgspec.structs.asdict(test),
        "deals": gate.deals,
        "matches": gate.matches,
        "llr": round(gate.llr, 4),
        "llr_low": round(test.low, 4),
        "llr_high": round(test.high, 4),
        "all": _duel_data(gate, gate.total),
        "games": [
            {"game": setup.game, "seats": setup.seats, "options": setup.options} | _duel_data(gate, duel)
            for setup, duel in gate.games
        ],
        "faults": {
            "new": len(gate.faults_of(new)),
            "old": len(gate.faults_of(old)),
            "all": len(gate.faults),
            "old_matches": gate.old_faulty._asdict(),
            "field_matches": gate.field_faulty._asdict(),
        },
        "first_faults": [
            {"match": match, "bot": bot, "kind": fault.kind, "decision": fault.decision}
            for match, bot, fault in gate.faults[:SHOWN_FAULTS]
        ],
        "worst": [loss._asdict() | {"score": round(loss.score, 4)} for loss in gate.worst],
        "time": _time_data(gate.pace.slowdown),
    }


def _time_data(slowdown: Slowdown | None) -> Data | None:
    if slowdown is None:
        return None
    names = ("factor", "sure", "new_us", "old_us")
    values = slowdown.factor, slowdown.sure, slowdown.one_ns / 1000, slowdown.other_ns / 1000
    return {name: float(f"{value:.3g}") for name, value in zip(names, values, strict=True)}


def _because(gate: Gate) -> str:
    if gate.too_many_faults or gate.too_slow:
        return "faults" if gate.too_many_faults else "time"
    if gate.verdict == "invalid":
        return "old faults" if gate.old_faulty.too_many else "field faults"
    return "cap" if gate.verdict is None else "llr"


def _duel_data(gate: Gate, duel: Duel) -> Data:
    estimate = gate.estimate(duel)
    values = (None,) * 3 if estimate is None else msgspec.structs.astuple(estimate)
    elo, low, high = [None if each is None else round(each, 1) + 0.0 for each in values]
    return {"score": round(duel.score, 4), "elo": elo, "elo_low": low, "elo_high": high}


def estimate_texts(estimate: Estimate | None) -> tuple[str, str]:
    """An estimate and its interval, without a unit."""
    return ("unknown", "unknown") if estimate is None else estimate.texts


def headline(gate: Gate) -> str:
    """The verdict in a sentence."""
    new, old, test = gate.new, gate.old, gate.test
    played = f"{counted(gate.deals, 'deal')}, {gate.matches} matches"
    if gate.too_many_faults:
        (match, _, fault), *more = gate.faults_of(new)
        made = f"{len(more) + 1} faults, the first: {fault.kind}" if more else f"a fault: {fault.kind}"
        return f"FAILED: {new} made {made} at decision {fault.decision} of {match} ({played})"
    if gate.too_slow:
        return f"FAILED: {slowdown_text(gate)}, more than {test.max_slower:g} times ({played})"
    match gate.verdict:
        case "passed":
            return f"PASSED: {_relation(new, old, test.elo0, more=True)} ({played})"
        case "failed":
            return f"FAILED: {_relation(new, old, test.elo1, more=False)} ({played})"
        case "invalid":
            by_old = gate.old_faulty.too_many
            who, matches = (old, gate.old_faulty) if by_old else ("the field", gate.field_faulty)
            faulty = f"{who} made faults in {matches.faulty} of its {matches.matches} matches, more than a tenth"
            return f"INVALID: {new} would pass, but {faulty} ({played})"
    return f"UNDECIDED: the most deals were played without a verdict on {new} and {old} ({played})"


def slowdown_text(gate: Gate) -> str:
    """How much longer the new entrant surely takes for its decisions; empty if it does not."""
    slowdown = gate.pace.slowdown
    return "" if slowdown is None else f"{gate.new} thinks {slowdown.text(gate.old)}"


def _relation(new: str, old: str, elo: float, more: bool) -> str:
    """The accepted hypothesis: NEW is stronger (or weaker) than OLD, or than OLD by a number of Elo."""
    word, opposite = ("stronger", "weaker") if more else ("weaker", "stronger")
    if elo == 0:
        return f"{new} is {word} than {old}"
    if (elo < 0) == more:
        return f"{new} is not {opposite} than {old} by {abs(elo):g} Elo or more"
    return f"{new} is {word} than {old} by more than {abs(elo):g} Elo"
