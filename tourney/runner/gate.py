"""Plays a gate into the folder of a run: the matches of a mirror, until the comparison reaches its verdict.

The journal ends with the deal that decides, however many workers there were; what they have played beyond it is
discarded. Once the verdict is known, the manifest is cut to the deals that were played, so that the folder is that of a
finished run, which every command can read.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tourney import config
from tourney.config import Tournament
from tourney.errors import RunError, resume_hint
from tourney.journal import folder, signature
from tourney.journal.reader import JournalBlock
from tourney.journal.writer import JournalWriter
from tourney.runner import loop
from tourney.runner.gate_plan import GatePlan
from tourney.runner.ordered_pool import PlayedBlocks
from tourney.runner.standings import RunTotals, write_standings
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import schedule
from tourney.stats.gate_verdict import verdict_data
from tourney.stats.outcome_counts import OutcomeCounts
from tourney.stats.paired_comparison import Comparison


def prepare(
    tournament: Tournament, text: str, path: Path, settings: dict[str, Any], start: loop.Start
) -> JournalWriter:
    """Makes the folder of a gate, or verifies that the gate in it can be resumed or replaced.

    The journal that it returns is locked.

    A gate can be resumed with the same bots, games and settings; only the cap on the deals may be larger than it was,
    and the faults of the old bot may be allowed, or no longer.

    Raises:
        RunError: The folder cannot be used, or another process is writing to it; or the bots, the games or the settings
            have changed since the gate began, or its cap on the deals was larger.
        WriteError: The folder cannot be written.
    """

    def with_changes(before: dict[str, Any]) -> dict[str, Any]:
        cap = before["gate"].get("max_deals", 0)
        if cap > tournament.deals:
            raise RunError(f"{path}: was begun with max_deals = {cap}; resume it with at least as many")
        return before | {
            "tournament": before["tournament"] | {"deals": tournament.deals},
            "gate": before["gate"] | {key: settings[key] for key in ("max_deals", "allow_old_faults")},
        }

    manifest = config.manifest(tournament) | {"gate": settings}
    journal = loop.prepare(tournament, path, text, manifest, start, with_changes)
    (path / folder.VERDICT).unlink(missing_ok=True)
    signature.sign(path, tournament)
    return journal


def lead(
    plan: GatePlan,
    start: loop.Start,
    workers: Workers,
    caller: Caller,
    how_to_resume: str,
    begun: Callable[[], Callable[[loop.LoopProgress], None]],
) -> dict[str, Any]:
    """Plays a gate, or the rest of it, until there is a verdict, the deals are exhausted or Ctrl-C stops it.

    Args:
        plan: What is played; its comparison counts the matches.
        start: Whether the gate in the folder is resumed or replaced.
        workers: Who plays.
        caller: For whom it is played.
        how_to_resume: What a user can do to continue, for the end of a message.
        begun: Called once the folder is there; returns what is called with the progress several times a second.

    Returns:
        The verdict and the figures that it rests on.

    Raises:
        TourneyError: It cannot be played, or ended early; see `prepare` and `loop.play`.
    """
    tournament, comparison = plan.tournament, plan.comparison
    with (
        caller.stoppable(how_to_resume) as check,
        prepare(tournament, plan.text, plan.path, plan.settings, start) as journal,
    ):
        show = begun()

        def report(now: loop.LoopProgress) -> None:
            show(now)
            check(f"stopped after {comparison.deals} deals")

        with resume_hint(how_to_resume):
            of_schedule = schedule(tournament)
            counts = _GateCounts(tournament, comparison, of_schedule.most_matches)
            loop.play(tournament, journal, of_schedule, counts, report, workers)
            verdict = verdict_data(comparison, plan.settings)
            _finish(plan, counts, verdict)
    return verdict


def _finish(plan: GatePlan, counts: "_GateCounts", verdict: dict[str, Any]) -> None:
    """Writes the verdict, and makes the folder that of a finished run."""
    path, deals = plan.path, plan.comparison.deals
    folder.write_atomically(path / folder.VERDICT, folder.json_text(verdict))
    manifest = folder.read_manifest(path)
    manifest["tournament"]["deals"] = deals
    folder.write_manifest(path, manifest)
    signature.sign(path, plan.tournament)
    played = msgspec.structs.replace(plan.tournament, deals=deals)
    write_standings(path, RunTotals(played, schedule(played), counts.counts, counts.matches, left_out=0))


class _GateCounts:
    """Counts the matches of a gate, up to the one that decides."""

    def __init__(self, tournament: Tournament, comparison: Comparison, most: int) -> None:
        self.counts = OutcomeCounts(tournament.names, tournament.setups)
        self._comparison = comparison
        self._most = most

    @property
    def matches(self) -> int:
        return self._comparison.matches

    @property
    def finished(self) -> bool:
        return self._comparison.verdict is not None or self._comparison.matches == self._most

    def add_found(self, found: JournalBlock) -> None:
        if found.complete:
            for record in found.records:
                self._comparison.add(record)
            self.counts.add(found.block, found.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        counted = 0
        for one in played.by_block():
            results = []
            for match, result in zip(one.played(), one.results, strict=True):
                if self._comparison.verdict is not None:
                    break
                self._comparison.add(match)
                results.append(result)
            if results:
                self.counts.add(one.blocks[0], results)
                counted += len(results)
        return b"".join(played.lines.splitlines(keepends=True)[known:counted])
