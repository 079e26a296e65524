"""Plays a gate into the folder of a run: the matches of a mirror, until the comparison reaches its verdict.

The journal ends with the deal that decides, however many workers there were.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, resume_hint
from tourney.base.validation import read
from tourney.config import Tournament
from tourney.config.gate_file import MirrorFile
from tourney.contracts.match import RecordedResult
from tourney.hosts.faults import BotTraceback
from tourney.journal import folder, signature
from tourney.journal.kinds import VERDICT
from tourney.journal.reader import JournalBlock
from tourney.journal.standings import RunTotals, write_standings
from tourney.journal.writer import JournalWriter
from tourney.runner.pool.ordered import PlayedBlocks
from tourney.runner.run import LiveCounts, Progress, Start, play_on, prepare_folder
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import schedule
from tourney.standings.gate import Gate, Settings, verdict_data

MARGIN_ELO = 25.0  # the default distance between the two strengths, in Elo, that a gate distinguishes


def of_manifest(manifest: Mapping[str, Any], tournament: Tournament) -> Gate | None:
    """The comparison of a gate's run, before any of its matches; None for a run that is no gate."""
    if "gate" not in manifest:
        return None
    try:
        settings = msgspec.convert(manifest["gate"], Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the gate again") from None
    if settings.elo0 >= settings.elo1 or tournament.format != "mirror":
        raise ConfigError("the manifest is damaged (not that of a gate); restore it, or run the gate again")
    return Gate(tournament, settings)


class GatePlan(NamedTuple):
    """A gate that can be played: its tournament, with the text of its file."""

    tournament: Tournament
    text: str
    path: Path
    comparison: Gate

    @classmethod
    def of_mirror(cls, mirror: MirrorFile, settings: Settings) -> Self:
        """Plans the gate of the first two bots of a mirror, which has as many deals as the gate at most."""
        return cls(*mirror, Gate(mirror.tournament, settings))


def settings(*, stronger: bool, elo0: float | None, elo1: float | None, **others: Any) -> Settings:
    """The settings of a gate, with defaults for strengths that are not given."""
    low, high = (0.0, MARGIN_ELO) if stronger else (-MARGIN_ELO, 0.0)
    low, high = low if elo0 is None else elo0, high if elo1 is None else elo1
    found = read(Settings, {"elo0": low, "elo1": high, **others}, "")
    if low >= high:
        raise ConfigError(f"elo0 = {low:g} must be below elo1 = {high:g}")
    return found


def prepare(plan: GatePlan, start: Start) -> JournalWriter:
    """Makes the folder of a gate, or verifies that the gate in it can be resumed or replaced; see `prepare_folder`."""
    tournament, path, settings = plan.tournament, plan.path, msgspec.structs.asdict(plan.comparison.test)

    def with_changes(before: dict[str, Any]) -> dict[str, Any]:
        # the cap may be larger than it was, and the faults of the old bot be allowed, or no longer
        cap = before["gate"]["max_deals"]
        if cap > tournament.deals:
            raise RunError(f"{path}: was begun with max_deals = {cap}; resume it with at least as many")
        return before | {
            "tournament": before["tournament"] | {"deals": tournament.deals},
            "gate": before["gate"] | {key: settings[key] for key in ("max_deals", "allow_old_faults")},
        }

    manifest = config.manifest(tournament, kind="gate") | {"gate": settings}
    journal = prepare_folder(tournament, path, plan.text, manifest, start, with_changes)
    (path / VERDICT).unlink(missing_ok=True)
    return journal


def lead(
    plan: GatePlan,
    start: Start,
    workers: Workers,
    caller: Caller,
    how_to_resume: str,
    begun: Callable[[], Callable[[Progress], None]],
) -> tuple[dict[str, Any], list[BotTraceback]]:
    """Plays a gate, or the rest of it, until there is a verdict, the deals are exhausted or Ctrl-C stops it.

    Returns the verdict, and the tracebacks of what bots have raised now.
    """
    path, comparison = plan.path, plan.comparison
    with caller.stoppable(how_to_resume) as check, prepare(plan, start) as journal:
        show = begun()

        def report(now: Progress) -> None:
            show(now)
            check("stopped while the journal was read" if now.reading else f"stopped after {comparison.deals} deals")

        with resume_hint(how_to_resume):
            counts = _GateCounts(plan.tournament, comparison)
            play_on(journal, counts, workers, report)
            verdict = verdict_data(comparison)
            folder.write_atomically(path / VERDICT, folder.json_text(verdict))
            # with the deals that were played, the folder is that of a finished run, which every command can read
            manifest = folder.read_manifest(path)
            manifest["tournament"]["deals"] = comparison.deals
            folder.write_manifest(path, manifest)
            signature.sign(path, plan.tournament)
            played = msgspec.structs.replace(plan.tournament, deals=comparison.deals)
            write_standings(path, RunTotals(played, schedule(played), counts.counts, counts.matches, left_out=0))
    return verdict, counts.tracebacks


class _GateCounts(LiveCounts):
    """Counts the matches of a gate, up to the one that decides."""

    def __init__(self, tournament: Tournament, comparison: Gate) -> None:
        super().__init__(tournament)
        self._comparison = comparison

    @property
    def finished(self) -> bool:
        return self._comparison.verdict is not None or self.matches == self.schedule.most_matches

    def add_found(self, found: JournalBlock[RecordedResult]) -> None:
        super().add_found(found)
        for record in found.records:
            self._comparison.add(record)

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
                self._count(one.blocks[0], results)
                counted += len(results)
        return b"".join(played.lines.splitlines(keepends=True)[known:counted])
