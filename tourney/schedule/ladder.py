"""Ladder: entrants keep playing their neighbours by rating, until it is decided which is stronger (docs/formats.md).

Only neighbours undecided at the first of `SURE_STEPS` that leaves any keep playing: a stricter `sure` starts with the
same matches.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import fsum, inf
from statistics import fmean
from typing import NamedTuple

from tourney.base.errors import ConfigError
from tourney.base.validation import PositiveInt
from tourney.config import Tournament
from tourney.contracts.match import Fault, Places
from tourney.contracts.rng import shuffle, stream
from tourney.schedule.adaptive import AdaptiveSchedule, RoundResults
from tourney.schedule.base import ScheduleSize
from tourney.schedule.matchmaking import SURE_STEPS, Pair, Player, SettleGoal, Verdict, pairs_of_first, tables_of
from tourney.schedule.seatings import Group, seating_count
from tourney.standings.counts import Batch, DealBatches, Finish
from tourney.standings.duel import Duel, beaten
from tourney.standings.hierarchy import Posterior
from tourney.standings.intervals import risk, standard_errors
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.ratings import DIGITS, Ratings
from tourney.standings.sweeps import Final, Selection

GROWTH = 4
"""A table plays a quarter of its members' previous number of deals, so ratings are fitted rarely …"""
MOST_DEALS = 1000
"""… but at most this many, so a round's results stay small in memory."""
DOUBTED = 20
"""Pairs of the first places play if their doubt is at least this part of the largest."""
FINAL_DEALS = 600
"""On this many deals with two seats, a difference is known to about ±20 Elo (95 %) …"""
FINAL_SHARE = 4
"""… but finals have at most this part of the matches left after the first round."""


class LadderOptions(SettleGoal, frozen=True):
    """The ladder's own tournament file keys."""

    max_matches: PositiveInt = 100_000
    """No round starts that would exceed this number of matches."""


