"""The analysis of a run: what each decision cost, kept beside the journal in `analysis.jsonl`.

The first line of the file says how the analysis is made (`AnalysisSettings`). Each further line is a match, with the
decisions of some of its bots; a match whose bots were analysed one after another has several. Each line has a seal.
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

VERSION = 2  # of what the file holds, and of how its numbers are found
GRADES = (10.0, 20.0)  # the loss less its error, in points %, from which a mistake is serious, and a blunder
PLAYOUTS = 100  # the most playouts of an action by default
AGAIN = "remove the file, and analyse again"

Points: TypeAlias = Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class DecisionCost(msgspec.Struct, frozen=True):
    """What a decision with a choice cost the seat that made it, all in points %: 100 is a sole first place."""

    decision: int
    """The number of the decision, as in `tourney replay` and `tourney debug`."""
    seat: int
    chosen: str
    best: str
    """The action that was best over the imagined worlds; the chosen one if no other was better."""
    expected: Points
    """The points of the seat after the chosen action, as its bot could expect them: over imagined worlds."""
    loss: Points
    """The points that the chosen action cost against the best one; an estimate, which may be below 0."""
    error: Points
    """The standard error of the loss."""
    luck: Points
    """The expected points with the cards as they really lay, less those over imagined worlds."""
    mistake: bool
    """Whether the loss is too large for chance."""
    phase: str
    """The part of the match: what the game calls it, such as `discard`, or its third: `early`, `middle`, `late`."""
    values: dict[str, float] = {}
    """The points of each action, by the action; empty in a file of an older version."""

    @property
    def grade(self) -> int:
        """How grave the mistake is, by the loss less its error: 1 small, 2 serious, 3 a blunder; 0 where it is none."""
        return 1 + sum([self.loss - self.error >= least for least in GRADES]) if self.mistake else 0


class MatchAnalysis(msgspec.Struct, frozen=True):
    """What the decisions of a match cost."""

    match: str
    game: str
    seats: list[str]
    """The name of the entrant in each seat."""
    bots: list[str]
    """The entrants whose decisions were analysed, sorted."""
    digest: str
    """The digest of the match's record."""
    decisions: list[DecisionCost]
    """The decisions with a choice of those bots, in order; not those of the house."""


class AnalysisSettings(msgspec.Struct, frozen=True):
    """How the decisions of a run are analysed; the same for all of its matches."""

    analysis: int
    """The version, see `VERSION`."""
    playouts: int
    bots: dict[str, str]
    """For each entrant, why its own bot does not play on; empty if it does."""
    substitutes: dict[str, str]
    """By game: the bot that plays on for those that do not themselves."""
    sources: dict[str, str]
    """The fingerprints of the games, and of the bots that play on."""


_SETTINGS = Lines(ANALYSIS, AnalysisSettings, "how an analysis is made", AGAIN)
_MATCHES = Lines(ANALYSIS, MatchAnalysis, "the analysis of a match", AGAIN)


def read_analysis(run: Path, lines: Iterator[bytes] | None = None) -> dict[str, MatchAnalysis]:
    """What is analysed of a run, maybe by the lines of its open file, by the match; empty where nothing is."""
    lines = _SETTINGS.raw(run) if lines is None else lines
    settings = read_settings(run, lines)
    if settings is not None and settings.analysis != VERSION:
        raise RunError(f"{run / ANALYSIS}: made by another version of tourney; {AGAIN}")
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


def read_settings(run: Path, lines: Iterator[bytes]) -> AnalysisSettings | None:
    """How the decisions of a run were analysed so far, maybe by another version; None if nothing is."""
    first, where = next(lines, None), f"{run / ANALYSIS}, line "
    if first is None:
        return None
    settings = _SETTINGS.parse(first, where, 1, verifies=False)
    return _SETTINGS.parse(first, where, 1) if settings.analysis == VERSION else settings


class AnalysisFile(LinesWriter):
    """The file of a run's analysis, opened or made, and locked; a torn last line is cut off."""

    name = ANALYSIS

    def _begin(self) -> None:
        self.truncate()
        self.settings = read_settings(self.folder, self.lines())

    def clear(self) -> None:
        """Empties the file."""
        self.truncate(0)
        self.settings = None

    def begin(self, settings: AnalysisSettings) -> None:
        """Writes how the analysis is made, or compares it with how it was begun, if a match was analysed so."""
        if self.settings is not None and (difference := _difference(self.settings, settings)):
            if len(list(islice(self.lines(), 2))) == 2:
                raise RunError(f"{self.path}: {difference}; overwrite it to start over")
            self.clear()
        if self.settings is None:
            self.add(settings)
            self.settings = settings


def require_same_match(run: Path, analysis: MatchAnalysis, record: Record) -> None:
    """Raises a `RunError` unless an analysis is of the match that was recorded."""
    if analysis.digest != record.digest:
        why = f"{analysis.match} was another match when it was analysed"
        raise RunError(f"{run / ANALYSIS}: {why}; overwrite the analysis")


def _difference(old: AnalysisSettings, new: AnalysisSettings) -> str:
    if old.analysis != new.analysis:
        return "was made by another version of tourney, which analysed in another way"
    if old.playouts != new.playouts:
        return f"was made with {old.playouts} playouts, not {new.playouts}"
    changed = [name for name, source in new.sources.items() if old.sources.get(name) != source]
    if changed:
        return f"was made when {', '.join(changed)} had other source code"
    return "was made with other bots that play on" if old != new else ""
