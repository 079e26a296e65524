"""The ratings of a league over time: at each change of its field, and at even steps.

What was fitted is kept in the league's folder, in `history.jsonl`, so that a point is fitted once. The journal and the
events alone decide what it says: a file that is lost or damaged is made again, to the same bytes.
"""

from collections import deque
from collections.abc import Collection, Sequence
from contextlib import suppress
from math import ceil, isinf
from pathlib import Path
from typing import NamedTuple

import msgspec

from tourney.base.errors import RunError, WriteError
from tourney.config import Tournament
from tourney.config.tournament import Anchor
from tourney.contracts.match import Count
from tourney.journal import folder, reader
from tourney.journal.events import FIELD, Event
from tourney.journal.lines import Lines
from tourney.journal.run import RunFolder
from tourney.plugins.entry_points import own_version
from tourney.schedule.base import Schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.ranking import DIGITS, rated

HISTORY = "history.jsonl"
STEPS = 50
"""How many even steps there are at most."""
LEAST_STEP = 4
"""How many blocks lie between two of them at least."""


class Rated(NamedTuple):
    """A rating with its 95 % interval, whose ends are None where they are unknown, after a single deal."""

    rating: float
    low: float | None
    high: float | None


class HistoryPoint(NamedTuple):
    """The ratings of a league after some of its blocks."""

    block: int
    """The ratings are those of all blocks before this one."""
    date: str
    """When this block, or the round that it is of, was about to be played."""
    events: tuple[Event, ...]
    """The changes of the field that hold from this block on; none at an even step."""
    ratings: dict[str, Rated]
    """The ratings of all that had played, also of those that were retired, in the order of the tournament."""


class HistoryRow(msgspec.Struct, frozen=True):
    """The rating of one bot at one point. The field names are the keys in JSON and CSV."""

    block: int
    """The rating is that of all blocks before this one."""
    date: str
    events: str
    """The changes of the field that hold from this block on, as in `entered:thief@2 retired:thief@1`."""
    bot: str
    rating: float
    rating_low: float | None
    """The lower end of its 95 % interval; None if it is unknown, after a single deal."""
    rating_high: float | None


def rows(points: Sequence[HistoryPoint], bots: Collection[str]) -> list[HistoryRow]:
    """The ratings of some bots as rows, point by point."""
    return [
        HistoryRow(point.block, point.date, " ".join(map(str, point.events)), bot, *rated)
        for point in points
        for bot, rated in point.ratings.items()
        if bot in bots
    ]


class _CachedPoint(msgspec.Struct, frozen=True):
    """A line of the file: the ratings, and what they depend on beside the journal."""

    tourney: str
    anchor: Anchor | None
    block: Count
    ratings: dict[str, Rated]


_HISTORY = Lines(HISTORY, _CachedPoint, "points of a history", "remove the file")


def history(league: RunFolder) -> list[HistoryPoint]:
    """The ratings of a league at each change of its field and at even steps, in order, after the first block.

    Raises:
        RunError: The journal or the events cannot be read, or are damaged.
    """
    fits = HistoryFits(league)
    if fits.due is not None:
        plan, tournament = league.schedule(), league.tournament
        counts = OutcomeCounts(tournament.names, tournament.setups, plan.most_batches)
        for complete, some in enumerate(league.results(plan), 1):
            counts.add(some.block, some.records)
            fits.reach(complete, plan, counts)
            if fits.due is None:
                break
        else:
            raise RunError(f"{league.path / folder.JOURNAL}: ends before block {fits.due}; restore the file")
    return fits.points()


class HistoryFits:
    """The points of a history: those that are kept, and those that whoever reads the journal fits."""

    def __init__(self, run: RunFolder, most: int | None = None) -> None:
        """Finds out which points there are by the last line, and which are cached; `most` of the others will be fitted.

        A run that is no league has none.
        """
        self._run, self._tournament, self.events = run.path, run.tournament, run.events
        self._keeps = run.until is None
        played = reader.league_size(run.path, run.tournament, run.last_line).blocks if self.events else 0
        played = min(played, played if run.until is None else run.until)
        step = LEAST_STEP
        while played > STEPS * step:
            step *= 2
        changed = {event.block for event in self.events if event.event in FIELD}
        self._blocks = sorted({block for block in (*changed, *range(step, played + 1, step)) if 0 < block <= played})
        self._kept = _read(self._run, self._tournament)
        self._fitted: dict[int, dict[str, Rated]] = {}
        missing = [block for block in self._blocks if block not in self._kept]
        self._missing = deque(missing if most is None else missing[:: max(1, ceil(len(missing) / most))])

    @property
    def due(self) -> int | None:
        """After how many blocks the ratings are to be fitted next; None if they all are."""
        return self._missing[0] if self._missing else None

    def reach(self, blocks: int, plan: Schedule, counts: OutcomeCounts) -> None:
        """Fits the ratings after so many blocks, if they are due."""
        if self._missing and blocks == self._missing[0]:
            self._fitted[self._missing.popleft()] = _rated(self._tournament, plan, counts)

    def points(self) -> list[HistoryPoint]:
        """The points that are known, in order; those that were fitted are cached from now on."""
        points = self._kept | self._fitted
        if self._fitted and self._keeps:
            with suppress(WriteError):  # what is kept only saves time
                _write(self._run, self._tournament, points)
        return [
            HistoryPoint(block, *_of_block(self.events, block), points[block])
            for block in self._blocks
            if block in points
        ]


def _of_block(events: Sequence[Event], block: int) -> tuple[str, tuple[Event, ...]]:
    """The date of a point, and the changes of the field at it."""
    changes = tuple([event for event in events if event.block == block and event.event in FIELD])
    dates = [event.date for event in events if event.block <= block]
    return changes[0].date if changes else dates[-1] if dates else "", changes


def _rated(tournament: Tournament, plan: Schedule, counts: OutcomeCounts) -> dict[str, Rated]:
    """The ratings as the standings say them."""
    ratings = rated(tournament, counts, counts.batches(), plan.hierarchical)
    rated_points = {}
    for bot in ratings.bots:
        rating, low, high = ratings.of(bot)
        ends = [None if isinf(end) else round(end, DIGITS) for end in (low, high)]
        rated_points[counts.names[bot]] = Rated(round(rating, DIGITS), *ends)
    return rated_points


def _read(league: Path, tournament: Tournament) -> dict[int, dict[str, Rated]]:
    """The ratings that are cached, by their blocks, as far as they would be the same now."""
    points = {}
    for line in _HISTORY.raw(league):
        with suppress(RunError):
            cached = _HISTORY.parse(line, HISTORY)
            if (cached.tourney, cached.anchor) == (own_version(), tournament.anchor):
                points[cached.block] = cached.ratings
    return points


def _write(league: Path, tournament: Tournament, points: dict[int, dict[str, Rated]]) -> None:
    """Writes the file anew."""
    cached = [_CachedPoint(own_version(), tournament.anchor, block, points[block]) for block in sorted(points)]
    _HISTORY.rewrite(league, cached)
