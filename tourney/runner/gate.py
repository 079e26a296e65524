"""Plays a gate into the folder of a run: the matches of a mirror, until the comparison reaches its verdict.

The journal ends with the deal that decides, however many workers there were; what they have played beyond it is
discarded. Once the verdict is known, the manifest is cut to the deals that were played, so that the folder is that of a
finished run, which every command can read.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tourney import config
from tourney.config import Tournament
from tourney.errors import FewerDealsError
from tourney.journal import folder, signature
from tourney.journal.reader import JournalBlocks, parse_record
from tourney.journal.writer import JournalWriter
from tourney.runner import loop
from tourney.runner.ordered_pool import PlayedBlocks
from tourney.runner.standings import write_standings
from tourney.runner.worker_starter import WorkerStarter
from tourney.schedule.base import schedule
from tourney.stats.paired_comparison import Comparison


def prepare(
    tournament: Tournament, text: str, path: Path, settings: dict[str, Any], start: loop.Start
) -> JournalWriter:
    """Makes the folder of a gate, or verifies that the gate in it can be resumed or replaced.

    The journal that it returns is locked.

    A gate can be resumed with the same bots, games and settings; only the cap on the deals may be larger than it was,
    and the faults of the old bot may be allowed, or no longer.

    Raises:
        FolderHoldsRunError: There is a run or a gate in the folder, and a new one is asked for.
        UnsuitableFolderError: The folder holds something else than a gate.
        FewerDealsError: The gate in the folder has a larger cap on its deals.
        RunChangedError: The bots, the games or the settings have changed since the gate began.
        RunError: Another process is writing to the folder.
        WriteError: The folder cannot be written.
    """

    def with_changes(before: dict[str, Any]) -> dict[str, Any]:
        cap = before["gate"].get("max_deals", 0)
        if cap > tournament.deals:
            raise FewerDealsError(f"{path}: was begun with at most {cap} deals; go on with as many, or with more", cap)
        return before | {
            "tournament": before["tournament"] | {"deals": tournament.deals},
            "gate": before["gate"] | {key: settings[key] for key in ("max_deals", "allow_old_faults")},
        }

    manifest = config.manifest(tournament) | {"gate": settings}
    journal = loop.prepare(tournament, path, text, manifest, start, with_changes)
    (path / folder.VERDICT).unlink(missing_ok=True)
    signature.sign(path, tournament)
    return journal


def play(
    tournament: Tournament,
    journal: JournalWriter,
    workers: int,
    comparison: Comparison,
    report: Callable[[loop.LoopProgress], None],
    starter: WorkerStarter | None = None,
    start_pool: loop.StartPool | None = None,
) -> None:
    """Plays the matches that are missing in the journal, until there is a verdict or the deals are exhausted.

    Args:
        tournament: The mirror that is played.
        journal: The journal of the gate.
        workers: The number of worker processes.
        comparison: Counts the matches, and gives the verdict.
        report: Called several times a second; it may raise to stop the gate, which can then be resumed.
        starter: What starts the workers; by default a new one.
        start_pool: What makes the pool that plays; by default that of worker processes of this machine.

    Raises:
        TooManyFaultsError: More matches had faults than the tournament allows.
        RunError: The journal is damaged, or no worker can be started.
        WriteError: The folder cannot be written.
    """
    plan = schedule(tournament)
    counts = _GateCounts(comparison, plan.most_matches)
    loop.play(tournament, journal, plan, counts, report, workers, starter, start_pool=start_pool)


def finish(tournament: Tournament, path: Path, comparison: Comparison, verdict: dict[str, Any]) -> None:
    """Writes the verdict, and makes the folder that of a finished run."""
    folder.write_atomically(path / folder.VERDICT, folder.json_text(verdict))
    manifest = folder.read_manifest(path)
    manifest["tournament"]["deals"] = comparison.deals
    folder.write_manifest(path, manifest)
    signature.sign(path, tournament)
    write_standings(path)


class _GateCounts:
    """Counts the matches of a gate with its comparison, up to the one that decides."""

    def __init__(self, comparison: Comparison, most: int) -> None:
        self._comparison = comparison
        self._most = most

    @property
    def matches(self) -> int:
        return self._comparison.matches

    @property
    def finished(self) -> bool:
        return self._comparison.verdict is not None or self._comparison.matches == self._most

    def add_found(self, found: JournalBlocks) -> None:
        if found.complete:
            for record in found.records():
                self._comparison.add(record)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        lines = played.lines.splitlines(keepends=True)
        counted = 0
        while counted < len(lines) and self._comparison.verdict is None:
            self._comparison.add(parse_record(lines[counted], "a worker's record"))
            counted += 1
        return b"".join(lines[known:counted])
