"""Track: the versions of a bot over time against a fixed pool, and where its strength has jumped.

Every version meets the same company from the pool on the same deals, so two versions are compared deal by deal. A few
of them play first. Where two neighbours in time surely differ, the one in the middle between them comes in, until each
jump stands between two versions that follow each other, or the neighbours are surely equal.

The pairs that are known least play first. So a larger `deals` begins with the same blocks, and so does a tournament
with more versions, whose events say with which block they came.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Literal, NamedTuple

from tourney.base.errors import ConfigError, did_you_mean
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import Block, Fault, GameSetup, Places, distinct_names
from tourney.contracts.rng import shuffle, stream
from tourney.contracts.wording import counted
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.ladder import MIN_DEALS, EqualElo, Sure
from tourney.schedule.seatings import Group
from tourney.standings.paired import Paired
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units

GROWTH = 4
"""A version plays a quarter as many deals as it has played before, so that it is seldom looked at …"""
LEAST_DEALS = 20
"""… but at least this many."""
PARTS = 4
"""The versions that play first divide the range into about as many parts."""
LOOKS = 3
"""To how many comparisons a version leads at most: it comes in between two others, and is compared with the last."""


class TrackOptions(Options, frozen=True):
    """The track's own keys of a tournament file."""

    pool: tuple[str, ...] = ()
    """The names of the entrants whom all others, the versions in the order of time, meet; one at least."""
    sure: Sure = 0.95
    """The probability with which all that is said of the versions holds together, from 0 to 1."""
    equal_elo: EqualElo = 15.0
    """Versions that surely differ by no more than this, in Elo points, are called equal."""


class Step(NamedTuple):
    """What is known of the change from one version to a later one."""

    before: str
    name: str
    deals: int
    """On how many deals both have played."""
    elo: float
    low: float
    """The lower end of a confidence sequence, in Elo points: it holds however often one looks."""
    high: float
    verdict: Literal["up", "down", "equal"] | None
    adjacent: bool
    """Whether no other version is between the two."""


