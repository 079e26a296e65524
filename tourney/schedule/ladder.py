"""Ladder: entrants play on against their neighbours by rating, where it is undecided who is stronger.

The first round connects all entrants; from then on only undecided neighbours meet, with those nearest to them in the
free seats: those who are undecided at the first of `SURE_STEPS` at which anybody is. So a stricter `sure` begins with
the same matches.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, sqrt
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import ConfigError
from tourney.base.validation import PositiveInt
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import Fault
from tourney.contracts.rng import shuffle, stream
from tourney.schedule.adaptive import AdaptiveSchedule, RoundResults
from tourney.schedule.base import ScheduleSize
from tourney.schedule.seatings import Group, seating_count
from tourney.standings.counts import Batch, DealBatches, Finish
from tourney.standings.intervals import MIXTURE, standard_errors
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.ratings import Ratings

GROWTH = 4
"""A table plays a quarter as many deals as its members have played before, so that ratings are fitted rarely …"""
MOST_DEALS = 1000
"""… but at most this many, so that the results of a round stay small in memory."""
SURE_STEPS = (0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)
"""The probabilities to which all neighbours are brought one after another; `sure` is at most the last."""


Sure: TypeAlias = Annotated[float, msgspec.Meta(ge=0.5, le=SURE_STEPS[-1])]
EqualElo: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1000)]


class LadderOptions(Options, frozen=True):
    """The ladder's own keys of a tournament file."""

    sure: Sure = 0.99
    """The probability with which an order must be known, from 0 to 1."""
    equal_elo: EqualElo = 10.0
    """Bots whose ratings surely differ by no more than this, in Elo points, are called equal."""
    max_matches: PositiveInt = 100_000
    """No round is begun with which there would be more matches than this."""


