"""Track: the versions of a bot over time against a fixed pool, and where its strength has jumped.

Every version meets the same company from the pool on the same deals, so two versions are compared deal by deal. A few
of them play first. Where two neighbours in time surely differ, the one in the middle between them comes in, until each
jump stands between two versions that follow each other, and all other neighbours are surely equal. The last version is
also compared with the first, and with the best.

Undecided pairs that have played least come first. So a larger `deals` begins with the same blocks, and so does a
tournament with more versions, whose events say with which block they came.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, comb, fsum
from operator import mul
from typing import Literal, NamedTuple, TypeAlias

from tourney.base.errors import ConfigError, did_you_mean
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import Block, Fault, GameSetup, Places, distinct_names
from tourney.contracts.rng import stream
from tourney.contracts.wording import counted
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.ladder import GROWTH, MIN_DEALS
from tourney.schedule.matchmaking import EqualElo, Sure
from tourney.schedule.seatings import Group, fillers
from tourney.standings.duel import Duel
from tourney.standings.intervals import standard_errors
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units

PARTS = 4
"""The versions that play first divide the range into about as many parts."""


Direction: TypeAlias = Literal["up", "down", "equal"]
"""What a change surely is."""


class TrackOptions(Options, frozen=True):
    """The track's own keys of a tournament file."""

    pool: tuple[str, ...] = ()
    """The names of the entrants whom all others, the versions in the order of time, meet; one at least."""
    sure: Sure = 0.95
    """The probability with which an order must be known, from 0 to 1."""
    equal_elo: EqualElo = 20.0
    """Bots whose ratings surely differ by no more than this, in Elo points, are called equal."""