class Ladder(AdaptiveSchedule):
    """Rounds until all neighbours are decided, or the matches are used up."""

    name = "ladder"
    Options = LadderOptions
    may_end_early = True
    hierarchical = True
    raisable: Sequence[str] = ("sure", "max_matches")

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        self._options: LadderOptions = tournament.format_options
        # of the finished rounds
        self._matches = 0
        self._played = dict.fromkeys(tournament.names, 0)  # deals played by each entrant
        self._batches: DealBatches[list[Batch]] = DealBatches(self._no_results, _add_results)
        self._ratings: Ratings | None = None  # None before they are fitted
        self._neighbours: list[Neighbours] = []
        self._by_deal: dict[int, list[Batch]] = {}  # the current round's results
        self._posterior: Posterior | None = None  # for the first places; None before fitting
        self._first_pairs: list[Pair] = []  # each of the first places with all entrants below
        # of the final, which depends on all earlier matches, so nothing can be raised
        self._sweeps = tournament.sweeps if self._options.settle == "best" else {}
        self._finals: dict[str, _Meetings] = {}  # by the bot of the sweep
        self._final_round: int | None = None  # None before it is paired
        if self._sweeps:
            self.raisable = ()

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        options: LadderOptions = tournament.format_options
        matches = cls(tournament)._first_matches
        if matches > options.max_matches:
            raise ConfigError(
                f"max_matches: must be at least {matches}, the matches of the first round; got {options.max_matches}"
            )

    @cached_property
    def _first_matches(self) -> int:
        return sum([self._matches_of(group) for group in self._ring()])

    @cached_property
    def _final_matches(self) -> tuple[int, int]:
        per_deal = len(self._sweeps) * self._games * seating_count(self._tournament.seatings, self._seats)
        most = (self._options.max_matches - self._first_matches) // FINAL_SHARE
        deals = min(FINAL_DEALS, most // per_deal) if per_deal else 0
        return deals, deals * per_deal

    def pair(self, number: int) -> list[Group]:
        if self._final_round is not None:
            return []
        groups = self._ring() if not number else self._groups_of_undecided() if self._in_order else self._first_groups()
        deals, matches = self._final_matches
        matches += self._matches + sum([self._matches_of(group) for group in groups])
        if groups and matches <= self._options.max_matches:
            return groups
        return self._final_groups() if deals else []

    @property
    def _in_order(self) -> bool:
        return self._options.settle == "order"

    def _ring(self) -> list[Group]:
        names = list(self._tournament.names)
        shuffle(names, stream(self._tournament.seed, "pairing", 0))
        return ring(names, self._seats)

    def _groups_of_undecided(self) -> list[Group]:
        """The groups in which undecided neighbours meet; none if all are decided."""
        pairs = self.neighbours()
        if len(pairs) + 1 < self._seats or all([self._verdict(pair) for pair in pairs]):
            return []
        equal_elo = self._options.equal_elo
        at_steps = ([i for i, pair in enumerate(pairs) if not pair.verdict(step, equal_elo)] for step in SURE_STEPS)
        undecided = next(filter(None, at_steps), [])
        ranked = [self._tournament.names[bot] for bot in [pairs[0].upper, *[pair.lower for pair in pairs]]]
        meetings = groups([pair.difference for pair in pairs], undecided, self._seats)
        return self._drawn([[ranked[rank] for rank in ranks] for ranks in meetings])

    def _first_groups(self) -> list[Group]:
        """The groups in which pairs of the first places meet; none if these places are decided."""
        doubts = {pair: pair.doubt(self._options) for pair in self._pairs()}
        if round(fsum(doubts.values()), DIGITS) <= round(1 - self._options.sure, DIGITS):
            return []
        pairs = sorted(doubts, key=lambda pair: -doubts[pair])
        open_pairs = [pair for pair in pairs if DOUBTED * doubts[pair] >= doubts[pairs[0]]]
        return self._drawn(tables_of(open_pairs, self._ranked(), self._seats))

    def _final_groups(self) -> list[Group]:
        """The groups in which the best of each sweep meets the default, unless it is the default."""
        ranked, pairs = self._ranked(), []
        self._final_round = self._round
        for sweep, settings in self._sweeps.items():
            names = [each.name for each in settings]
            best = next((name for name in ranked if name in names), sweep.default)
            if best != sweep.default and sweep.default in ranked:
                self._finals[sweep.bot] = _Meetings(best, sweep.default)
                pairs.append(Pair(best, sweep.default, 0.0, 0.0))
        return self._drawn(tables_of(pairs, ranked, self._seats))

    def _drawn(self, tables: Sequence[list[str]]) -> list[Group]:
        """The tables in a drawn order, so the next in strength is not always on the left."""
        rng = stream(self._tournament.seed, "pairing", self._round)
        for table in tables:
            shuffle(table, rng)
        return list(map(tuple, tables))

    def _ranked(self) -> list[str]:
        return [player.name for player in sorted(self._players(), key=lambda player: -player.elo)]

    def _players(self) -> list[Player]:
        names = [name for name in self._tournament.names if name not in self._out[self._round]]
        elo = self.posterior().elo
        return [Player(name, round(elo(self._numbers[name]), DIGITS), self._played[name], 0) for name in names]

    def _pairs(self) -> list[Pair]:
        """The pairs of the first places with all entrants below, overall and within each sweep."""
        if self._first_pairs or not self._round:
            return self._first_pairs

        def error(one: str, other: str) -> float:
            return self.posterior().difference_error(self._numbers[one], self._numbers[other])

        players = self._players()
        swept = [{each.name for each in settings} for settings in self._sweeps.values()]
        fields = [players, *[[player for player in players if player.name in names] for names in swept]]
        pairs = [pair for field in fields for pair in pairs_of_first(field, error, self._options)]
        self._first_pairs = list(dict.fromkeys(pairs))
        return self._first_pairs

    def posterior(self) -> Posterior:
        """The ratings after the finished rounds, without a final."""
        if self._posterior is None:
            weights = [Fraction(weight) for weight in self._tournament.all_weights]
            batches = list(zip(*self._batches, strict=True))
            self._posterior = Posterior(batches, weights, bot_ids=self._tournament.bot_ids, flat=True)
        return self._posterior

    def selection(self) -> Selection | None:
        if not self._sweeps or not self._round:
            return None
        weights = self._tournament.all_weights
        over = self._finals if self._final_round is not None and self._final_round < self._round else {}
        return Selection(self.posterior(), {bot: meetings.final(weights) for bot, meetings in over.items()})

    def deals_of(self, group: Group) -> int:
        if self._final_round is not None:
            return self._final_matches[0]
        played = min([self._played[name] for name in group])
        return max(self._tournament.deals, min(MOST_DEALS, played // GROWTH))

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        deal, game = self._deal_and_game(block)
        if self._final_round is not None:
            for meetings in self._finals.values():
                meetings.add(deal, game, seats, places)
            super().note(block, seats, places, faults)
            return
        bots, by_bot = zip(*sorted(zip([self._numbers[name] for name in seats], places, strict=True)), strict=True)
        self._by_deal.setdefault(deal, self._no_results())[game][Finish(bots, by_bot)] += 1
        super().note(block, seats, places, faults)

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        self._matches += sum([self._matches_of(group) for group in groups])
        if self._final_round is not None:
            return
        for deal, added in self._by_deal.items():
            _add_results(self._batches.of(self._first_deal + deal), added)
        before = dict(self._played)
        for group, deals in [(group, self.deals_of(group)) for group in groups]:
            for name in group:
                self._played[name] = max(self._played[name], before[name] + deals)
        self._by_deal, self._ratings, self._posterior, self._first_pairs = {}, None, None, []

    def size(self) -> ScheduleSize:
        matches = self._options.max_matches
        return ScheduleSize(matches // seating_count(self._tournament.seatings, self._seats), matches)

    def describe(self) -> str:
        settles = "" if self._in_order else f"settles {self._options.settle}, "
        return f"ladder ({settles}sure {self._options.sure:g}, equal within {self._options.equal_elo:g} Elo)"

    def what_follows(self) -> str:
        if self._in_order:
            return "Then, round by round: neighbours by rating whose order is undecided."
        final = " Finally, the best of each sweep and its default, on fresh deals." if self._sweeps else ""
        return f"Then, round by round: the first and those who may be stronger.{final}"

    def round_name(self, number: int) -> str:
        return "final" if number == self._final_round else super().round_name(number)

    def describe_undecided(self) -> str:
        if not self._in_order:
            doubts = [pair.doubt(self._options) for pair in self._pairs()]
            what = "who is the best" if self._options.settle == "best" else f"of the {self._options.settle}"
            return f"{100 * max(0.0, 1 - fsum(doubts)) if doubts else 0:.0f} % sure {what.replace(':', ' ')}"
        pairs, every = self.neighbours(), len(self._tournament.names) - 1
        if not self._round:
            return f"{every} of {every} pairs undecided"
        return f"{sum([self._verdict(pair) is None for pair in pairs])} of {len(pairs)} pairs undecided"

    def neighbours(self) -> list["Neighbours"]:
        """All neighbours after the finished rounds, except disqualified ones; none in the first round."""
        if self._ratings is None and self._round:
            weights = [Fraction(weight) for weight in self._tournament.all_weights]
            without = [self._numbers[name] for name in self._out[self._round]]
            self._ratings = Ratings(list(zip(*self._batches, strict=True)), weights, bot_ids=self._tournament.bot_ids)
            self._neighbours = neighbours(self._ratings, dict(enumerate(self._played.values())), without)
        return self._neighbours

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The rating first, because not all entrants have met the same opponents."""
        return "rating", "points"

    def certainties(self) -> Mapping[tuple[str, str], float] | None:
        """By the deciding confidence sequence, in both orders; None without one.

        The standings shrink ratings, which can reverse neighbours, so pairs two ranks apart are included.
        """
        if not self._in_order:
            return None
        names, certainties = self._tournament.names, dict[tuple[str, str], float]()
        pairs, deals = self.neighbours(), dict(enumerate(self._played.values()))
        if self._ratings is not None:
            nearly = [
                _neighbours(self._ratings, deals, one.upper, other.lower, one.difference + other.difference)
                for one, other in pairwise(pairs)
            ]
            pairs = [*pairs, *nearly]
        for pair in pairs:
            upper, lower, certainty = names[pair.upper], names[pair.lower], pair.certainty()
            certainties |= {(upper, lower): certainty, (lower, upper): 1 - certainty}
        return certainties

    def columns(self) -> Sequence[Tiebreak]:
        """Why each entrant has stopped: `sure`, `equal` or `max_matches`; `plays on` if it has not."""
        undecided = "max_matches" if self.is_over(self._matches) else "plays on"  # dialect: ok, a value on disk
        names, out = self._tournament.names, self.disqualified()
        verdicts: dict[str, list[str]] = {name: ["out"] if name in out else [] for name in names}
        if self._in_order:
            decided = [(names[pair.upper], names[pair.lower], self._verdict(pair)) for pair in self.neighbours()]
        else:
            decided = [(pair.upper, pair.lower, pair.verdict(self._options)) for pair in self._pairs()]
        for upper, lower, verdict in decided:
            for name in (upper, lower):
                verdicts[name].append(verdict or undecided)
        other = "a neighbour" if self._in_order else "one of the first"
        meanings = {
            "out": "disqualified",
            undecided: "undecided",
            "equal": f"{other} differs by at most {self._options.equal_elo:g} Elo",
            "sure": f"sure ({self._options.sure:g}) of the order",
        }
        reasons = {
            name: next((reason for reason in meanings if reason in its), undecided) for name, its in verdicts.items()
        }
        explained = [f"{reason}: {meaning}" for reason, meaning in meanings.items() if reason in reasons.values()]
        note = f"Stopped: {'; '.join(explained)}."
        if self._in_order:
            note += " Here >next holds however often one looks."
        return [Tiebreak("stopped", "stopped", "", dict.fromkeys(reasons), reasons, note)]

    def _verdict(self, pair: "Neighbours") -> str | None:
        return pair.verdict(self._options.sure, self._options.equal_elo)

    def _no_results(self) -> list[Batch]:
        return [Counter() for _ in self._tournament.setups]


class _Meetings:
    """Meetings of a sweep's best and its default on fresh deals."""

    def __init__(self, best: str, default: str) -> None:
        self._best, self._default = best, default
        self._won: dict[tuple[int, int], list[float]] = {}  # whether the best finished ahead, by deal and game

    def add(self, deal: int, game: int, seats: Sequence[str], places: Places) -> None:
        if self._best in seats and self._default in seats:
            won = beaten(places, seats.index(self._best), [seats.index(self._default)])
            self._won.setdefault((deal, game), []).append(won)

    def final(self, weights: Sequence[float]) -> Final:
        """The best's advantage over the default, by its mean score on each deal."""
        duel = Duel(met=True, weights=weights)
        for (_, game), won in sorted(self._won.items()):
            duel.add_to(game, fmean(won), 1 - fmean(won))
        return Final(self._best, duel.estimate, duel.deals)


def _add_results(batches: list[Batch], results: list[Batch]) -> None:
    for batch, added in zip(batches, results, strict=True):
        batch.update(added)


def ring(names: Sequence[str], seats: int) -> list[Group]:
    """Groups in a ring of the given order: the last of each is the first of the next, so all are connected."""
    if len(names) == seats:
        return [tuple(names)]
    circle = [*names, *names]
    return [tuple(circle[first : first + seats]) for first in range(0, len(names), seats - 1)]


def groups(gaps: Sequence[float], undecided: Sequence[int], seats: int) -> list[range]:
    """Groups in which all undecided neighbours meet, as ranges of ranks, from the top.

    Free seats go to the nearest by rating, in a tie to the stronger one.
    """
    ranges: list[range] = []
    for upper in undecided:
        if ranges and upper + 1 in ranges[-1]:
            continue
        first, after = upper, upper + 2
        while after - first < seats and after - 1 in undecided:
            after += 1
        while after - first < seats:
            if after > len(gaps) or (first > 0 and gaps[first - 1] <= gaps[after - 1]):
                first -= 1
            else:
                after += 1
        ranges.append(range(first, after))
    return ranges


# Neighbours by rating: whether their order is known, even under repeated looks.
#
# The bounds form a confidence sequence, see `standard_errors`; docs/formats.md has measured errors.

MIN_DEALS = 20
"""Nothing is decided from fewer deals, because Student's t requires nearly normal means."""


class Neighbours(NamedTuple):
    """Two bots with adjacent ratings."""

    upper: int
    """The number of the bot with the higher rating."""
    lower: int
    difference: float
    """The rating difference in Elo points, at least 0."""
    known: float
    """The part of the difference supported by results, see `tourney.standings.ratings.Evidence`."""
    error: float
    """The standard error of the difference in Elo points; infinite if unknown."""
    deals: int
    """The smaller of their numbers of deals."""
    freedom: int

    def verdict(self, sure: float, equal_elo: float) -> Verdict | None:
        """The verdict with probability `sure`; None if undecided."""
        width = inf if self.deals < MIN_DEALS else standard_errors(self.deals, self.freedom, round(1 - sure, DIGITS))
        if width == inf:
            return None
        half = round(abs(self.difference) - abs(self.known) + width * self.error, DIGITS)
        if self.difference > half:
            return "sure"
        return "equal" if round(self.difference + half, DIGITS) <= equal_elo else None

    def certainty(self) -> float:
        """The probability with which the order is known, at least 1/2; inverts `standard_errors`."""
        if self.deals < MIN_DEALS:
            return 0.5
        return max(0.5, round(1 - risk(self.deals, self.freedom, self.known, self.error), DIGITS))


def neighbours(ratings: Ratings, deals: Mapping[int, int], without: Collection[int] = ()) -> list[Neighbours]:
    """All neighbours among the bots except `without`, the strongest first; `deals` are each bot's number of deals."""
    rounded = {bot: round(ratings.of(bot).elo, DIGITS) for bot in ratings.bots if bot not in without}
    order = sorted(rounded, key=lambda bot: (-rounded[bot], bot))
    return [
        _neighbours(ratings, deals, upper, lower, rounded[upper] - rounded[lower]) for upper, lower in pairwise(order)
    ]


def _neighbours(ratings: Ratings, deals: Mapping[int, int], upper: int, lower: int, difference: float) -> Neighbours:
    known, error, freedom = [round(value, DIGITS) for value in ratings.evidence(upper, lower)]
    least = min(deals[upper], deals[lower])
    return Neighbours(upper, lower, round(difference, DIGITS), known, error, least, int(freedom))
