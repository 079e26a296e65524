"""Swiss: in each round entrants meet others with about the same score whom they have not met yet.

The score of a round is from 0 to 1, see `RoundResults.scores`; who rests gets 1, the score of a win.
"""

from collections.abc import Callable, Iterator, Sequence

from tourney.config import Tournament
from tourney.match import Block
from tourney.rng import shuffle, stream
from tourney.schedule.adaptive import Adaptive, Table
from tourney.schedule.base import deal_seed
from tourney.schedule.pairing import Field, pairs, tables
from tourney.schedule.round_results import RoundResults
from tourney.schedule.seatings import group_of
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak


class Swiss(Adaptive):
    """A fixed number of rounds, which everybody plays to the end."""

    name = "swiss"

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._field = Field(tournament.names)

    def table_sizes(self) -> Sequence[Sequence[int]]:
        """The number of entrants at each table of each round; smaller tables come last."""
        entrants, seats = len(self._tournament.entrants), self._seats
        full, over = divmod(entrants, seats)
        smaller = seats - over  # so many tables would have to be smaller by one for all to play
        if over and self._tournament.smaller_tables and smaller <= full:
            sizes = (seats,) * (full + 1 - smaller) + (seats - 1,) * smaller
        else:
            sizes = (seats,) * full
        assert self._tournament.rounds is not None
        return [sizes] * self._tournament.rounds

    def pair(self, number: int) -> list[Table]:
        """The tables of a round; where everything else is equal, the tournament's seed decides."""
        names, rng = list(self._tournament.names), stream(self._tournament.seed, "pairing", number)
        shuffle(names, rng)
        ranked = sorted(names, key=lambda name: -self._field.scores[name])
        sizes = self._sizes[number]
        if self._seats == 2:
            return list(pairs(self._field, ranked, rng))
        rest = sorted(names, key=lambda name: (self._field.byes[name], self._field.scores[name]))
        rest = rest[: len(names) - sum(sizes)]
        return tables(self._field, [name for name in ranked if name not in rest], sizes, rng)

    def close(self, tables: Sequence[Table], results: RoundResults) -> None:
        """Notes the meetings, and adds the scores."""
        for table in tables:
            self._field.note_meeting(table)
        for table in tables:
            self._field.note_scores(results.scores(table))
        seated = {name for table in tables for name in table}
        for name in self._tournament.names:
            if name not in seated:
                self._field.note_bye(name)

    def blocks_from_journal(self, peek: Callable[[], Table | None]) -> Iterator[Block]:
        """All blocks in order; the tables of a round are those of its first records, and nothing is paired."""
        while self._round < len(self._sizes):
            begun = self._round
            yield from self._blocks(lambda: self._follow(peek))
            if self._round == begun:
                return

    def _follow(self, peek: Callable[[], Table | None]) -> Iterator[Table]:
        """The tables of this round as far as the journal has begun them; paired, where the journal cannot be right."""
        which, deal = self._tournament.seatings, self._round * self._tournament.deals
        seed = deal_seed(self._tournament, self._tournament.setups[0], deal)
        for i, size in enumerate(self._sizes[self._round]):
            if i == len(self._told):
                seats = peek()
                if seats is None:
                    return
                if not self._could_meet(seats, size):
                    yield from self._paired()[i:]
                    return
                self._told.append(group_of(seats, which, seed))
            yield self._told[i]

    def _could_meet(self, seats: Table, size: int) -> bool:
        """Whether these are as many entrants, each of them once, who are at no table of this round yet."""
        seated = {name for table in self._told for name in table}
        return len(set(seats)) == len(seats) == size and set(seats) <= set(self._field.scores) - seated

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """By the sum of the scores; then by how well the opponents did."""
        over, rounds = self._round, len(self._sizes)
        said = "sum of the round scores" + (f" after {over} of {rounds} rounds" if over < rounds else "")
        score = Tiebreak("round_score", "rounds", said, self._field.scores)
        return score, Tiebreak("buchholz", "buch", "Buchholz", self._field.buchholz()), "points"
