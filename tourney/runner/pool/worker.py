"""A worker process: plays the blocks that it is sent, and sends back the lines of the journal.

A worker leads a process group of its own, so that it can be killed together with everything its bots have started. It
ends itself when the forkserver ends. Whatever bots print goes to stderr.
"""

import gc
import os
import pickle
import resource
import signal
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeAlias

from multiprocess.connection import Connection

from tourney import config
from tourney.base.errors import GameError, TourneyError, system_limit
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, FaultKind, Match, Record, result_problem
from tourney.hosts import linux
from tourney.hosts import prints as bot_prints
from tourney.hosts.base import BotHost
from tourney.hosts.clocks import Timekeeper
from tourney.hosts.faults import BotTraceback, Tracebacks
from tourney.journal.times import Times
from tourney.plugins.registry import load_game
from tourney.table.table import Verdicts, play

MAX_TASK_S = 0.5
"""How long a worker plays, in seconds, before it sends back what it has and leaves the rest of its task."""

PlainResult: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[Fault, ...]]
"""The scores, places and faults of a match."""

NO_MEMORY = 3
"""The exit status of a worker whose memory is used up."""


class Task(NamedTuple):
    """Consecutive blocks to play."""

    position: int
    """The position of the first block among all blocks that are played."""
    blocks: list[Block]
    careful: bool = False
    """Whether the worker announces every call of a bot before it makes it."""
    verdicts: "tuple[tuple[BotCall, FaultKind, str], ...]" = ()
    """For a careful task, which has one block: the calls known to fail, each with the fault and its detail."""
    deaths: "tuple[BotCall, ...]" = ()
    """For a careful task: the calls during which a worker has died so far."""
    out: Mapping[str, str] = {}
    """The disqualified entrants, each with the reason."""

    def charges(self, match: int) -> Verdicts:
        """Returns the calls known to fail in the match with that index in its block, each with the fault."""
        return {
            (at.decision, at.seat): (kind, detail)
            for at, kind, detail in self.verdicts
            if at.match == match and at.seat is not None
        }


class TaskResult(NamedTuple):
    """The first blocks of a task, played."""

    position: int
    """The position of the first block, as in the task."""
    blocks: int
    """How many blocks were played, at least one."""
    lines: bytes
    """Their records as lines of the journal; or what a `Job` has found, as lines."""
    results: Sequence[PlainResult]
    """The results in the records, so that the lines need not be parsed; empty for a `Job`."""
    seconds: float
    """How long the blocks took."""
    times: Times
    """What was counted of the time in the task."""
    tracebacks: tuple[BotTraceback, ...] = ()
    """Those of what bots have raised in the task, the first of each kind of fault in this worker."""
    prints: str = ""
    """The lines that bots in the worker have printed in the task; see `tourney.hosts.prints`."""


class Job(Protocol):
    """What workers do with the items of their tasks, where these are no blocks to play."""

    asks_bots: bool
    """Whether the worker loads the bots of the tournament."""

    def run(
        self, pipe: Connection, task: Task, makers: Mapping[str, BotHost], keeper: Timekeeper, game_s: float
    ) -> TaskResult:
        """Does what is to be done with the first items of a task."""


class WorkerReady(NamedTuple):
    """The worker has loaded its games and bots."""


class Heartbeat(NamedTuple):
    """The worker is at work; sent now and then while a task takes long."""

    silent_s: float = 0.0
    """How long it may be silent now, in seconds, as a bot may think so long; 0 for as long as a match may take in which
    no clock is read."""


class BotCall(NamedTuple):
    """The call of a bot in a careful task, or what the game does after it."""

    match: int
    """The index of the match in its block."""
    decision: int
    """The number of the decision; see `tourney.table.table.Watch`."""
    seat: int | None
    """Whose bot is called; None for the game."""


class NextCall(NamedTuple):
    """What a careful task does next; sent before it is done."""

    call: BotCall
    most_s: float
    """How long it may take, in seconds."""


class WorkerRefusal(NamedTuple):
    """An error for the user that the worker cannot play with, such as that the system allows no more processes."""

    error: TourneyError


