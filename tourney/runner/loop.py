"""The loop that plays a tournament into the journal of a run; `tourney run` and `tourney gate` both use it.

The caller says through a `RunCounts` what is counted of the matches and when enough has been played.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import dropwhile, islice
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from tourney.base.errors import EXIT_ENDED_EARLY, ConfigError, RunError, TooManyFaultsError, WriteError
from tourney.config import Tournament
from tourney.journal import bot_logs, folder
from tourney.journal.reader import JournalBlock, read_blocks
from tourney.journal.times import TimesFile
from tourney.journal.writer import JournalWriter, begin, replace
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.extend import EarlierRun, ReusedBlock
from tourney.runner.pool.ordered import Machines, OrderedPool, PlayedBlocks
from tourney.runner.workers import Workers
from tourney.schedule.base import Schedule
from tourney.schedule.base import schedule as schedule_of

Start: TypeAlias = Literal["new", "resume", "overwrite"]
"""Whether to start in a new folder, continue the run in the folder, or replace it."""

START_OVER = "overwrite it to start over, use another folder"
SYNC_S = 2.0
"""How long a written record may take, in seconds, until it is on the disk, and what was counted of the time."""


def start_of(resume: bool, overwrite: bool) -> Start:
    """Returns how a run or a gate starts; raises a `ConfigError` if both are asked for."""
    if resume and overwrite:
        raise ConfigError("resume continues, and overwrite starts over; use one of them")
    return "resume" if resume else "overwrite" if overwrite else "new"


class LoopProgress(NamedTuple):
    """How far the loop is."""

    played: int
    """How many matches were played since this start; reused ones do not count."""
    out: Mapping[str, str]
    """The entrants that are disqualified, with the reason."""
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

    def add_found(self, found: JournalBlock) -> None:
        """Counts the next block of the journal as it was at the start; the last block may be incomplete."""

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, which were played."""


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
    """
    if start == "overwrite" and (path / folder.MANIFEST).exists():
        return replace(path, text, manifest)
    if start != "resume":
        return begin(path, text, manifest)
    folder.read_manifest(path)  # raises if there is no run, before a missing journal is made
    try:
        return _reopened(path, tournament, manifest, adapt, force)
    except WriteError as error:
        error.exit_code = EXIT_ENDED_EARLY  # the run was begun
        raise


def _reopened(
    path: Path,
    tournament: Tournament,
    manifest: dict[str, Any],
    adapt: Callable[[dict[str, Any]], dict[str, Any]],
    force: bool,
) -> JournalWriter:
    """Returns the locked journal of a run that is resumed, and writes the manifest under which it continues."""
    journal = JournalWriter(path)
    try:
        before = folder.read_manifest(path)
        folder.require_same_kind(path, before, manifest)
        if differences := folder.manifest_differences(adapt(before), manifest):
            _refuse(path, differences, "gate" in before, tournament, force)
        if before | {"python": None} != manifest | {"python": None}:  # a change of the Python alone is not written
            folder.write_manifest(path, manifest)
            for standings in (folder.STANDINGS_JSON, folder.STANDINGS_TEXT):
                (path / standings).unlink(missing_ok=True)  # they are those under the other manifest
    except BaseException:
        journal.close()
        raise
    return journal


def _refuse(path: Path, differences: Sequence[str], is_gate: bool, tournament: Tournament, force: bool) -> None:
    """Raises an error about a run that has changed, unless that is forced and its matches are in the tournament."""
    if force:
        deque(read_blocks(path, schedule_of(tournament)), maxlen=0)
        return
    more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
    forcible = "" if is_gate else ", or force resuming it"
    raise RunError(f"{path}: was begun differently: {differences[0]}{more}; {START_OVER}{forcible}")


def play(
    tournament: Tournament,
    journal: JournalWriter,
    schedule: Schedule,
    counts: RunCounts,
    report: Callable[[LoopProgress], None],
    workers: Workers,
    earlier: EarlierRun | None = None,
) -> None:
    """Plays what is missing in the journal, in the order of the schedule, until the counts are finished."""
    faults = FaultMonitor(tournament, schedule.most_matches)
    times = TimesFile(journal.folder)

    def add_found(found: JournalBlock) -> None:
        counts.add_found(found)
        if found.complete:
            faults.add(found.records)

    complete, known = journal.resume(schedule, add_found)
    played = 0
    report(LoopProgress(played, faults.out))
    if counts.finished:
        return
    synced = monotonic()
    logs = folder.logs_folder(journal.folder, tournament)
    pool = workers.pool(tournament, faults, logs)
    logged = 0  # how many tracebacks are in the logs
    with folder.failures_logged(journal.folder), pool as runner, ExitStack() as stack:
        stack.callback(lambda: times.save(runner.times))
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
            if monotonic() - synced > SYNC_S:
                journal.sync()
                times.save(runner.times)
                synced = monotonic()
            report(LoopProgress(played, faults.out, runner.machines))
            if counts.finished:
                break
            if faults.stop is not None and blocks is not None:
                raise TooManyFaultsError(f"{faults.stop}; see the faults of its matches")
    journal.sync()


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