class Change(NamedTuple):
    """What is known of the change from one version to a later one."""

    before: str
    name: str
    deals: int
    """On how many deals both have played."""
    elo: float
    low: float
    """The lower end of a confidence sequence, in Elo points: it holds however often one looks."""
    high: float
    verdict: Direction | None
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
        self._bot_ids = dict(zip(tournament.names, tournament.bot_ids, strict=True))
        self._all_versions = [name for name in tournament.names if name not in self._options.pool]
        self._games = len(tournament.setups)
        # by game: the part of a unit in the score of a deal
        self._parts = [
            weight / fsum(tournament.all_weights) / (full_units(setup.seats) * setup.seats)
            for setup, weight in zip(tournament.setups, tournament.all_weights, strict=True)
        ]
        # of the finished rounds
        self._versions: list[str] = []  # those that are there, in the order of time
        self._numbers: dict[str, int] = {}  # their numbers in that order
        self._in: list[str] = []  # those that are in
        self._scores: dict[str, list[float]] = {}  # of each of them, by deal
        self._steps: dict[tuple[str, str, int], Change] = {}  # by two versions, and on how many deals
        self._first_block = 0
        # of this round
        self._playing: list[str] | None = None  # None before it is known
        self._deals = range(0)
        self._left = 0
        # by version and deal: the units won in each game
        self._won: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0] * self._games)

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
        return {name: len(scores) for name, scores in self._scores.items() if scores}

    def steps(self) -> list[Change]:
        """What is known of neighbours in time among the versions that are in, by the finished rounds."""
        self._next_round()
        return self._neighbours()

    def between(self, one: str, other: str) -> Change:
        """What is known of the change from one version to a later one, by the finished rounds."""
        deals = min(len(self._scores[one]), len(self._scores[other]))
        if (one, other, deals) not in self._steps:
            scores = zip(self._scores[other], self._scores[one], strict=False)
            duel = Duel.of(scores, self._bot_ids[one] == self._bot_ids[other])
            pairs = comb(len(self._versions), 2) or 1  # all that there can be share the risk
            elo, low, high = duel.interval(standard_errors(deals, deals - 1, (1 - self._options.sure) / pairs))
            verdict: Direction | None = None
            if deals >= MIN_DEALS and (low > 0 or high < 0):
                verdict = "up" if low > 0 else "down"
            elif deals >= MIN_DEALS and max(-low, high) <= self._options.equal_elo:
                verdict = "equal"
            adjacent = self._numbers[other] - self._numbers[one] == 1
            self._steps[one, other, deals] = Change(one, other, deals, elo, low, high, verdict, adjacent)
        return self._steps[one, other, deals]

    def _neighbours(self) -> list[Change]:
        return [self.between(one, other) for one, other in pairwise(self._in)]

    def _differ(self, one: str, other: str) -> bool:
        return self.between(one, other).verdict in ("up", "down")

    def rounds(self) -> Iterator[Iterator[Block]]:
        while playing := self._next_round():
            current = self._first_block
            yield self._blocks(playing)
            assert self._first_block > current, "the next round was asked for before this one was finished"

    def _next_round(self) -> list[str]:
        """Who plays in this round; none if the tournament is over."""
        if self._playing is None:
            self._choose()
            since = [self.between(one, self._in[-1]) for one in self._in[:-1]]
            steps = [*self._neighbours(), *since[:1], *sorted(since, key=lambda step: step.elo)[:1]]
            undecided = [step for step in steps if step.verdict is None]
            first = min([step.deals for step in undecided], default=0)
            self._deals = range(first, first + max(MIN_DEALS, first // GROWTH))
            least = {name for step in undecided if step.deals == first for name in (step.before, step.name)}
            self._playing = [name for name in self._versions if name in least and len(self._scores[name]) == first]
            if self._deals.stop > self._tournament.deals:
                self._playing = []
            self._left = len(self._playing) * len(self._deals) * sum([setup.seats for setup in self._tournament.setups])
        return self._playing

    def _choose(self) -> None:
        """Takes in the versions that are needed, and leaves out those that served a search and are not any more."""
        to_come = {each.bot for each in self._tournament.events if each.block > self._first_block}
        versions = [name for name in self._all_versions if name not in to_come]
        if versions != self._versions:
            self._versions = versions
            self._numbers = {name: number for number, name in enumerate(versions)}
            self._scores = {name: self._scores.get(name, []) for name in versions}
            self._steps.clear()
        self._in = sorted({*self._in, *versions[:1], *versions[-1:]}, key=self._numbers.__getitem__)
        widest = ceil((len(versions) - 1) / PARTS)
        at = 1
        while at < len(self._in):
            first, last = [self._numbers[name] for name in self._in[at - 1 : at + 1]]
            if last - first > 1 and (last - first > widest or self._differ(*self._in[at - 1 : at + 1])):
                self._in.insert(at, versions[(first + last) // 2])
            else:
                at += 1
        at = 1
        while at + 1 < len(self._in):
            one, middle, other = self._in[at - 1 : at + 2]
            steps = self.between(one, middle), self.between(middle, other)
            searched = all([step.deals == len(self._scores[middle]) for step in steps]) and not any(
                [self._differ(*pair) for pair in ((one, middle), (middle, other), (one, other))]
            )
            narrow = self._numbers[other] - self._numbers[one] <= widest
            if searched and narrow and None in [step.verdict for step in steps]:
                del self._in[at]
            else:
                at += 1

    def _blocks(self, playing: Sequence[str]) -> Iterator[Block]:
        """The blocks of a round: deal by deal, game by game, version by version."""
        first = self._deals.start

        def groups(setup: GameSetup, deal: int) -> list[Group]:
            fillers = self._fillers(setup, first + deal)
            return [(name, *fillers) for name in playing]

        names = self.block_names(())
        return blocks_of_groups(self._tournament, groups, self._first_block, first, len(self._deals), names)

    def _fillers(self, setup: GameSetup, deal: int) -> list[str]:
        """Who of the pool takes the other seats on a deal."""
        rng = stream(self._tournament.seed, "company", setup.game, deal)
        return fillers(self._options.pool, setup.seats - 1, rng)

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """Those of the pool alone, so that bots draw the same whatever version plays."""
        return distinct_names(self._options.pool)

    def note(self, block: int, seats: Sequence[str], places: Places, faults: Sequence[Fault] = ()) -> None:
        playing = self._next_round()
        deal, rest = divmod(block - self._first_block, self._games * len(playing))
        game, number = divmod(rest, len(playing))
        self._won[playing[number], deal][game] += units(places)[seats.index(playing[number])]
        self._left -= 1
        if not self._left:
            self._finish()

    def _finish(self) -> None:
        """Takes in this round."""
        for name in (playing := self._next_round()):
            its = [self._won[name, deal] for deal in range(len(self._deals))]
            self._scores[name] += [fsum(map(mul, self._parts, won)) for won in its]
        self._first_block += len(playing) * len(self._deals) * self._games
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

    def columns(self) -> Sequence[Tiebreak]:
        """By how much each version differs from the one before that is in, and whether it surely does."""
        labels = dict.fromkeys(self._bot_ids, "")
        labels |= {step.name: f"{step.verdict or 'unsure'} {round(step.elo):+d}" for step in self.steps()}
        note = f"Change: Elo, to the version before; up, down or equal (within {self._options.equal_elo:g}) where sure."
        return [Tiebreak("change", "change", "", dict.fromkeys(labels), labels, note)]
