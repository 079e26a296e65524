"""Plays a tournament into the folder of a run: a new run, or the rest of one that was stopped."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tourney import config
from tourney.base.errors import ConfigError, resume_hint
from tourney.config import Tournament
from tourney.contracts.match import Block, Record
from tourney.journal import signature
from tourney.journal.reader import JournalBlock
from tourney.journal.standings import RankedRun, RunTotals, write_standings
from tourney.journal.writer import JournalWriter
from tourney.runner import loop
from tourney.runner.extend import EarlierRun
from tourney.runner.pool.ordered import Machines, PlayedBlocks
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult


class LiveCounts:
    """The counts of a run so far."""

    def __init__(self, tournament: Tournament, schedule: Schedule) -> None:
        """Starts without a match of the tournament, which has this schedule."""
        self._tournament = tournament
        self._schedule = schedule
        self.counts = OutcomeCounts(self._tournament.names, self._tournament.setups)
        """The counts of all complete blocks."""
        self.matches = 0
        """How many matches these blocks have."""

    @property
    def finished(self) -> bool:
        """Whether nothing is left to play."""
        return self._schedule.is_over(self.matches)

    def add_found(self, found: JournalBlock) -> None:
        """Counts the next block of the journal if it is complete; the schedule has already noted them."""
        if found.complete:
            self._count(found.block, found.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, which were played, and has the schedule note them."""
        rest = iter(played.results)
        for block in played.blocks:
            results = list(islice(rest, len(block.seatings)))
            self._count(block, results)
            if self._schedule.adapts:
                for seats, result in zip(block.seatings, results, strict=True):
                    self._schedule.note(block.number, seats, result.places)
        return b"".join(played.lines.splitlines(keepends=True)[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)

    def totals(self) -> RunTotals:
        """Returns the counts of the finished run."""
        return RunTotals(self._tournament, self._schedule, self.counts, self.matches, left_out=0)


class Progress(NamedTuple):
    """How far a run is."""

    matches: int
    """How many matches are in the journal."""
    schedule: Schedule
    """The schedule, which has noted every result so far if it adapts."""
    played: int
    """How many matches were played since this start of the run; reused ones do not count."""
    counts: OutcomeCounts
    out: Mapping[str, str]
    """The entrants that are disqualified, with the reason."""
    machines: Machines | None = None
    """How many machines play, if a cluster does."""


def prepare(tournament: Tournament, text: str, path: Path, start: loop.Start, force: bool) -> JournalWriter:
    """Makes the folder of a new run, or verifies that the run in it can be resumed or replaced.

    The journal that it returns is locked.

    A run can be resumed with the same configuration, games and bots. The anchor of the ratings may differ, and the
    `raisable` keys of the format may be larger. With `force` everything may differ as long as the tournament begins
    with the matches that were played; the run then continues under the new manifest.
    """
    manifest = config.manifest(tournament)

    def raised(before: dict[str, Any]) -> dict[str, Any]:
        """Returns the older manifest with the keys that may be larger now."""
        old, new = before["tournament"], manifest["tournament"]
        raisable = [key for key in schedule(tournament).raisable if isinstance(old.get(key), int | float)]
        larger = [key for key in raisable if old[key] < new[key]]
        return before | {"tournament": old | {key: new[key] for key in larger}}

    journal = loop.prepare(tournament, path, text, manifest, start, raised, force)
    signature.sign(path, tournament)
    return journal


def play(
    tournament: Tournament,
    journal: JournalWriter,
    workers: Workers,
    report: Callable[[Progress], None],
    earlier: EarlierRun | None = None,
) -> RankedRun:
    """Plays the matches that are missing in the journal, writes the standings, and returns them."""
    plan = schedule(tournament)
    counts = LiveCounts(tournament, plan)

    def progress(now: loop.LoopProgress) -> None:
        report(Progress(counts.matches, plan, now.played, counts.counts, now.out, now.machines))

    loop.play(tournament, journal, plan, counts, progress, workers, earlier)
    return write_standings(journal.folder, counts.totals())


class RunOrder(NamedTuple):
    """A tournament to play, and how; see `tourney.run`."""

    tournament: Tournament
    text: str
    """The text of its file."""
    path: Path
    """The folder."""
    start: loop.Start
    force: bool = False
    extend: Path | None = None
    """The folder of an earlier run whose blocks are reused."""


def lead(
    order: RunOrder,
    workers: Workers,
    caller: Caller,
    how_to_resume: str,
    begun: Callable[[EarlierRun | None], Callable[[Progress], None]],
) -> RankedRun:
    """Plays a tournament, or the rest of it, until it is finished or Ctrl-C stops it; returns the standings."""
    tournament, path = order.tournament, order.path
    if order.force and order.start != "resume":
        raise ConfigError("force is for a run that is resumed; use both, or neither")
    with caller.stoppable(how_to_resume) as check:
        earlier = None if order.extend is None else EarlierRun(order.extend, tournament, path)
        with prepare(tournament, order.text, path, order.start, order.force) as journal:
            show = begun(earlier)

            def report(now: Progress) -> None:
                show(now)
                check(f"stopped after {now.matches} of {now.schedule.describe_size()}")

            with resume_hint(how_to_resume):
                return play(tournament, journal, workers, report, earlier)
