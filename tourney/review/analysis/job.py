"""The analysis of matches by worker processes: the decisions of each match in parts, and put together in order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from tourney.base.errors import GameError, resume_hint
from tourney.config import Tournament
from tourney.contracts.match import Record, match_of
from tourney.hosts.base import BotHost
from tourney.journal.reader import read_records
from tourney.plugins.game_failures import endless_match
from tourney.plugins.registry import load_game
from tourney.review import PLAYOUTS
from tourney.review.analysis.bots import PlayingBots, other_name
from tourney.review.analysis.costs import MatchTable, decision_cost
from tourney.review.analysis.file import (
    AnalysisFile,
    AnalysisSettings,
    DecisionCost,
    MatchAnalysis,
    of_same_match,
    read_analysis,
)
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import Player
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import schedule
from tourney.table.replay import DifferenceError, Replay, Step, does_not_replay

TOGETHER = 4
"""How many consecutive decisions of a match are analysed together; few, so that all workers share a single match."""


class DecisionRange(NamedTuple):
    """Some consecutive decisions of a recorded match, of which those of some bots are analysed."""

    record: Record
    bots: tuple[str, ...]
    """The entrants whose decisions are analysed."""
    first: int
    """The number of the first decision, from 1."""
    last: int
    """The number of the last one."""

    @property
    def ends_match(self) -> bool:
        """Whether the match has no decisions after these."""
        return self.last >= self.record.decisions


class DecisionAnalysis(msgspec.Struct, frozen=True):
    """Analyses decisions in the workers of a pool, whose tournament is that of `PlayingBots`."""

    settings: AnalysisSettings
    asks_bots: ClassVar = True
    Item: ClassVar = DecisionRange

    def perform(self, item: DecisionRange, makers: Mapping[str, BotHost], player: Player) -> bytes:
        """Returns the costs of the decisions as a line of JSON."""
        record, game = item.record, load_game(item.record.game)
        try:
            replay = Replay(record, game)
            most = game.max_decisions(len(record.seats), replay.options)
            hosts = [makers[self._player(name, record.game)] for name in record.seats]
            table = MatchTable(record, game, replay.options, hosts, most, player.report_alive)
            wanted = (step for step in islice(replay.steps(), item.first - 1, item.last) if _has_choice(step, item))
            costs = [decision_cost(table, step, self.settings.playouts) for step in wanted]
        except DifferenceError as difference:
            raise does_not_replay(record, difference) from None
        return msgspec.json.encode(costs) + b"\n"

    def _player(self, name: str, game: str) -> str:
        """Returns the name of the entrant whose bots play on for the one of that name."""
        return other_name(self.settings.substitutes[game]) if self.settings.bots[name] else name

    def game_error(self, item: DecisionRange, why: str) -> GameError:
        """Returns the error of a game, or of a bot that plays it on, that does not return or ends its worker."""
        where = f"while its decisions {item.first} to {item.last} are analysed"
        return endless_match(match_of(item.record), f"{where}, {why}; or a bot does so that plays on")


def _has_choice(step: Step, item: DecisionRange) -> bool:
    """Tells whether a decision is one to analyse: made by the bot, among several actions."""
    if step.by_house or item.record.seats[step.seat] not in item.bots:
        return False
    return len(step.legal) > 1 or step.action not in step.legal


class MatchToAnalyse(NamedTuple):
    """A match, and those of its bots whose decisions are to be analysed."""

    record: Record
    bots: tuple[str, ...]
    """The names of the entrants, sorted."""


def analysed(matches: Iterable[MatchToAnalyse], pool: OrderedPool) -> Iterator[tuple[int, MatchAnalysis | None]]:
    """Analyses matches in the workers of a pool whose performer is a `DecisionAnalysis`."""
    costs: list[DecisionCost] = []
    decoder = msgspec.json.Decoder(list[DecisionCost])
    for played in pool.play(_ranges(matches)):
        if played is None:
            yield 0, None
            continue
        for item, line in zip(played.blocks, played.lines.splitlines(), strict=True):
            found = decoder.decode(line)
            costs += found
            finished = None
            if item.ends_match:
                record = item.record
                finished = MatchAnalysis(
                    record.match, record.game, list(record.seats), list(item.bots), record.digest, costs
                )
                costs = []
            yield len(found), finished


def _ranges(matches: Iterable[MatchToAnalyse]) -> Iterator[DecisionRange]:
    for record, bots in matches:
        for first in range(1, max(2, record.decisions + 1), TOGETHER):
            yield DecisionRange(record, bots, first, first + TOGETHER - 1)


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
            pool = workers.pool(playing, performer=performer)
            with caller.stoppable(how_to_resume) as check, resume_hint(how_to_resume), pool:
                show = begin(total)
                for decisions, finished in work.perform(pool, file):
                    show(decisions, finished)
                    check(f"stopped after {finished} of {total} matches")
    return settings, work.select(read_analysis(order.path))
