"""League: endless rounds between bots that join, improve and retire (docs/formats.md).

The tournament's events decide the field of a round; each applies from some block on. Each table has its own deals,
except where a new version's predecessor takes its place, to compare the two before the older one is retired.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import inf
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from tourney.base.errors import ConfigError
from tourney.base.validation import PositiveInt
from tourney.config import Tournament
from tourney.config.names import base_name
from tourney.config.tournament import validate_seatings
from tourney.contracts.match import Block, Fault, GameSetup, Places, distinct_names
from tourney.contracts.rng import stream
from tourney.contracts.wording import counted
from tourney.schedule.adaptive import AdaptiveSchedule, RoundResults, Table, require_same_seats
from tourney.schedule.base import ScheduleSize, blocks_of_groups
from tourney.schedule.faults import EntrantFaults
from tourney.schedule.matchmaking import Player, SettleGoal, next_round, undecided
from tourney.schedule.seatings import Group, seating_count
from tourney.standings.counts import MAX_DEALS, Batch, Finish
from tourney.standings.duel import Duel
from tourney.standings.hierarchy import Posterior, Tally
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units
from tourney.standings.ratings import DIGITS
from tourney.standings.results import RoundReport

GROWTH = 8
"""A table plays an eighth of its members' previous number of deals, so ratings are fitted rarely …"""
MOST_DEALS = 50
"""… but at most this many."""
COMMON_DEALS = 20
"""A new version's predecessor is retired after this many common deals, or as soon as it does not play."""
LEAST_TABLES = 8


class LeagueOptions(SettleGoal, frozen=True):
    """The league's own tournament file keys."""

    older: ClassVar[Mapping[str, str]] = {"bot_seeds": "versions"}

    tables: PositiveInt | None = None
    """The number of tables in a round; by default about as many as the bots can fill at once, at least eight."""
    siblings: bool = False
    """Whether bots of one author may meet, and take several of the first places."""
    max_files: PositiveInt = 1000
    """The most files of a submission."""
    max_mb: PositiveInt = 100
    """The most megabytes of a submission."""
    bot_seeds: Literal["names", "versions"] = "names"
    """Whether all versions of a bot draw the same random numbers or, as in old leagues, different ones."""


_Outcome: TypeAlias = tuple[int, tuple[Group, ...], tuple[Places, ...]]


class PairedRound(NamedTuple):
    """A round's pairing."""

    groups: list[Group]
    twins: dict[int, int]
    """Pairs of table numbers with the same deals: the previous version's table to the newer one's."""
    undecided: int | None
    """The number of undecided orders that matter; None if there were too few bots to pair."""