class WorkerFailure(NamedTuple):
    """An exception that is a bug of this program."""

    traceback: str


def main(
    pipe: Connection, life: int, tournament: Tournament, logs: Path | None, number: int, job: Job | None = None
) -> None:
    """Plays tasks until the main process closes the pipe."""
    own = os.getpid()
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        threading.Thread(target=_end_with_forkserver, args=(life,), daemon=True).start()
        tasks = _incoming(pipe)
        os.dup2(2, 1)
        bot_prints.install()
        linux.keep_freed_memory()
        tracebacks = Tracebacks()
        makers: dict[str, BotHost] = {}
        if job is None or job.asks_bots:
            _prepare_for_processes(tournament, number)
            makers = config.create_hosts(tournament, logs, tracebacks)
            _limit_memory(tournament)
        gc.freeze()  # what is loaded stays, so no collection needs to look at it
        gc.set_threshold(20_000, 20, 20)  # the records of matches have many tuples and no cycles
        send(pipe, WorkerReady())
        keeper = Timekeeper(lambda seconds: send(pipe, Heartbeat(seconds)), tournament.longest_match_s)
        while (task := tasks.get()) is not None:
            bot_prints.hold(not task.careful)  # the prints of a bot that ends its worker would be lost
            if job is not None:
                result = job.run(pipe, task, makers, keeper, tournament.longest_match_s)
                gc.collect()
            elif task.careful:
                result = _play_carefully(pipe, task, makers, tournament.longest_match_s)
            else:
                result = _play(pipe, task, makers, keeper)
                gc.collect()  # a bot whose object hangs while it is destroyed hangs in a task of its own
            _end_if_forked(own)
            send(pipe, result._replace(tracebacks=tracebacks.take(), prints=bot_prints.take()))
    except (BrokenPipeError, ConnectionResetError, _PipeLostError):
        return
    except MemoryError:
        os._exit(NO_MEMORY)  # by a bot; which one is found by playing the blocks carefully
    except Exception as error:
        refused = error if isinstance(error, TourneyError) else system_limit(error, "a worker cannot continue")
        failure = WorkerFailure(traceback.format_exc()) if refused is None else WorkerRefusal(refused)
        with suppress(BrokenPipeError, ConnectionResetError):
            send(pipe, failure)


def _end_if_forked(own: int) -> None:
    """Ends this process if it is not the worker, but one that a bot there has forked and that went on as another."""
    if os.getpid() != own:
        os._exit(0)


def _incoming(pipe: Connection) -> "SimpleQueue[Task | None]":
    """Returns the queue of the tasks that arrive, followed by None once the pipe is closed.

    A thread reads each task at once, so that the main process can send one while this worker is playing another.
    """
    tasks: SimpleQueue[Task | None] = SimpleQueue()

    def read() -> None:
        try:
            while True:
                tasks.put(receive(pipe))
        except (EOFError, ConnectionResetError):
            tasks.put(None)
        except MemoryError:
            os._exit(NO_MEMORY)

    threading.Thread(target=read, daemon=True).start()
    return tasks


def _prepare_for_processes(tournament: Tournament, number: int) -> None:
    """Prepares the worker for bots in processes of their own, if there are any.

    The worker and its bots share a core: it waits while they think, and waking a process on another core takes longer.
    """
    if tournament.in_worker or not linux.AVAILABLE:
        return
    linux.keep_to_core(number)
    linux.adopt_orphans()


def _limit_memory(tournament: Tournament) -> None:
    """Limits the memory that all bots in this process use together to the largest limit of any of them."""
    limits = [entrant.limits.memory_mb for entrant in tournament.entrants if entrant.in_worker]
    most_mb = max([limit for limit in limits if limit is not None], default=None)
    if most_mb is not None and linux.AVAILABLE:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (linux.data_bytes() + (most_mb << 20), hard))


def send(pipe: Connection, message: Any) -> None:
    """Sends a message."""
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(pipe: Connection) -> Any:
    """Returns the next message."""
    return pickle.loads(pipe.recv_bytes())  # noqa: S301 - both ends are this program


