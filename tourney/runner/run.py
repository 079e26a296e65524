"""Plays a tournament into the folder of a run: from the beginning, or on from where an earlier run ended."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import dropwhile
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from tourney import config, store
from tourney.config import Tournament
from tourney.errors import RunError, TooManyFaultsError
from tourney.match import Record
from tourney.runner.counting import Counting
from tourney.runner.extend import Earlier, Taken
from tourney.runner.local import LocalRunner
from tourney.runner.nursery import Nursery
from tourney.runner.standings import write_standings
from tourney.runner.worker import Done
from tourney.schedule.contract import Schedule
from tourney.schedule.formats import schedule
from tourney.stats.faults import FaultCount
from tourney.stats.standings import Standings

SYNC_S = 2.0
"""What was written to the journal is on the disk after so long at the latest."""


class Progress(NamedTuple):
    """How far a run is."""

    matches: int
    total: int
    played: int
    """Matches played since this start of the run; those taken over from an earlier one do not count."""
    standings: Standings
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
    if counting is None:
        write_standings(path)
    else:
        counting.write_standings()


def _play(
    tournament: Tournament,
    journal: store.Journal,
    workers: int,
    report: Callable[[Progress], None],
    earlier: Earlier | None,
    nursery: Nursery | None,
) -> Counting | None:
    """Plays, and returns what was counted meanwhile, if that is all matches of the run."""
    standings, plan, known = Standings(tournament.names), schedule(tournament), 0
    total = plan.size().matches
    faults = FaultCount(tournament, total)

    def count(records: Sequence[Record]) -> None:
        nonlocal known
        known += len(records)
        faults.add(records)
        standings.add(records)

    whole, begun = journal.resume(plan, count)
    matches, played = known, 0
    report(Progress(matches, total, 0, standings, faults.out))
    if matches == total:
        return None
    fresh = not (whole or begun) and earlier is None and not plan.adapts
    counting = Counting(journal.path.parent) if fresh else None
    synced = monotonic()
    logs = store.logs_folder(journal.path.parent, tournament)
    with LocalRunner(tournament, workers, faults, logs, nursery) as runner:
        for done in _played(runner, plan, whole, counting) if earlier is None else earlier.merged(whole, runner.play):
            if done is not None:
                # the block that an earlier run did not finish is played again; its first records stay as they are
                journal.append(b"".join(done.lines.splitlines(keepends=True)[begun:]) if begun else done.lines)
                begun = 0
                matches += done.matches
                played += 0 if isinstance(done, Taken) else done.matches
                standings.merge(done.standings)
            if monotonic() - synced > SYNC_S:
                journal.sync()
                synced = monotonic()
            report(Progress(matches, total, played, standings, faults.out))
            if faults.stop is not None and done is not None and matches < total:
                raise TooManyFaultsError(faults.stop)
    journal.sync()
    return counting


def _played(runner: LocalRunner, plan: Schedule, whole: int, counting: Counting | None) -> Iterator[Done | None]:
    """What the runner makes of the blocks from number `whole` on; a round is played out before the next is made."""
    for blocks in plan.rounds():
        rest = dropwhile(lambda block: block.number < whole, blocks)
        for done in runner.play(rest if counting is None else counting.beside(rest)):
            if done is not None and plan.adapts:
                for line in done.lines.splitlines(keepends=True):
                    plan.add(store.parse_unsealed(line, "a worker's record"))
            if done is not None and counting is not None:
                counting.add(done.blocks, done.lines)
            yield done
