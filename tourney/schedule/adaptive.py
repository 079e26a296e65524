"""The base of formats where a round's results decide the next round's groups."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import NamedTuple

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Block, Fault, GameSetup
from tourney.contracts.rng import shuffle, stream
from tourney.contracts.wording import counted
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.faults import FaultTally
from tourney.schedule.seatings import Group, rotations, seating_count
from tourney.standings.points import full_units, units
from tourney.standings.results import RoundEntrant, RoundReport

Points = dict[str, Fraction]


def require_same_seats(tournament: Tournament, remedy: str) -> None:
    """Raises a `ConfigError` if the games have different numbers of seats."""
    first = tournament.setups[0]
    for setup in tournament.setups:
        if setup.seats != first.seats:
            raise ConfigError(
                f"game: all games of a {tournament.format} must have the same number of seats, but {first.game} "
                f"has {first.seats} and {setup.game} has {setup.seats}; {remedy}"
            )


class RoundResults:
    """The results of one round, added up by group, game and entrant."""

    def __init__(self, weights: Sequence[float]) -> None:
        whole = sum([Fraction(weight) for weight in weights])
        self._weights = [Fraction(weight) / whole for weight in weights]
        # by sorted group and game: the units that each entrant won, and could have won
        self._units: dict[tuple[tuple[str, ...], int], tuple[Counter[str], Counter[str]]] = {}

    def add(self, game: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Adds a match."""
        won, full = self._units.setdefault((tuple(sorted(seats)), game), (Counter(), Counter()))
        for name, gained in zip(seats, units(places), strict=True):
            won[name] += gained
            full[name] += full_units(len(seats))

    def shares(self, group: Sequence[str]) -> Points:
        """Each entrant's share, from 0 to 1, of the possible points: the weighted mean over the games."""
        return self._weighted(group, [self._share(game, group) for game in range(len(self._weights))])

    def scores(self, group: Sequence[str]) -> Points:
        """Each entrant's score: its points in each game, treating the shares of the points as one match's scores."""
        placed = []
        for game in range(len(self._weights)):
            share = self._share(game, group)
            gained = units(places_by([share[name] for name in group]))
            placed.append(dict(zip(group, [Fraction(won, full_units(len(group))) for won in gained], strict=True)))
        return self._weighted(group, placed)

    def _share(self, game: int, group: Sequence[str]) -> Points:
        won, full = self._units[tuple(sorted(group)), game]
        return {name: Fraction(won[name], full[name]) for name in group}

    def _weighted(self, group: Sequence[str], of_games: Sequence[Mapping[str, Fraction]]) -> Points:
        weighted = list(zip(self._weights, of_games, strict=True))
        return {name: sum([weight * points[name] for weight, points in weighted], Fraction()) for name in group}


class Table(NamedTuple):
    """A group that meets in a round."""

    group: Group
    deals: int
    """The number of deals it plays: the first ones of the round."""


