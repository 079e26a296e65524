"""The analysis of a run: each decision's cost, kept in `analysis.jsonl` next to the journal.

The first line of the file contains the settings (`AnalysisSettings`). Each further line is a match, with the decisions
of some of its bots; a match whose bots were analysed one after another has several. Each line has a seal.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from tourney.base.errors import RunError
from tourney.contracts.match import Record
from tourney.journal.folder import ANALYSIS
from tourney.journal.lines import Lines, LinesWriter

VERSION = 2  # of the file's content, and of the method
GRADES = (10.0, 20.0)  # loss less error, in points %, of a serious mistake and of a blunder
PLAYOUTS = 100  # the default maximum of playouts of an action
AGAIN = "remove the file, and analyse again"

Points: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class DecisionCost(msgspec.Struct, frozen=True):
    """The cost of one decision with a choice for its seat, in points % (100 = sole first place)."""

    decision: int
    """The number of the decision, as in `tourney replay` and `tourney debug`."""
    seat: int
    chosen: str
    best: str
    """The best action over the imagined worlds; the chosen one if no other was better."""
    expected: Points
    """The points that the seat could expect after the chosen action: over imagined worlds."""
    loss: Points
    """The estimated points lost by the chosen action against the best one, which may be below 0."""
    error: Points
    """The standard error of the loss."""
    luck: Points
    """The expected points with the real cards, less the points over imagined worlds."""
    mistake: bool
    """Whether the loss is too large for chance."""
    phase: str
    """The part of the match: the game's name for it, such as `discard`, or its third: `early`, `middle`, `late`."""
    values: dict[str, float] = {}
    """The points of each action, by the action; empty in a file of an older version."""
    errors: dict[str, float] = {}
    """The standard error of each of the `values`."""
    branch: str = ""
    """The match's course after `best`, as the playouts' bots continue the real deal; empty without a loss."""

    @property
    def grade(self) -> int:
        """The mistake's gravity, by the loss less its error: 1 small, 2 serious, 3 a blunder; 0 for no mistake."""
        return 1 + sum([self.loss - self.error >= least for least in GRADES]) if self.mistake else 0


class MatchAnalysis(msgspec.Struct, frozen=True):
    """The costs of a match's decisions."""

    match: str
    game: str
    seats: list[str]
    """The entrant's name in each seat."""
    bots: list[str]
    """The entrants whose decisions were analysed, sorted."""
    digest: str
    """The digest of the match's record."""
    decisions: list[DecisionCost]
    """Those bots' decisions with a choice, in order, without the house's."""
    deal: str = ""
    """The seed of its deal, as in the record; empty in a file of an older version."""


class AnalysisSettings(msgspec.Struct, frozen=True):
    """How the decisions of a run are analysed, the same for all its matches."""

    analysis: int
    """The version, see `VERSION`."""
    playouts: int
    bots: dict[str, str]
    """For each entrant, why its own bot does not continue its matches; empty if it does."""
    substitutes: dict[str, str]
    """By game: the bot that continues for other bots."""
    sources: dict[str, str]
    """The fingerprints of the games, and of the continuing bots."""


_SETTINGS = Lines(ANALYSIS, AnalysisSettings, "analysis settings", AGAIN)
_MATCHES = Lines(ANALYSIS, MatchAnalysis, "the analysis of a match", AGAIN)


def read_analysis(run: Path, lines: Iterator[bytes] | None = None) -> dict[str, MatchAnalysis]:
    """A run's analysis by match, optionally from the lines of its open file; empty without any."""
    lines = _SETTINGS.raw(run) if lines is None else lines
    settings = read_settings(run, lines)
    if settings is not None and settings.analysis != VERSION:
        raise RunError(f"{run / ANALYSIS}: created by another version of tourney; {AGAIN}")
    analyses: dict[str, MatchAnalysis] = {}
    for match in _MATCHES.read(run, lines=lines, first=2):
        analyses[match.match] = joined(analyses.get(match.match), match)
    return analyses


def joined(before: MatchAnalysis | None, more: MatchAnalysis) -> MatchAnalysis:
    """The analysis of a match, with the decisions of more of its bots."""
    if before is None:
        return more
    bots = sorted({*before.bots, *more.bots})
    decisions = sorted([*before.decisions, *more.decisions], key=lambda cost: cost.decision)
    return msgspec.structs.replace(before, bots=bots, decisions=decisions)


def read_settings(run: Path, lines: Iterator[bytes] | None = None) -> AnalysisSettings | None:
    """The settings of a run's analysis, possibly from another version; None without any."""
    lines = _SETTINGS.raw(run) if lines is None else lines
    first, where = next(lines, None), f"{run / ANALYSIS}, line "
    if first is None:
        return None
    settings = _SETTINGS.parse(first, where, 1, verifies=False)
    return _SETTINGS.parse(first, where, 1) if settings.analysis == VERSION else settings


class AnalysisFile(LinesWriter):
    """The file of a run's analysis, opened or created, and locked; a torn last line is cut off."""

    name = ANALYSIS

    def _begin(self) -> None:
        self.truncate()
        self.settings = read_settings(self.folder, self.lines())

    def clear(self) -> None:
        """Empties the file."""
        self.truncate(0)
        self.settings = None

    def begin(self, settings: AnalysisSettings) -> None:
        """Writes the settings, or compares them with the previous ones if a match was already analysed."""
        if self.settings is not None and (difference := _difference(self.settings, settings)):
            if len(list(islice(self.lines(), 2))) == 2:
                raise RunError(f"{self.path}: {difference}; use overwrite to start over")
            self.clear()
        if self.settings is None:
            self.add(settings)
            self.settings = settings


def require_same_match(run: Path, analysis: MatchAnalysis, record: Record) -> None:
    """Raises a `RunError` unless an analysis belongs to the recorded match."""
    if analysis.digest != record.digest:
        why = f"{analysis.match} has changed since it was analysed"
        raise RunError(f"{run / ANALYSIS}: {why}; use overwrite to start over")


def _difference(old: AnalysisSettings, new: AnalysisSettings) -> str:
    if old.analysis != new.analysis:
        return "created by another version of tourney, with another method"
    if old.playouts != new.playouts:
        return f"created with {old.playouts} playouts, not {new.playouts}"
    changed = [name for name, source in new.sources.items() if old.sources.get(name) != source]
    if changed:
        return f"created with different source code of {', '.join(changed)}"
    return "created with other bots in the playouts" if old != new else ""
