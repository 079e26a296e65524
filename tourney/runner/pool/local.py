"""A pool of supervised worker processes on this machine.

If a worker dies or stalls, its blocks are played again, one by one and with every call of a bot announced. A bot whose
worker dies repeatedly during its calls, or that uses up the time of its match, is charged with a fault, and the block
is played once more with that fault. Decisions that were announced stand: no bot can take one back by such a death.
"""

import time
from collections import defaultdict, deque
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Self

from multiprocess.connection import Connection, wait

from tourney.base.errors import GameError, RunError
from tourney.config import Tournament
from tourney.contracts.match import FaultKind
from tourney.plugins.failures import endless_match
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import (
    NO_MEMORY,
    BotCall,
    Heartbeat,
    NextCall,
    Performer,
    Task,
    TaskResult,
    WorkerReady,
    receive,
    send,
)

START_S = 60  # how long a worker may take to load games and bots
QUICK_S = 0.05  # if blocks take less than this, a worker gets its next task before it has finished one
SLACK_S = 0.5  # how late a worker may be that plays without bots in processes of their own
TICK_S = 0.2  # how long the pool waits at most before it yields to the caller
DEATHS = 3  # after how many deaths of a worker at the same call of a bot the bot is charged; one may be from outside
DEATHS_ELSEWHERE = 5  # after how many deaths at different calls of a bot in one match the bot is charged
GAME_TIMEOUTS = 2  # how often a game may take too long, as a busy machine may be late once, and the whole run ends
FAILED_STARTS_ALLOWED = 9  # how many workers in a row may end before they are ready until the run gives up


class Worker:
    """A worker process, as its supervisor sees it."""

    def __init__(self, forkserver: Forkserver, pipe: Connection, pid: int) -> None:
        self.pipe = pipe
        self.pid = pid
        self.ready = False
        self.tasks: deque[Task] = deque()  # what it was given; it plays the first of them
        self.deadline = time.monotonic() + START_S  # when it must be heard of again, if it has a task or is not ready
        self.exit_code: int | None = None  # known once `kill` was called
        self.call: BotCall | None = None  # what the worker has announced last
        self.asked: BotCall | None = None  # the last call of a bot in the same match
        self.actions: defaultdict[int, list[int]] = defaultdict(list)  # what was announced, by the index of the match
        self._forkserver = forkserver

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""
        if self.exit_code is None:
            self.exit_code = self._forkserver.kill(self.pid)
            self.pipe.close()

    def note(self, announced: NextCall) -> None:
        """Notes what the worker does next."""
        call = announced.call
        if self.call is None or call.match != self.call.match or call.decision < self.call.decision:
            self.asked = None  # another match begins, or the same once more
        self.call = call
        self.actions[call.match] += announced.actions
        if call.seat is not None:
            self.asked = call
        self.deadline = time.monotonic() + announced.most_s

    def culprit(self, timed_out: bool) -> BotCall | None:
        """The call during which an announced task was lost; that of the game where no bot is to blame."""
        if self.call is not None and self.call.seat is None and self.exit_code == NO_MEMORY and not timed_out:
            return self.asked or self.call  # the game has asked for the last of the memory
        return self.call


