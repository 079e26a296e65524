"""Gauntlet: each challenger meets every group of the others, the field; challengers do not meet each other."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from tourney.match import GameSetup
from tourney.schedule.fixed import Fixed
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak


class Gauntlet(Fixed):
    """Challengers against the field."""

    name = "gauntlet"

    @property
    def _challengers(self) -> tuple[str, ...]:
        return self._tournament.challengers or ()

    def groups(self, setup: GameSetup) -> Iterator[tuple[str, ...]]:
        """Each challenger with every group of the field that fills the table."""
        field = [name for name in self._tournament.names if name not in self._challengers]
        for challenger in self._challengers:
            for others in combinations(field, setup.seats - 1):
                yield challenger, *others

    def group_count(self, setup: GameSetup) -> int:
        """How many groups those are."""
        field = len(self._tournament.entrants) - len(self._challengers)
        return len(self._challengers) * comb(field, setup.seats - 1)

    def describe(self) -> str:
        """The format, with the challengers where they are few."""
        names = self._challengers
        return f"gauntlet of {', '.join(names) if len(names) <= 3 else f'{len(names)} challengers'}"

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """By rating, as not all have met the same opponents."""
        return "rating", "points"
