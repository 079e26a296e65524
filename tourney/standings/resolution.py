"""How small a difference a number of deals can tell, before anything is played."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from math import fsum, inf, sqrt
from typing import NamedTuple

from tourney.contracts.match import GameSetup
from tourney.standings.duel import MAX_ELO, errors_to_find, expected_score, inverse, mean
from tourney.standings.intervals import MOST_FREEDOM

DEVIATIONS: Mapping[str, Mapping[int, float]] = {
    "bang": {2: 0.7, 3: 0.41, 4: 0.28, 5: 0.25, 6: 0.21, 7: 0.2, 8: 0.17},
    "cold-blooded": {4: 0.25, 5: 0.22, 6: 0.2, 7: 0.15, 8: 0.15},
    "leon": {2: 0.67, 3: 0.38, 4: 0.29, 5: 0.23, 6: 0.21, 7: 0.18, 8: 0.16, 9: 0.15, 10: 0.14},
    "vole": {2: 0.72},
    "voleur": {2: 0.48, 3: 0.36, 4: 0.26, 5: 0.19},
}
"""By game and seats: the measured standard deviation of two equal bots' lead on a deal, see `tests.strength.deals`."""
MOST_DEALS = 10**9


class Resolution(NamedTuple):
    """What deals can tell about two bots, on average over all pairs."""

    setups: Sequence[GameSetup]
    weights: Sequence[float]
    duels: float
    """How many deals on which two bots meet in every game one deal of the tournament is worth."""

    def elo(self, deals: int) -> float:
        """The least difference that is sure (95 %) with the probability 80 %; infinite if there is none."""
        duels = deals * self.duels
        if duels < 2:
            return inf
        squares = [(weight * deviation(setup)) ** 2 for setup, weight in zip(self.setups, self.weights, strict=True)]
        error = sqrt(fsum(squares) / duels) / fsum(self.weights)
        elo = inverse(self._lead, errors_to_find(min(int(duels) - 1, MOST_FREEDOM)) * error)
        return elo if elo < MAX_ELO else inf

    def deals(self, elo: float) -> int:
        """The least number of deals that can tell this difference."""
        return bisect_left(range(MOST_DEALS), -elo, key=lambda deals: -self.elo(deals))

    def _lead(self, elo: float) -> float:
        return mean([lead_between(elo, setup.seats) for setup in self.setups], self.weights)


def deviation(setup: GameSetup) -> float:
    """The standard deviation of two equal bots' lead on a deal, of all rotations at one table."""
    return DEVIATIONS.get(setup.game, {}).get(setup.seats, independent(setup.seats))


def independent(seats: int) -> float:
    """The deviation if the matches of a deal have nothing in common, and every order is equally likely."""
    return sqrt((seats + 1) / 6) / (seats - 1)


def lead_between(elo: float, seats: int) -> float:
    """The expected lead over a bot at the same table; they are equally far from the others' strength."""
    own = 2 * expected_score(elo) - 1
    others = (seats - 2) * (2 * expected_score(elo / 2) - 1)
    return (own + others) / (seats - 1)
