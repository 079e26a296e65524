"""What the decisions of a run cost, found out from a Python program."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tourney._api.configuration import worker_count
from tourney._api.progress import RunProgress, interruptible
from tourney._api.rows import Rows
from tourney._api.workers import check_cluster, cluster_job_pool, lost_cluster
from tourney.column_layout import Column
from tourney.config import Tournament
from tourney.debugging.analysis import AnalysisSettings, DecisionCost, MatchAnalysis, read_analysis
from tourney.debugging.analysis_bots import PlayingBots
from tourney.debugging.analysis_file import AnalysisFile, OtherAnalysisError
from tourney.debugging.analysis_job import DecisionAnalysis
from tourney.debugging.analysis_summary import BotAnalysis, bot_analyses, probable_loss
from tourney.debugging.analysis_work import AnalysisWork, begun
from tourney.errors import ConfigError, MissingFileError, RunError
from tourney.journal.match_search import find_records
from tourney.remedies import Remedies, remedies
from tourney.runner.job_pool import ItemJob, JobPool
from tourney.runner.ordered_pool import OrderedPool
from tourney.schedule.base import schedule

REMEDIES: Remedies = {
    OtherAnalysisError: "overwrite=True removes it, and analyses anew",
    MissingFileError: "give the tournament file's folder by folder",
}


class AnalysedDecision(DecisionCost, frozen=True, kw_only=True):
    """A decision with what it cost, all in points %: 100 is a sole first place."""

    match: str
    """The name of the match."""
    game: str
    bot: str
    """The entrant that decided."""


class Analysis(Rows[AnalysedDecision]):
    """What decisions cost: a frozen row for each decision with a choice, those that probably cost most first."""

    def __init__(self, matches: Sequence[MatchAnalysis], bot: str | None) -> None:
        """Takes what was analysed, and whose decisions are meant; None for all."""
        rows = [
            AnalysedDecision(match=each.match, game=each.game, bot=name, **msgspec.structs.asdict(cost))
            for each in matches
            for cost in each.decisions
            if bot in (None, name := each.seats[cost.seat])
        ]
        super().__init__(sorted(rows, key=lambda row: -probable_loss(row)))
        self.bots: tuple[BotAnalysis, ...] = tuple([each for each in bot_analyses(matches) if bot in (None, each.bot)])
        """What the decisions of each bot come to: mean loss, mistakes, luck, and where the losses come from."""

    def _columns(self) -> list[Column]:
        shown = self.rows[:10]
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


class AnalysisOrder(NamedTuple):
    """What is to be analysed, and how; see `Run.analyse`."""

    bot: str | None
    matches: Sequence[str] | None
    playouts: int | None
    workers: int | None
    cluster: str | None
    overwrite: bool
    folder: Path | None
    trust: bool
    progress: Callable[[RunProgress], object] | None


def analysis(path: Path, manifest: Mapping[str, Any], tournament: Tournament, order: AnalysisOrder) -> Analysis:
    """Analyses what is left of an order, and returns all that was asked for; see `Run.analyse`."""
    if order.playouts is not None and not 4 <= order.playouts <= 100_000:
        raise ConfigError(f"playouts={order.playouts}: take 4 to 100000")
    check_cluster(order.cluster, order.workers, oversubscribe=False)
    count = worker_count(tournament, order.workers, oversubscribe=True)
    chosen = None if order.matches is None else find_records(path, schedule(tournament), order.matches)
    work = AnalysisWork(path, tournament, order.bot, chosen)

    def trust(code: Sequence[str]) -> None:
        if not order.trust:
            raise RunError(
                f"{path}: was not played here by you, and would run {', '.join(code[:3])}; look at that first, and "
                "allow it by trust=True"
            )

    with AnalysisFile(path) as file, remedies(REMEDIES):
        if order.overwrite:
            file.clear()
        bots = PlayingBots(tournament, dict(manifest), path, order.folder, trust)
        settings = begun(bots, file, order.playouts)
        total = work.count_left()
        if total:
            again = "the same call goes on"
            chosen_pool = _pool(bots, settings, order.cluster, count)
            with lost_cluster(again), chosen_pool as unstarted, interruptible() as check, unstarted as pool:
                for _, finished in work.perform(pool, file):
                    if order.progress is not None:
                        order.progress(RunProgress(finished, total))
                    check(f"stopped after {finished} of {total} matches; {again}")
    return Analysis(work.select(read_analysis(path)), order.bot)


@contextmanager
def _pool(bots: PlayingBots, settings: AnalysisSettings, cluster: str | None, workers: int) -> Iterator[OrderedPool]:
    """Yields the workers that analyse, of this machine or of a cluster, not started yet."""
    playing, performer = bots.tournament(settings.bots, settings.substitutes), DecisionAnalysis(settings)
    if cluster is None:
        yield JobPool(playing, workers, ItemJob(performer))
        return
    with cluster_job_pool(playing, cluster, performer) as pool:
        yield pool
