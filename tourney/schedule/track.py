"""Track: a bot's versions over time against a fixed pool, and the jumps in its strength (docs/formats.md).

Undecided pairs with the fewest deals come first. So a larger `deals` begins with the same blocks, and so does a
tournament with more versions, whose history records when they entered. Additions never change a verdict: `Track.risk`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, comb, fsum, pi
from operator import mul
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import ConfigError, did_you_mean
from tourney.config import Tournament
from tourney.contracts.game import Options
from tourney.contracts.match import Block, Count, Fault, GameSetup, Places, distinct_names
from tourney.contracts.rng import stream
from tourney.contracts.wording import counted
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.ladder import GROWTH, MIN_DEALS
from tourney.schedule.matchmaking import EqualElo, Sure
from tourney.schedule.seatings import Group, fillers
from tourney.standings.duel import Duel, beaten, inverse
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units

PARTS = 4
"""The versions that play first divide the range into about this many parts."""
DUEL_DEALS = 400
"""The approximate number of deals after which a duel of the last version and the first ends undecided."""


Direction: TypeAlias = Literal["up", "down", "equal"]
"""The sure verdict on a change."""


class Moment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place in a bot's history."""

    bot: str
    """The version at this place; several moments can have the same one."""
    commit: str = ""
    """The moment's name in `ranges`."""
    block: Count = 0
    """It counts from the first round that begins with this block or a later one."""


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The moments between which the bot is tracked from a block on: both ends play."""

    first: str
    last: str
    block: Count = 0


class TrackOptions(Options, frozen=True):
    """The track's own keys of a tournament file."""

    older: ClassVar[Mapping[str, str]] = {"risk": "pairs"}

    pool: tuple[str, ...] = ()
    """The names of the opponents, at least one; all other entrants are versions, in time order."""
    sure: Sure = 0.95
    """How sure an order must be: a probability from 0 to 1."""
    equal_elo: EqualElo = 20.0
    """Bots whose ratings surely differ by at most this many Elo points are called equal."""
    history: tuple[Moment, ...] = ()
    """The moments in time order; by default every version once, in file order."""
    ranges: tuple[Range, ...] = ()
    """The requested ranges, the latest last; by default the whole history."""
    risk: Literal["later", "pairs"] = "later"
    """Whether a verdict's risk depends on the later version or, as in old runs, on the number of pairs."""


class Change(NamedTuple):
    """The change from one version to a later one."""

    before: str
    name: str
    deals: int
    elo: float
    low: float
    """The lower end of a confidence sequence, in Elo points, which holds however often you look."""
    high: float
    verdict: Direction | None
    """The first sure verdict; further deals do not change it."""
    adjacent: bool
    """Whether no other version is between the two."""


Player: TypeAlias = str | tuple[str, str]
"""A version, which meets the pool, or the last one and the first, which meet each other."""


class _Look(NamedTuple):
    before: str
    name: str
    deals: int
    verdict: Direction | None
    lead: float


