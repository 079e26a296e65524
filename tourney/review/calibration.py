"""How well bots that note a `value` know what they will get: the values against the points that came of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tourney.journal.folder import NOTES
from tourney.journal.notes import NotesByBlock
from tourney.journal.reader import read_blocks
from tourney.schedule.base import Schedule
from tourney.standings.points import points

BINS = 10
"""Values are compared in so many parts of the range from 0 to 1."""


class Bin(NamedTuple):
    """The decisions whose values lie in one part of the range."""

    value: float
    """The mean of what the bot expected, from 0 to 1."""
    points: float
    """The mean of what it got."""
    decisions: int


class Calibration(NamedTuple):
    """What the values of a bot at a game were worth."""

    bot: str
    game: str
    decisions: int
    brier: float
    """The mean of (value - points)²: 0 is the best, and always saying a half gives 0.25 at two seats without draws
    (Brier, Verification of Forecasts Expressed in Terms of Probability, 1950)."""
    bins: tuple[Bin, ...]
    """Those parts of the range in which there are values, in their order."""


def calibrations(run: Path, schedule: Schedule, noted: NotesByBlock) -> list[Calibration]:
    """The calibration of each bot that has noted values in a run, at each game, sorted by their names."""
    if not (run / NOTES).exists():
        return []
    sums: dict[tuple[str, str], list[list[float]]] = {}
    for bot, game, value, got in _values(run, schedule, noted):
        found = sums.setdefault((bot, game), [[0.0] * 4 for _ in range(BINS)])
        for at, number in enumerate((1.0, value, got, (value - got) ** 2)):
            found[min(int(value * BINS), BINS - 1)][at] += number
    return [_calibration(bot, game, sums[bot, game]) for bot, game in sorted(sums)]


def _calibration(bot: str, game: str, sums: list[list[float]]) -> Calibration:
    count, *_, error = map(sum, zip(*sums, strict=True))
    bins = [Bin(value / number, got / number, int(number)) for number, value, got, _ in sums if number]
    return Calibration(bot, game, int(count), error / count, tuple(bins))


def _values(run: Path, schedule: Schedule, noted: NotesByBlock) -> Iterator[tuple[str, str, float, float]]:
    """The bot, the game, the value and what came of it, for each decision with a value."""
    for block, records, _ in read_blocks(run, schedule):
        of_block = noted.of(block.number)
        for record in records if of_block else ():
            if (found := of_block.get(record.match)) is not None and len(record.seats) > 1:
                won = points(record.places)
                for _, seat, note in found.notes:
                    if "value" in note:
                        yield record.seats[seat], record.game, float(note["value"]), won[seat]
