"""The calibration of bots that note a `value`: their values compared with the resulting points."""

from typing import NamedTuple

from tourney.contracts.match import Places
from tourney.journal.notes import MatchNotes
from tourney.standings.points import points

BINS = 10
"""The number of parts into which the range from 0 to 1 is divided."""


class Bin(NamedTuple):
    """The decisions with values in one part of the range."""

    value: float
    """The mean of the expectations, from 0 to 1."""
    points: float
    """The mean of the results."""
    decisions: int


class Calibration(NamedTuple):
    """The accuracy of a bot's values at a game."""

    bot: str
    game: str
    decisions: int
    brier: float
    """The mean of (value - points)²: 0 is the best, and always noting a half gives 0.25 at two seats without draws
    (Brier, Verification of Forecasts Expressed in Terms of Probability, 1950)."""
    bins: tuple[Bin, ...]
    """The parts of the range with values, in order."""


class Calibrations:
    """Collects the accuracy of the values of a run's bots, match by match."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], list[list[float]]] = {}

    def add(self, game: str, places: Places, noted: MatchNotes) -> None:
        """Adds the values noted in a match."""
        won = points(places) if len(places) > 1 else ()
        for _, seat, note in noted.notes if won else ():
            if "value" in note:
                value = float(note["value"])
                sums = self._sums.setdefault((noted.seats[seat], game), [[0.0] * 4 for _ in range(BINS)])
                for at, number in enumerate((1.0, value, won[seat], (value - won[seat]) ** 2)):
                    sums[min(int(value * BINS), BINS - 1)][at] += number

    def all(self) -> list[Calibration]:
        """The calibration of each bot with noted values, at each game, sorted by name."""
        return [_calibration(bot, game, self._sums[bot, game]) for bot, game in sorted(self._sums)]


def _calibration(bot: str, game: str, sums: list[list[float]]) -> Calibration:
    count, *_, error = map(sum, zip(*sums, strict=True))
    bins = [Bin(value / number, got / number, int(number)) for number, value, got, _ in sums if number]
    return Calibration(bot, game, int(count), error / count, tuple(bins))
