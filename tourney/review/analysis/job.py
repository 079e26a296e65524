"""The analysis of a run by worker processes: each match's decisions in parts, put together in order."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from heapq import nsmallest
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

import msgspec

from tourney import config
from tourney.base.errors import GameError, PluginError, TourneyError
from tourney.config import Entrant, Tournament
from tourney.config.entrants import games_played
from tourney.contracts.match import Record, match_of
from tourney.hosts.base import BotHost
from tourney.hosts.timing import DecisionTimes, duration_text
from tourney.journal import signature, times
from tourney.journal.run import RunFolder
from tourney.journal.search import FoundMatch, margin
from tourney.plugins import registry
from tourney.plugins.failures import endless_match
from tourney.plugins.registry import load_game
from tourney.review.analysis.costs import MatchTable, decision_cost
from tourney.review.analysis.file import (
    PLAYOUTS,
    VERSION,
    AnalysisFile,
    AnalysisSettings,
    DecisionCost,
    MatchAnalysis,
    joined,
    read_analysis,
    require_same_match,
)
from tourney.review.bots import RANDOM, STEADY, folders_around, substitute
from tourney.runner.pool.worker import Player
from tourney.runner.workers import Workers
from tourney.standings.points import points
from tourney.standings.results import MatchResult
from tourney.table.replay import DifferenceError, Replay, Step, does_not_replay

BATCH = 4  # decisions analysed together; few, so all workers can share a single match
WORST = 1000  # how many matches are selected to come first; the others follow in journal order
QUICK_NS = 1_000_000  # bots with a shorter mean decision time play their own playouts


class AnalysisOrder(NamedTuple):
    """The matches to analyse, and how; see `tourney.Run.analyse`."""

    run: RunFolder
    tournament: Tournament  # the run's, possibly with the classes of its bots
    bots: Sequence[str]  # empty for all
    matches: Sequence[Record] | None  # None for all
    playouts: int | None
    overwrite: bool
    folder: Path | None  # where the tournament file was; by default it is searched for
    trust: Callable[[Sequence[str]], None]
    """Called with the bot files of a run not played here; raises unless they may be run."""

    def records(self) -> Iterator[Record]:
        """The records of the bots' matches, in journal order."""
        every = self.run.records() if self.matches is None else self.matches
        return (record for record in every if not self.bots or {*self.bots} & {*record.seats})

    def left(self, done: Mapping[str, MatchAnalysis]) -> Iterator[tuple[Record, tuple[str, ...]]]:
        """The records of matches not analysed yet, each with its bots not analysed yet."""
        for record in self.records():
            wanted = {*record.seats} & {*(self.bots or record.seats)}
            if (before := done.get(record.match)) is not None:
                require_same_match(self.run.path, before, record)
                wanted -= set(before.bots)
            if wanted:
                yield record, tuple(sorted(wanted))

    def worst_first(self, done: Mapping[str, MatchAnalysis]) -> Iterator[tuple[Record, tuple[str, ...]]]:
        """The matches left, starting with the clearest defeats, of the bots or of any: an early stop keeps these."""
        worst = nsmallest(WORST, self.left(done), key=lambda each: _result(each[0], self.bots))
        yield from worst
        names = {record.match for record, _ in worst}
        yield from (each for each in self.left(done) if each[0].match not in names)


def _result(record: Record, bots: Sequence[str]) -> tuple[float, int]:
    """A match's result for one of the bots, or for the worst of all, by its points and the difference in scores."""
    match = FoundMatch(record.match, None, record.seats, MatchResult.of(record), record.decisions)
    bot = next((name for name in record.seats if name in bots), None)
    if bot is None:
        return 0.0, -margin(match, None)
    shares = [share for name, share in zip(record.seats, points(record.places), strict=True) if name == bot]
    return max(shares), margin(match, bot)


class AnalysisProgress(NamedTuple):
    """The progress of an analysis."""

    total: int = 0  # how many matches to analyse; 0 while unknown
    recorded: int = 0  # how many decisions they have
    matches: int = 0  # how many matches are finished
    passed: int = 0  # how many of the recorded decisions are done, with a choice or without
    decisions: int = 0  # how many of them were analysed


