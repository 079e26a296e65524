"""Formats in which the results of a round decide who meets in the next."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tourney.config import Tournament
from tourney.errors import RunError
from tourney.match import Block
from tourney.schedule.base import Schedule, Size, laid_out
from tourney.schedule.round_results import RoundResults
from tourney.schedule.seatings import seating_count

Table = tuple[str, ...]


class Adaptive(Schedule):
    """Rounds of tables. At each table the entrants meet in every game, on deals that only this round has."""

    adapts = True

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._weights = tournament.all_weights
        self._seats = tournament.setups[0].seats
        self._round = 0
        self._first_block = 0
        self._tables: list[Table] | None = None  # of this round; made when they are asked for
        self._told: list[Table] = []  # of this round, as far as a journal told them
        self._results = RoundResults(self._weights)
        self._added = 0

    def table_sizes(self) -> Sequence[Sequence[int]]:
        """The number of entrants at each table of each round, which no result changes."""
        raise NotImplementedError

    def pair(self, number: int) -> list[Table]:
        """The tables of the round with that number, counted from 0, with the sizes that were promised."""
        raise NotImplementedError

    def close(self, tables: Sequence[Table], results: RoundResults) -> None:
        """Notes what the round that is over, with these tables, came to."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The rounds from the first that is not finished on."""
        while self._round < len(self._sizes):
            begun = self._round
            yield self._blocks(self._paired().copy)
            assert self._round > begun, "the next round was asked for before all records of this one were added"

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Takes in what counts of a record of the round that is being played."""
        tables = self._sizes[self._round]
        game = (block - self._first_block) // len(tables) % len(self._tournament.setups)
        self._results.add(game, seats, places)
        self._added += 1
        if self._added < self._round_sizes[self._round].matches:
            return
        self.close(self._tables or self._told, self._results)
        self._first_block += self._round_sizes[self._round].blocks
        self._round += 1
        self._tables, self._told, self._results, self._added = None, [], RoundResults(self._weights), 0

    def size(self) -> Size:
        """How many blocks and matches the whole tournament has."""
        rounds = self._round_sizes
        return Size(sum([blocks for blocks, _ in rounds]), sum([matches for _, matches in rounds]))

    def describe(self) -> str:
        """The format, and the number of rounds."""
        count = len(self._sizes)
        return f"{self._tournament.format} of {count} round{'' if count == 1 else 's'}"

    def why_not_extendable(self) -> str | None:
        """An entrant more changes who meets in every round."""
        return f"in a {self._tournament.format} an entrant more changes who meets in every round"

    @cached_property
    def _sizes(self) -> Sequence[Sequence[int]]:
        return self.table_sizes()

    def _paired(self) -> list[Table]:
        if self._tables is None:
            tables = self.pair(self._round)
            for told, table in zip(self._told, tables, strict=False):
                if told != table:
                    raise RunError(
                        f"round {self._round + 1}: the journal has {', '.join(told)} at a table, the schedule says "
                        f"{', '.join(table)}; the journal is damaged or of another tournament"
                    )
            self._tables = tables
        return self._tables

    def _blocks(self, tables: Callable[[], Iterable[Table]]) -> Iterator[Block]:
        deal = self._round * self._tournament.deals
        return laid_out(self._tournament, lambda _setup: tables(), self._first_block, deal)

    @cached_property
    def _round_sizes(self) -> list[Size]:
        """How many blocks and matches each round has."""
        meetings, which = self._tournament.deals * len(self._tournament.setups), self._tournament.seatings
        return [
            Size(meetings * len(sizes), meetings * sum([seating_count(which, size) for size in sizes]))
            for sizes in self._sizes
        ]
