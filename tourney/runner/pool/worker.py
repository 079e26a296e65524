"""A worker process: plays blocks and sends back journal lines.

It has one lane, in its main thread, or several, each in its own thread, for bots that wait for remote services.

A worker leads its own process group, so it can be killed with everything its bots have started. It ends with the
forkserver. Everything bots print goes to stderr.
"""

import gc
import os
import pickle
import resource
import select
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple, Protocol, TypeAlias

from multiprocess.connection import Connection

from tourney import config
from tourney.base.errors import GameError, TourneyError, system_limit
from tourney.config import Tournament
from tourney.contracts.game import Game
from tourney.contracts.match import Block, Fault, FaultKind, Match, Record, result_problem
from tourney.hosts import linux
from tourney.hosts import prints as bot_prints
from tourney.hosts.base import BotHost
from tourney.hosts.clocks import Timekeeper
from tourney.hosts.faults import BotTraceback, Tracebacks
from tourney.hosts.notes import Ledger, NoteTaker
from tourney.journal.folder import SPENT
from tourney.journal.notes import MatchNotes
from tourney.journal.times import Times
from tourney.plugins.registry import load_game
from tourney.table.table import BotFactory, Verdicts, play

MAX_TASK_S = 0.5  # how long a worker plays before returning an incomplete task
REPORT_S = 1.0  # seconds between two reports on a match that takes long
NO_MEMORY = 3  # exit status of a worker out of memory
PlainResult: TypeAlias = tuple[tuple[int, ...], tuple[int, ...], tuple[Fault, ...]]


class Task(NamedTuple):
    """Consecutive blocks to play, or items of a `Performer`."""

    position: int  # the first block's position among all played blocks
    blocks: Sequence[Any]
    announced: bool = False  # whether every bot call is announced; such a task has one block
    verdicts: "tuple[tuple[BotCall, FaultKind, str], ...]" = ()  # calls known to fail, with fault and detail
    losses: "tuple[BotCall, ...]" = ()  # calls during which a worker died or stalled
    standing: Mapping[int, Sequence[int]] = {}  # by match index, the actions known from then
    out: Mapping[str, str] = {}  # the disqualified entrants with the reasons
    match: int | None = None  # index of the only match to play in its one block; None for all


class TaskResult(NamedTuple):
    """The played first blocks of a task."""

    blocks: int  # at least one
    lines: bytes  # their records as journal lines, or a performer's lines
    results: Sequence[PlainResult]  # saves parsing the lines; empty for a performer
    seconds: float
    times: Times
    tracebacks: tuple[BotTraceback, ...] = ()  # the bots' first by kind of fault in this worker
    notes: Sequence[bytes] = ()  # per record, the bots' notes as a line (`journal.notes`), or nothing
    prints: str = ""  # lines printed by the worker's bots; see `tourney.hosts.prints`


class Performer(Protocol):
    """Work on items other than blocks; supervised like playing blocks.

    It is pickled for local workers; for a cluster's, it is a msgspec struct with the type of its items as `Item`.
    """

    @property
    def asks_bots(self) -> bool:
        """Whether the workers load the tournament's bots."""

    def perform(self, item: Any, makers: Mapping[str, BotHost], player: "Player") -> bytes:
        """The results for an item, as lines; the same each time."""

    def game_error(self, item: Any, why: str) -> GameError:
        """The error of a game that does not return, or that kills its worker, at this item."""


# A worker's messages besides task results: one of these, or an exception that ends the run.
class WorkerReady(NamedTuple):
    """The worker has loaded its games and bots."""


class Heartbeat(NamedTuple):
    """The worker is alive; sent periodically during long tasks."""

    silent_s: float = 0.0  # seconds a bot may think now; 0: the maximum of a match without clocks
    prints: str = ""  # printed by bots so far; see `TaskResult`


class Wait(NamedTuple):
    """The decision that a long match waits for; sent every second."""

    match: str
    decision: int  # 0 for the bot's start
    bot: str
    since: float  # by the machine's monotonic clock, within a second


