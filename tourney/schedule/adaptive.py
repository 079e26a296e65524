"""The base of formats in which the results of a round decide who meets in the next round."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tourney.config import Tournament
from tourney.errors import ConfigError, RunError
from tourney.match import Block
from tourney.schedule.base import Schedule, ScheduleSize, blocks_of_groups
from tourney.schedule.round_report import RoundEntrant, RoundReport
from tourney.schedule.round_results import RoundResults
from tourney.schedule.seatings import Group, seating_count


class AdaptiveSchedule(Schedule):
    """Rounds of groups. Each group meets in every game, on deals that only this round has."""

    adapts = True

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._weights = tournament.all_weights
        self._seats = tournament.setups[0].seats
        self._round = 0
        self._groups: list[Group] | None = None  # of this round; None before they are paired
        self._journal_groups: list[Group] = []  # of this round, as far as they were read from a journal
        self._results = RoundResults(self._weights)
        self._noted = 0
        self._first_blocks = [0]  # of each finished round and of this one
        self._finished: list[tuple[Sequence[Group], RoundResults]] = []  # the finished rounds

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates the seats and the seatings, and that all games have the same number of seats."""
        super().validate(tournament)
        validate_same_seats(tournament)

    def group_sizes(self) -> Sequence[Sequence[int]]:
        """Returns the number of entrants in each group of each round, which no result changes."""
        raise NotImplementedError

    def pair(self, number: int) -> list[Group]:
        """Returns the groups of a round, of the sizes that `group_sizes` says; rounds are numbered from 0."""
        raise NotImplementedError

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        """Takes in the groups and the results of a round of which all records were added."""
        raise NotImplementedError

    def round_name(self, number: int) -> str:
        """Returns what to call a round; rounds are numbered from 0."""
        return f"round {number + 1}"

    def entrants_of_round(self, number: int) -> Sequence[str]:
        """Returns the entrants that are still in the tournament in a round that has begun: here all."""
        del number
        return self._tournament.names

    def round_entrant(self, number: int, name: str, group: Group, points_percent: float | None) -> RoundEntrant:
        """Returns what is known of an entrant in a round that has begun.

        Args:
            number: The number of the round, from 0.
            name: The entrant.
            group: The group in which it plays; empty if it rests.
            points_percent: Its points in the round in percent, or None if they are unknown.
        """
        del number, group
        return RoundEntrant(name, points_percent=points_percent)

    def rounds(self) -> Iterator[Iterator[Block]]:
        """Yields the rounds from the earliest that is not finished."""
        while self._round < len(self._sizes):
            current = self._round
            yield self._blocks(self._paired().copy)
            assert self._round > current, "the next round was asked for before all records of this one were added"

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Counts a result of the current round, and finishes the round with the last one."""
        groups = self._sizes[self._round]
        game = (block - self._first_blocks[-1]) // len(groups) % len(self._tournament.setups)
        self._results.add(game, seats, places)
        self._noted += 1
        if self._noted < self._round_sizes[self._round].matches:
            return
        self._finished.append((self._known_groups(), self._results))
        self.finish_round(*self._finished[-1])
        self._first_blocks.append(self._first_blocks[-1] + self._round_sizes[self._round].blocks)
        self._round += 1
        self._groups, self._journal_groups, self._results, self._noted = None, [], RoundResults(self._weights), 0

    def size(self) -> ScheduleSize:
        """Returns how many blocks and matches the whole tournament has."""
        rounds = self._round_sizes
        return ScheduleSize(sum([blocks for blocks, _ in rounds]), sum([matches for _, matches in rounds]))

    def describe(self) -> str:
        """Returns the format and the number of rounds."""
        count = len(self._sizes)
        return f"{self.name} of {count} round{'' if count == 1 else 's'}"

    def why_not_extendable(self) -> str | None:
        """Returns the reason: another entrant changes who meets in every round."""
        return f"in a {self.name} an entrant more changes who meets in every round"

    def round_of(self, block: int) -> int | None:
        """Returns the number of the round, from 1, that a block belongs to, of the rounds that have begun."""
        return bisect_right(self._first_blocks, block)

    def round_reports(self) -> Sequence[RoundReport]:
        """Returns the finished rounds, and the one that is being played as far as its groups are known."""
        reports = [self._report(number, *finished) for number, finished in enumerate(self._finished)]
        groups = self._known_groups()
        return [*reports, self._report(self._round, groups, None)] if groups else reports

    def _known_groups(self) -> Sequence[Group]:
        """Returns the groups of this round as far as they were paired, or read from a journal."""
        return self._groups or self._journal_groups

    def _report(self, number: int, groups: Sequence[Group], results: RoundResults | None) -> RoundReport:
        """Returns the report of a round; `results` are None until it is finished."""
        tables = []
        for group in groups:
            shares = {} if results is None else results.shares(group)
            percents = {name: round(float(100 * share), 4) for name, share in shares.items()}
            tables.append(tuple([self.round_entrant(number, name, group, percents.get(name)) for name in group]))
        seated = {name for group in groups for name in group}
        resting = [name for name in self.entrants_of_round(number) if name not in seated]
        if len(groups) < len(self._sizes[number]):
            resting = []
        return RoundReport(
            number + 1,
            self.round_name(number),
            results is not None,
            tuple(tables),
            tuple([self.round_entrant(number, name, (), None) for name in resting]),
        )

    @cached_property
    def _sizes(self) -> Sequence[Sequence[int]]:
        return self.group_sizes()

    def _paired(self) -> list[Group]:
        """Returns the groups of this round; a `RunError` if the journal shows other groups."""
        if self._groups is None:
            groups = self.pair(self._round)
            for found, group in zip(self._journal_groups, groups, strict=False):
                if found != group:
                    raise RunError(
                        f"round {self._round + 1}: the journal has {', '.join(found)} at a table, the schedule says "
                        f"{', '.join(group)}; the journal is damaged or of another tournament"
                    )
            self._groups = groups
        return self._groups

    def _blocks(self, groups: Callable[[], Iterable[Group]]) -> Iterator[Block]:
        first_deal = self._round * self._tournament.deals
        return blocks_of_groups(self._tournament, lambda _setup: groups(), self._first_blocks[-1], first_deal)

    @cached_property
    def _round_sizes(self) -> list[ScheduleSize]:
        """How many blocks and matches each round has."""
        meetings, which = self._tournament.deals * len(self._tournament.setups), self._tournament.seatings
        return [
            ScheduleSize(meetings * len(sizes), meetings * sum([seating_count(which, size) for size in sizes]))
            for sizes in self._sizes
        ]


def validate_same_seats(tournament: Tournament) -> None:
    """Validates that all games have the same number of seats.

    Raises:
        ConfigError: They have not.
    """
    first = tournament.setups[0]
    for setup in tournament.setups[1:]:
        if setup.seats != first.seats:
            raise ConfigError(
                f"game: in a {tournament.format} every meeting plays each game, but {first.game} has {first.seats} "
                f"seats and {setup.game} has {setup.seats}; give all the same number of seats"
            )