class _Comparison:
    """Two versions on the same deals, checked after every round; the interval is the intersection over all checks."""

    def __init__(self, duel: Duel, risk: float, equal_elo: float, due: int = MIN_DEALS) -> None:
        self.lead = 0.0
        self._low, self._high = -1.0, 1.0
        self._verdict: Direction | None = None
        self._is_exact = False
        self._duel, self._risk, self._equal_elo, self._due = duel, risk, equal_elo, due

    def look(self, scores: Sequence[float], others: Sequence[float]) -> None:
        """Checks the deals that both have played, as after each of the rounds needed to play them."""
        duel, deals = self._duel, min(len(scores), len(others))
        while self._due <= deals:
            for i in range(duel.deals, self._due):
                duel.add(scores[i], others[i])
            half = duel.half_at_all_times(self._risk)
            self._due += max(MIN_DEALS, self._due // GROWTH)
            self._is_exact = not half  # all deals of the same bots came out even, and that so far alone
            if self._is_exact:
                continue
            low, high = max(self._low, duel.lead - half), min(self._high, duel.lead + half)
            if low <= high:
                self._low, self._high = low, high
            self.lead = min(max(duel.lead, self._low), self._high)
            self._verdict = self._verdict or self._called()

    def _called(self) -> Direction | None:
        if self._low > 0 or self._high < 0:
            return "up" if self._low > 0 else "down"
        is_equal = max(-self._low, self._high) <= self._duel.lead_at(self._equal_elo)
        return "equal" if is_equal else None

    @property
    def verdict(self) -> Direction | None:
        return "equal" if self._is_exact else self._verdict

    def change(self, before: str, name: str, deals: int) -> Change:
        ends = (0.0, 0.0, 0.0) if self._is_exact else (self.lead, self._low, self._high)
        elo, low, high = [round(inverse(self._duel.lead_at, end), 6) + 0.0 for end in ends]  # no -0.0
        return Change(before, name, deals, elo, low, high, self.verdict, False)


def _validate_history(options: TrackOptions, versions: Sequence[str]) -> None:
    commits = [moment.commit for moment in options.history]
    for moment in options.history:
        if moment.bot not in versions:
            raise ConfigError(f'history: no version "{moment.bot}" is entered; {did_you_mean(moment.bot, versions)}')
    for commit in [end for each in options.ranges for end in (each.first, each.last)]:
        if commit not in commits:
            raise ConfigError(f'ranges: the history has no commit "{commit}"; {did_you_mean(commit, commits)}')
    if options.history and all([moment.block for moment in options.history]):
        raise ConfigError("history: no version plays from the start; leave out the block of one")


class Track(Schedule):
    """Rounds until all changes between neighbours in time are known, or all their deals are played."""

    name = "track"
    Options = TrackOptions
    adapts = True
    may_end_early = True
    raisable = ("deals",)

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        options = self._options = tournament.format_options
        self._bot_ids = dict(zip(tournament.names, tournament.bot_ids, strict=True))
        entered = {each.bot: each.block for each in tournament.events}  # in manifests without a history
        versions = [name for name in tournament.names if name not in options.pool]
        self.history = list(options.history) or [Moment(name, name, entered.get(name, 0)) for name in versions]
        """The moments in time order; added ones count from the next round on."""
        self._versions = len(versions)
        self._games = len(tournament.setups)
        # by game: the part of a unit, and of half a table won in a duel, in the score of a deal
        weights = [weight / fsum(tournament.all_weights) for weight in tournament.all_weights]
        seats = [setup.seats for setup in tournament.setups]
        self._parts = [weight / (full_units(size) * size) for weight, size in zip(weights, seats, strict=True)]
        self._duel_parts = [weight / (2 * size) for weight, size in zip(weights, seats, strict=True)]
        # of the finished rounds
        self._kept: list[int] = []  # the present moments; of several in a row with one bot, the first
        self._numbers: dict[int, int] = {}  # the position of each in `_kept`
        self._ends = (0, 0)  # of the range
        self._in: list[int] = []  # the moments taken in
        self._scores: defaultdict[Player, list[float]] = defaultdict(list)  # by deal
        self._compared: dict[tuple[str | int, ...], _Comparison] = {}
        self._first_block = 0
        # of this round
        self._playing: list[Player] = []  # empty before it is known
        self._deals = range(0)
        self._left = 0
        # by players and deal: the units won in each game
        self._won: defaultdict[tuple[Player, int], list[int]] = defaultdict(lambda: [0] * self._games)

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        names, pool = tournament.names, tournament.format_options.pool
        if not pool:
            raise ConfigError(f'pool: a track needs one bot or more whom versions meet, as in pool = ["{names[0]}"]')
        for i, name in enumerate(pool):
            if name not in names:
                raise ConfigError(f'pool: no bot "{name}" is entered; {did_you_mean(name, names)}')
            if name in pool[:i]:
                raise ConfigError(f'pool: "{name}" is listed twice; remove one')
        if len(pool) == len(names):
            raise ConfigError("pool: all bots are in it; enter the versions that are to meet them")
        _validate_history(tournament.format_options, [name for name in names if name not in pool])
        if tournament.seatings != "rotations":
            raise ConfigError("seatings: a track has its own; leave it out")
        if tournament.deals < MIN_DEALS:
            raise ConfigError(f"deals: {tournament.deals} is less than the {MIN_DEALS} it takes; take more")
        for key in ("max_faults", "max_faults_in_row"):
            if getattr(tournament.fault_limits, key) is not None:
                raise ConfigError(f"limits.{key}: not for tracks, where every version keeps playing; leave it out")

    @property
    def deals_played(self) -> Mapping[str, int]:
        """The number of deals on which each version has met the pool, without zeros."""
        return {name: len(self._scores[name]) for name in self._tournament.names if self._scores.get(name)}

    def steps(self) -> list[Change]:
        """The changes between neighbours in time among the versions taken in, by the finished rounds."""
        self._next_round()
        return [self._step(one, other) for one, other in pairwise(self._in)]

    def between(self, one: str, other: str) -> Change:
        """The change from one version to a later one, by the finished rounds."""
        if one == other:
            return Change(one, one, len(self._scores[one]), 0.0, 0.0, 0.0, "equal", False)
        return self._compare(one, other).change(one, other, self._deals_of(one, other))

    def duel(self) -> Change | None:
        """The change from the first to the last requested version, by their duel.

        Its interval holds with the probability `sure` by itself. None if both are one version.
        """
        self._next_round()
        players = self._duelists()
        if players is None:
            return None
        return self._meet(players).change(players[1], players[0], len(self._scores[players]))

    def risk(self, one: str, other: str) -> float:
        """The maximum probability that a verdict on two versions is wrong: (1 - sure) 2 / (pi j)^2.

        j is the number of versions that came before the later of the two; it never changes, so neither does a verdict.
        The sum of 6 / (pi j)^2 over all j is 1, so the risk of all versions together is spent as they come (Foster and
        Stine 2008, Alpha-investing, Journal of the Royal Statistical Society B 70). Three pairs share each version's
        part: with the previous version, with the first, and with the best.
        """
        came = sorted(self.history, key=lambda moment: moment.block)
        arrivals = list(dict.fromkeys([moment.bot for moment in came]))
        later = max(map(arrivals.index, (one, other)))
        return float((1 - self._options.sure) * 2 / (pi * later) ** 2)

    def _deals_of(self, one: str, other: str) -> int:
        return min(len(self._scores[one]), len(self._scores[other]))

    def _compare(self, one: str, other: str) -> _Comparison:
        if self._options.risk == "pairs":
            deals = self._deals_of(one, other)
            risk, due = (1 - self._options.sure) / (comb(len(self._kept), 2) or 1), max(deals, MIN_DEALS)
            key: tuple[str | int, ...] = one, other, deals, len(self._kept)
        else:
            risk, due, key = 0.0, MIN_DEALS, (one, other, "pool")
        if key not in self._compared:
            duel = Duel(self._bot_ids[one] == self._bot_ids[other])
            self._compared[key] = _Comparison(duel, risk or self.risk(one, other), self._options.equal_elo, due)
        self._compared[key].look(self._scores[other], self._scores[one])
        return self._compared[key]

    def _meet(self, players: tuple[str, str]) -> _Comparison:
        """Compares the last version with the first by their scores against each other."""
        scores = self._scores[players]
        if players not in self._compared:
            self._compared[players] = _Comparison(Duel(met=True), 1 - self._options.sure, self._options.equal_elo)
        self._compared[players].look(scores, [1 - score for score in scores])
        return self._compared[players]

    def _look(self, one: int, other: int) -> _Look:
        before, name = self.history[one].bot, self.history[other].bot
        deals = self._deals_of(before, name)
        if before == name:
            return _Look(before, name, deals, "equal", 0.0)
        known = self._compare(before, name)
        return _Look(before, name, deals, known.verdict, known.lead)

    def _step(self, one: int, other: int) -> Change:
        adjacent = self._numbers[other] - self._numbers[one] == 1
        return self.between(self.history[one].bot, self.history[other].bot)._replace(adjacent=adjacent)

    def _differ(self, one: int, other: int) -> bool:
        return self._look(one, other).verdict in ("up", "down")

    def rounds(self) -> Iterator[Iterator[Block]]:
        while playing := self._next_round():
            current = self._first_block
            yield self._blocks(playing)
            assert self._first_block > current, "the next round was asked for before this one was finished"

    def _next_round(self) -> list[Player]:
        if not self._playing:
            self._choose()
            first, last = self._ends
            since = [self._look(one, last) for one in self._in if self._numbers[one] < self._numbers[last]]
            steps = [self._look(*pair) for pair in pairwise(self._in)]
            steps += [*sorted(since, key=lambda step: step.lead)[:1], self._look(first, last)]
            waiting: list[tuple[int, list[Player]]] = [
                (step.deals, [step.before, step.name]) for step in steps if step.verdict is None
            ]
            if self._options.risk == "later":
                waiting += [
                    (0, [self.history[end].bot]) for end in self._ends if not self._scores[self.history[end].bot]
                ]
            duel = self._duelists()
            if duel is not None and len(self._scores[duel]) < DUEL_DEALS:
                waiting += [(len(self._scores[duel]), [duel])] if self._meet(duel).verdict is None else []
            begin = min([deals for deals, _ in waiting], default=0)
            self._deals = range(begin, begin + max(MIN_DEALS, begin // GROWTH))
            least = {player for deals, together in waiting if deals == begin for player in together}
            in_time = dict.fromkeys([self.history[moment].bot for moment in self._kept])
            order: list[Player] = [*in_time, *([] if duel is None else [duel])]
            if self._deals.stop <= self._tournament.deals:
                self._playing = [each for each in order if each in least and len(self._scores[each]) == begin]
            self._left = len(self._playing) * len(self._deals) * sum([setup.seats for setup in self._tournament.setups])
        return self._playing

    def _duelists(self) -> tuple[str, str] | None:
        first, last = [self.history[end].bot for end in self._ends]
        return None if first == last or self._options.risk == "pairs" else (last, first)

    def _place_moments(self) -> None:
        there = [i for i, moment in enumerate(self.history) if moment.block <= self._first_block]
        self._kept, stands = [], dict[int, int]()
        for i in there:
            if not self._kept or self.history[self._kept[-1]].bot != self.history[i].bot:
                self._kept.append(i)
            stands[i] = self._kept[-1]
        self._numbers = {moment: number for number, moment in enumerate(self._kept)}
        by_commit = {self.history[i].commit: stands[i] for i in there}
        ranges = [each for each in self._options.ranges if each.block <= self._first_block]
        self._ends = self._kept[0], self._kept[-1]
        if ranges:
            first, last = by_commit.get(ranges[-1].first), by_commit.get(ranges[-1].last)
            self._ends = self._kept[0] if first is None else first, self._kept[-1] if last is None else last
        self._in = self._in_time([*[stands[i] for i in self._in], self._kept[0], self._kept[-1], *self._ends])

    def _in_time(self, moments: Sequence[int]) -> list[int]:
        """All moments of the bots at these moments, in time order."""
        bots = {self.history[moment].bot for moment in moments}
        return [moment for moment in self._kept if self.history[moment].bot in bots]

    def _choose(self) -> None:
        """Takes in the versions needed, and leaves out versions needed only for a finished search."""
        self._place_moments()
        widest = ceil((len(self._kept) - 1) / PARTS)
        before: list[int] = []
        while self._in != before:
            before = [*self._in]
            at = 1
            while at < len(self._in):
                first, last = [self._numbers[moment] for moment in self._in[at - 1 : at + 1]]
                if last - first > 1 and (last - first > widest or self._differ(*self._in[at - 1 : at + 1])):
                    self._in.insert(at, self._kept[(first + last) // 2])
                else:
                    at += 1
            self._in = self._in_time(self._in)
        at = 1
        while at + 1 < len(self._in):
            one, middle, other = self._in[at - 1 : at + 2]
            bot, bots = self.history[middle].bot, [self.history[moment].bot for moment in self._in]
            steps = self._look(one, middle), self._look(middle, other)
            searched = all([step.deals == len(self._scores[bot]) for step in steps]) and not any(
                [self._differ(*pair) for pair in ((one, middle), (middle, other), (one, other))]
            )
            narrow = self._numbers[other] - self._numbers[one] <= widest
            needed = middle in self._ends or bots.count(bot) > 1
            if searched and narrow and not needed and None in [step.verdict for step in steps]:
                del self._in[at]
            else:
                at += 1

    def _blocks(self, playing: Sequence[Player]) -> Iterator[Block]:
        first = self._deals.start

        def groups(setup: GameSetup, deal: int) -> list[Group]:
            company = stream(self._tournament.seed, "company", setup.game, first + deal)
            others = fillers(self._options.pool, setup.seats - 1, company)
            turn = -1 if deal % 2 else 1  # those in a duel sit on either side of each other
            together = [(each,) if isinstance(each, str) else each[::turn] for each in playing]
            return [(*names, *others[: setup.seats - len(names)]) for names in together]

        names = self.block_names(())
        return blocks_of_groups(self._tournament, groups, self._first_block, first, len(self._deals), names)

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """The pool's names only, so bots draw the same numbers whichever version plays."""
        return distinct_names(self._options.pool)

    def note(self, block: int, seats: Sequence[str], places: Places, faults: Sequence[Fault] = ()) -> None:
        playing = self._next_round()
        deal, rest = divmod(block - self._first_block, self._games * len(playing))
        game, number = divmod(rest, len(playing))
        player = playing[number]
        if isinstance(player, str):
            won = units(places)[seats.index(player)]
        else:
            last, first = map(seats.index, player)
            won = round(2 * beaten(places, last, [first]))
        self._won[player, deal][game] += won
        self._left -= 1
        if not self._left:
            self._finish()

    def _finish(self) -> None:
        for player in (playing := self._playing):
            parts = self._parts if isinstance(player, str) else self._duel_parts
            its = [self._won[player, deal] for deal in range(len(self._deals))]
            self._scores[player] += [fsum(map(mul, parts, won)) for won in its]
        self._first_block += len(playing) * len(self._deals) * self._games
        self._playing = []
        self._won.clear()

    def is_over(self, matches: int) -> bool:
        return not self._next_round()

    def size(self) -> ScheduleSize:
        starts = {each.block for each in (*self.history, *self._options.ranges)}  # with each, there may be a duel
        duels = 0 if self._options.risk == "pairs" or self._versions == 1 else len(starts)
        longest = DUEL_DEALS + DUEL_DEALS // GROWTH
        blocks = self._tournament.deals * self._versions + min(self._tournament.deals, longest) * duels
        seats = [setup.seats for setup in self._tournament.setups]
        return ScheduleSize(blocks * len(seats), blocks * sum(seats))

    def describe(self) -> str:
        options = self._options
        versions = counted(self._versions, "version")
        return f"track of {versions} (sure {options.sure:g}, equal within {options.equal_elo:g} Elo)"

    def what_follows(self) -> str:
        return "Then, round by round: neighbours in time of whom it is undecided whether they differ."

    def describe_undecided(self) -> str:
        steps = self.steps()
        return f"{sum([step.verdict is None for step in steps])} of {counted(len(steps), 'pair')} undecided"

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """The rating first, because not all entrants have met the same opponents."""
        return "rating", "points"

    def columns(self) -> Sequence[Tiebreak]:
        """Each version's difference from the previous one taken in, and whether it is sure."""
        labels = dict.fromkeys(self._bot_ids, "")
        labels |= {step.name: f"{step.verdict or 'unsure'} {round(step.elo):+d}" for step in self.steps()}
        note = f"Change: Elo, to the version before; up, down or equal (within {self._options.equal_elo:g}) where sure."
        return [Tiebreak("change", "change", "", dict.fromkeys(labels), labels, note)]
