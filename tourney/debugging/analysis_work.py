"""Which decisions of a run are to be analysed, and what is left of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tourney.config import Tournament
from tourney.debugging import PLAYOUTS
from tourney.debugging.analysis import AnalysisSettings, MatchAnalysis, read_analysis
from tourney.debugging.analysis_bots import PlayingBots
from tourney.debugging.analysis_file import AnalysisFile, of_same_match
from tourney.debugging.analysis_job import DecisionAnalysis, MatchToAnalyse, analysed
from tourney.errors import resume_hint
from tourney.journal.reader import read_records
from tourney.match import Record
from tourney.runner.ordered_pool import OrderedPool
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import schedule


def begun(bots: PlayingBots, file: AnalysisFile, playouts: int | None) -> AnalysisSettings:
    """Returns how the decisions are analysed, and writes it down."""
    number = playouts or (PLAYOUTS if file.settings is None else file.settings.playouts)
    settings = bots.settings(number, file.settings)
    file.begin(settings)
    return settings


class AnalysisWork:
    """Which decisions of a run are asked about."""

    def __init__(self, run: Path, tournament: Tournament, bot: str | None, chosen: Sequence[Record] | None) -> None:
        """Takes the bot, and the records of the matches; None for all."""
        self._run = run
        self._tournament = tournament
        self._bot = bot
        self._chosen = chosen

    def records(self) -> Iterator[Record]:
        """Yields the records of the matches in which the bot sits."""
        every = read_records(self._run, schedule(self._tournament)) if self._chosen is None else self._chosen
        return (record for record in every if self._bot is None or self._bot in record.seats)

    def count_left(self) -> int:
        """Returns how many matches are not analysed yet."""
        return sum([1 for _ in self._left(read_analysis(self._run))])

    def perform(self, pool: OrderedPool, file: AnalysisFile) -> Iterator[tuple[int, int]]:
        """Analyses what is left, and writes it down match by match."""
        finished = 0
        for decisions, match in analysed(self._left(read_analysis(self._run)), pool):
            if match is not None:
                file.add(match)
                finished += 1
            yield decisions, finished

    def _left(self, done: Mapping[str, MatchAnalysis]) -> Iterator[MatchToAnalyse]:
        """Yields what is not done yet."""
        for record in self.records():
            wanted = {self._bot} if self._bot is not None else set(record.seats)
            if (before := done.get(record.match)) is not None:
                of_same_match(self._run, before, record)
                wanted -= set(before.bots)
            if wanted:
                yield MatchToAnalyse(record, tuple(sorted(wanted)))

    def select(self, done: Mapping[str, MatchAnalysis]) -> list[MatchAnalysis]:
        """Returns what was asked about, in the order of the journal."""
        return [done[record.match] for record in self.records() if record.match in done]


class AnalysisOrder(NamedTuple):
    """What is to be analysed, and how; see `tourney.Run.analyse`."""

    path: Path
    """The folder of the run."""
    manifest: Mapping[str, Any]
    tournament: Tournament
    bot: str | None
    matches: Sequence[Record] | None
    """The records of the matches; None for all."""
    playouts: int | None
    overwrite: bool
    folder: Path | None
    """Where the tournament file was; by default it is looked for."""
    trust: Callable[[Sequence[str]], None]
    """See `PlayingBots`."""


def lead(
    order: AnalysisOrder,
    workers: Workers,
    caller: Caller,
    how_to_resume: str,
    begin: Callable[[int], Callable[[int, int], object]],
) -> tuple[AnalysisSettings, list[MatchAnalysis]]:
    """Analyses what is left of an order, and returns all that was asked for."""
    work = AnalysisWork(order.path, order.tournament, order.bot, order.matches)
    with AnalysisFile(order.path) as file:
        if order.overwrite:
            file.clear()
        bots = PlayingBots(order.tournament, dict(order.manifest), order.path, order.folder, order.trust)
        settings = begun(bots, file, order.playouts)
        if total := work.count_left():
            performer = DecisionAnalysis(settings)
            playing = bots.tournament(settings.bots, settings.substitutes)
            workers.choose(playing, performer)
            pool = workers.job_pool(playing, performer)
            with caller.stoppable(how_to_resume) as check, resume_hint(how_to_resume), pool:
                show = begin(total)
                for decisions, finished in work.perform(pool, file):
                    show(decisions, finished)
                    check(f"stopped after {finished} of {total} matches")
    return settings, work.select(read_analysis(order.path))
