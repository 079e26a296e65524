"""A pool of supervised workers that do something else with the items of their tasks than to play them as blocks.

They are supervised as those that play: what a worker had begun that dies or stalls is done again, item by item and
carefully, and a bot that hangs, or ends its worker, is charged with a fault.
"""

from collections.abc import Iterable, Mapping, Sequence
from time import perf_counter
from typing import Any, Protocol

from multiprocess.connection import Connection

from tourney.base.errors import GameError
from tourney.config import Tournament
from tourney.contracts.game import Game
from tourney.contracts.match import FaultKind, Match, Record
from tourney.hosts.base import BotHost
from tourney.hosts.clocks import Timekeeper
from tourney.journal.times import Times
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.local import LATE_S, LocalPool, SupervisedWorker
from tourney.runner.pool.ordered import PlayedBlocks
from tourney.runner.pool.worker import MAX_TASK_S, Announcer, BotCall, Heartbeat, NextCall, Task, TaskResult, send
from tourney.table.table import BotFactory, Verdicts, play


class Player:
    """Plays matches, and reports to the main process that the worker is at work.

    In a careful task, every call of a bot is announced before it is made, and those that are known to fail are charged.
    """

    def __init__(self, pipe: Connection, task: Task, keeper: Timekeeper, game_s: float) -> None:
        """Plays for a task; see `tourney.runner.pool.worker.Job`."""
        self._pipe = pipe
        self._task = task
        self._keeper = keeper
        self._game_s = game_s
        self._number = 0  # of what is done next with the item, in place of the index of a match in its block
        self._reported = perf_counter()

    def play(
        self,
        match: Match,
        game: Game,
        factories: Sequence[BotFactory],
        verdicts: Verdicts | None = None,
        *,
        out: Mapping[int, str] | None = None,
    ) -> Record:
        """Plays a match; see `tourney.table.table.play`."""
        if not self._task.careful:
            self.report_alive()
            return play(match, game, factories, verdicts, out=out, keeper=self._keeper)
        announcer = Announcer(self._pipe, self._number, self._game_s)
        charges = self._task.charges(self._number)
        self._number += 1
        return play(match, game, factories, {**(verdicts or {}), **charges}, announcer.call, out, self._keeper)

    def report_alive(self) -> None:
        """Is called before something else that may take as long as a match."""
        now = perf_counter()
        if self._task.careful:
            send(self._pipe, NextCall(BotCall(self._number, 0, None), self._game_s))
            self._number += 1
        elif now - self._reported > MAX_TASK_S:
            self._reported = now
            send(self._pipe, Heartbeat())
            self._keeper.heard()


class Performer(Protocol):
    """Does something with each item of a task."""

    asks_bots: bool
    """Whether it needs the bots of the tournament."""

    def perform(self, item: Any, makers: Mapping[str, BotHost], player: Player) -> bytes:
        """Returns what was found about an item, as lines; they are the same however often it is done."""

    def game_error(self, item: Any, why: str) -> GameError:
        """Returns the error of a game that does not return, or that ends its worker, while an item is dealt with."""


class PackablePerformer(Performer, Protocol):
    """A performer that can deal with items on another machine: its settings and its items can be packed as bytes."""

    def pack_settings(self) -> bytes:
        """Returns the settings from which `of_settings` makes the same performer."""

    @classmethod
    def of_settings(cls, settings: bytes) -> "PackablePerformer":
        """Returns the performer with these settings."""

    def pack(self, item: Any) -> bytes:
        """Returns an item as bytes."""

    def unpack(self, data: bytes) -> Any:
        """Returns the item that was packed."""


class ItemJob:
    """The job of a worker that performs items."""

    def __init__(self, performer: Performer) -> None:
        """Does with each item what the performer does, which is sent to the workers."""
        self.asks_bots = performer.asks_bots
        self.performer = performer

    def run(
        self, pipe: Connection, task: Task, makers: Mapping[str, BotHost], keeper: Timekeeper, game_s: float
    ) -> TaskResult:
        """Performs as many items as there is time for, at least one; see `tourney.runner.pool.worker.Job`."""
        started = perf_counter()
        keeper.heard()
        player = Player(pipe, task, keeper, game_s)
        lines: list[bytes] = []
        for item in task.blocks:
            lines.append(self.performer.perform(item, makers, player))
            if perf_counter() - started > MAX_TASK_S:
                break
        keeper.take()
        return TaskResult(task.position, len(lines), b"".join(lines), (), perf_counter() - started, Times())


class JobPool(LocalPool):
    """Performs items in worker processes. A context manager that ends all processes on exit."""

    counts_faults = False

    def __init__(
        self,
        tournament: Tournament,
        workers: int,
        job: ItemJob,
        starter: Forkserver | None = None,
    ) -> None:
        """Starts nothing yet."""
        super().__init__(tournament, workers, FaultMonitor(tournament, 0), None, starter)
        self._job = job
        self._longest_s = tournament.replay_s
        if not job.asks_bots:
            self._slack_s = LATE_S

    def _start_worker(self, number: int) -> SupervisedWorker:
        assert self._starter is not None
        return SupervisedWorker(self._starter.start(self._tournament, self._logs, number, self._job))

    def _game_error(self, task: Task, call: BotCall, kind: FaultKind) -> GameError:
        if kind == "timeout":
            return self._job.performer.game_error(task.blocks[0], f"it took longer than {self._longest_s:g} s")
        return self._job.performer.game_error(task.blocks[0], "its worker ended each time")


def lines_of(played: PlayedBlocks) -> Iterable[bytes]:
    """Returns the lines that a job has found for the items of a task."""
    return played.lines.splitlines(keepends=True)