class LocalPool(OrderedPool):
    """Plays blocks in worker processes, or has a performer deal with items there."""

    def __init__(
        self,
        tournament: Tournament,
        workers: int,
        faults: FaultMonitor | None = None,
        logs: Path | None = None,
        starter: Forkserver | None = None,
        performer: Performer | None = None,
    ) -> None:
        """Without a forkserver as `starter`, the pool has its own."""
        super().__init__(tournament, workers, faults)
        self.workers: list[Worker] = []
        # a worker supervises bots in processes of their own itself, and needs time to start them
        starts_processes = not tournament.in_worker and (performer is None or performer.asks_bots)
        self._slack_s = START_S if starts_processes else SLACK_S
        self._longest_s = tournament.longest_match_s if performer is None else tournament.replay_s
        self._logs = logs
        self._performer = performer
        self._starter = starter
        self._failed_starts = 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self._starter is None:
                self._starter = stack.enter_context(Forkserver())
            stack.callback(self._kill_workers)
            for number in range(self._queue.workers):
                self.workers.append(self._start_worker(number))
            self.push(stack.pop_all())
        return self

    def _start_worker(self, number: int) -> Worker:
        assert self._starter is not None
        return Worker(self._starter, *self._starter.start(self._tournament, self._logs, number, self._performer))

    def _kill_workers(self) -> None:
        while self.workers:
            self.workers.pop().kill()

    def _is_ready(self) -> bool:
        return any([worker.ready for worker in self.workers])

    def _in_play(self) -> int:
        return sum([len(worker.tasks) for worker in self.workers])

    def _hand_out(self) -> None:
        """Gives tasks to the workers, first of all to those that have none."""
        for count in range(2 if self._queue.block_s < QUICK_S else 1):
            for worker in self.workers:
                if worker.ready and len(worker.tasks) == count and (task := self._next_task()) is not None:
                    worker.tasks.append(task)
                    if not count:
                        self._set_deadline(worker)
                    with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which the forkserver reports
                        send(worker.pipe, task)

    def _set_deadline(self, worker: Worker, silent_s: float = 0.0) -> None:
        """Sets the deadline for what the worker begins now; see `Heartbeat`."""
        worker.deadline = time.monotonic() + (silent_s or self._longest_s) + self._slack_s

    def _receive(self) -> None:
        assert self._starter is not None
        before = time.monotonic()
        by_pipe = {worker.pipe: worker for worker in self.workers}
        for pipe in wait([*by_pipe, self._starter.deaths], TICK_S):
            if pipe in by_pipe:
                self._receive_from(by_pipe[pipe])
        for pid in self._starter.take_deaths():
            for worker in [each for each in self.workers if each.pid == pid]:
                self._receive_from(worker)
                self._replace(worker, "crash", "its process died")
        # whatever was sent until `before` was received, even if this process itself was stopped meanwhile
        for worker in list(self.workers):
            if before > worker.deadline and (worker.tasks or not worker.ready):
                self._replace(worker, "timeout", "its match took too long")

    def _receive_from(self, worker: Worker) -> None:
        with suppress(EOFError, OSError):  # it has died, which the forkserver reports
            while worker.pipe.poll():
                self._handle(worker, receive(worker.pipe))

    def _handle(self, worker: Worker, message: Any) -> None:
        match message:
            case WorkerReady():
                worker.ready = True
                self._failed_starts = 0
            case NextCall():
                worker.note(message)
                worker.deadline += self._slack_s
            case TaskResult():
                task, worker.call, worker.asked = worker.tasks.popleft(), None, None
                worker.actions.clear()
                self._set_deadline(worker)
                self._finish_task(task, message)
            case Exception():
                raise message
            case Heartbeat(silent_s, prints):
                self.show_prints(prints)
                self._set_deadline(worker, silent_s)

    def _replace(self, worker: Worker, kind: FaultKind, detail: str) -> None:
        """Kills a worker that has died or stalled, has its tasks played again, and starts another in its place."""
        worker.kill()
        if worker.tasks:
            task, *later = worker.tasks
            self._retry_lost(worker, task, (kind, detail))
            for each in later:
                self._queue.retry(each)
        elif not worker.ready:
            self._failed_starts += 1
            if self._failed_starts > FAILED_STARTS_ALLOWED:
                raise RunError("workers end while they load the games and bots; try each bot alone to find which one")
        number = self.workers.index(worker)
        self.workers[number] = self._start_worker(number)

    def _retry_lost(self, worker: Worker, task: Task, fault: tuple[FaultKind, str]) -> None:
        """Has the task that a worker has lost played again, block by block and announced.

        After several losses in its calls the bot is charged, or a `GameError` is raised if they are the game's. A bot
        that is lost at another call each time is charged before it is called at all.
        """
        if not task.announced:
            for i, block in enumerate(task.blocks):
                self._queue.retry(Task(task.position + i, [block], announced=True))
            return
        standing = dict(task.standing)
        for match, actions in worker.actions.items():
            standing[match] = max(standing.get(match, ()), tuple(actions), key=len)
        timed_out = fault[0] == "timeout"
        if (call := worker.culprit(timed_out)) is not None:
            task = task._replace(losses=(*task.losses, call))
            in_match = [each for each in task.losses if (each.match, each.seat) == (call.match, call.seat)]
            most = (GAME_TIMEOUTS if call.seat is None else 1) if timed_out else DEATHS
            at_same_call = in_match.count(call) >= most
            if at_same_call or len(in_match) >= DEATHS_ELSEWHERE:
                if call.seat is None:
                    raise self._game_error(task, call, fault[0])
                call = call if at_same_call else call._replace(decision=0)
                task = task._replace(verdicts=(*task.verdicts, (call, *fault)))
                standing[call.match] = standing.get(call.match, ())[: max(0, call.decision - 1)]
        self._queue.retry(task._replace(standing=standing))

    def _game_error(self, task: Task, call: BotCall, kind: FaultKind) -> GameError:
        why = f"it took longer than {self._longest_s:g} s" if kind == "timeout" else "its worker ended each time"
        if self._performer is not None:
            return self._performer.game_error(task.blocks[0], why)
        left_running = ", by the game or by what a bot under inline had left running"
        why += " until a bot was asked again" if kind == "timeout" else left_running
        return endless_match(task.blocks[0].matches()[call.match], f"after decision {call.decision} {why}")
