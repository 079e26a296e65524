"""Swiss: in each round entrants meet others of about the same score whom they have not met yet.

The score of a round is from 0 to 1, see `RoundResults.scores`; a bye scores 1, as a win does.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil, log2
from typing import Annotated

import msgspec

from tourney.config import Tournament
from tourney.errors import ConfigError, RunError
from tourney.game import Options
from tourney.match import Block
from tourney.rng import shuffle, stream
from tourney.schedule.adaptive import AdaptiveSchedule, Table
from tourney.schedule.base import blocks_of_groups, deal_seed
from tourney.schedule.pairing import PairingHistory, larger_groups, pairs
from tourney.schedule.round_report import RoundEntrant
from tourney.schedule.round_results import RoundResults
from tourney.schedule.seatings import Group, group_of, seating_count
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak


class SwissOptions(Options, frozen=True):
    """The Swiss's own keys of a tournament file."""

    rounds: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] | None = None
    """How many rounds are played; it has to be given."""


class Swiss(AdaptiveSchedule):
    """A given number of rounds, which all entrants play to the end."""

    name = "swiss"
    Options = SwissOptions
    plays_smaller_groups = True

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._history = PairingHistory(tournament.names)
        self._scores = [self._history.scores.copy()]  # before each round that has begun
        self._journal_groups: list[Group] = []  # of this round, as far as they were read from a journal

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates the seats and the seatings, and that the number of rounds is given."""
        super().validate(tournament)
        if tournament.format_options.rounds is None:
            names = tournament.names
            raise ConfigError(f"rounds: swiss needs it; for {len(names)} bots try rounds = {ceil(log2(len(names)))}")

    def group_sizes(self) -> Sequence[Sequence[int]]:
        """Returns the number of entrants in each group of each round; smaller groups come last."""
        options: SwissOptions = self._tournament.format_options
        assert options.rounds is not None
        entrants, seats = len(self._tournament.entrants), self._seats
        full, over = divmod(entrants, seats)
        smaller = seats - over  # this many groups would have to be smaller by one for all entrants to play
        if over and self._tournament.fits_fewer_seats and smaller <= full:
            sizes = (seats,) * (full + 1 - smaller) + (seats - 1,) * smaller
        else:
            sizes = (seats,) * full
        return [sizes] * options.rounds

    def pair(self, number: int) -> list[Group]:
        """Returns the groups of a round; where everything else is equal, the tournament's seed decides."""
        if number == len(self._sizes):
            return []
        names, rng = list(self._tournament.names), stream(self._tournament.seed, "pairing", number)
        shuffle(names, rng)
        scores, byes = self._history.scores, self._history.byes
        ranked = sorted(names, key=lambda name: -scores[name])
        sizes = self._sizes[number]
        if self._seats == 2:
            return list(pairs(self._history, ranked, rng))
        resting = sorted(names, key=lambda name: (byes[name], scores[name]))[: len(names) - sum(sizes)]
        return larger_groups(self._history, [name for name in ranked if name not in resting], sizes, rng)

    def finish_round(self, groups: Sequence[Group], results: RoundResults) -> None:
        """Adds the meetings, the scores and the byes of the round to the history."""
        for group in groups:
            self._history.add_meeting(group)
        for group in groups:
            self._history.add_scores(results.scores(group))
        seated = {name for group in groups for name in group}
        for name in self._tournament.names:
            if name not in seated:
                self._history.add_bye(name)
        self._scores.append(self._history.scores.copy())
        self._journal_groups = []

    def round_entrant(self, number: int, name: str, group: Group, points_percent: float | None) -> RoundEntrant:
        """Returns an entrant in a round with its score before, its floats, and its score in the round."""
        scores = self._scores[number]
        after = self._scores[number + 1][name] if number < self._round else None
        return RoundEntrant(
            name,
            score_before=round(float(scores[name]), 4),
            upfloats=sum([scores[other] > scores[name] for other in group]),
            downfloats=sum([scores[other] < scores[name] for other in group]),
            points_percent=points_percent,
            round_score=None if after is None else round(float(after - scores[name]), 4),
        )

    def blocks_from_journal(self, peek: Callable[[], Group | None]) -> Iterator[Block]:
        """Yields all blocks in order; the groups of a round are read from its first records, and nothing is paired."""
        deals = self._tournament.deals
        while self._round < len(self._sizes):
            current, first_block = self._round, self._first_blocks[-1]
            groups = partial(self._groups_from_journal, peek)
            yield from blocks_of_groups(self._tournament, groups, first_block, self._first_deal, deals)
            if self._round == current:
                return

    def _groups_from_journal(self, peek: Callable[[], Group | None], *_: object) -> Iterator[Group]:
        """Yields the groups of this round as far as the journal goes; from an impossible group on, those paired."""
        seed = deal_seed(self._tournament, self._tournament.setups[0], self._first_deal)
        for i, size in enumerate(self._sizes[self._round]):
            if i == len(self._journal_groups):
                found = peek()
                if found is None:
                    return
                if not self._could_meet(found, size):
                    yield from [table.group for table in self._paired()[i:]]
                    return
                self._journal_groups.append(group_of(found, self._tournament.seatings, seed))
            yield self._journal_groups[i]

    def _paired(self) -> list[Table]:
        """Returns the tables of this round; a `RunError` if the journal shows other groups."""
        tables = super()._paired()
        for found, table in zip(self._journal_groups, tables, strict=False):
            if found != table.group:
                raise RunError(
                    f"round {self._round + 1}: the journal has {', '.join(found)} at a table, the schedule says "
                    f"{', '.join(table.group)}; the journal is damaged or of another tournament"
                )
        return tables

    def _known_tables(self) -> Sequence[Table]:
        return self._tables or [Table(group, self._tournament.deals) for group in self._journal_groups]

    def _knows_all_tables(self) -> bool:
        return len(self._known_tables()) == len(self._sizes[self._round])

    def _matches_of_tables(self) -> list[tuple[int, int]]:
        """Returns for each table how many deals and matches it plays, which is known before its group is."""
        deals, which = self._tournament.deals, self._tournament.seatings
        return [(deals, self._games * deals * seating_count(which, size)) for size in self._sizes[self._round]]

    def _could_meet(self, seats: Group, size: int) -> bool:
        """Returns whether these are entrants who are in no other group of this round, as many as the group has."""
        seated = {name for group in self._journal_groups for name in group}
        return len(set(seats)) == len(seats) == size and set(seats) <= set(self._history.scores) - seated

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """Returns the sum of the scores, then the rating, then the Buchholz score: how well the opponents did."""
        over, rounds = self._round, len(self._sizes)
        description = "sum of the round scores" + (f" after {over} of {rounds} rounds" if over < rounds else "")
        return (
            Tiebreak("round_score", "rounds", description, self._history.scores),
            "rating",
            Tiebreak("buchholz", "buch", "Buchholz", self._history.buchholz()),
            "points",
        )
