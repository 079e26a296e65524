"""Ladder: entrants play on against their neighbours by rating, where it is undecided who is stronger.

`tourney.stats.neighbours` says when neighbours are decided. The first round connects all entrants; from then on only
undecided neighbours meet, with those nearest to them in the free seats. Which neighbours a round takes for undecided
depends on `SURE_STEPS` rather than on `sure`: those who are undecided at the first step at which anybody is. So a
stricter `sure` begins with the same matches.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, zip_longest
from math import isfinite
from typing import Annotated

import msgspec

from tourney.config import Tournament
from tourney.errors import ConfigError, RunError
from tourney.game import Options
from tourney.match import Block
from tourney.rng import seed_text, shuffle, stream
from tourney.schedule import ladder_tables
from tourney.schedule.adaptive import validate_same_seats
from tourney.schedule.base import NextRecord, Schedule, ScheduleSize, deal_seed
from tourney.schedule.ladder_tables import Table
from tourney.schedule.round_report import RoundEntrant, RoundReport
from tourney.schedule.round_results import Points, RoundResults
from tourney.schedule.seatings import Group, group_of, seating_count, seatings
from tourney.stats.deal_batches import DealBatches
from tourney.stats.neighbours import Neighbours, neighbours
from tourney.stats.outcome_counts import Batch, Finish
from tourney.stats.ratings import Ratings
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak
from tourney.validation import PositiveInt

SURE_STEPS = (0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)
"""The probabilities to which all neighbours are brought one after another; `sure` is at most the last."""


class LadderOptions(Options, frozen=True):
    """The ladder's own keys of a tournament file."""

    sure: Annotated[float, msgspec.Meta(ge=0.5, le=SURE_STEPS[-1])] = 0.99
    """The probability with which the order of two neighbours must be known, from 0 to 1."""
    equal_elo: Annotated[float, msgspec.Meta(ge=0, le=1000)] = 10.0
    """Neighbours whose ratings surely differ by no more than this, in Elo points, are called equal."""
    max_matches: PositiveInt = 100_000
    """No round is begun with which there would be more matches than this."""


