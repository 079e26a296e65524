"""Plays a tournament into the folder of a run: from the beginning, or on from where an earlier run ended."""

from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from tourney import config, store
from tourney.config import Tournament
from tourney.errors import RunError, TooManyFaultsError
from tourney.runner.counting import Counting
from tourney.runner.extend import Earlier, Taken
from tourney.runner.local import LocalRunner, Played
from tourney.runner.nursery import Nursery
from tourney.schedule.contract import Schedule
from tourney.schedule.formats import schedule
from tourney.stats.counts import Counts
from tourney.stats.faults import FaultCount

SYNC_S = 2.0
"""What was written to the journal is on the disk after so long at the latest."""


class Progress(NamedTuple):
    """How far a run is."""

    matches: int
    total: int
    played: int
    """Matches played since this start of the run; those taken over from an earlier one do not count."""
    counts: Counts
    out: Mapping[str, str]
    """Who is put out of the tournament, and why."""


def prepare(tournament: Tournament, text: str, path: Path, resume: bool, force: bool) -> None:
    """Makes the run's folder, or sees that it can be resumed: same configuration, same games and bots.

    The anchor of the ratings may be another. With `force`, no difference matters, and the run goes on under the new
    manifest.
    """
    manifest = config.manifest(tournament)
    if not resume:
        store.create(path, text, manifest)
        return
    before = store.read_manifest(path)
    differences = store.manifest_differences(before, manifest)
    if differences and not force:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise RunError(f"{path}: was begun differently: {differences[0]}{more}; --force goes on all the same")
    if differences or before["tournament"].get("anchor") != manifest["tournament"]["anchor"]:
        store.write_whole(path / store.MANIFEST, store.json_text(manifest))


def play(
    tournament: Tournament,
    path: Path,
    workers: int,
    report: Callable[[Progress], None],
    earlier: Earlier | None = None,
    nursery: Nursery | None = None,
) -> None:
    """Plays what is neither in the run's journal nor in an earlier run, and writes the standings.

    `report` is called several times a second; it may raise to stop the run, which can then be resumed. Workers come
    from the nursery, or from a new one.
    """
    journal = store.Journal(path)
    try:
        counting = _play(tournament, journal, workers, report, earlier, nursery)
    finally:
        journal.close()
    counting.write_standings()


def _play(
    tournament: Tournament,
    journal: store.Journal,
    workers: int,
    report: Callable[[Progress], None],
    earlier: Earlier | None,
    nursery: Nursery | None,
) -> Counting:
    """Plays, and returns what was counted: all matches of the run."""
    plan = schedule(tournament)
    total = plan.size().matches
    faults = FaultCount(tournament, total)
    counting = Counting(journal.path.parent, plan)

    def count(begun: store.Begun) -> None:
        counting.found(begun)
        if tournament.limits_faults and begun.whole:
            faults.add(begun.records())

    whole, known = journal.resume(plan, count)
    played = 0
    report(Progress(counting.matches, total, played, counting.counts, faults.out))
    if counting.matches == total:
        return counting
    synced = monotonic()
    logs = store.logs_folder(journal.path.parent, tournament)
    with LocalRunner(tournament, workers, faults, logs, nursery) as runner:
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