class AnalysisPlan:
    """The analysis of the remaining matches of an order; see `tourney.runner.run.lead`."""

    settings: AnalysisSettings
    _done: dict[str, MatchAnalysis]

    def __init__(self, order: AnalysisOrder) -> None:
        self._order = order
        self._bots = PlayingBots(order)
        self._partial: MatchAnalysis | None = None

    @contextmanager
    def opened(self) -> Iterator[AnalysisFile]:
        """Locks the analysis file, which is new, or has the same settings."""
        with AnalysisFile(self._order.run.path) as file:
            if self._order.overwrite:
                file.clear()
            self.settings = self._bots.settings(file.settings)
            file.begin(self.settings)
            self._done = read_analysis(file.folder, file.lines())
            yield file

    def steps(self, opened: AnalysisFile, workers: Workers) -> Generator[AnalysisProgress]:
        """Analyses decision by decision, and writes each finished match."""
        order, far = self._order, AnalysisProgress()
        for record, _ in order.left(self._done):
            far = far._replace(total=far.total + 1, recorded=far.recorded + record.decisions)
            yield AnalysisProgress()
        if not far.total:
            return
        performer = DecisionAnalysis(self.settings)
        playing = self._bots.tournament(self.settings.bots, self.settings.substitutes)
        workers.choose(playing, performer)
        decoder = msgspec.json.Decoder(list[DecisionCost])
        with workers.pool(playing, performer=performer) as pool:
            yield far
            for played in pool.play(_ranges(order.worst_first(dict(self._done)))):
                if played is None:
                    yield far
                    continue
                for item, line in zip(played.blocks, played.lines.splitlines(), strict=True):
                    costs = decoder.decode(line)
                    is_finished = self._take(item, costs, opened)
                    passed = min(item.last, item.record.decisions) - item.first + 1
                    so_far = far.matches + is_finished, far.passed + passed, far.decisions + len(costs)
                    far = AnalysisProgress(far.total, far.recorded, *so_far)
                    yield far

    def _take(self, item: "DecisionRange", costs: list[DecisionCost], file: AnalysisFile) -> bool:
        """Takes the next decisions of a match, and writes the match once it is finished; returns whether it is."""
        record, before = item.record, [] if self._partial is None else self._partial.decisions
        seats, bots = list(record.seats), list(item.bots)
        match = MatchAnalysis(record.match, record.game, seats, bots, record.digest, before + costs, record.seed)
        is_finished = item.last >= record.decisions
        self._partial = None if is_finished else match
        if is_finished:
            file.add(match)
            self._add(match)
        return is_finished

    def stopped(self, far: AnalysisProgress) -> str:
        """The work stopped by Ctrl-C, in words."""
        return f"stopped after {far.matches} of {far.total} matches" if far.total else "stopped before the first match"

    def analysed(self) -> list[MatchAnalysis]:
        """All requested results, including a partially analysed match, which is not in the file."""
        if self._partial is not None:
            self._add(self._partial)
            self._partial = None
        return [self._done[each.match] for each in self._order.records() if each.match in self._done]

    def _add(self, match: MatchAnalysis) -> None:
        self._done[match.match] = joined(self._done.get(match.match), match)


class DecisionRange(NamedTuple):
    """Some consecutive decisions of a recorded match, for analysing some bots' ones."""

    record: Record
    bots: tuple[str, ...]
    first: int  # the number of the first decision, from 1
    last: int


def _ranges(records: Iterable[tuple[Record, tuple[str, ...]]]) -> Iterator[DecisionRange]:
    for record, bots in records:
        for first in range(1, max(2, record.decisions + 1), BATCH):
            yield DecisionRange(record, bots, first, first + BATCH - 1)


class DecisionAnalysis(msgspec.Struct, frozen=True):
    """Analyses decisions in the workers of a pool, with the tournament of `PlayingBots`."""

    settings: AnalysisSettings
    asks_bots: ClassVar = True
    Item: ClassVar = DecisionRange

    def perform(self, item: DecisionRange, makers: Mapping[str, BotHost], player: Player) -> bytes:
        """The decisions' costs as a line of JSON."""
        record, game, settings = item.record, load_game(item.record.game), self.settings
        others = other_name(settings.substitutes[record.game])
        try:
            replay = Replay(record, game)
            most = game.max_decisions(len(record.seats), replay.options)
            hosts = [makers[others if settings.bots[name] else name] for name in record.seats]
            table = MatchTable(record, game, replay.options, hosts, most, player.report_alive)
            wanted = (step for step in islice(replay.steps(), item.first - 1, item.last) if _has_choice(step, item))
            costs = [decision_cost(table, step, settings.playouts) for step in wanted]
        except DifferenceError as difference:
            raise does_not_replay(record, difference) from None
        return msgspec.json.encode(costs) + b"\n"

    def game_error(self, item: DecisionRange, why: str) -> GameError:
        """The error of a game, or of a bot playing it, that does not return or kills its worker."""
        where = f"while analysing its decisions {item.first} to {item.last}"
        return endless_match(match_of(item.record), f"{where}, {why}, in the game or in a bot of the playouts")


