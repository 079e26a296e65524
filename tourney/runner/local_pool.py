"""A pool of supervised worker processes on this machine that plays blocks and yields their records in order.

Each worker has a pipe of its own. If a worker dies or stalls, no record is lost: its blocks are played again, one by
one and carefully, that is, with every call of a bot announced beforehand. A bot whose worker dies repeatedly during the
same call, or that uses up the time of its match, is charged with a fault, and the block is played once more with that
fault. Workers that are killed from outside die during different calls, so no bot is charged. Finished blocks wait in
memory for the blocks before them; while too many wait, no new tasks are handed out.

Faults are counted in the order of the schedule, as blocks are yielded. When an entrant is disqualified, later blocks in
which it sat are discarded and played again with the house in its seats.

The pool is written by hand because the pools of `multiprocess` and `concurrent.futures` lose tasks when a worker dies.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple, Self

from multiprocess.connection import wait

from tourney.config import Tournament
from tourney.errors import GameError, RunError
from tourney.game_failures import endless_match
from tourney.hosts import bot_prints
from tourney.hosts.retries import OWN_ENDS, ends_that_count, starts_in_vain
from tourney.hosts.tracebacks import BotTraceback
from tourney.journal.reader import parse_record
from tourney.journal.times import Times
from tourney.match import Block, FaultKind, Record
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.forkserver import Child, Forkserver
from tourney.runner.supervised_worker import START_S, WAKE_S, SupervisedWorker
from tourney.runner.task_queue import TaskQueue
from tourney.runner.time_sample import TimeSample
from tourney.runner.worker import (
    BotCall,
    Heartbeat,
    NextCall,
    Task,
    TaskResult,
    WorkerFailure,
    WorkerReady,
    WorkerRefusal,
    receive,
    send,
    task_result,
)

WAITING = 6
"""How many tasks for each worker may be in play or wait for an earlier one."""
QUICK_S = 0.05
"""If blocks take less than this, in seconds, a worker gets its next task before it has finished one."""
LATE_S = 0.5
"""How long a worker may be late, in seconds, that plays without bots in processes of their own."""
TICK_S = 0.2
"""How long the pool waits at most, in seconds, before it yields to the caller."""


class PlayedBlocks(NamedTuple):
    """Consecutive blocks that were played."""

    blocks: Sequence[Block]
    lines: bytes
    """Their records as lines of the journal."""
    seconds: float
    """How long a worker has played them."""

    @property
    def matches(self) -> int:
        """How many matches the blocks have."""
        return sum([len(block.seatings) for block in self.blocks])


class _FinishedTask(NamedTuple):
    """A task, or its first blocks, with the result."""

    task: Task
    """The blocks that were played, and who was disqualified at that time."""
    result: TaskResult

    @property
    def played(self) -> PlayedBlocks:
        return PlayedBlocks(self.task.blocks, self.result.lines, self.result.seconds)


class LocalPool:
    """Plays blocks in worker processes. A context manager that ends all processes on exit."""

    def __init__(
        self,
        tournament: Tournament,
        workers: int,
        faults: FaultMonitor,
        logs: Path | None = None,
        forkserver: Forkserver | None = None,
    ) -> None:
        """Starts nothing yet.

        Args:
            tournament: What the blocks are from.
            workers: The number of worker processes.
            faults: The faults of the blocks before the first that is played; it counts those of the others.
            logs: The folder for what bots in processes of their own write to stderr.
            forkserver: What starts the workers; by default a new one.
        """
        self.times = Times()
        """What was counted of the time in all tasks whose blocks were yielded, maybe without the last ones: those that
        are played once more because an entrant was disqualified."""
        self.tracebacks: dict[tuple[str, FaultKind], BotTraceback] = {}
        """The first traceback of each entrant and kind of fault, as they came."""
        self._tournament = tournament
        # a worker supervises bots in processes of their own itself, and needs time to start them
        self._slack_s = LATE_S if tournament.in_worker else START_S
        self._longest_s = tournament.longest_match_s
        self._faults = faults
        self._logs = logs
        self._count = workers
        self._own = ExitStack()
        self._forkserver = forkserver
        self._workers: list[SupervisedWorker] = []
        self._queue = TaskQueue(workers)
        self._sample: TimeSample | None = TimeSample(tournament.names)
        self._finished: dict[int, _FinishedTask] = {}  # by position
        self._next = 0  # the position that is yielded next
        self._failed_starts = 0

    def __enter__(self) -> Self:
        """Starts the workers."""
        if self._forkserver is None:
            self._forkserver = self._own.enter_context(Forkserver())
        try:
            for number in range(self._count):
                self._workers.append(self._start_worker(number))
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_worker(self, number: int) -> SupervisedWorker:
        assert self._forkserver is not None
        return SupervisedWorker(self._forkserver.start(self._tournament, self._logs, number))

    def __exit__(self, *error: object) -> None:
        """Kills the workers."""
        for worker in self._workers:
            worker.process.kill()
        self._workers = []
        self._own.close()

    def processes(self, ready_only: bool = False) -> list[Child]:
        """Returns the processes of all workers, or of those that have loaded their games and bots."""
        return [worker.process for worker in self._workers if worker.ready or not ready_only]

    @property
    def is_full(self) -> bool:
        """Whether no new tasks are handed out because too many are in play or wait for an earlier one."""
        return self._unfinished() >= WAITING * self._count

    def play(self, blocks: Iterator[Block]) -> Iterator[PlayedBlocks | None]:
        """Plays blocks, and yields them in order; None several times a second while none is ready.

        When too many matches have faults, what is yielded ends with the block after which the run should stop.

        Raises:
            RunError: The workers cannot be started.
        """
        self._queue.refill(blocks)
        while True:
            self._hand_out()
            if self._is_over():
                return
            before = time.monotonic()
            self._receive()
            self._end_stalled(before)
            self._hand_out()  # again, so that no worker is idle while the caller is busy
            if self._next not in self._finished:
                yield None
            while self._next in self._finished:
                finished = self._finished.pop(self._next)
                self.times.add(finished.result.times)
                played = self._count_faults(finished)
                self._next += len(played.blocks)
                yield played

    def _is_over(self) -> bool:
        """Tells whether nothing is left, given that tasks were just handed out to all workers that are ready."""
        return any([each.ready for each in self._workers]) and not self._unfinished() and not self._queue.has_retries

    def _hand_out(self) -> None:
        """Gives tasks to the workers, first of all to those that have none."""
        for count in range(2 if self._queue.block_s < QUICK_S else 1):
            for worker in self._workers:
                if worker.ready and len(worker.tasks) == count and (task := self._next_task()) is not None:
                    self._give(worker, task)

    def _next_task(self) -> Task | None:
        """Returns the task to hand out next: one that is played again, else new blocks unless the pool is full."""
        if self._queue.has_retries:
            return self._queue.next_retry()
        task = None if self.is_full else self._queue.next_task()
        if task is not None and self._sample is not None:
            task = task._replace(measured=self._sample.choose(task.blocks))
        return task

    def _unfinished(self) -> int:
        """Counts the tasks that are in play or wait for their turn."""
        return len(self._finished) + sum([len(worker.tasks) for worker in self._workers])

    def _give(self, worker: SupervisedWorker, task: Task) -> None:
        if task.careful and self._is_stale(task.blocks[0], task):
            task = task._replace(verdicts=(), deaths=())  # with another seat out, the match takes another course
        task = task._replace(out=self._faults.out)
        worker.tasks.append(task)
        if len(worker.tasks) == 1:
            self._set_deadline(worker)
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died, which its sentinel reports
            send(worker.pipe, task)

    def _set_deadline(self, worker: SupervisedWorker, silent_s: float = 0.0) -> None:
        """Sets the deadline for what the worker begins now; see `Heartbeat`."""
        worker.deadline = time.monotonic() + (silent_s or self._longest_s) + self._slack_s

    def _receive(self) -> None:
        """Handles what the workers have sent, and replaces those that have died."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        by_sentinel = {worker.process.sentinel: worker for worker in self._workers}
        ready = wait([*by_pipe, *by_sentinel], TICK_S)
        for pipe in ready:
            if pipe in by_pipe:
                self._receive_from(by_pipe[pipe])
        for sentinel in ready:
            if sentinel in by_sentinel:
                worker = by_sentinel[sentinel]
                self._receive_from(worker)
                self._replace(worker, "crash", "its process died")

    def _receive_from(self, worker: SupervisedWorker) -> None:
        """Handles everything that one worker has sent."""
        with suppress(EOFError, OSError):  # it has died, which its sentinel reports
            while worker.pipe.poll():
                worker.wake_at = time.monotonic() + WAKE_S
                self._handle(worker, receive(worker.pipe))

    def _handle(self, worker: SupervisedWorker, message: Any) -> None:
        match message:
            case WorkerReady():
                worker.ready = True
                self._failed_starts = 0
            case NextCall():
                worker.note(message)
                worker.deadline += self._slack_s
            case TaskResult():
                self._finish(worker, message)
            case WorkerRefusal():
                raise message.error
            case WorkerFailure():
                raise RuntimeError(f"a worker failed:\n{message.traceback}")
            case Heartbeat(silent_s):
                self._set_deadline(worker, silent_s)
            case _:
                raise AssertionError(message)

    def _finish(self, worker: SupervisedWorker, result: TaskResult) -> None:
        """Takes the result of a worker's task; the blocks that it left are played again."""
        if not worker.tasks or worker.tasks[0].position != result.position:
            raise AssertionError(f"a worker sent blocks from {result.position} on that it was not to play now")
        for found in result.tracebacks:
            self.tracebacks.setdefault((found.name, found.fault.kind), found)
        bot_prints.show(result.prints)
        task, worker.call, worker.asked = worker.tasks.popleft(), None, None
        self._set_deadline(worker)
        self._retry_from(task, result.blocks)
        self._store(_FinishedTask(task._replace(blocks=task.blocks[: result.blocks]), result))
        if not task.careful:
            self._queue.record_time(result.blocks, result.seconds)

    def _is_stale(self, block: Block, task: Task) -> bool:
        """Tells whether an entrant in the block was disqualified after the task was handed out."""
        out = self._faults.out
        return out is not task.out and any([name in out and name not in task.out for name in block.seatings[0]])

    def _store(self, finished: _FinishedTask) -> None:
        """Stores finished blocks until their turn, up to the first stale one; the others are played again."""
        task = finished.task
        fresh = next((i for i, block in enumerate(task.blocks) if self._is_stale(block, task)), len(task.blocks))
        if first := self._split(finished, fresh):
            self._finished[task.position] = first

    def _count_faults(self, finished: _FinishedTask) -> PlayedBlocks:
        """Counts the faults in the next blocks, and returns those blocks that can be yielded now."""
        task, result = finished
        faults, out, played = self._faults, self._faults.out, finished.played
        if not self._tournament.limits_faults or (not result.faults and faults.add_clean(played.matches)):
            return played
        records = iter(_records(played.lines))
        count = 0
        for block in task.blocks:
            if self._is_stale(block, task) or (count and faults.stop is not None):
                break
            faults.add([next(records) for _ in block.seatings])
            count += 1
        if faults.out is not out:
            waiting, self._finished = self._finished, {}
            for other in waiting.values():
                self._store(other)
        first = self._split(finished, count)
        assert first is not None
        return first.played

    def _split(self, finished: _FinishedTask, count: int) -> _FinishedTask | None:
        """Returns the first `count` blocks of a finished task, if any; the others are played again."""
        task, result = finished
        if count == len(task.blocks):
            return finished
        self._retry_from(task, count)
        if not count:
            return None
        blocks = task.blocks[:count]
        records = _records(result.lines)[: sum([len(block.seatings) for block in blocks])]
        return _FinishedTask(
            task._replace(blocks=blocks),
            task_result(task.position, count, records, result.seconds, result.times),
        )

    def _retry_from(self, task: Task, first: int) -> None:
        """Has the blocks of a task played again from this one on."""
        if first < len(task.blocks):
            again = Task(task.position + first, task.blocks[first:], task.careful, measured=task.measured)
            self._queue.retry(again)

    def _end_stalled(self, now: float) -> None:
        """Replaces the workers whose deadline has passed, and continues those that are silent.

        What a worker has said until `now` was received, even if this process itself has been stopped meanwhile.
        """
        for worker in list(self._workers):
            if not worker.tasks and worker.ready:
                continue
            if now > worker.deadline:
                self._replace(worker, "timeout", "its match took too long")
            elif now > worker.wake_at:
                worker.process.wake()
                worker.wake_at = now + WAKE_S

    def _replace(self, worker: SupervisedWorker, kind: FaultKind, detail: str) -> None:
        """Kills a worker that has died or stalled, has its tasks played again, and starts another in its place."""
        timed_out = kind == "timeout"
        worker.process.kill()
        if worker.tasks:
            task, *later = worker.tasks
            strikes = 1 if timed_out else ends_that_count(worker.was_killed)
            self._retry_carefully(task, worker.culprit(timed_out), strikes, (kind, detail))
            for each in later:
                self._queue.retry(each)
        elif not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= starts_in_vain(worker.was_killed):
                raise RunError("workers end while they load the games and bots; try each bot alone to find which one")
        number = self._workers.index(worker)
        self._workers[number] = self._start_worker(number)

    def _retry_carefully(self, task: Task, call: BotCall | None, strikes: int, fault: tuple[FaultKind, str]) -> None:
        """Has a lost task played again, block by block and carefully.

        Args:
            task: The task.
            call: The call during which its worker was lost, if the task was careful and had announced one.
            strikes: How many workers must be lost during the same call before its bot is charged.
            fault: The kind and the detail of the fault that it is charged with.

        Raises:
            GameError: As many workers were lost while the game was called.
        """
        if not task.careful:
            for i, block in enumerate(task.blocks):
                self._queue.retry(Task(task.position + i, [block], careful=True))
            return
        if call is not None:
            task = task._replace(deaths=(*task.deaths, call))
            if call.seat is None:
                strikes = max(strikes, OWN_ENDS)  # a busy machine may be late once, and the whole run ends
            if task.deaths.count(call) >= strikes:
                if call.seat is None:
                    raise self._game_error(task, call, fault[0])
                task = task._replace(verdicts=(*task.verdicts, (call, *fault)))
        self._queue.retry(task)

    def _game_error(self, task: Task, call: BotCall, kind: FaultKind) -> GameError:
        """Returns the error of a game during which workers are lost."""
        if kind == "timeout":
            why = f"it took longer than {self._longest_s:g} s until a bot was asked again"
        else:
            why = "its worker ended each time, by the game or by what a bot under inline had left running"
        return endless_match(task.blocks[0].matches()[call.match], f"after decision {call.decision} {why}")


def _records(lines: bytes) -> list[Record]:
    return [parse_record(line, "a worker's record") for line in lines.splitlines()]
