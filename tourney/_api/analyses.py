"""Decision costs of a run, as rows."""

from collections.abc import Sequence

import msgspec

from tourney._api.tables import Rows
from tourney.base.sheet import Column, Sheet
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.review.analysis.summary import BotAnalysis, bot_analyses, probable_loss


class AnalysedDecision(DecisionCost, frozen=True, kw_only=True):
    """The estimated cost of one decision, in points % (100 = sole first place)."""

    match: str
    game: str
    bot: str
    """The entrant that decided."""


class Analysis(Rows[AnalysedDecision]):
    """Decision costs: one frozen row per decision with a choice, costliest first."""

    def __init__(self, matches: Sequence[MatchAnalysis], bots: Sequence[str]) -> None:
        rows = [
            AnalysedDecision(match=each.match, game=each.game, bot=name, **msgspec.structs.asdict(cost))
            for each in matches
            for cost in each.decisions
            if (name := each.seats[cost.seat]) in bots or not bots
        ]
        rows.sort(key=lambda row: -probable_loss(row))
        super().__init__(rows, Sheet(AnalysedDecision, rows, _columns(rows[:10]), empty=""))
        self.bots: tuple[BotAnalysis, ...] = tuple(
            [each for each in bot_analyses(matches) if each.bot in bots or not bots]
        )
        """A summary for each bot: mean loss, mistakes, luck, and the sources of its losses."""


def _columns(shown: Sequence[AnalysedDecision]) -> list[Column]:
    return [
        Column("match", [row.match for row in shown], is_text=True),
        Column("decision", [str(row.decision) for row in shown]),
        Column("bot", [row.bot for row in shown], is_text=True),
        Column("loss", [f"{row.loss:.1f}" for row in shown]),
        Column("+-", [f"{row.error:.1f}" for row in shown]),
        Column("", ["mistake" if row.mistake else "unsure" for row in shown], is_text=True, expendable=1),
        Column("chosen", [row.chosen for row in shown], is_text=True),
        Column("best", [row.best for row in shown], is_text=True),
    ]
