"""Swiss: in each round entrants meet others with about the same score whom they have not met yet.

The score of a round is from 0 to 1, see `RoundResults.scores`; who rests gets 1, the score of a win.
"""

from collections.abc import Sequence

from tourney.config import Tournament
from tourney.rng import shuffle, stream
from tourney.schedule.adaptive import Adaptive, Table
from tourney.schedule.pairing import Field, pairs, tables
from tourney.schedule.results import RoundResults
from tourney.stats.merit import Common, Merit


class Swiss(Adaptive):
    """A fixed number of rounds, which everybody plays to the end."""

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        super().__init__(tournament)
        self._field = Field(tournament.names)
        self._resting: list[str] = []

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
            found = pairs(self._field, ranked, rng)
        else:
            rest = sorted(names, key=lambda name: (self._field.byes[name], self._field.scores[name]))
            rest = rest[: len(names) - sum(sizes)]
            found = tables(self._field, [name for name in ranked if name not in rest], sizes, rng)
        seated = {name for table in found for name in table}
        self._resting = [name for name in names if name not in seated]
        return found

    def close(self, tables: Sequence[Table], results: RoundResults) -> None:
        """Notes the meetings, and adds the scores."""
        for table in tables:
            self._field.note_meeting(table)
        for table in tables:
            self._field.note_scores(results.scores(table))
        for name in self._resting:
            self._field.note_bye(name)

    def ranks_by(self) -> Sequence[Common | Merit]:
        """By the sum of the scores; then by how well the opponents did."""
        over, rounds = self._round, len(self._sizes)
        said = "sum of the round scores" + (f" after {over} of {rounds} rounds" if over < rounds else "")
        score = Merit("round_score", "rounds", said, self._field.scores)
        return score, Merit("buchholz", "buch", "Buchholz", self._field.buchholz()), "points"
