"""Plays a tournament into the folder of a run: from the beginning, or on from where an earlier run ended."""

from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from tourney import config
from tourney.config import Tournament
from tourney.errors import RunChangedError, TooManyFaultsError
from tourney.journal import folder
from tourney.journal.reader import JournalBlocks
from tourney.journal.writer import JournalWriter
from tourney.runner.disqualification import FaultCount
from tourney.runner.extend import Earlier, Taken
from tourney.runner.forkserver import Forkserver
from tourney.runner.live_counts import Counting
from tourney.runner.local_pool import LocalRunner, Played
from tourney.schedule.base import Schedule
from tourney.schedule.registry import schedule
from tourney.stats.outcome_counts import OutcomeCounts

SYNC_S = 2.0
"""What was written to the journal is on the disk after so long at the latest."""


class Progress(NamedTuple):
    """How far a run is."""

    matches: int
    total: int
    played: int
    """Matches played since this start of the run; those taken over from an earlier one do not count."""
    counts: OutcomeCounts
    out: Mapping[str, str]
    """Who is put out of the tournament, and why."""


def prepare(tournament: Tournament, text: str, path: Path, resume: bool, force: bool) -> None:
    """Makes the run's folder, or sees that it can be resumed: same configuration, same games and bots.

    The anchor of the ratings may be another. With `force`, no difference matters, and the run goes on under the new
    manifest.
    """
    manifest = config.manifest(tournament)
    if not resume:
        folder.create(path, text, manifest)
        return
    before = folder.read_manifest(path)
    differences = folder.manifest_differences(before, manifest)
    if differences and not force:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise RunChangedError(f"{path}: was begun differently: {differences[0]}{more}")
    if differences or before["tournament"].get("anchor") != manifest["tournament"]["anchor"]:
        folder.write_whole(path / folder.MANIFEST, folder.json_text(manifest))


def play(
    tournament: Tournament,
    path: Path,
    workers: int,
    report: Callable[[Progress], None],
    earlier: Earlier | None = None,
    forkserver: Forkserver | None = None,
) -> None:
    """Plays what is neither in the run's journal nor in an earlier run, and writes the standings.

    `report` is called several times a second; it may raise to stop the run, which can then be resumed. Workers come
    from the forkserver, or from a new one.
    """
    journal = JournalWriter(path)
    try:
        counting = _play(tournament, journal, workers, report, earlier, forkserver)
    finally:
        journal.close()
    counting.write_standings()


def _play(
    tournament: Tournament,
    journal: JournalWriter,
    workers: int,
    report: Callable[[Progress], None],
    earlier: Earlier | None,
    forkserver: Forkserver | None,
) -> Counting:
    """Plays, and returns what was counted: all matches of the run."""
    plan = schedule(tournament)
    total = plan.size().matches
    faults = FaultCount(tournament, total)
    counting = Counting(journal.path.parent, plan)

    def count(begun: JournalBlocks) -> None:
        counting.found(begun)
        if tournament.limits_faults and begun.complete:
            faults.add(begun.records())

    whole, known = journal.resume(plan, count)
    played = 0
    report(Progress(counting.matches, total, played, counting.counts, faults.out))
    if counting.matches == total:
        return counting
    synced = monotonic()
    logs = folder.logs_folder(journal.path.parent, tournament)
    with LocalRunner(tournament, workers, faults, logs, forkserver) as runner:
        for some in _played(runner, plan, whole) if earlier is None else earlier.merged(whole, runner.play):
            if some is not None:
                # the block that an earlier start did not finish is played again; its first records stay as they are
                new = b"".join(some.lines.splitlines(keepends=True)[known:]) if known else some.lines
                known = 0
                counting.played(some.blocks, some.lines, new)
                journal.append(new)
                played += 0 if isinstance(some, Taken) else some.matches
            if monotonic() - synced > SYNC_S:
                journal.sync()
                synced = monotonic()
            report(Progress(counting.matches, total, played, counting.counts, faults.out))
            if faults.stop is not None and some is not None and counting.matches < total:
                raise TooManyFaultsError(faults.stop)
    journal.sync()
    return counting


def _played(runner: LocalRunner, plan: Schedule, whole: int) -> Iterator[Played | None]:
    """What the runner makes of the blocks from number `whole` on; a round is played out before the next is made."""
    for blocks in plan.rounds():
        yield from runner.play(dropwhile(lambda block: block.number < whole, blocks))