def _has_choice(step: Step, item: DecisionRange) -> bool:
    """Whether to analyse a decision: one by one of the bots, among several actions."""
    is_of_bot = not step.by_house and item.record.seats[step.seat] in item.bots
    return is_of_bot and (len(step.legal) > 1 or step.action not in step.legal)


class PlayingBots:
    """The bots in the playouts of a run's analysis.

    A bot plays its own playouts if it repeats itself, can run in our worker processes, and had a mean decision time of
    less than a millisecond in the run. Otherwise `steady` plays for it, or a random bot if `steady` does not know the
    game. The analysis stores the choice, because times depend on the machine.
    """

    def __init__(self, order: AnalysisOrder) -> None:
        self._order = order
        entrants = order.tournament.entrants
        folders = [order.folder] if order.folder is not None else folders_around(order.run.path)
        files = [registry.file_and_name(entrant.use)[0] for entrant in entrants if entrant.use]
        self._folder = max(folders, key=lambda each: sum([(each / file).exists() for file in files if file]))
        there = msgspec.structs.replace(order.tournament, folder=str(self._folder))
        own = msgspec.structs.replace(there, entrants=tuple([each for each in entrants if _in_worker(each)]))
        code = [file for file in signature.bot_code(own) if Path(file).exists()]
        if code and not signature.is_signed(order.run.path, order.run.manifest, there):
            order.trust(code)

    def settings(self, before: AnalysisSettings | None) -> AnalysisSettings:
        """The analysis settings, with the previous choice of bots, if there is one."""
        tournament = self._order.tournament
        playouts = self._order.playouts or (before.playouts if before is not None else PLAYOUTS)
        if before is not None and self._fits(before):
            bots, substitutes = before.bots, before.substitutes
        else:
            measured = (times.load(self._order.run.path) or times.Times()).bots
            bots = {each.name: self._reason(each, measured.get(each.name)) for each in tournament.entrants}
            substitutes = {game: substitute(game) for game in tournament.games}
        manifest = config.manifest(self.tournament(bots, substitutes))
        sources = {
            f"{kind} {name}": code["sha256"] for kind in ("game", "bot") for name, code in manifest[f"{kind}s"].items()
        }
        return AnalysisSettings(VERSION, playouts, bots, substitutes, sources)

    def _fits(self, before: AnalysisSettings) -> bool:
        """Whether an earlier analysis, possibly another user's, only runs this run's bots."""
        tournament = self._order.tournament
        return (
            before.bots.keys() == set(tournament.names)
            and all([_in_worker(each) for each in tournament.entrants if not before.bots[each.name]])
            and before.substitutes.keys() == set(tournament.games)
            and set(before.substitutes.values()) <= {STEADY, RANDOM}
        )

    def tournament(self, bots: Mapping[str, str], substitutes: Mapping[str, str]) -> Tournament:
        """The tournament with the bots of the playouts only, substitutes under `other_name`."""
        tournament = self._order.tournament
        own = [each for each in tournament.entrants if each.name in bots and not bots[each.name]]
        needed = sorted(set(substitutes.values())) if any(bots.values()) else []
        others = [Entrant(other_name(use), use, {}) for use in needed]
        return msgspec.structs.replace(tournament, entrants=(*own, *others), folder=str(self._folder))

    def _reason(self, entrant: Entrant, measured: DecisionTimes | None) -> str:
        """Why an entrant's bot does not play its own playouts, in a few words; empty if it does."""
        try:
            if not config.repeats_itself(entrant, self._folder):
                return "it does not repeat itself"
            if not _in_worker(entrant):
                where = "it is a program" if entrant.command else f"its host is {entrant.host}"
                return where if entrant.has_bots else "a person decided for it"
            games_played(entrant, self._folder)
        except (TourneyError, OSError) as error:
            return f"it cannot be loaded: {error}"
        if measured is None or not measured.decisions:
            return "its decision times are unknown"
        if measured.mean_ns >= QUICK_NS:
            return f"it thinks {duration_text(measured.mean_ns)} a decision"
        return ""


def other_name(use: str) -> str:
    """The name of a substitute in playouts, which no entrant can have."""
    return f"({use})"


def _in_worker(entrant: Entrant) -> bool:
    try:
        return not entrant.command and entrant.in_worker
    except PluginError:
        return False
