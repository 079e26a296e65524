"""What a round came to: the points of each entrant, game by game, as exact fractions."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tourney.game import places_by
from tourney.stats.points import full_units, units

Points = dict[str, Fraction]


class RoundResults:
    """The matches of one round, added up by game and entrant. In a round an entrant sits at one table only."""

    def __init__(self, weights: Sequence[float]) -> None:
        """Starts without a match; each game weighs as much as its weight is of their sum."""
        whole = sum([Fraction(weight) for weight in weights])
        self._weights = [Fraction(weight) / whole for weight in weights]
        self._won: list[dict[str, int]] = [{} for _ in weights]
        self._full: list[dict[str, int]] = [{} for _ in weights]

    def add(self, game: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Counts in a match of the game with that index: who sat in each seat, and which place it took."""
        won, full, most = self._won[game], self._full[game], full_units(len(seats))
        for name, gained in zip(seats, units(places), strict=True):
            won[name] = won.get(name, 0) + gained
            full[name] = full.get(name, 0) + most

    def shares(self, table: Sequence[str]) -> Points:
        """The share of its points that each entrant at the table won, from 0 to 1: the weighted mean of the games."""
        return self._weighted(table, [self._share(game, table) for game in range(len(self._weights))])

    def scores(self, table: Sequence[str]) -> Points:
        """The score of each entrant at the table, from 0 to 1: the weighted mean of what it scores in the games.

        In each game the entrants are placed by their share of the points, and the places score as in a match: 1 for
        the first down to 0 for the last, evenly spaced, and equal places share.
        """
        return self._weighted(table, [_placed(table, self._share(g, table)) for g in range(len(self._weights))])

    def _share(self, game: int, table: Sequence[str]) -> Points:
        return {name: Fraction(self._won[game][name], self._full[game][name]) for name in table}

    def _weighted(self, table: Sequence[str], of_games: Sequence[Mapping[str, Fraction]]) -> Points:
        weighted = list(zip(self._weights, of_games, strict=True))
        return {name: sum([weight * points[name] for weight, points in weighted], Fraction()) for name in table}


def _placed(table: Sequence[str], shares: Mapping[str, Fraction]) -> Points:
    gained = units(places_by([shares[name] for name in table]))
    return {name: Fraction(won, full_units(len(table))) for name, won in zip(table, gained, strict=True)}
