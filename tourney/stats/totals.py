"""What each bot has come to in one game: points, matches, wins, places."""

from collections import Counter
from fractions import Fraction

import msgspec

from tourney.stats.outcome_counts import Batch
from tourney.stats.points import full_units, units


class GameTotals(msgspec.Struct):
    """What an entrant has come to in one game."""

    units: Counter[int] = msgspec.field(default_factory=Counter)
    """Points by the number of seats, in the units of `tourney.stats.points`."""
    matches: int = 0
    won: int = 0
    drawn: int = 0
    places: int = 0
    """The sum of its places."""

    @property
    def points(self) -> Fraction:
        """The sum of its points."""
        return sum([Fraction(won, full_units(seats)) for seats, won in sorted(self.units.items())], Fraction())


def totals_of(whole: Batch) -> dict[int, GameTotals]:
    """What each bot that has played a game has come to in it."""
    found: dict[int, GameTotals] = {}
    for (bots, places), count in whole.items():
        tied = places.count(1) > 1
        for bot, place, gained in zip(bots, places, units(places), strict=True):
            tally = found.setdefault(bot, GameTotals())
            tally.units[len(bots)] += count * gained
            tally.matches += count
            tally.places += count * place
            if place == 1:
                tally.won += count * (not tied)
                tally.drawn += count * tied
    return found