class AdaptiveSchedule(Schedule):
    """Rounds of groups. Each group meets in every game, on deals unique to the round."""

    adapts = True

    def __init__(self, tournament: Tournament) -> None:
        super().__init__(tournament)
        self._seats = tournament.setups[0].seats
        self._games = len(tournament.setups)
        self._finished: list[tuple[Sequence[Table], RoundResults]] = []  # the finished rounds
        self._first_blocks = [0]  # of each finished round and of this one
        self._faults = FaultTally()
        self._sat: Counter[tuple[str, int]] = Counter()  # the seats that each has had, if blocks have one seating
        self._out: list[Collection[str]] = [frozenset()]  # entrants disqualified before each of these rounds
        # of this round
        self._round = 0
        self._tables: list[Table] | None = None  # None before pairing
        self._deal_counts: list[tuple[int, int]] = []  # numbers of deals and of tables with them, fewest deals first
        self._left = 0  # matches not noted yet
        self._results = RoundResults(tournament.all_weights)
        self._first_deal = 0

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        super().validate(tournament)
        require_same_seats(tournament, "play them in separate tournaments")

    @cached_property
    def group_sizes(self) -> Sequence[Sequence[int]]:
        """The group sizes in each round, which are independent of results."""
        raise NotImplementedError

    def pair(self, number: int) -> list[Group]:
        """The groups of a round, numbered from 0; none if the tournament is over."""
        raise NotImplementedError

    def deals_of(self, group: Group) -> int:
        """The number of deals that a group plays in this round."""
        return self._tournament.deals

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        """Receives a finished round's groups and results."""
        raise NotImplementedError

    @property
    def next_block(self) -> int:
        """The first block of the next round, or of this one if it has no tables."""
        return self._first_blocks[-1] + self._games * sum([table.deals for table in self._paired()])

    def _deals_in(self, tables: Sequence[Table]) -> int:
        """The number of deals per game in a round, shared by its tables."""
        return max([table.deals for table in tables])

    def round_name(self, number: int) -> str:
        """The display name of a round, numbered from 0."""
        return f"round {number + 1}"

    def entrants_of_round(self, number: int) -> Sequence[str]:
        """The entrants still in the tournament in a started round: here all."""
        return self._tournament.names

    def round_entrant(self, number: int, name: str, group: Group, points_percent: float | None) -> RoundEntrant:
        """An entrant's report for a started round."""
        return RoundEntrant(name, points_percent=points_percent)

    def rounds(self) -> Iterator[Iterator[Block]]:
        while tables := self._paired():
            current = self._round
            yield self._blocks(tables)
            assert self._round > current, "records of the previous round are missing"

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        _, game = self._deal_and_game(block)
        self._results.add(game, seats, places)
        if self._tournament.fault_limits.disqualify:
            self._faults.add(seats, faults)
        self._left -= 1
        if not self._left:
            self._finish()

    def _finish(self) -> None:
        tables, results = self._paired(), self._results
        self._out.append(self.disqualified())
        self._finished.append((tables, results))
        for group, deals in tables:
            for deal in range(deals % len(group)):
                self._sat.update((name, seat) for seat, name in enumerate(rotations(group)[deal]))
        self.finish_round([table.group for table in tables], results)
        self._first_blocks.append(self.next_block)
        self._first_deal += self._deals_in(tables)
        self._round += 1
        self._tables, self._results = None, RoundResults(self._tournament.all_weights)

    def disqualified(self) -> Collection[str]:
        return self._faults.disqualified(self._tournament.fault_limits)

    def is_over(self, matches: int) -> bool:
        return not self._paired() if self.may_end_early else super().is_over(matches)

    def size(self) -> ScheduleSize:
        per_group, which = self._tournament.deals * self._games, self._tournament.seatings
        sizes = [size for round_sizes in self.group_sizes for size in round_sizes]
        return ScheduleSize(per_group * len(sizes), per_group * sum([seating_count(which, size) for size in sizes]))

    def describe(self) -> str:
        return f"{self.name} of {counted(len(self.group_sizes), 'round')}"

    def why_not_extendable(self) -> str | None:
        return f"in a {self.name}, additional entrants change the pairings of every round"

    def round_of(self, block: int) -> int | None:
        return bisect_right(self._first_blocks, block)

    def round_reports(self) -> Sequence[RoundReport]:
        reports = [self._report(number, *finished) for number, finished in enumerate(self._finished)]
        return [*reports, self._report(self._round, self._tables, None)] if self._tables else reports

    def _report(self, number: int, tables: Sequence[Table], results: RoundResults | None) -> RoundReport:
        met = []
        for group, _ in tables:
            shares = {} if results is None else results.shares(group)
            percents = {name: round(float(100 * share), 4) for name, share in shares.items()}
            met.append(tuple([self.round_entrant(number, name, group, percents.get(name)) for name in group]))
        seated = {name for group, _ in tables for name in group}
        others = [name for name in self.entrants_of_round(number) if name not in seated]
        idle = [self.round_entrant(number, name, (), None) for name in others]
        before = self._out[number]
        return RoundReport(
            number + 1,
            self.round_name(number),
            results is not None,
            tuple(met),
            resting=tuple([each for each in idle if each.bot not in before]),
            disqualified=tuple([each for each in idle if each.bot in before]),
        )

    def _paired(self) -> list[Table]:
        if self._tables is None:
            groups = self.pair(self._round)
            if self._tournament.seatings == "fixed":
                rng = stream(self._tournament.seed, "seats", self._round)
                groups = [self._seated(group, rng) for group in groups]
            self._tables = [Table(group, self.deals_of(group)) for group in groups]
            self._deal_counts = sorted(Counter([table.deals for table in self._tables]).items())
            self._left = sum([self._matches_of(table.group) for table in self._tables])
        return self._tables

    def _seated(self, group: Group, rng: Random) -> Group:
        """The group in seat order: each seat goes to the entrant with it least often; ties are drawn."""
        left, seated = list(group), []
        shuffle(left, rng)
        sat = {name: [self._sat[name, seat] for seat in range(len(group))] for name in group}
        for seat in range(len(group)):
            seated.append(min(left, key=lambda name: len(group) * sat[name][seat] - sum(sat[name])))
            left.remove(seated[-1])
        return tuple(seated)

    def _matches_of(self, group: Group) -> int:
        return self._games * self.deals_of(group) * seating_count(self._tournament.seatings, len(group))

    def _blocks(self, tables: Sequence[Table]) -> Iterator[Block]:
        def groups(_setup: GameSetup, deal: int) -> list[Group]:
            return [self._on_deal(table.group, deal) for table in tables if deal < table.deals]

        first_block, first_deal = self._first_blocks[-1], self._first_deal
        return blocks_of_groups(self._tournament, groups, first_block, first_deal, self._deals_in(tables))

    def _on_deal(self, group: Group, deal: int) -> Group:
        """The group in seat order; if blocks have one seating, seats rotate from deal to deal."""
        return rotations(group)[deal % len(group)] if self._tournament.seatings == "fixed" else group

    def _deal_and_game(self, block: int) -> tuple[int, int]:
        left, deal, tables_left = block - self._first_blocks[-1], 0, len(self._paired())
        for deals, count in self._deal_counts:
            blocks = self._games * tables_left  # on each deal
            if left < blocks * (deals - deal):
                return deal + left // blocks, left % blocks // tables_left
            left -= blocks * (deals - deal)
            deal, tables_left = deals, tables_left - count
        raise AssertionError(f"block {block} does not belong to this round")
