"""The analysis of matches by worker processes: the decisions of each match in parts, and put together in order."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from tourney.debugging.analysis import AnalysisSettings, DecisionCost, MatchAnalysis
from tourney.debugging.analysis_bots import other_name
from tourney.debugging.decision_costs import MatchTable, decision_cost
from tourney.errors import GameError
from tourney.game_failures import endless_match
from tourney.hosts.base import BotHost
from tourney.match import Record, match_of
from tourney.plugins import load_game
from tourney.replay import DifferenceError, Replay, Step, does_not_replay
from tourney.runner.job_pool import Player, lines_of
from tourney.runner.ordered_pool import OrderedPool

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


class DecisionAnalysis:
    """Analyses decisions in the workers of a `JobPool`, whose tournament is that of `PlayingBots`."""

    asks_bots = True

    def __init__(self, settings: AnalysisSettings) -> None:
        """Analyses in this way."""
        self._settings = settings

    def perform(self, item: DecisionRange, makers: Mapping[str, BotHost], player: Player) -> bytes:
        """Returns the costs of the decisions as a line of JSON."""
        record, game = item.record, load_game(item.record.game)
        try:
            replay = Replay(record, game)
            most = game.max_decisions(len(record.seats), replay.options)
            hosts = [makers[self._player(name, record.game)] for name in record.seats]
            table = MatchTable(record, game, replay.options, hosts, most, player.report_alive)
            wanted = (step for step in islice(replay.steps(), item.first - 1, item.last) if _has_choice(step, item))
            costs = [decision_cost(table, step, self._settings.playouts) for step in wanted]
        except DifferenceError as difference:
            raise does_not_replay(record, difference) from None
        return msgspec.json.encode(costs) + b"\n"

    def pack_settings(self) -> bytes:
        """Returns the settings as bytes."""
        return msgspec.json.encode(self._settings)

    @classmethod
    def of_settings(cls, settings: bytes) -> "DecisionAnalysis":
        """Returns the analysis with settings that were packed."""
        return cls(msgspec.json.decode(settings, type=AnalysisSettings))

    def pack(self, item: DecisionRange) -> bytes:
        """Returns an item as bytes."""
        return msgspec.json.encode(item)

    def unpack(self, data: bytes) -> DecisionRange:
        """Returns an item that was packed."""
        return msgspec.json.decode(data, type=DecisionRange)

    def _player(self, name: str, game: str) -> str:
        """Returns the name of the entrant whose bots play on for the one of that name."""
        return other_name(self._settings.substitutes[game]) if self._settings.bots[name] else name

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
    for played in pool.play(_ranges(matches)):  # type: ignore[arg-type] # its blocks are the items
        if played is None:
            yield 0, None
            continue
        ranges: Sequence[DecisionRange] = played.blocks  # type: ignore[assignment]
        for item, line in zip(ranges, lines_of(played), strict=True):
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