class LeagueSchedule(AdaptiveSchedule):
    """Rounds for as long as there are orders to decide."""

    name = "league"
    Options = LeagueOptions
    may_end_early = True
    hierarchical = True
    goes_on = True
    most_batches = MAX_DEALS  # no more are used, and matches may be numerous

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        self.voided = {block: event.block for event in tournament.events for block in event.blocks}
        self._voided: dict[int, Counter[_Outcome]] = {}  # by the block from which on they do not count
        self._heeded = 0  # number of events considered for resetting rows of faults
        self._in_rows = False  # whether any bot's last match had a fault
        # of the finished rounds
        self._played: Counter[str] = Counter()  # deals played by each bot
        self._met: Counter[tuple[str, str]] = Counter()  # shared tables of two bots, by their sorted names
        self._waited: Counter[str] = Counter()  # consecutive rounds without a seat
        # the number of each block outcome, by game, seatings and places; and the outcomes already in the tallies
        self._outcomes: Counter[_Outcome] = Counter()
        self._tallies = [Tally() for _ in tournament.setups]
        # by (version, predecessor): the games both have played on a deal, with both scores and the block that voids it
        self._common: dict[tuple[str, str], list[tuple[int, float, float, float]]] = {}
        self._matches_before = 0
        # of this round
        self.paired_round = PairedRound([], {}, None)
        self._recalled: Callable[[int], PairedRound | None] = lambda _: None
        self._again: Counter[Group] = Counter()  # blocks voided since the last round, by their sorted entrants
        self._deals: dict[Group, int] = {}  # deals of each table
        self._round_deals = 0
        self._firsts: list[tuple[int, int]] = []  # the first block and the first deal of each table, within the round
        self._block: tuple[list[Group], list[Places]] = [], []  # the seats and places of the matches of a block
        # by (deal, game, name) at tables with twins: the score, and the block from which on it does not count
        self._scores: dict[tuple[int, int, str], tuple[float, float]] = {}

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates everything except the number of entrants, which can join later."""
        for setup in tournament.setups:
            validate_seatings(tournament.seatings, setup)
        require_same_seats(tournament, "create one league for each")
        for key in ("max_faults", "max_fault_rate"):
            if getattr(tournament.fault_limits, key) is not None:
                raise ConfigError(f"limits.{key}: not supported in a league; use max_faults_in_row")

    @property
    def first_block(self) -> int:
        """The first block of the current or next round."""
        return self._first_blocks[-1]

    def change_field(self, tournament: Tournament) -> None:
        """Continues with a tournament that has more events, and possibly more entrants after the previous ones."""
        self._tournament = tournament
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        if self._tables is not None and self._left == sum([self._matches_of(table.group) for table in self._tables]):
            self._tables = None  # no match of this round was played, so it is paired again

    def states(self, block: int | None = None) -> dict[str, str]:
        """Each entrant's state in a round starting with a block: `plays`, `paused`, `retired` or `to come`.

        The round defaults to the current or next one.
        """
        first = self.first_block if block is None else block
        to_come = {event.bot for event in self._tournament.events if event.event == "entered"}
        states = {name: "to come" if name in to_come else "plays" for name in self._tournament.names}
        for event in self._tournament.events:
            if event.block <= first and event.bot:
                states[event.bot] = "plays" if event.event in ("entered", "restored") else event.event
        return states

    def entrants_of_round(self, number: int) -> Sequence[str]:
        return [name for name, state in self.states(self._first_blocks[number]).items() if state == "plays"]

    def to_pause(self) -> dict[str, EntrantFaults]:
        """Bots of this round, unless paused, with too many faults in a row in the finished ones."""
        self._reset_rows()
        most, faults = self._tournament.fault_limits.max_faults_in_row, self._faults.of
        playing = [name for name in self.entrants_of_round(self._round) if name in faults]
        return {name: faults[name] for name in playing if most is not None and faults[name].longest_row >= most}

    def to_retire(self) -> dict[str, str]:
        """Bots in the league with a newer version that has played, with the newest."""
        states = self.states()
        newest = {base_name(name): name for name, state in states.items() if state == "plays" and self._played[name]}
        compared = self._compared([name for name, state in states.items() if state == "plays"])
        return {
            name: newer
            for name, state in states.items()
            if state in ("plays", "paused")
            and self._numbers[name] < self._numbers[newer := newest.get(base_name(name), name)]
            and compared.get(newer) != name
        }

    def _compared(self, playing: Sequence[str]) -> dict[str, str]:
        """The newest versions that need more common deals with their predecessor, and that predecessor."""
        latest = {base_name(name): name for name in playing}
        before = {latest[base_name(name)]: name for name in playing if latest[base_name(name)] != name}
        return {new: old for new, old in before.items() if self._common_deals(new, old) < COMMON_DEALS}

    def _common_deals(self, new: str, old: str) -> int:
        return sum([until > self.first_block for *_, until in self._common.get((new, old), ())]) // self._games

    def _reset_rows(self) -> None:
        due = [event for event in self._tournament.events if event.block <= self.first_block]
        for event in due[self._heeded :]:
            if event.event == "restored":
                self._faults.of[event.bot] = EntrantFaults()
        self._heeded = len(due)

    def disqualified(self) -> tuple[str, ...]:
        """None: events pause bots with too many faults."""
        return ()

    def recall(self, rounds: Callable[[int], PairedRound | None]) -> None:
        self._recalled = rounds

    def pair(self, number: int) -> list[Group]:
        self._reset_rows()
        due = [event for event in self._tournament.events if event.block == self.first_block]
        self._again = Counter([group for event in due for group in event.groups])
        for until in [block for block in self._voided if block <= self.first_block]:
            self._outcomes.subtract(self._voided.pop(until))
        recalled = self._recalled(self.first_block)
        # a round with a bot added later is unknown here
        if recalled is None or not all([name in self._numbers for group in recalled.groups for name in group]):
            recalled = self._pair(number)
        self.paired_round = groups, twins, _ = recalled
        block = deal = 0
        self._deals, self._firsts = {}, []
        for table, group in enumerate(groups):
            like = groups[twins.get(table, table)]
            self._deals[group] = deals = self._deals.get(like) or self._deals_of(like)
            self._firsts.append((block, self._firsts[twins[table]][1] if table in twins else deal))
            block += deals * self._games
            deal += 0 if table in twins else deals
        self._round_deals = deal
        return groups

    def _deals_of(self, group: Group) -> int:
        played = min([self._played[name] for name in group])
        again = -(-self._again[tuple(sorted(group))] // self._games)
        return max(self._tournament.deals, min(MOST_DEALS, played // GROWTH), again)

    def deals_of(self, group: Group) -> int:
        return self._deals[group]

    def _pair(self, number: int) -> PairedRound:
        playing = self.entrants_of_round(number)
        latest = {base_name(name): name for name in playing}
        field = [name for name in playing if latest[base_name(name)] == name]
        before = self._compared(playing)
        if len(field) < self._seats:
            return PairedRound([], {}, None)
        options: LeagueOptions = self._tournament.format_options
        posterior = self.posterior()
        authors = self._authors(field)
        players = [
            Player(
                name,
                round(posterior.elo(self._numbers[name]), DIGITS),
                0 if name in before else self._played[name],
                self._waited[name],
                authors.get(name, ""),
            )
            for name in field
        ]

        def error(one: str, other: str) -> float:
            return posterior.difference_error(self._numbers[one], self._numbers[other])

        def met(one: str, other: str) -> int:
            return self._met[min(one, other), max(one, other)]

        tables = options.tables or max(LEAST_TABLES, len(field) // self._seats)
        rng = stream(self._tournament.seed, "pairing", number)
        meetings = next_round(players, error, met, options, self._seats, tables, rng)
        groups, twins = [meeting.group for meeting in meetings], dict[int, int]()
        for table, (group, _) in enumerate(meetings):
            if due := [name for name in group if name in before]:
                new = min(due, key=lambda name: (self._common_deals(name, before[name]), name))
                twins[len(groups)] = table
                groups.append(tuple([before[name] if name == new else name for name in group]))
        met_now = [{*group} for group in groups]
        groups += [group for group in self._again if {*group} <= {*field} and {*group} not in met_now]
        return PairedRound(groups, twins, len(undecided(players, error, options)))

    def _authors(self, field: Sequence[str]) -> Mapping[str, str]:
        """The authors whose bots must not meet; none where siblings may, or where they are too few for a table."""
        authors = {event.bot: event.author for event in self._tournament.events if event.author}
        apart = len({authors.get(name) or (name,) for name in field}) >= self._seats
        return authors if apart and not self._tournament.format_options.siblings else {}

    def posterior(self) -> Posterior:
        """The ratings after the finished rounds."""
        for (game, seatings, places), times in self._outcomes.items():
            batch: Batch = Counter()
            for seats, its in zip(seatings, places, strict=True):
                bots, by_bot = zip(*sorted(zip([self._numbers[name] for name in seats], its, strict=True)), strict=True)
                batch[Finish(bots, by_bot)] += 1
            self._tallies[game].add(batch, times)
        self._outcomes.clear()
        weights = [Fraction(weight) for weight in self._tournament.all_weights]
        return Posterior(self._tallies, weights, bot_ids=self._tournament.bot_ids, flat=True)

    def _deals_in(self, tables: Sequence[Table]) -> int:
        return self._round_deals

    def _blocks(self, tables: Sequence[Table]) -> Iterator[Block]:
        first_block, first_deal = self._first_blocks[-1], self._first_deal
        for (group, deals), (block, first) in zip(tables, self._firsts, strict=True):

            def groups(_setup: GameSetup, deal: int, group: Group = group) -> list[Group]:
                return [self._on_deal(group, deal)]

            blocks = first_block + block, first_deal + first, deals
            yield from blocks_of_groups(self._tournament, groups, *blocks, self.block_names(group))

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """The names without versions, so a new version draws the same numbers as its predecessor."""
        by_version = self._tournament.format_options.bot_seeds == "versions"
        return distinct_names(seats if by_version else map(base_name, seats))

    def _table_of(self, block: int) -> int:
        return bisect_right(self._firsts, (block - self._first_blocks[-1], inf)) - 1

    def _deal_and_game(self, block: int) -> tuple[int, int]:
        first, deal = self._firsts[self._table_of(block)]
        rest = block - self._first_blocks[-1] - first
        return deal + rest // self._games, rest % self._games

    def note(self, block: int, seats: Sequence[str], places: Places, faults: Sequence[Fault] = ()) -> None:
        until = self.voided.get(block, inf)
        if until == inf and (faults or self._in_rows):
            self._faults.add(seats, faults)
            self._in_rows = any([its.in_row for its in self._faults.of.values()])
        seatings, results = self._block
        seatings.append(tuple(seats))
        results.append(places)
        if len(seatings) == seating_count(self._tournament.seatings, len(seats)):
            deal, game = self._deal_and_game(block)
            outcome = game, tuple(seatings), tuple(results)
            self._outcomes[outcome] += 1
            if until < inf:  # it counted in pairings until then
                self._voided.setdefault(self.voided[block], Counter())[outcome] += 1
            twins = self.paired_round.twins
            if twins and self._table_of(block) in (*twins, *twins.values()):
                self._note_scores(deal, game, until)
            self._block = [], []
        self._left -= 1
        if not self._left:
            self._finish()

    def _note_scores(self, deal: int, game: int, until: float) -> None:
        won: Counter[str] = Counter()
        for seats, places in zip(*self._block, strict=True):
            won.update(dict(zip(seats, units(places), strict=True)))
        full = full_units(len(seats)) * len(self._block[0])
        self._scores |= {(deal, game, name): (its / full, until) for name, its in won.items()}

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        for twin, table in self.paired_round.twins.items():
            (old,), (new,) = set(groups[twin]) - set(groups[table]), set(groups[table]) - set(groups[twin])
            common = self._common.setdefault((new, old), [])
            first = self._firsts[table][1]
            deals = range(first, first + self._deals[groups[table]])
            for deal, game in product(deals, range(self._games)):
                (one, until), (other, end) = [self._scores[deal, game, name] for name in (new, old)]
                common.append((game, one, other, min(until, end)))
        seated = [name for group in groups for name in group]
        for name in self.entrants_of_round(self._round):
            self._waited[name] = 0 if name in seated else self._waited[name] + 1
        for group in groups:
            self._played.update(dict.fromkeys(group, self._deals[group]))
            self._met.update([(one, other) for one in group for other in group if one < other])
        self._matches_before += sum(map(self._matches_of, groups))
        self._finished.clear()  # memory does not grow with the number of rounds
        self._scores.clear()

    def round_reports(self) -> Sequence[RoundReport]:
        """The current round; earlier ones are too numerous to list."""
        return [self._report(self._round, self._tables, None)] if self._tables else []

    def is_over(self, matches: int) -> bool:
        """Whether nothing is left to decide now, without pairing a round to find out."""
        return self._tables is not None and not self._tables

    def size(self) -> ScheduleSize:
        groups = [table.group for table in self._tables or ()]
        blocks = self.first_block + self._games * sum([self._deals[group] for group in groups])
        return ScheduleSize(blocks, self._matches_before + sum(map(self._matches_of, groups)))

    @property
    def most_matches(self) -> int:
        return self.size().matches

    def describe(self) -> str:
        options: LeagueOptions = self._tournament.format_options
        text = f"league (settles {options.settle}, sure {options.sure:g}, equal within {options.equal_elo:g} Elo)"
        field = self.entrants_of_round(self._round)
        have_authors = any([event.author for event in self._tournament.events if event.bot in field])
        if have_authors and not options.siblings and not self._authors(field):
            text += "; fewer authors than seats, so bots of one author meet"
        return text

    def describe_size(self) -> str:
        return f"{self.most_matches} matches so far" if self.most_matches else "as many matches as it takes"

    def describe_undecided(self) -> str | None:
        orders = self.paired_round.undecided
        return None if orders is None else f"{counted(orders, 'order')} undecided"

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """Present bots before retired ones; then the rating, because not all have met the same opponents."""
        return self._state(), "rating", "points"

    def _state(self) -> Tiebreak:
        states = self.states()
        notes = ["Retired bots come last"] if "retired" in states.values() else []
        notes += [f"{new}: {gain_text(before, duel)}" for (new, before), duel in self.gains().items()]
        last = {name: Fraction(state != "retired") for name, state in states.items()}
        return Tiebreak("stopped", "state", "", last, states, "; ".join(notes))

    def gains(self) -> dict[tuple[str, str], Duel]:
        """The duels of versions with their predecessors, on their common deals."""
        gains = {}
        for (new, before), scores in self._common.items():
            one, other = [self._tournament.bot_ids[self._numbers[name]] for name in (new, before)]
            gains[new, before] = duel = Duel(one == other, weights=self._tournament.all_weights)
            for game, lead, lag, until in scores:
                if until == inf:
                    duel.add_to(game, lead, lag)
        return gains


def gain_text(before: str, duel: Duel) -> str:
    """A version's gain over the previous one, in words."""
    return f"{duel.estimate} over @{before.rpartition('@')[2]}, on {counted(duel.deals, 'common deal')}"
