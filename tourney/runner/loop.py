"""The loop that plays a tournament into the journal of a run; `tourney run` and `tourney gate` both use it.

The caller says through a `RunCounts` what is counted of the matches and when enough has been played.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from itertools import dropwhile, islice
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from tourney import config
from tourney.config import Tournament
from tourney.errors import (
    NotAllowedError,
    OtherMatchesError,
    RunChangedError,
    RunError,
    TooManyFaultsError,
    WriteError,
)
from tourney.journal import bot_logs, folder
from tourney.journal.reader import JournalBlocks, read_batches
from tourney.journal.times import TimesFile
from tourney.journal.writer import JournalWriter, begin, remove_unfinished, replace
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.extend import EarlierRun, ReusedBlock
from tourney.runner.forecast import Forecast
from tourney.runner.local_pool import LocalPool
from tourney.runner.ordered_pool import Machines, OrderedPool, PlayedBlocks
from tourney.runner.worker_starter import WorkerStarter
from tourney.schedule.base import Schedule
from tourney.schedule.base import schedule as schedule_of

Start: TypeAlias = Literal["new", "resume", "overwrite"]
"""Whether a run is begun in a new folder, continued, or begun anew in the folder of an earlier one, if there is one."""

StartPool: TypeAlias = Callable[[FaultMonitor, Path], OrderedPool]
"""Makes the pool that plays, given the faults so far and the folder for the logs of bots."""

SYNC_S = 2.0
"""How long a written record may take, in seconds, until it is on the disk, and what was counted of the time."""


class LoopProgress(NamedTuple):
    """How far the loop is."""

    played: int
    """How many matches were played since this start; reused ones do not count."""
    out: Mapping[str, str]
    """The entrants that are disqualified, with the reason."""
    forecast: Forecast
    """What tells how long the rest takes."""
    machines: Machines | None = None
    """How many machines play, if a cluster does."""


class RunCounts(Protocol):
    """What is counted of a run, in the order of its schedule."""

    @property
    def matches(self) -> int:
        """How many matches are counted."""

    @property
    def finished(self) -> bool:
        """Whether no further match is to be played."""

    def add_found(self, found: JournalBlocks) -> None:
        """Counts the next block of the journal as it was at the start; the last block may be incomplete."""

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, which were played.

        Args:
            played: The blocks.
            known: How many of their lines the journal has already.

        Returns:
            The lines that are to be appended to the journal.
        """


def prepare(
    tournament: Tournament,
    path: Path,
    text: str,
    manifest: dict[str, Any],
    start: Start,
    adapt: Callable[[dict[str, Any]], dict[str, Any]],
    force: bool = False,
) -> JournalWriter:
    """Makes the folder of a new run, or verifies that the run in it can be resumed or replaced.

    Nothing is changed before the journal is locked, nor if the run is refused.

    Args:
        tournament: What is to be played.
        path: The folder.
        text: The tournament file, as given.
        manifest: The manifest of what is to be played.
        start: Whether a run in the folder is refused, resumed under this manifest, or replaced.
        adapt: Returns the manifest of the run in the folder with those changes made to it that are allowed.
        force: Whether to resume the run although its manifest differs, if its matches are those of the tournament.

    Returns:
        The journal, which keeps the folder locked until it is closed.

    Raises:
        FolderHoldsRunError: There is a run in the folder, and a new one is asked for.
        UnsuitableFolderError: There is something else in the folder.
        RunChangedError: The configuration, the games or the bots have changed since the run began.
        OtherMatchesError: They have changed so much that the tournament does not begin with the matches of the run.
        RunError: The folder cannot be used, or another process is writing to it.
        WriteError: The folder cannot be written.
    """
    if start == "overwrite" and (path / folder.MANIFEST).exists():
        return replace(path, text, manifest)
    if start != "resume":
        return begin(path, text, manifest)
    found = _found(path, manifest, adapt, force)
    if not force:
        _refuse_changes(path, found, tournament, force)  # before a missing journal is made
    try:
        return _reopened(path, tournament, manifest, adapt, force)
    except NotAllowedError as error:
        raise WriteError(str(error)) from None  # the run was begun


def _reopened(
    path: Path,
    tournament: Tournament,
    manifest: dict[str, Any],
    adapt: Callable[[dict[str, Any]], dict[str, Any]],
    force: bool,
) -> JournalWriter:
    """Returns the locked journal of a run that is resumed, and writes the manifest under which it goes on."""
    journal = JournalWriter(path)
    try:
        found = _found(path, manifest, adapt, force)
        _refuse_changes(path, found, tournament, force)
        before, manifest = found.before, found.resumed
        if before | {"python": None} != manifest | {"python": None}:  # a change of the Python alone is not written
            folder.write_manifest(path, manifest)
            for standings in (folder.STANDINGS_JSON, folder.STANDINGS_TEXT):
                (path / standings).unlink(missing_ok=True)  # they are those under the other manifest
        remove_unfinished(path)
    except BaseException:
        journal.close()
        raise
    return journal


class _Found(NamedTuple):
    """The run in a folder that is to be resumed."""

    before: dict[str, Any]
    """Its manifest."""
    resumed: dict[str, Any]
    """The manifest under which it is to go on."""
    change: str
    """The first difference between the two that is not allowed; empty if there is none."""


