"""Plays a gate into the folder of a run: the matches of a mirror, until the comparison has come to its verdict.

What the workers have finished beyond the deal that decides is thrown away: the journal ends with that deal, however
many workers there were. When the verdict stands, the manifest is cut to the deals that were played: the folder is then
that of a finished run, which every command can read.
"""

import shutil
from collections.abc import Callable, Iterator
from itertools import dropwhile
from pathlib import Path
from time import monotonic
from typing import Any

from tourney import config
from tourney.config import Tournament
from tourney.errors import (
    FewerDealsError,
    FolderHoldsRunError,
    RunChangedError,
    TooManyFaultsError,
    UnsuitableFolderError,
)
from tourney.journal import folder
from tourney.journal.reader import JournalBlocks, parse_record
from tourney.journal.writer import JournalWriter
from tourney.runner.disqualification import FaultCount
from tourney.runner.forkserver import Forkserver
from tourney.runner.local_pool import LocalRunner
from tourney.runner.run import SYNC_S
from tourney.runner.standings import write_standings
from tourney.schedule.registry import schedule
from tourney.stats.paired_comparison import Comparison

VERDICT = "gate.json"
"""The verdict, in the run's folder."""


def prepare(tournament: Tournament, text: str, path: Path, settings: dict[str, Any], resume: bool) -> None:
    """Makes the run's folder, or sees that the gate in it can be resumed: the same bots, games and settings.

    Only the cap on the deals may be larger than it was.
    """
    manifest = config.manifest(tournament) | {"gate": settings}
    if not resume:
        if (path / folder.MANIFEST).is_file():
            raise FolderHoldsRunError(f"{path}: holds a run already")
        folder.create(path, text, manifest)
        return
    before = folder.read_manifest(path)
    if not isinstance(before.get("gate"), dict):
        raise UnsuitableFolderError(f"{path}: holds no gate, but another run")
    most = before["gate"].get("max_deals", 0)
    if most > tournament.deals:
        raise FewerDealsError(f"{path}: was begun with at most {most} deals; go on with as many, or with more", most)
    for each in (before, manifest):  # the cap changes nothing in what was played
        each["tournament"] = each["tournament"] | {"deals": tournament.deals}
        each["gate"] = each["gate"] | {"max_deals": tournament.deals}
    if differences := folder.manifest_differences(before, manifest):
        raise RunChangedError(f"{path}: was begun differently: {differences[0]}")
    (path / VERDICT).unlink(missing_ok=True)
    folder.write_whole(path / folder.MANIFEST, folder.json_text(manifest))


def remove(path: Path) -> None:
    """Removes an earlier gate's folder; an `UnsuitableFolderError` if it holds something else."""
    if not path.exists():
        return
    if "gate" not in folder.read_manifest(path):
        raise UnsuitableFolderError(f"{path}: holds no gate, and is not removed")
    JournalWriter(path).close()
    shutil.rmtree(path)


def play(
    tournament: Tournament,
    path: Path,
    workers: int,
    comparison: Comparison,
    report: Callable[[int], None],
    forkserver: Forkserver | None = None,
) -> None:
    """Plays what is not yet in the journal, until the comparison has its verdict or the deals are at an end.

    `report` is called several times a second, with the number of matches played since this start; it may raise to stop
    the gate, which can then be resumed. Workers come from the forkserver, or from a new one.
    """
    journal = JournalWriter(path)
    try:
        _play(tournament, journal, workers, comparison, report, forkserver)
    finally:
        journal.close()


def finish(path: Path, comparison: Comparison, verdict: dict[str, Any]) -> None:
    """Writes the verdict, and makes the folder that of a finished run."""
    folder.write_whole(path / VERDICT, folder.json_text(verdict))
    manifest = folder.read_manifest(path)
    manifest["tournament"]["deals"] = comparison.deals
    folder.write_whole(path / folder.MANIFEST, folder.json_text(manifest))
    write_standings(path)


def _play(
    tournament: Tournament,
    journal: JournalWriter,
    workers: int,
    comparison: Comparison,
    report: Callable[[int], None],
    forkserver: Forkserver | None,
) -> None:
    plan = schedule(tournament)
    faults = FaultCount(tournament, plan.size().matches)

    def count(begun: JournalBlocks) -> None:
        if begun.complete:
            faults.add(begun.records())
            for record in begun.records():
                comparison.add(record)

    whole, begun = journal.resume(plan, count)
    report(played := 0)
    if comparison.verdict is not None or whole == plan.size().blocks:
        return
    synced = monotonic()
    logs = folder.logs_folder(journal.path.parent, tournament)
    with LocalRunner(tournament, workers, faults, logs, forkserver) as runner:
        for lines in _played(runner, dropwhile(lambda block: block.number < whole, plan.blocks())):
            counted = _counted(lines, comparison)
            journal.append(b"".join(lines[begun:counted]))  # the first records of a block may be there already
            played += max(counted - begun, 0)
            begun = max(begun - counted, 0)
            if comparison.verdict is not None:
                break
            if monotonic() - synced > SYNC_S:
                journal.sync()
                synced = monotonic()
            report(played)
            if faults.stop is not None and lines:
                raise TooManyFaultsError(faults.stop)
    journal.sync()
    report(played)


def _played(runner: LocalRunner, blocks: Iterator[Any]) -> Iterator[list[bytes]]:
    """The lines of the journal as they are finished, in order; none every so often."""
    for done in runner.play(blocks):
        yield [] if done is None else done.lines.splitlines(keepends=True)


def _counted(lines: list[bytes], comparison: Comparison) -> int:
    """How many of the lines were counted in until the verdict."""
    for number, line in enumerate(lines, 1):
        comparison.add(parse_record(line, "a worker's record"))
        if comparison.verdict is not None:
            return number
    return len(lines)
