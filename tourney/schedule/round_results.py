"""The results of one round: the points of each entrant in each game, as exact fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from tourney.game import places_by
from tourney.stats.points import full_units, units

Points = dict[str, Fraction]


class RoundResults:
    """The results of one round, added up by group, game and entrant."""

    def __init__(self, weights: Sequence[float]) -> None:
        """Starts without a match; the weight of each game is divided by the sum of all weights."""
        whole = sum([Fraction(weight) for weight in weights])
        self._weights = [Fraction(weight) / whole for weight in weights]
        # by the sorted group and the game: the units that each entrant has won, and those that it could have won
        self._units: dict[tuple[tuple[str, ...], int], tuple[Counter[str], Counter[str]]] = {}

    def add(self, game: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Adds a match."""
        won, full = self._units.setdefault((tuple(sorted(seats)), game), (Counter(), Counter()))
        for name, gained in zip(seats, units(places), strict=True):
            won[name] += gained
            full[name] += full_units(len(seats))

    def shares(self, group: Sequence[str]) -> Points:
        """Returns the share of the possible points that each entrant of the group won: the weighted mean of the games.

        A share is from 0 to 1; higher is better.
        """
        return self._weighted(group, [self._share(game, group) for game in range(len(self._weights))])

    def scores(self, group: Sequence[str]) -> Points:
        """Returns the score of each entrant of the group: the weighted mean of its scores in the games.

        In each game the entrants are placed by their shares of the points, and the places score as in a match: from 1
        for the first down to 0 for the last, evenly spaced; equal places share. Higher is better.
        """
        return self._weighted(group, [_placed(group, self._share(g, group)) for g in range(len(self._weights))])

    def _share(self, game: int, group: Sequence[str]) -> Points:
        won, full = self._units[tuple(sorted(group)), game]
        return {name: Fraction(won[name], full[name]) for name in group}

    def _weighted(self, group: Sequence[str], of_games: Sequence[Mapping[str, Fraction]]) -> Points:
        weighted = list(zip(self._weights, of_games, strict=True))
        return {name: sum([weight * points[name] for weight, points in weighted], Fraction()) for name in group}


def _placed(group: Sequence[str], shares: Mapping[str, Fraction]) -> Points:
    gained = units(places_by([shares[name] for name in group]))
    return {name: Fraction(won, full_units(len(group))) for name, won in zip(group, gained, strict=True)}