def _found(
    path: Path, manifest: dict[str, Any], adapt: Callable[[dict[str, Any]], dict[str, Any]], force: bool
) -> _Found:
    """Looks at the run in a folder; see `prepare`."""
    before = folder.read_manifest(path)
    folder.require_same_kind(path, before, manifest)
    if not config.has_same_lots(before):
        if not force:
            raise RunChangedError(f"{path}: was begun when bots drew lots by another rule, so play it anew")
        manifest = manifest | {"lots": before.get("lots")}  # a part of the run has those lots, so no bot is asked again
    differences = folder.manifest_differences(adapt(before), manifest)
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    change = f"{differences[0]}{more}" if differences else ""
    return _Found(before, manifest, change)


def _refuse_changes(path: Path, found: _Found, tournament: Tournament, force: bool) -> None:
    """Raises an error if a run has changed, unless that is forced and its matches are those of the tournament."""
    if not found.change:
        return
    changed = f"{path}: was begun differently: {found.change}"
    try:
        _read(path, tournament)
    except RunError:
        _read(path, config.of_manifest(found.before))  # which says if the journal is damaged
        raise OtherMatchesError(f"{changed}, so that its matches are not all of this tournament") from None
    if not force:
        raise RunChangedError(changed)


def _read(path: Path, tournament: Tournament) -> None:
    """Reads the journal of a run to its end; raises a `RunError` unless it is the beginning of that tournament."""
    deque(read_batches(path, schedule_of(tournament)), maxlen=0)


def play(
    tournament: Tournament,
    journal: JournalWriter,
    schedule: Schedule,
    counts: RunCounts,
    report: Callable[[LoopProgress], None],
    workers: int,
    starter: WorkerStarter | None = None,
    earlier: EarlierRun | None = None,
    start_pool: StartPool | None = None,
) -> None:
    """Plays what is missing in the journal, in the order of the schedule, until the counts are finished.

    Args:
        tournament: What is played.
        journal: The journal of the run.
        schedule: The tournament's schedule, at its beginning.
        counts: What counts the matches and says when enough is played.
        report: Called several times a second. It may raise to stop the run, which can then be resumed.
        workers: The number of worker processes.
        starter: What starts the workers; by default a new one.
        earlier: A run whose blocks are reused.
        start_pool: What makes the pool that plays; by default that of worker processes of this machine.

    Raises:
        TooManyFaultsError: More matches had faults than the tournament allows.
        ClusterLostError: A cluster played, and can play no more.
        GameError: The code of a game failed, or a match does not end.
        RunError: The journal is damaged, or no worker can be started.
        WriteError: The journal cannot be written, or another program has changed it.
    """
    faults = FaultMonitor(tournament, schedule.most_matches)
    times = TimesFile(journal.folder)
    forecast = Forecast(schedule, workers)

    def add_found(found: JournalBlocks) -> None:
        counts.add_found(found)
        forecast.skip(found.batch.blocks if found.complete else found.batch.blocks[:-1])
        if tournament.limits_faults and found.complete:
            faults.add(found.records())

    complete, known = journal.resume(schedule, add_found)
    played = 0
    report(LoopProgress(played, faults.out, forecast))
    if counts.finished:
        return
    synced = monotonic()
    logs = folder.logs_folder(journal.folder, tournament)
    pool = start_pool(faults, logs) if start_pool else LocalPool(tournament, workers, faults, logs, starter)
    logged = 0  # how many tracebacks are in the logs
    with folder.failures_logged(journal.folder), pool as runner, times.saving(lambda: runner.times):
        for blocks in _blocks(runner, schedule, complete, earlier):
            for found in islice(runner.tracebacks.values(), logged, None):
                bot_logs.add(journal.folder, found)
            logged = len(runner.tracebacks)
            if blocks is not None:
                # an incomplete block is played again in full; its records in the journal stay as they are
                before = counts.matches + known
                journal.append(counts.add_played(blocks, known))
                known = 0
                played += 0 if isinstance(blocks, ReusedBlock) else counts.matches - before
                forecast.workers = runner.workers
                _add_to(forecast, blocks)
            if monotonic() - synced > SYNC_S:
                journal.sync()
                times.save(runner.times)
                synced = monotonic()
            report(LoopProgress(played, faults.out, forecast, runner.machines))
            if counts.finished:
                break
            if faults.stop is not None and blocks is not None:
                raise TooManyFaultsError(faults.stop)
    journal.sync()
    journal.compare()


def _add_to(forecast: Forecast, played: PlayedBlocks) -> None:
    if isinstance(played, ReusedBlock):
        forecast.skip(played.blocks)
    else:
        forecast.add(played.blocks, played.seconds, monotonic())


def _blocks(
    runner: OrderedPool, schedule: Schedule, complete: int, earlier: EarlierRun | None
) -> Iterator[PlayedBlocks | None]:
    """Yields the blocks that follow the complete ones, in order, played or reused; None while none is ready.

    A round is played to its end before the next one is made.
    """
    if earlier is not None:
        yield from earlier.merge(complete, runner.play)
        return
    for blocks in schedule.rounds():
        yield from runner.play(dropwhile(lambda block: block.number < complete, blocks))