class BotCall(NamedTuple):
    """A bot call in an announced task, or the game's work after it."""

    match: int  # the match's index in its block
    decision: int  # see `tourney.table.table.Watch`
    seat: int | None  # None for the game


class TaskFailed(NamedTuple):
    """A task failed after some played blocks."""

    result: TaskResult
    error: Exception


class NextCall(NamedTuple):
    """An announced task's next call, sent before it."""

    call: BotCall
    most_s: float  # maximum duration in seconds
    actions: tuple[int, ...] = ()  # the match's actions not announced before


class Lane:
    """Plays one task at a time; each lane of a worker has its own pipe, hosts and clocks."""

    def __init__(
        self, pipe: Connection, tournament: Tournament, logs: Path | None, performer: Performer | None
    ) -> None:
        """Loads the bots."""
        self._pipe = _Pipe(pipe)
        self._tasks = _incoming(pipe)
        self._tournament = tournament
        self._player: Player | None = None  # of the task being played
        self._wait: Wait | None = None
        self._caller: Callable[[], str] = str
        self._performer = performer
        self._tracebacks = Tracebacks()
        most = tournament.fault_limits.max_cost
        self._ledger = None if logs is None or performer is not None else Ledger(logs.parent / SPENT, most)
        self._makers: dict[str, BotHost] = {}
        if performer is None or performer.asks_bots:
            self._makers = config.create_hosts(tournament, logs, self._tracebacks)

    def play(self, alone: bool = True) -> None:
        """Plays tasks until the main process closes the pipe; `alone` means the process has no other lane."""
        try:
            own, longest_s, timed = os.getpid(), self._tournament.longest_match_s, self._tournament.timed
            keeper = Timekeeper(
                lambda seconds: send(self._pipe, Heartbeat(seconds, bot_prints.take())), longest_s, timed
            )
            if not alone:
                bot_prints.separate()
            self._caller = bot_prints.caller_of_thread()
            while (task := self._tasks.get()) is not None:
                bot_prints.hold(not task.announced)  # or prints of a bot that kills its worker would be lost
                if task.announced:
                    gc.freeze()  # keeps earlier matches' garbage out of this one
                player = Player(self._pipe, task, Timekeeper() if task.announced else keeper, longest_s, self._ledger)
                self._player = player
                result, error = _perform(task, self._makers, player, self._performer)
                self._player = None
                if alone and not task.announced:
                    gc.collect()  # a destructor that hangs then hangs in its bot's task
                _end_if_forked(own)
                result = result._replace(tracebacks=self._tracebacks.take(), prints=bot_prints.take())
                send(self._pipe, result if error is None else TaskFailed(result, error))
        except (BrokenPipeError, ConnectionResetError, _PipeLostError):
            return
        except MemoryError:
            os._exit(NO_MEMORY)  # a bot's doing; announced blocks show which
        except Exception as error:
            with suppress(BrokenPipeError, ConnectionResetError):
                send(self._pipe, _shown(error))

    def report_wait(self) -> None:
        """Reports the decision that a match of more than `REPORT_S` waits for; called in a thread every `REPORT_S`."""
        player, before = self._player, self._wait
        if player is None or player.playing is None:
            return
        match, began, log = player.playing
        decision = 0 if log is None else 1 + len([entry for entry in log if isinstance(entry[0], int)])
        now, last = (match, decision, self._caller()), time.monotonic() - REPORT_S
        wait = self._wait = before if before is not None and before[:3] == now else Wait(*now, max(began, last))
        if began < last:
            with suppress(OSError):  # the main process has ended
                send(self._pipe, wait)