class Ladder(Schedule):
    """Rounds until all neighbours are decided, or the number of matches is exhausted."""

    name = "ladder"
    Options = LadderOptions
    adapts = True
    may_end_early = True
    raisable = ("sure", "max_matches")

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._numbers = {name: number for number, name in enumerate(tournament.names)}
        self._options: LadderOptions = tournament.format_options
        # of the finished rounds
        self._finished: list[list[Table]] = []
        self._shares: list[list[Points]] = []  # for each round and table, the share of the points of each entrant
        self._first_blocks = [0]  # of each finished round and of this one
        self._first_deal = self._matches = 0
        self._played = dict.fromkeys(tournament.names, 0)  # on how many deals each entrant has played
        self._batches: DealBatches[list[Batch]] = DealBatches(self._no_results, _add_results)
        self._neighbours: list[Neighbours] | None = None  # None before they are rated
        # of the round that is played
        self._tables: list[Table] | None = None  # None before they are known
        self._journal_groups: list[Group] = []  # as far as they were read from a journal, in the first game
        self._results: dict[int, list[Batch]] = {}  # by the number of the deal
        self._table_results: dict[Group, RoundResults] = {}  # by the group, sorted
        self._noted = 0

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates the seats, the seatings and the numbers, and that the first round can be played."""
        super().validate(tournament)
        validate_same_seats(tournament)
        options: LadderOptions = tournament.format_options
        for key in ("sure", "equal_elo"):
            if not isfinite(getattr(options, key)):
                raise ConfigError(f"{key}: {getattr(options, key)} is no number to compare with; leave it out")
        first = cls(tournament)
        matches = first._matches_of(first._with_deals(first._ring()))
        if matches > options.max_matches:
            raise ConfigError(
                f"max_matches: {options.max_matches} is less than the {matches} matches of the first round; take more"
            )

    def rounds(self) -> Iterator[Iterator[Block]]:
        """Yields the rounds from the earliest that is not finished."""
        while (tables := self._current_tables()) is not None:
            current = self._round
            yield self._blocks(tables)
            assert self._round > current, "the next round was asked for before all records of this one were added"

    def blocks_from_journal(self, peek: Callable[[], NextRecord | None]) -> Iterator[Block]:
        """Yields all blocks in order; the tables of a round are read from its first records, and nothing is rated."""
        while True:
            current, listed = self._round, 0
            for block in self._tables_from_journal(peek):
                yield block
                listed += 1
            if self._round == current and self._tables is not None:
                yield from islice(self._blocks(self._tables), listed, None)
            if self._round == current:
                return

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Counts a result of the current round, and finishes the round with the last one."""
        deal, game = self._deal_of(block)
        if deal not in self._results:
            self._results[deal] = self._no_results()
        by_bot = sorted(zip([self._numbers[name] for name in seats], places, strict=True))
        finish = Finish(tuple([bot for bot, _ in by_bot]), tuple([place for _, place in by_bot]))
        self._results[deal][game][finish] += 1
        group = tuple(sorted(seats))
        if group not in self._table_results:
            self._table_results[group] = RoundResults(self._tournament.all_weights)
        self._table_results[group].add(game, seats, places)
        self._noted += 1
        self._finish_if_complete()

    def size(self) -> ScheduleSize:
        """Returns how many blocks and matches the tournament has at most."""
        matches = self._options.max_matches
        return ScheduleSize(matches // self._matches_of_block, matches)

    def is_over(self, matches: int) -> bool:
        """Returns whether all neighbours are decided, or another round would have too many matches."""
        return self._current_tables() is None

    def describe(self) -> str:
        """Returns the format and what ends it."""
        return f"ladder (sure {self._options.sure:g}, equal within {self._options.equal_elo:g} Elo)"

    def describe_undecided(self) -> str:
        """Returns how many pairs of neighbours are undecided after the rounds so far."""
        pairs = self.neighbours()
        undecided = sum([self._verdict(pair) is None for pair in pairs])
        return f"{undecided if pairs else len(self._numbers) - 1} of {len(self._numbers) - 1} pairs undecided"

    def neighbours(self) -> list[Neighbours]:
        """Returns all neighbours by the finished rounds; nobody before the first is finished."""
        if self._neighbours is None and self._round:
            weights = [Fraction(weight) for weight in self._tournament.all_weights]
            games = list(zip(*self._batches, strict=True))
            ratings = Ratings(games, weights)
            deals = {number: self._played[name] for name, number in self._numbers.items()}
            self._neighbours = neighbours(ratings, deals)
        return self._neighbours or []

    def why_not_extendable(self) -> str | None:
        """Returns the reason: the results decide who plays on."""
        return "in a ladder an entrant more, or other deals, changes who plays on"

    def round_of(self, block: int) -> int | None:
        """Returns the number of the round, from 1, that a block belongs to, of the rounds that have begun."""
        return bisect_right(self._first_blocks, block)

    def round_reports(self) -> Sequence[RoundReport]:
        """Returns the finished rounds, and the one that is being played as far as its tables are known."""
        reports = [
            self._report(number, [table.group for table in tables], shares)
            for number, (tables, shares) in enumerate(zip(self._finished, self._shares, strict=True))
        ]
        begun = [table.group for table in self._tables or ()] or self._journal_groups
        return [*reports, self._report(self._round, begun, None)] if begun else reports

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """Returns the rating first, since not all entrants have met the same opponents."""
        return "rating", "points"

    def columns(self) -> Sequence[Tiebreak]:
        """Returns why each entrant has stopped: `sure`, `equal` or `max_matches`; `plays on` if it has not."""
        undecided = "max_matches" if self.is_over(self._matches) else "plays on"
        verdicts: dict[str, list[str]] = {name: [] for name in self._numbers}
        for pair in self.neighbours():
            for bot in (pair.upper, pair.lower):
                verdicts[self._tournament.names[bot]].append(self._verdict(pair) or undecided)
        meanings = {
            undecided: "undecided",
            "equal": f"a neighbour differs by at most {self._options.equal_elo:g} Elo",
            "sure": f"sure ({self._options.sure:g}) of the order",
        }
        reasons = {
            name: next((reason for reason in meanings if reason in its), undecided) for name, its in verdicts.items()
        }
        found = [f"{reason}: {meaning}" for reason, meaning in meanings.items() if reason in reasons.values()]
        note = f"Stopped: {'; '.join(found)}."
        return [Tiebreak("stopped", "stopped", "", dict.fromkeys(reasons), reasons, note)]

    def _report(self, number: int, groups: Sequence[Group], shares: Sequence[Points] | None) -> RoundReport:
        """Returns the report of a round; the shares of the points at its tables are None until it is finished."""
        seated = {name for group in groups for name in group}
        known = shares is not None or self._tables is not None
        resting = [RoundEntrant(name) for name in self._tournament.names if known and name not in seated]
        tables = []
        for i, group in enumerate(groups):
            percents = {name: round(float(100 * share), 4) for name, share in shares[i].items()} if shares else {}
            tables.append(tuple([RoundEntrant(name, points_percent=percents.get(name)) for name in group]))
        return RoundReport(number + 1, f"round {number + 1}", shares is not None, tuple(tables), tuple(resting))

    def _verdict(self, pair: Neighbours) -> str | None:
        return pair.verdict(self._options.sure, self._options.equal_elo)

    def _current_tables(self) -> list[Table] | None:
        """Returns the tables of the earliest round that is not finished; None if there is none."""
        while self._tables is None:
            groups = self._pair()
            tables = self._with_deals(groups)
            if self._matches + self._matches_of(tables) > self._options.max_matches:
                groups = []
            for found, group in zip_longest(self._journal_groups, groups[: len(self._journal_groups)], fillvalue=()):
                if found != group:
                    raise RunError(
                        f"round {self._round + 1}: the journal has {', '.join(found)} at a table, the schedule says "
                        f"{', '.join(group) or 'nobody'}; the journal is damaged or of another tournament"
                    )
            if not groups:
                return None
            self._begin(tables)
        return self._tables

    def _pair(self) -> list[Group]:
        """Returns the groups of the current round; none if all neighbours are decided."""
        if not self._round:
            return self._ring()
        pairs = self.neighbours()
        if all([self._verdict(pair) for pair in pairs]):
            return []
        undecided: list[int] = []
        for step in SURE_STEPS:
            undecided = [i for i, pair in enumerate(pairs) if not pair.verdict(step, self._options.equal_elo)]
            if undecided:
                break
        ranked = [self._tournament.names[bot] for bot in [pairs[0].upper, *[pair.lower for pair in pairs]]]
        rng = stream(self._tournament.seed, "pairing", self._round)
        found = []
        for ranks in ladder_tables.groups([pair.difference for pair in pairs], undecided, self._seats):
            group = [ranked[rank] for rank in ranks]
            shuffle(group, rng)  # so that it is not always the next in strength who sits to the left
            found.append(tuple(group))
        return found

    def _ring(self) -> list[Group]:
        """Returns the groups of the first round."""
        names = list(self._tournament.names)
        shuffle(names, stream(self._tournament.seed, "pairing", 0))
        return ladder_tables.ring(names, self._seats)

    def _with_deals(self, groups: Sequence[Group]) -> list[Table]:
        return [ladder_tables.table(group, self._tournament.deals, self._played) for group in groups]

    def _begin(self, tables: list[Table]) -> None:
        """Begins a round; if all its records were added already, it is finished as well."""
        self._tables = tables
        self._journal_groups = []
        self._finish_if_complete()

    def _finish_if_complete(self) -> None:
        """Finishes the round if all its records were added."""
        if self._tables is None or self._noted < self._matches_of(self._tables):
            return
        for deal, results in self._results.items():
            _add_results(self._batches.of(deal), results)
        played: dict[str, int] = {}
        for group, deals in self._tables:
            for name in group:
                played[name] = max(deals, played.get(name, 0))
        for name, deals in played.items():
            self._played[name] += deals
        self._finished.append(self._tables)
        self._shares.append([self._table_results[tuple(sorted(group))].shares(group) for group, _ in self._tables])
        self._first_blocks.append(self._first_blocks[-1] + self._noted // self._matches_of_block)
        self._first_deal += max(played.values())
        self._matches += self._noted
        self._tables, self._results, self._noted, self._neighbours = None, {}, 0, None
        self._table_results = {}

    def _blocks(self, tables: Sequence[Table]) -> Iterator[Block]:
        """Yields the blocks of the current round: deal by deal, game by game, table by table."""
        number, first = self._first_block, self._first_deal
        for deal in range(max([table.deals for table in tables])):
            for setup in self._tournament.setups:
                seed = deal_seed(self._tournament, setup, first + deal)
                for group in [table.group for table in tables if deal < table.deals]:
                    yield Block(number, setup, seed, seatings(group, self._tournament.seatings, seed))
                    number += 1

    def _tables_from_journal(self, peek: Callable[[], NextRecord | None]) -> Iterator[Block]:
        """Yields the blocks of the first game on the first deal of the round, as far as the journal goes.

        After the last one the tables are known. From an impossible one on, they are those that the ratings say.
        """
        setup, *others = self._tournament.setups
        seed = deal_seed(self._tournament, setup, self._first_deal)
        if others:
            after = deal_seed(self._tournament, others[0], self._first_deal)
        else:
            after = deal_seed(self._tournament, setup, self._first_deal + 1)
        while self._tables is None:
            found = peek()
            if found is None:
                return
            listed = self._journal_groups
            if found.seed == seed_text(seed) and self._could_meet(found.seats):
                group = group_of(found.seats, self._tournament.seatings, seed)
                listed.append(group)
                yield Block(
                    self._first_block + len(listed) - 1, setup, seed, seatings(group, self._tournament.seatings, seed)
                )
            elif listed and found.seed == seed_text(after):
                self._begin(self._with_deals(listed))
                return
            elif self._current_tables() is None:
                return

    def _could_meet(self, seats: Group) -> bool:
        """Returns whether these are entrants who fill a table that is not listed yet."""
        known = [set(group) for group in self._journal_groups]
        new = set(seats) <= self._numbers.keys() and set(seats) not in known
        return new and len(set(seats)) == len(seats) == self._seats

    def _deal_of(self, block: int) -> tuple[int, int]:
        """Returns the number of a block's deal, and that of its game, in the current round."""
        left, deal = block - self._first_block, 0
        games = len(self._tournament.setups)
        for least in sorted({table.deals for table in self._tables or ()}):
            blocks = games * sum([table.deals >= least for table in self._tables or ()])  # on each deal
            if left < blocks * (least - deal):
                return self._first_deal + deal + left // blocks, left % blocks * games // blocks
            left -= blocks * (least - deal)
            deal = least
        return self._first_deal, 0  # the tables are still being listed

    @property
    def _round(self) -> int:
        return len(self._finished)

    @property
    def _first_block(self) -> int:
        return self._first_blocks[-1]

    def _matches_of(self, tables: Sequence[Table]) -> int:
        blocks = len(self._tournament.setups) * sum([table.deals for table in tables])
        return blocks * self._matches_of_block

    @property
    def _seats(self) -> int:
        return self._tournament.setups[0].seats

    @property
    def _matches_of_block(self) -> int:
        return seating_count(self._tournament.seatings, self._seats)

    def _no_results(self) -> list[Batch]:
        return [Counter() for _ in self._tournament.setups]


def _add_results(batches: list[Batch], results: list[Batch]) -> None:
    for batch, added in zip(batches, results, strict=True):
        batch.update(added)
