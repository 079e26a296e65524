"""The analysis of a run: what each decision cost, kept beside the journal in `analysis.jsonl`.

The first line of the file says how the analysis is made (`AnalysisSettings`), each further line is a match.
"""

from pathlib import Path

import msgspec

ANALYSIS = "analysis.jsonl"
"""The name of the file in a run's folder."""


class DecisionCost(msgspec.Struct, frozen=True):
    """What a decision with a choice cost the seat that made it, all in points %: 100 is a sole first place."""

    decision: int
    """The number of the decision, as in `tourney replay` and `tourney debug`."""
    seat: int
    chosen: str
    """The action that was played."""
    best: str
    """The action that was best over the imagined worlds; the chosen one if no other was better."""
    expected: float
    """The points of the seat after the chosen action, as its bot could expect them: over imagined worlds."""
    loss: float
    """The points that the chosen action cost against the best one; an estimate, which may be below 0."""
    error: float
    """The standard error of the loss."""
    luck: float
    """The expected points with the cards as they really lay, less those over imagined worlds."""
    mistake: bool
    """Whether the loss is too large for chance."""
    phase: str
    """The part of the match, such as `discard`, as the game calls it; empty if it does not say."""


class MatchAnalysis(msgspec.Struct, frozen=True):
    """What the decisions of a match cost."""

    match: str
    """The name of the match."""
    game: str
    seats: list[str]
    """The name of the entrant in each seat."""
    decisions: list[DecisionCost]
    """The decisions with a choice, in order; not those of the house."""


def read_analysis(run: Path) -> dict[str, MatchAnalysis]:
    """Returns what is analysed of a run, by the name of the match; empty where nothing is.

    Raises:
        RunError: The file is damaged.
    """
    del run
    return {}
