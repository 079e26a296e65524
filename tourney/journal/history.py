"""The ratings of a league over time: at each change of its field and at even steps.

Fitted points are cached in `history.jsonl` in the league's folder. The journal and the events alone determine it: a
lost or damaged file is rebuilt with the same bytes.
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
STEPS, LEAST_STEPS, FITS = 50, 10, 6000
"""Maximum number of even steps; in a large field as many as fit this many ratings, but at least the second number."""
LEAST_STEP = 4
"""Minimum number of blocks between two of them."""


class Rated(NamedTuple):
    """A rating with its 95 % interval, whose ends are None if unknown, after a single deal."""

    rating: float
    low: float | None
    high: float | None


class HistoryPoint(NamedTuple):
    """The ratings of a league after some of its blocks."""

    block: int
    """The ratings cover all blocks before this one."""
    date: str
    """When this block, or its round, was about to be played."""
    events: tuple[Event, ...]
    """The field changes that apply from this block on; none at an even step."""
    ratings: dict[str, Rated]
    """The ratings of every bot that had played, retired ones included, in tournament order."""


class HistoryRow(msgspec.Struct, frozen=True):
    """The rating of one bot at one point. The field names are the keys in JSON and CSV."""

    block: int
    """The rating covers all blocks before this one."""
    date: str
    events: str
    """The field changes that apply from this block on: `entered:thief@2 retired:thief@1`."""
    bot: str
    rating: float
    rating_low: float | None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    rating_high: float | None


def rows(points: Sequence[HistoryPoint], bots: Collection[str]) -> list[HistoryRow]:
    """Some bots' ratings as rows, point by point."""
    return [
        HistoryRow(point.block, point.date, " ".join(map(str, point.events)), bot, *rated)
        for point in points
        for bot, rated in point.ratings.items()
        if bot in bots
    ]


class _CachedPoint(msgspec.Struct, frozen=True, omit_defaults=True):
    tourney: str
    anchor: Anchor | None
    block: Count
    ratings: dict[str, Rated]
    voided: Count = 0
    """How many of the blocks before were voided."""


_HISTORY = Lines(HISTORY, _CachedPoint, "points of a history", "remove the file")


def history(league: RunFolder) -> list[HistoryPoint]:
    """The ratings of a league after the first block, at each change of its field and at even steps, in order.

    Raises:
        RunError: The journal or the events cannot be read, or are damaged.
    """
    fits = HistoryFits(league)
    if fits.due is not None:
        plan, tournament = league.schedule(), league.tournament
        counts = OutcomeCounts(tournament.names, tournament.setups, plan.most_batches)
        for complete, some in enumerate(league.results(plan), 1):
            if not some.voided:
                counts.add(some.block, some.records)
            fits.reach(complete, plan, counts)
            if fits.due is None:
                break
        else:
            journal = league.path / folder.JOURNAL
            raise RunError(f"{journal}: ends before block {fits.due}; restore the file from a backup")
    return fits.points()


class HistoryFits:
    """The points of a history: cached ones, and new ones fitted while the journal is read."""

    def __init__(self, run: RunFolder, most: int | None = None) -> None:
        """Finds the points and the cached ones; at most `most` of the others will be fitted. Only leagues have any."""
        self._run, self._tournament, self.events = run.path, run.tournament, run.events
        self._keeps = run.until is None
        played = reader.league_size(run.path, run.tournament, run.last_line).blocks if self.events else 0
        played = min(played, played if run.until is None else run.until)
        step, steps = LEAST_STEP, max(LEAST_STEPS, min(STEPS, FITS // max(len(run.tournament.entrants), 1)))
        while played > steps * step:
            step *= 2
        changed = {event.block for event in self.events if event.event in FIELD}
        self._blocks = sorted({block for block in (*changed, *range(step, played + 1, step)) if 0 < block <= played})
        self._kept = _read(self._run, self._tournament)
        self._fitted: dict[int, dict[str, Rated]] = {}
        missing = [block for block in self._blocks if block not in self._kept]
        self._missing = deque(missing if most is None else missing[:: max(1, ceil(len(missing) / most))])

    @property
    def due(self) -> int | None:
        """The number of blocks after which to fit ratings next; None if no fit is missing."""
        return self._missing[0] if self._missing else None

    def reach(self, blocks: int, plan: Schedule, counts: OutcomeCounts) -> None:
        """Fits the ratings after this number of blocks, if due."""
        if self._missing and blocks == self._missing[0]:
            self._fitted[self._missing.popleft()] = _rated(self._tournament, plan, counts)

    def points(self) -> list[HistoryPoint]:
        """The known points, in order; caches the fitted ones."""
        points = self._kept | self._fitted
        if self._fitted and self._keeps:
            with suppress(WriteError):  # the cache only saves time
                _HISTORY.rewrite(
                    self._run, [_cached(self._tournament, *points_of) for points_of in sorted(points.items())]
                )
        known = [block for block in self._blocks if block in points]
        return [HistoryPoint(block, *_of_block(self.events, block), points[block]) for block in known]


def _of_block(events: Sequence[Event], block: int) -> tuple[str, tuple[Event, ...]]:
    changes = tuple([event for event in events if event.block == block and event.event in FIELD])
    dates = [event.date for event in events if event.block <= block]
    return changes[0].date if changes else dates[-1] if dates else "", changes


def _rated(tournament: Tournament, plan: Schedule, counts: OutcomeCounts) -> dict[str, Rated]:
    ratings = rated(tournament, counts, counts.batches(), plan.hierarchical)
    rated_points = {}
    for bot in ratings.bots:
        rating, low, high = ratings.of(bot)
        ends = [None if isinf(end) else round(end, DIGITS) for end in (low, high)]
        rated_points[counts.names[bot]] = Rated(round(rating, DIGITS), *ends)
    return rated_points


def _read(league: Path, tournament: Tournament) -> dict[int, dict[str, Rated]]:
    points = {}
    for line in _HISTORY.raw(league):
        with suppress(RunError):
            cached = _HISTORY.parse(line, HISTORY)
            if cached == _cached(tournament, cached.block, cached.ratings):
                points[cached.block] = cached.ratings
    return points


def _cached(tournament: Tournament, block: int, ratings: dict[str, Rated]) -> _CachedPoint:
    voided = sum([before < block for event in tournament.events for before in event.blocks])
    return _CachedPoint(own_version(), tournament.anchor, block, ratings, voided)