class _Pipe:
    """The pipe of a lane, to which two threads send."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe, self._lock = pipe, threading.Lock()

    def send_bytes(self, data: bytes) -> None:
        with self._lock:
            self._pipe.send_bytes(data)


def main(
    pipes: Sequence[Connection], life: int, tournament: Tournament, logs: Path | None, number: int,
    performer: Performer | None,
) -> None:  # fmt: skip
    """Plays tasks until the main process closes the pipes, with a lane for each.

    `life` becomes readable when the forkserver ends.
    """
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    alone = len(pipes) == 1
    lanes: list[Lane] = []
    try:
        threading.Thread(target=_end_with_forkserver, args=(life, lanes), daemon=True).start()
        os.dup2(2, 1)
        bot_prints.install()
        linux.keep_freed_memory()
        asks_bots = performer is None or performer.asks_bots
        if asks_bots and not tournament.in_worker and linux.AVAILABLE:
            if alone:  # it alternates with its bots, and switching cores takes longer
                linux.keep_to_core(number)
            linux.adopt_orphans()
        lanes += [Lane(pipe, tournament, logs, performer) for pipe in pipes]
        threads = [] if alone else [threading.Thread(target=lane.play, args=(False,), daemon=True) for lane in lanes]
        for thread in threads:
            thread.start()  # now: their stacks do not count as bots' memory
        if asks_bots:
            _limit_memory(tournament)
        gc.freeze()  # loaded objects stay, so collections can skip them
        gc.set_threshold(20_000, 20, 20)  # match records have many tuples and no cycles
        send(pipes[0], WorkerReady())
    except MemoryError:
        os._exit(NO_MEMORY)
    except (BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        with suppress(BrokenPipeError, ConnectionResetError):
            send(pipes[0], _shown(error))
        return
    if alone:
        lanes[0].play()
    for thread in threads:
        thread.join()


def _shown(error: Exception) -> Exception:
    """The error for the main process to raise; call it while handling the error."""
    refused = error if isinstance(error, TourneyError) else system_limit(error, "a worker cannot continue")
    if refused is not None:  # if dask is imported, these are also pickled, and not all exceptions can be unpickled
        refused.__cause__ = refused.__context__ = None
    return refused or RuntimeError(f"a worker failed:\n{traceback.format_exc()}")


def _perform(
    task: Task, makers: Mapping[str, BotHost], player: "Player", performer: Performer | None
) -> tuple[TaskResult, Exception | None]:
    """Plays a task's blocks, at least one, until time is up, or performs its items; stops at an error."""
    started = time.perf_counter()
    lines: list[bytes] = []
    results: list[PlainResult] = []
    notes: list[bytes] = []
    done, failure = 0, None
    for item in task.blocks:
        before = len(results)
        try:
            if performer is not None:
                lines.append(performer.perform(item, makers, player))
            else:
                for record in _records(item, task, makers, player):
                    results.append(_result(record))
                    lines.append(record.line())
                    noted = MatchNotes.of(record.match, record.seats, player.notes) if player.notes else None
                    notes.append(b"" if noted is None else noted.line())
        except (BrokenPipeError, ConnectionResetError, MemoryError):
            raise
        except Exception as error:
            failure = _shown(error)
            if performer is None:
                del lines[before:], results[before:], notes[before:]
            break
        done += 1
        if time.perf_counter() - started > MAX_TASK_S:
            break
    times = Times(*player.keeper.take())
    return TaskResult(done, b"".join(lines), results, time.perf_counter() - started, times, notes=notes), failure


def _records(block: Block, task: Task, makers: Mapping[str, BotHost], player: "Player") -> Iterator[Record]:
    game = load_game(block.setup.game)
    if not task.announced:
        player.keeper.choose(block.number, block.seatings[0])
    matches = block.matches()
    for match in matches if task.match is None else [matches[task.match]]:
        out = {seat: task.out[name] for seat, name in enumerate(match.seats) if name in task.out} if task.out else None
        yield player.play(match, game, [makers[name] for name in match.seats], out=out)


def _result(record: Record) -> PlainResult:
    scores, places, faults = record.scores, record.places, record.faults
    problem: str | None = "scores and places must be whole numbers"
    if all([type(number) is int for number in (*scores, *places)]):
        problem = result_problem(len(record.seats), scores, places, faults)
    if problem:
        raise GameError(f'game "{record.game}" fails in match {record.match}: {problem}', record.game)
    return scores, places, faults