class Track(Schedule):
    """Rounds until all neighbours in time are known, or have played on all deals."""

    name = "track"
    Options = TrackOptions
    adapts = True
    may_end_early = True
    raisable = ("deals",)

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._options: TrackOptions = tournament.format_options
        self._kinds = dict(zip(tournament.names, tournament.kinds, strict=True))
        self._all_versions = [name for name in tournament.names if name not in self._options.pool]
        self._weights = [Fraction(weight) for weight in tournament.all_weights]
        # of the finished rounds
        self._versions: list[str] = []  # those that are there, in the order of time
        self._in: list[int] = []  # the numbers of those that play
        self._scores: defaultdict[str, list[float]] = defaultdict(list)  # by version and deal
        self._steps: dict[tuple[str, str, int], Step] = {}
        self._first_blocks = [0]
        # of this round
        self._playing: list[str] | None = None  # None before it is known
        self._deals = range(0)
        self._left = 0
        self._won: defaultdict[tuple[str, int], Fraction] = defaultdict(Fraction)  # by version and deal: its score

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        names, pool = tournament.names, tournament.format_options.pool
        if not pool:
            raise ConfigError(f'pool: a track needs one bot or more whom versions meet, as in pool = ["{names[0]}"]')
        for i, name in enumerate(pool):
            if name not in names:
                raise ConfigError(f'pool: no bot "{name}" is entered; {did_you_mean(name, names)}')
            if name in pool[:i]:
                raise ConfigError(f'pool: "{name}" is there twice; remove one')
        if len(pool) == len(names):
            raise ConfigError("pool: all bots are in it; enter the versions that are to meet them")
        if tournament.seatings != "rotations":
            raise ConfigError("seatings: a track has its own; leave it out")
        if tournament.deals < MIN_DEALS:
            raise ConfigError(f"deals: {tournament.deals} is less than the {MIN_DEALS} it takes; take more")
        for key in ("max_faults", "max_faults_in_row"):
            if getattr(tournament.fault_limits, key) is not None:
                raise ConfigError(f"limits.{key}: in a track every version plays on; leave it out")

    @property
    def deals_played(self) -> Mapping[str, int]:
        """On how many deals each version has played, of those that have."""
        return {self._versions[i]: len(self._scores[self._versions[i]]) for i in self._in}

    def steps(self) -> list[Step]:
        """What is known of neighbours in time among the versions that play."""
        return [self.between(self._versions[one], self._versions[other]) for one, other in pairwise(self._in)]

    def between(self, one: str, other: str) -> Step:
        """What is known of the change from one version to a later one; both have played."""
        ones, others = self._scores[one], self._scores[other]
        deals = min(len(ones), len(others))
        if (one, other, deals) not in self._steps:
            paired = Paired.of(others[:deals], ones[:deals], self._kinds[one] == self._kinds[other])
            elo, low, high = paired.at_all_times((1 - self._options.sure) / (LOOKS * len(self._versions)))
            verdict = self._verdict(low, high) if deals >= MIN_DEALS else None
            adjacent = self._versions.index(other) - self._versions.index(one) == 1
            self._steps[one, other, deals] = Step(one, other, deals, elo, low, high, verdict, adjacent)
        return self._steps[one, other, deals]

    def _verdict(self, low: float, high: float) -> Literal["up", "down", "equal"] | None:
        if low > 0 or high < 0:
            return "up" if low > 0 else "down"
        return "equal" if max(-low, high) <= self._options.equal_elo else None

    def rounds(self) -> Iterator[Iterator[Block]]:
        while playing := self._next_round():
            current = len(self._first_blocks)
            yield self._blocks(playing)
            assert len(self._first_blocks) > current, "the next round was asked for before this one was finished"

    def _next_round(self) -> list[str]:
        """Who plays in this round; none if the tournament is over."""
        if self._playing is None:
            self._take_in()
            undecided = [step for step in self.steps() if step.verdict is None]
            first = min([step.deals for step in undecided], default=0)
            self._deals = range(first, first + max(LEAST_DEALS, first // GROWTH))
            least = {name for step in undecided if step.deals == first for name in (step.before, step.name)}
            self._playing = [name for name in self._versions if name in least and len(self._scores[name]) == first]
            if self._deals.stop > self._tournament.deals:
                self._playing = []
            self._left = len(self._playing) * len(self._deals) * sum([setup.seats for setup in self._tournament.setups])
        return self._playing

    def _take_in(self) -> None:
        """Has those versions play that are needed."""
        first_block = self._first_blocks[-1]
        to_come = {each.bot for each in self._tournament.events if each.event == "entered" and each.block > first_block}
        versions = [name for name in self._all_versions if name not in to_come]
        if versions != self._versions:
            self._versions = versions
            self._steps.clear()
        self._in = sorted({*self._in, 0, len(versions) - 1}) if versions else []
        widest = -(-(len(versions) - 1) // PARTS)
        number = 0
        while number + 1 < len(self._in):
            one, other = self._in[number : number + 2]
            step = self.between(versions[one], versions[other])
            if other - one > 1 and (other - one > widest or step.verdict in ("up", "down")):
                self._in.insert(number + 1, (one + other) // 2)
            else:
                number += 1

    def _blocks(self, playing: Sequence[str]) -> Iterator[Block]:
        """The blocks of a round: deal by deal, game by game, version by version."""
        first = self._deals.start

        def groups(setup: GameSetup, deal: int) -> list[Group]:
            company = self._company(setup, first + deal)
            return [(name, *company) for name in playing]

        blocks = blocks_of_groups(self._tournament, groups, self._first_blocks[-1], first, len(self._deals))
        for block in blocks:
            yield Block(block.number, block.setup, block.seed, block.seatings, self.block_names(block.seatings[0]))

    def _company(self, setup: GameSetup, deal: int) -> list[str]:
        """Who of the pool takes the other seats on a deal."""
        order = list(self._options.pool)
        shuffle(order, stream(self._tournament.seed, "company", setup.game, deal))
        return [order[i % len(order)] for i in range(setup.seats - 1)]  # a small pool repeats

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """Those of the pool alone, so that bots draw the same whatever version plays."""
        return distinct_names(self._options.pool)

    def note(self, block: int, seats: Sequence[str], places: Places, faults: Sequence[Fault] = ()) -> None:
        deal, rest = divmod(block - self._first_blocks[-1], len(self._weights) * len(self._next_round()))
        game, number = divmod(rest, len(self._next_round()))
        version = self._next_round()[number]
        won = Fraction(units(places)[seats.index(version)], full_units(len(seats)) * len(seats))
        self._won[version, deal] += self._weights[game] * won
        self._left -= 1
        if not self._left:
            self._finish()

    def _finish(self) -> None:
        """Takes in this round."""
        playing, whole = self._next_round(), sum(self._weights)
        for name in playing:
            self._scores[name] += [float(self._won[name, deal] / whole) for deal in range(len(self._deals))]
        blocks = len(playing) * len(self._deals) * len(self._weights)
        self._first_blocks.append(self._first_blocks[-1] + blocks)
        self._playing = None
        self._won.clear()

    def is_over(self, matches: int) -> bool:
        return not self._next_round()

    def size(self) -> ScheduleSize:
        blocks = self._tournament.deals * len(self._all_versions)
        seats = [setup.seats for setup in self._tournament.setups]
        return ScheduleSize(blocks * len(seats), blocks * sum(seats))

    def describe(self) -> str:
        options = self._options
        versions = counted(len(self._all_versions), "version")
        return f"track of {versions} (sure {options.sure:g}, equal within {options.equal_elo:g} Elo)"

    def what_follows(self) -> str:
        return "Then, round by round: neighbours in time of whom it is undecided whether they differ."

    def describe_undecided(self) -> str:
        steps = self.steps()
        return f"{sum([step.verdict is None for step in steps])} of {counted(len(steps), 'pair')} undecided"

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The rating first, since not all entrants have met the same opponents."""
        return "rating", "points"
