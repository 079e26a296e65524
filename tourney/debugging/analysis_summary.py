"""What an analysis comes to for each bot: its mean loss, its costliest decisions, and where its losses come from."""

from collections.abc import Iterable
from typing import NamedTuple

from tourney.debugging.analysis import DecisionCost, MatchAnalysis


class CostlyDecision(NamedTuple):
    """A decision of a bot, with the match that it was made in."""

    match: str
    cost: DecisionCost


class LossShare(NamedTuple):
    """The decisions of one sort, such as those of a phase."""

    name: str
    """The phase, the kind of action (`play`), or the seat as a number; a run of several games names the game first."""
    decisions: int
    loss: float
    """The mean loss of a decision, in points %."""
    error: float
    """The standard error of the mean loss."""
    mistakes: int


class BotAnalysis(NamedTuple):
    """What the decisions of a bot cost it."""

    bot: str
    matches: int
    """How many matches with decisions of the bot are analysed."""
    decisions: int
    """How many decisions with a choice."""
    mistakes: int
    loss: float
    """The mean loss of a decision, in points %."""
    error: float
    """The standard error of the mean loss."""
    luck: float
    """The mean luck of a decision, in points %."""
    luck_error: float
    """The standard error of the mean luck."""
    costliest: list[CostlyDecision]
    """The decisions that cost most for sure, the costliest first."""
    phases: list[LossShare]
    """Where the losses come from: by phase."""
    kinds: list[LossShare]
    """By the kind of the action that was chosen."""
    seats: list[LossShare]
    """By the seat."""


def bot_analyses(matches: Iterable[MatchAnalysis], most: int = 10) -> list[BotAnalysis]:
    """Sums up what the decisions of each bot cost; bots are sorted by name.

    Args:
        matches: What was analysed.
        most: How many of a bot's costliest decisions are listed.
    """
    del matches, most
    return []
