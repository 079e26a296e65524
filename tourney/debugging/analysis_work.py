"""Which decisions of a run are to be analysed, and what is left of them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tourney.config import Tournament
from tourney.debugging import PLAYOUTS
from tourney.debugging.analysis import AnalysisSettings, MatchAnalysis, read_analysis
from tourney.debugging.analysis_bots import PlayingBots
from tourney.debugging.analysis_file import AnalysisFile, of_same_match
from tourney.debugging.analysis_job import MatchToAnalyse, analysed
from tourney.journal.reader import read_records
from tourney.match import Record
from tourney.runner.ordered_pool import OrderedPool
from tourney.schedule.base import schedule


def begun(bots: PlayingBots, file: AnalysisFile, playouts: int | None) -> AnalysisSettings:
    """Returns how the decisions are analysed, and writes it down.

    Args:
        bots: Who plays on.
        file: The file of the analysis.
        playouts: The most playouts of an action; None for as many as before, or else the default.

    Raises:
        RunError: The run was analysed in another way before.
        WriteError: The file cannot be written.
    """
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
        """Analyses what is left, and writes it down match by match.

        Yields:
            How many decisions were newly analysed, and how many matches are finished; also now and then while nothing
            is ready.

        Raises:
            GameError: The code of a game fails.
            RunError: A record does not replay.
            WriteError: The file cannot be written.
        """
        finished = 0
        for decisions, match in analysed(self._left(read_analysis(self._run)), pool):
            if match is not None:
                file.add(match)
                finished += 1
            yield decisions, finished

    def _left(self, done: Mapping[str, MatchAnalysis]) -> Iterator[MatchToAnalyse]:
        """Yields what is not done yet.

        Raises:
            RunError: What is done is of another match of the same name.
        """
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
