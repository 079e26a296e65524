"""The calibration of bots that note a `value`: their values compared with the resulting points."""

from collections import defaultdict
from collections.abc import Sequence
from math import fsum
from typing import NamedTuple

import msgspec

from tourney.contracts.match import Places
from tourney.journal.notes import MatchNotes
from tourney.standings.intervals import GameShare, quantile_975, ratio_error, share_interval
from tourney.standings.points import points

BINS = 10  # parts of the range from 0 to 1


class Bin(NamedTuple):
    """The decisions with values in one part of the range."""

    value: float
    """The mean of the expectations, from 0 to 1."""
    points: float
    """The mean of the results."""
    decisions: int
    deals: int
    low: float | None
    """The lower end of the 95 % interval of the points, over deals; None if unknown, after a single deal."""
    high: float | None


class Calibration(NamedTuple):
    """The accuracy of a bot's values at a game."""

    bot: str
    game: str
    decisions: int
    deals: int
    brier: float
    """The mean of (value - points)²: 0 is the best, and always noting a half gives 0.25 at two seats without draws
    (Brier, Verification of Forecasts Expressed in Terms of Probability, 1950)."""
    brier_half: float | None
    """Half of its 95 % interval, over deals; None if unknown, after a single deal."""
    bins: tuple[Bin, ...]
    """The parts of the range with values, in order."""


class _Sums(msgspec.Struct):
    """Sums over the decisions on a deal, or of those with values in one part of the range."""

    decisions: int = 0
    value: float = 0.0
    points: float = 0.0
    squares: float = 0.0

    def add(self, value: float, points: float) -> None:
        self.decisions += 1
        self.value += value
        self.points += points
        self.squares += (value - points) ** 2


class Calibrations:
    """Collects the accuracy of the values of a run's bots, match by match."""

    def __init__(self) -> None:
        # by bot and game: for each part of the range, and last for all, the sums by deal
        self._sums: dict[tuple[str, str], list[defaultdict[str, _Sums]]] = {}

    def add(self, game: str, deal: str, places: Places, noted: MatchNotes) -> None:
        """Adds the values noted in a match on a deal, which goes by its seed."""
        won = points(places) if len(places) > 1 else ()
        for _, seat, note in noted.notes if won else ():
            if "value" in note:
                key, value = (noted.seats[seat], game), float(note["value"])
                parts = self._sums.setdefault(key, [defaultdict(_Sums) for _ in range(BINS + 1)])
                for part in (min(int(value * BINS), BINS - 1), BINS):
                    parts[part][deal].add(value, float(won[seat]))

    def all(self) -> list[Calibration]:
        """The calibration of each bot with noted values, at each game, sorted by name."""
        return [_calibration(bot, game, self._sums[bot, game]) for bot, game in sorted(self._sums)]


def _calibration(bot: str, game: str, parts: Sequence[defaultdict[str, _Sums]]) -> Calibration:
    *bins, whole = [list(part.values()) for part in parts]
    squares, numbers = [each.squares for each in whole], [each.decisions for each in whole]
    freedom, half = len(whole) - 1, None
    if freedom:
        half = quantile_975(freedom) * ratio_error(squares, numbers)
    count = sum(numbers)
    return Calibration(bot, game, count, len(whole), fsum(squares) / count, half, tuple(map(_bin, filter(None, bins))))


def _bin(deals: Sequence[_Sums]) -> Bin:
    count = sum([each.decisions for each in deals])
    won = [each.points for each in deals]
    share = GameShare(1.0, won, [each.decisions for each in deals], count / len(deals))
    low, high = share_interval([share]) or (None, None)
    return Bin(fsum([each.value for each in deals]) / count, share.share, count, len(deals), low, high)
