"""Where bots that note a `value` were most wrong about it, as far as decisions are analysed."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tourney.journal import notes
from tourney.review.analysis.file import DecisionCost, MatchAnalysis


class Misjudged(NamedTuple):
    """A decision at which a bot expected something else than its action was worth."""

    match: str
    cost: DecisionCost
    value: float
    """The points that the bot expected, in percent."""

    @property
    def gap(self) -> float:
        """By how many points % it was wrong: above 0 where it expected too much."""
        return self.value - self.cost.expected


def misjudged(run: Path, matches: Sequence[MatchAnalysis], most: int) -> dict[str, list[Misjudged]]:
    """The decisions of each bot that notes a `value` at which it was most wrong, the worst first."""
    analysed = {match.match: match for match in matches}
    found: dict[str, list[Misjudged]] = defaultdict(list)
    for noted in notes.read(run):
        if (match := analysed.get(noted.match)) is None:
            continue
        said = {decision: note["value"] for decision, _, note in noted.notes if "value" in note}
        for cost in match.decisions:
            if cost.decision in said:
                each = Misjudged(match.match, cost, 100 * float(said[cost.decision]))
                found[match.seats[cost.seat]].append(each)
    return {bot: sorted(each, key=lambda one: -abs(one.gap))[:most] for bot, each in found.items()}