class Ladder(AdaptiveSchedule):
    """Rounds until all neighbours are decided, or the number of matches is exhausted."""

    name = "ladder"
    Options = LadderOptions
    may_end_early = True
    shrinks_ratings = True
    raisable = ("sure", "max_matches")

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        self._options: LadderOptions = tournament.format_options
        # of the finished rounds
        self._matches = 0
        self._played = dict.fromkeys(tournament.names, 0)  # on how many deals each entrant has played
        self._batches: DealBatches[list[Batch]] = DealBatches(self._no_results, _add_results)
        self._ratings: Ratings | None = None  # None before they are fitted
        self._neighbours: list[Neighbours] = []
        self._by_deal: dict[int, list[Batch]] = {}  # the results of the round that is played

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        options: LadderOptions = tournament.format_options
        first = cls(tournament)
        matches = sum([first._matches_of(group) for group in first._ring()])
        if matches > options.max_matches:
            raise ConfigError(
                f"max_matches: {options.max_matches} is less than the {matches} matches of the first round; take more"
            )

    def pair(self, number: int) -> list[Group]:
        groups = self._groups_of_undecided() if number else self._ring()
        matches = self._matches + sum([self._matches_of(group) for group in groups])
        return groups if matches <= self._options.max_matches else []

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
        rng = stream(self._tournament.seed, "pairing", self._round)
        found = []
        for ranks in groups([pair.difference for pair in pairs], undecided, self._seats):
            group = [ranked[rank] for rank in ranks]
            shuffle(group, rng)  # so that it is not always the next in strength who sits to the left
            found.append(tuple(group))
        return found

    def deals_of(self, group: Group) -> int:
        played = min([self._played[name] for name in group])
        return max(self._tournament.deals, min(MOST_DEALS, played // GROWTH))

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        deal, game = self._deal_and_game(block)
        bots, by_bot = zip(*sorted(zip([self._numbers[name] for name in seats], places, strict=True)), strict=True)
        self._by_deal.setdefault(deal, self._no_results())[game][Finish(bots, by_bot)] += 1
        super().note(block, seats, places, faults)

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        self._matches += sum([self._matches_of(group) for group in groups])
        for deal, added in self._by_deal.items():
            _add_results(self._batches.of(self._first_deal + deal), added)
        before = dict(self._played)
        for group, deals in [(group, self.deals_of(group)) for group in groups]:
            for name in group:
                self._played[name] = max(self._played[name], before[name] + deals)
        self._by_deal, self._ratings = {}, None

    def size(self) -> ScheduleSize:
        matches = self._options.max_matches
        return ScheduleSize(matches // seating_count(self._tournament.seatings, self._seats), matches)

    def describe(self) -> str:
        return f"ladder (sure {self._options.sure:g}, equal within {self._options.equal_elo:g} Elo)"

    def what_follows(self) -> str:
        return "Then, round by round: neighbours by rating of whom it is undecided which is stronger."

    def describe_undecided(self) -> str:
        pairs, every = self.neighbours(), len(self._tournament.names) - 1
        if not self._round:
            return f"{every} of {every} pairs undecided"
        return f"{sum([self._verdict(pair) is None for pair in pairs])} of {len(pairs)} pairs undecided"

    def neighbours(self) -> list["Neighbours"]:
        """All neighbours by the finished rounds, but for the disqualified; none before the first is finished."""
        if self._ratings is None and self._round:
            weights = [Fraction(weight) for weight in self._tournament.all_weights]
            without = [self._numbers[name] for name in self._out[self._round]]
            self._ratings = Ratings(list(zip(*self._batches, strict=True)), weights, kinds=self._tournament.kinds)
            self._neighbours = neighbours(self._ratings, dict(enumerate(self._played.values())), without)
        return self._neighbours

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The rating first, since not all entrants have met the same opponents."""
        return "rating", "points"

    def certainties(self) -> Mapping[tuple[str, str], float]:
        """Of all neighbours, in both orders, by the confidence sequence that decides.

        The standings shrink ratings, which can put neighbours in the other order, so the next but one are there, too.
        """
        names, found = self._tournament.names, dict[tuple[str, str], float]()
        pairs, deals = self.neighbours(), dict(enumerate(self._played.values()))
        if self._ratings is not None:
            nearly = [
                _neighbours(self._ratings, deals, one.upper, other.lower, one.difference + other.difference)
                for one, other in pairwise(pairs)
            ]
            pairs = [*pairs, *nearly]
        for pair in pairs:
            upper, lower, certainty = names[pair.upper], names[pair.lower], pair.certainty()
            found |= {(upper, lower): certainty, (lower, upper): 1 - certainty}
        return found

    def columns(self) -> Sequence[Tiebreak]:
        """Why each entrant has stopped: `sure`, `equal` or `max_matches`; `plays on` if it has not."""
        undecided = "max_matches" if self.is_over(self._matches) else "plays on"
        names, out = self._tournament.names, self.disqualified()
        verdicts: dict[str, list[str]] = {name: ["out"] if name in out else [] for name in names}
        for pair in self.neighbours():
            for bot in (pair.upper, pair.lower):
                verdicts[names[bot]].append(self._verdict(pair) or undecided)
        meanings = {
            "out": "disqualified",
            undecided: "undecided",
            "equal": f"a neighbour differs by at most {self._options.equal_elo:g} Elo",
            "sure": f"sure ({self._options.sure:g}) of the order",
        }
        reasons = {
            name: next((reason for reason in meanings if reason in its), undecided) for name, its in verdicts.items()
        }
        found = [f"{reason}: {meaning}" for reason, meaning in meanings.items() if reason in reasons.values()]
        note = f"Stopped: {'; '.join(found)}. Here >next holds however often one looks."
        return [Tiebreak("stopped", "stopped", "", dict.fromkeys(reasons), reasons, note)]

    def _verdict(self, pair: "Neighbours") -> str | None:
        return pair.verdict(self._options.sure, self._options.equal_elo)

    def _no_results(self) -> list[Batch]:
        return [Counter() for _ in self._tournament.setups]


def _add_results(batches: list[Batch], results: list[Batch]) -> None:
    for batch, added in zip(batches, results, strict=True):
        batch.update(added)


def ring(names: Sequence[str], seats: int) -> list[Group]:
    """Groups of a ring in the given order: the last of each is the first of the next, so that all are connected."""
    if len(names) == seats:
        return [tuple(names)]
    circle = [*names, *names]
    return [tuple(circle[first : first + seats]) for first in range(0, len(names), seats - 1)]


def groups(gaps: Sequence[float], undecided: Sequence[int], seats: int) -> list[range]:
    """Groups in which all undecided neighbours meet, as ranges of ranks, from the top.

    Free seats go to the nearest by rating; where two are as near, to the stronger one.
    """
    found: list[range] = []
    for upper in undecided:
        if found and upper + 1 in found[-1]:
            continue
        first, after = upper, upper + 2
        while after - first < seats and after - 1 in undecided:
            after += 1
        while after - first < seats:
            if after > len(gaps) or (first > 0 and gaps[first - 1] <= gaps[after - 1]):
                first -= 1
            else:
                after += 1
        found.append(range(first, after))
    return found


# Neighbours in the order of the ratings: whether their order is known, however often one has looked.
#
# The bounds are those of a confidence sequence, see `standard_errors`; docs/formats.md has measured errors.

Verdict: TypeAlias = Literal["sure", "equal"]
"""The order of two neighbours is known, or their difference is known to be small."""

MIN_DEALS = 20
"""Nothing is decided from fewer deals, because Student's t is for means that are nearly normal."""
DIGITS = 6
"""Decisions rest on numbers rounded to this many digits after the point, which are the same on every machine."""


class Neighbours(NamedTuple):
    """Two bots that follow each other in the order of the ratings."""

    upper: int
    """The number of the bot with the higher rating."""
    lower: int
    difference: float
    """The difference of the ratings in Elo points, at least 0."""
    known: float
    """The difference as far as the results support it, see `tourney.standings.ratings.Evidence`."""
    error: float
    """The standard error of the difference in Elo points; infinite where it is unknown."""
    deals: int
    """On how many deals both have played; of the two numbers, the smaller one."""
    freedom: int

    def verdict(self, sure: float, equal_elo: float) -> Verdict | None:
        """What is known with the probability `sure`; None if they are undecided."""
        width = inf if self.deals < MIN_DEALS else standard_errors(self.deals, self.freedom, round(1 - sure, DIGITS))
        if width == inf:
            return None
        half = round(abs(self.difference) - abs(self.known) + width * self.error, DIGITS)
        if self.difference > half:
            return "sure"
        return "equal" if round(self.difference + half, DIGITS) <= equal_elo else None

    def certainty(self) -> float:
        """The probability with which the order is known, at least 1/2; inverts `standard_errors`."""
        if self.deals < MIN_DEALS or self.freedom < 1 or not self.known:
            return 0.5
        if not self.error:
            return 1.0
        growth, square = 1 + MIXTURE * self.deals, (self.known / self.error) ** 2
        ratio = (self.freedom + square) / (self.freedom + square / growth)
        risk: float = sqrt(growth) / ratio ** ((self.freedom + 1) / 2)
        return max(0.5, round(1 - risk, DIGITS))


def neighbours(ratings: Ratings, deals: Mapping[int, int], without: Collection[int] = ()) -> list[Neighbours]:
    """All neighbours among the bots but those `without`, the strongest first; `deals`: how many each bot has played."""
    rounded = {bot: round(ratings.of(bot).elo, DIGITS) for bot in ratings.bots if bot not in without}
    order = sorted(rounded, key=lambda bot: (-rounded[bot], bot))
    return [
        _neighbours(ratings, deals, upper, lower, rounded[upper] - rounded[lower]) for upper, lower in pairwise(order)
    ]


def _neighbours(ratings: Ratings, deals: Mapping[int, int], upper: int, lower: int, difference: float) -> Neighbours:
    known, error, freedom = [round(value, DIGITS) for value in ratings.evidence(upper, lower)]
    least = min(deals[upper], deals[lower])
    return Neighbours(upper, lower, round(difference, DIGITS), known, error, least, int(freedom))
