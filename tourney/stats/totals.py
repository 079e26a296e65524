"""The totals of each bot in one game: points, matches, wins, places."""

from collections import Counter
from fractions import Fraction

import msgspec

from tourney.stats.outcome_counts import Batch
from tourney.stats.points import full_units, units


class GameTotals(msgspec.Struct):
    """The totals of one bot in one game."""

    units: Counter[int] = msgspec.field(default_factory=Counter)
    """Points in the units of `tourney.stats.points`, by the number of seats at the table."""
    matches: int = 0
    won: int = 0
    """Matches with place 1 alone."""
    drawn: int = 0
    """Matches with place 1 shared."""
    places: int = 0
    """The sum of its places."""

    @property
    def points(self) -> Fraction:
        """The sum of its points, at most 1 a match."""
        return sum([Fraction(won, full_units(seats)) for seats, won in sorted(self.units.items())], Fraction())


def game_totals(game: Batch) -> dict[int, GameTotals]:
    """Returns the totals of each bot that has played a game, by the bot's number."""
    found: dict[int, GameTotals] = {}
    for (bots, places), count in game.items():
        tied = places.count(1) > 1
        for bot, place, gained in zip(bots, places, units(places), strict=True):
            totals = found.setdefault(bot, GameTotals())
            totals.units[len(bots)] += count * gained
            totals.matches += count
            totals.places += count * place
            if place == 1:
                totals.won += count * (not tied)
                totals.drawn += count * tied
    return found