def _end_with_forkserver(life: int) -> None:
    os.read(life, 1)
    os.killpg(0, signal.SIGKILL)


def _play(pipe: Connection, task: Task, makers: Mapping[str, BotHost], keeper: Timekeeper) -> TaskResult:
    """Plays as many of the task's blocks as there is time for, at least one."""
    started = last_sent = time.perf_counter()
    keeper.heard()
    records: list[Record] = []
    blocks = 0
    for block in task.blocks:
        game = load_game(block.setup.game)
        keeper.choose(block.number, block.seatings[0])
        for match in block.matches():
            out = _seats_out(match, task) if task.out else None
            records.append(play(match, game, [makers[name] for name in match.seats], out=out, keeper=keeper))
            now = time.perf_counter()
            if now - last_sent > MAX_TASK_S:
                send(pipe, Heartbeat())
                keeper.heard()
                last_sent = now
        blocks += 1
        if now - started > MAX_TASK_S:
            break
    return _task_result(task.position, blocks, records, time.perf_counter() - started, Times(*keeper.take()))


def _seats_out(match: Match, task: Task) -> dict[int, str]:
    """Returns the seats of the match whose entrants are disqualified, each with the reason."""
    return {seat: task.out[name] for seat, name in enumerate(match.seats) if name in task.out}


def _play_carefully(pipe: Connection, task: Task, makers: Mapping[str, BotHost], game_s: float) -> TaskResult:
    """Plays one block, and announces what is done next: the call of a bot, or after it the game.

    The game may take `game_s` seconds between two calls.
    """
    started = time.perf_counter()
    keeper = Timekeeper()
    records: list[Record] = []
    gc.freeze()  # what earlier matches have left is not destroyed in this one
    for number, match in enumerate(task.blocks[0].matches()):
        announcer = Announcer(pipe, number, game_s)
        game, bots = load_game(match.setup.game), [makers[name] for name in match.seats]
        records.append(play(match, game, bots, task.charges(number), announcer.call, _seats_out(match, task), keeper))
    return _task_result(task.position, 1, records, time.perf_counter() - started, Times(*keeper.take()))


class _PipeLostError(BaseException):
    """The pipe to the main process is closed; no `Exception`, since neither a bot nor a game has raised it."""


class Announcer:
    """Announces what is done in a match."""

    def __init__(self, pipe: Connection, match: int, game_s: float) -> None:
        """Announces the start of the match with that index in its block; the game may take `game_s` between calls."""
        self._pipe = pipe
        self._match = match
        self._game_s = game_s
        self._own = os.getpid()
        self._announce(0, None, game_s)

    @contextmanager
    def call(self, decision: int, seat: int, most_s: float) -> Iterator[None]:
        """Announces the call of a bot, and afterwards that the game continues.

        All that the bot has left unused is destroyed before that, so that its destructors run in its own time.
        """
        self._announce(decision, seat, most_s)
        try:
            yield
        finally:
            gc.collect()
            self._announce(decision, None, self._game_s)

    def _announce(self, decision: int, seat: int | None, most_s: float) -> None:
        _end_if_forked(self._own)
        try:
            send(self._pipe, NextCall(BotCall(self._match, decision, seat), most_s))
        except OSError as error:
            raise _PipeLostError from error


def _task_result(position: int, blocks: int, records: Sequence[Record], seconds: float, times: Times) -> TaskResult:
    """Makes the result of a task from the records of its first blocks."""
    lines = b"".join([record.line() for record in records])
    return TaskResult(position, blocks, lines, [_result(record) for record in records], seconds, times)


def _result(record: Record) -> PlainResult:
    """Returns the result in a record; raises a `GameError` unless it is one that a game must give."""
    scores, places, faults = record.scores, record.places, record.faults
    if not all([type(number) is int for number in (*scores, *places)]):
        problem: str | None = "scores and places must be whole numbers"
    else:
        problem = result_problem(len(record.seats), scores, places, faults)
    if problem:
        raise GameError(f'game "{record.game}" fails in match {record.match}: {problem}', record.game)
    return scores, places, faults