class Player:
    """Plays matches for a task, and reports to the main process that the worker is alive."""

    def __init__(
        self, pipe: _Pipe, task: Task, keeper: Timekeeper, game_s: float, ledger: Ledger | None = None
    ) -> None:
        self.keeper = keeper
        self._ledger = ledger
        self.notes = NoteTaker(ledger)  # the bots' notes of the last match
        self.playing: tuple[str, float, Sequence[Any] | None] | None = None
        """The match that is being played, when it began, and its log, which grows, once all bots have started."""
        self._pipe = pipe
        self._task = task
        self._game_s = game_s  # how long an announced task's game may take between bot calls
        self._own = os.getpid()
        self._match = -1  # the match's index in its block, or an item's step
        self._told = 0  # announced actions of the match
        self._reported = time.perf_counter()
        keeper.note_sent()

    def play(
        self, match: Match, game: Game, factories: Sequence[BotFactory], verdicts: Verdicts | None = None, *,
        out: Mapping[int, str] | None = None,
    ) -> Record:  # fmt: skip
        """Plays a match; see `tourney.table.table.play`."""
        self.report_alive()
        if self.notes:  # reused, because most matches have none
            self.notes = NoteTaker(self._ledger)
        notes = self.notes
        if self._ledger is not None:
            self._ledger.check()
        start = time.monotonic()
        self.playing = match.id, start, None

        def began(log: Sequence[Any], _faults: Sequence[Fault]) -> None:
            self.playing = match.id, start, log

        if not self._task.announced:
            return play(match, game, factories, verdicts, out=out, keeper=self.keeper, began=began, notes=notes)
        charges = {
            (call.decision, call.seat): (kind, detail)
            for call, kind, detail in self._task.verdicts
            if call.match == self._match and call.seat is not None
        }
        standing = self._task.standing.get(self._match, ())
        verdicts = {**(verdicts or {}), **charges}
        watch, keeper = self._announced, self.keeper
        return play(match, game, factories, verdicts, watch, out, keeper, began, standing, notes)

    def report_alive(self) -> None:
        """Must be called before each step that may take as long as a match."""
        if self._task.announced:
            self._match += 1
            self._told = 0
            self._announce(0, None, self._game_s)
        elif (now := time.perf_counter()) - self._reported > MAX_TASK_S:
            self._reported = now
            send(self._pipe, Heartbeat())
            self.keeper.note_sent()

    @contextmanager
    def _announced(self, decision: int, seat: int, most_s: float, actions: Sequence[int]) -> Iterator[None]:
        self._announce(decision, seat, most_s, tuple(actions[self._told :]))
        self._told = len(actions)
        try:
            yield
        finally:
            gc.collect()  # so destructors of the bot's garbage run in its own time
            self._announce(decision, None, self._game_s)

    def _announce(self, decision: int, seat: int | None, most_s: float, actions: tuple[int, ...] = ()) -> None:
        _end_if_forked(self._own)
        try:
            send(self._pipe, NextCall(BotCall(self._match, decision, seat), most_s, actions))
        except OSError as error:
            raise _PipeLostError from error


class _PipeLostError(BaseException):
    """The pipe to the main process is closed; not an `Exception`, because neither a bot nor a game raised it."""


def _end_if_forked(own: int) -> None:
    """Exits if this process is a bot's fork of the worker."""
    if os.getpid() != own:
        os._exit(0)


def _incoming(pipe: Connection) -> "SimpleQueue[Task | None]":
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


def _limit_memory(tournament: Tournament) -> None:
    limits = [entrant.limits.memory_mb for entrant in tournament.entrants if entrant.in_worker]
    most_mb = max([limit for limit in limits if limit is not None], default=None)
    if most_mb is not None and linux.AVAILABLE:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (linux.data_bytes() + (most_mb << 20), hard))


def send(pipe: "Connection | _Pipe", message: Any) -> None:
    """Sends a message to another process of this program."""
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(pipe: Connection) -> Any:
    """The next message."""
    return pickle.loads(pipe.recv_bytes())  # noqa: S301 - both ends are this program


def _end_with_forkserver(life: int, lanes: Sequence[Lane]) -> None:
    """Kills this process when the forkserver exits; until then, reports the decisions that long matches wait for."""
    while not select.select([life], [], [], REPORT_S)[0]:
        for lane in lanes:
            lane.report_wait()
    os.killpg(0, signal.SIGKILL)
