"""Plays a gate into a run folder: the matches of a mirror, until the comparison reaches its verdict.

The journal ends with the deciding deal, regardless of the number of workers.
"""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from tourney.base.errors import ConfigError, RunError
from tourney.base.validation import read
from tourney.config import Tournament
from tourney.config.writing import PlannedMirror
from tourney.contracts.match import RecordedResult
from tourney.journal import folder, signature
from tourney.journal.kinds import VERDICT
from tourney.journal.reader import JournalBlock
from tourney.journal.standings import RankedRun, RunTotals, write_standings
from tourney.runner.pool.ordered import PlayedBlocks
from tourney.runner.run import LiveCounts, Progress, RunPlan, Start
from tourney.runner.workers import Workers
from tourney.schedule.base import schedule
from tourney.standings.gate import Gate, Settings, verdict_data

MARGIN_ELO = 25.0  # the default distance between the two strengths, in Elo, that a gate distinguishes


def of_manifest(manifest: Mapping[str, Any], tournament: Tournament) -> Gate | None:
    """The comparison of a gate's run, before any of its matches; None if the run is not a gate."""
    if "gate" not in manifest:
        return None
    try:
        settings = msgspec.convert(manifest["gate"], Settings)
    except msgspec.ValidationError as error:
        raise ConfigError(f"the manifest is damaged ({error}); restore it, or run the gate again") from None
    if settings.elo0 >= settings.elo1 or tournament.format != "mirror":
        raise ConfigError("the manifest is damaged (not that of a gate); restore it, or run the gate again")
    return Gate(tournament, settings)


class GatePlan(RunPlan):
    """A gate, played until it has a verdict or runs out of deals."""

    verdict: dict[str, Any]  # the content of gate.json, once played

    def __init__(self, mirror: PlannedMirror, settings: Settings, start: Start = "new") -> None:
        """The gate of a mirror's first two bots; the mirror has the gate's maximum number of deals."""
        super().__init__(*mirror, start, kind="gate")
        if settings.max_slower is not None and not self.tournament.timed:
            raise ConfigError("max_slower: needs both bots in one host; plugins run inline, files in any host")
        self.settings = msgspec.structs.asdict(settings)
        self.comparison = Gate(self.tournament, settings)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The run's manifest, with the gate's settings."""
        return super().manifest | {"gate": self.settings}

    def adapted(self, before: dict[str, Any]) -> dict[str, Any]:
        """Allows a larger cap, and other limits for time and the old bot's faults."""
        cap = before["gate"]["max_deals"]
        if cap > self.tournament.deals:
            raise RunError(f"{self.path}: started with max_deals = {cap}; resume it with {cap} or more")
        return before | {
            "tournament": before["tournament"] | {"deals": self.tournament.deals},
            "gate": before["gate"]
            | {key: self.settings[key] for key in ("max_deals", "allow_old_faults", "max_slower")},
        }

    def accepted(self) -> None:
        """Also deletes the previous verdict."""
        super().accepted()
        folder.clear(self.path, [VERDICT])

    def on_start(self, workers: Workers) -> LiveCounts:
        """The counts, which end with the deciding match."""
        return _GateCounts(self.path, self.tournament, self.comparison)

    def so_far(self, far: Progress) -> str:
        return f"{self.comparison.deals} deals"

    def ended(self) -> RankedRun:
        """Also writes the verdict; the run is finished with the deals played."""
        path, deals = self.path, self.comparison.deals
        self.comparison.end(self.counts.times.pace)
        self.verdict = data = verdict_data(self.comparison)
        if not self.comparison.too_slow:  # the file is the same on every machine, unless time decides
            data = {key: value for key, value in data.items() if key != "time"}
        folder.write_atomically(path / VERDICT, folder.json_text(data))
        folder.write_manifest(path, self.manifest | {"tournament": self.manifest["tournament"] | {"deals": deals}})
        signature.sign(path, self.tournament)
        played = msgspec.structs.replace(self.tournament, deals=deals)
        return write_standings(
            path, RunTotals(played, schedule(played), self.counts.counts, self.counts.matches, left_out=0)
        )


def settings(*, stronger: bool, elo0: float | None, elo1: float | None, **others: Any) -> Settings:
    """A gate's settings, with defaults for strengths that are not given."""
    low, high = (0.0, MARGIN_ELO) if stronger else (-MARGIN_ELO, 0.0)
    low, high = low if elo0 is None else elo0, high if elo1 is None else elo1
    test = read(Settings, {"elo0": low, "elo1": high, **others}, "")
    if low >= high:
        raise ConfigError(f"elo0 = {low:g} must be below elo1 = {high:g}")
    return test


class _GateCounts(LiveCounts):
    def __init__(self, run: Path, tournament: Tournament, comparison: Gate) -> None:
        super().__init__(run, tournament)
        self._comparison = comparison

    @property
    def finished(self) -> bool:
        return self._comparison.verdict is not None or self.matches == self.schedule.most_matches

    def add_found(self, block: JournalBlock[RecordedResult]) -> None:
        super().add_found(block)
        for record in block.records:
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
                self._add_first_faults(one, results)
                counted += len(results)
        return b"".join(played.lines.splitlines(keepends=True)[known:counted])
