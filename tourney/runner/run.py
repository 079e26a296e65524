"""Plays a tournament into the folder of a run: a new run, or the rest of one that was stopped."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tourney import config
from tourney.config import Tournament
from tourney.journal import signature
from tourney.journal.writer import JournalWriter
from tourney.runner import loop
from tourney.runner.extend import EarlierRun
from tourney.runner.forecast import Forecast
from tourney.runner.live_counts import LiveCounts
from tourney.runner.ordered_pool import Machines
from tourney.runner.standings import RankedRun
from tourney.runner.worker_starter import WorkerStarter
from tourney.schedule.base import Schedule, schedule
from tourney.stats.outcome_counts import OutcomeCounts


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
    forecast: Forecast
    """What tells how long the rest takes."""
    machines: Machines | None = None
    """How many machines play, if a cluster does."""


def prepare(tournament: Tournament, text: str, path: Path, start: loop.Start, force: bool) -> JournalWriter:
    """Makes the folder of a new run, or verifies that the run in it can be resumed or replaced.

    The journal that it returns is locked.

    A run can be resumed with the same configuration, games and bots. The anchor of the ratings may differ, and the
    `raisable` keys of the format may be larger. With `force` everything may differ as long as the tournament begins
    with the matches that were played; the run then continues under the new manifest.

    Raises:
        RunError: The folder cannot be used, or is in use; see `loop.prepare`.
        WriteError: The folder cannot be written.
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
    workers: int,
    report: Callable[[Progress], None],
    earlier: EarlierRun | None = None,
    starter: WorkerStarter | None = None,
    start_pool: loop.StartPool | None = None,
) -> RankedRun:
    """Plays the matches that are missing in the journal, writes the standings, and returns them.

    Args:
        tournament: What is played.
        journal: The journal of the run.
        workers: The number of worker processes.
        report: Called several times a second; it may raise to stop the run, which can then be resumed.
        earlier: A run whose blocks are reused.
        starter: What starts the workers; by default a new one.
        start_pool: What makes the pool that plays; by default that of worker processes of this machine.

    Raises:
        TooManyFaultsError: More matches had faults than the tournament allows.
        RunError: The journal is damaged, or no worker can be started.
        WriteError: The folder cannot be written.
    """
    plan = schedule(tournament)
    counts = LiveCounts(journal.folder, plan)

    def progress(now: loop.LoopProgress) -> None:
        report(Progress(counts.matches, plan, now.played, counts.counts, now.out, now.forecast, now.machines))

    loop.play(tournament, journal, plan, counts, progress, workers, starter, earlier, start_pool)
    return counts.write_standings(journal.digest())
