"""A pool that plays blocks in any order and yields their records in the order of the schedule.

Who plays the blocks is up to the class that builds on it. Finished blocks wait in memory for the blocks before them;
while too many wait, no new tasks are handed out.

Faults are counted in the order of the schedule, as blocks are yielded. When an entrant is disqualified, later blocks in
which it sat are discarded and played again with the house in its seats.
"""

import heapq
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from math import inf
from typing import NamedTuple, Self

from tourney.config import Tournament
from tourney.contracts.match import Block, FaultKind
from tourney.hosts import prints
from tourney.hosts.faults import BotTraceback
from tourney.journal.times import Times
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.worker import Task, TaskResult
from tourney.standings.results import MatchResult, PlayedMatch

# The queue that splits blocks into tasks for workers.
#
# Tasks are large enough to keep a worker busy for a while. How long a block takes is not known beforehand, so the
# tasks become smaller towards the end, and all workers finish at about the same time.

TARGET_S = 0.2
"""How long a task should take, in seconds."""
SMALLEST_S = 0.005
"""How long a task should take at least, in seconds, however few blocks are left."""
SHARE = 2
"""How many tasks of the current size there should be for each worker before tasks become smaller."""
LARGEST = 500
"""How many blocks a task has at most, so that tasks in transit do not fill the main process's memory."""


class TaskQueue:
    """The blocks that are still to be played."""

    def __init__(self, workers: int, target_s: float = TARGET_S, largest: int = LARGEST) -> None:
        """Makes an empty queue for that many workers."""
        self.block_s = inf
        """How long a block took recently, in seconds."""
        self._target_s = target_s
        self._largest = largest
        self._parts = SHARE * workers
        self._retries: list[tuple[int, Task]] = []  # a heap, lowest position first
        self._blocks: Iterator[Block] = iter(())
        self._lookahead: deque[Block] = deque()  # some of the blocks to come, so that their end is seen in time
        self._next = 0  # the position of the next new block
        self._size = 1

    def refill(self, blocks: Iterator[Block]) -> None:
        """Appends new blocks; those before must all have been taken."""
        self._blocks = blocks

    def share_among(self, workers: int) -> None:
        """Changes the number of workers that share the blocks, at least one."""
        self._parts = SHARE * workers

    def retry(self, task: Task) -> None:
        """Puts back a task that must be played again, ahead of all new blocks."""
        heapq.heappush(self._retries, (task.position, task))

    @property
    def has_retries(self) -> bool:
        """Whether a task must be played again."""
        return bool(self._retries)

    def next_retry(self) -> Task:
        """Takes the first of the tasks that must be played again; there must be one."""
        return heapq.heappop(self._retries)[1]

    def next_task(self) -> Task | None:
        """Takes the next new blocks as a task; None if there are no more."""
        self._lookahead.extend(islice(self._blocks, max(0, self._parts * self._size - len(self._lookahead))))
        least = int(SMALLEST_S / self.block_s)
        count = min(self._size, max(least, -(-len(self._lookahead) // self._parts)))
        blocks = [self._lookahead.popleft() for _ in range(min(count, len(self._lookahead)))]
        task = Task(self._next, blocks)
        self._next += len(blocks)
        return task if blocks else None

    def record_time(self, blocks: int, seconds: float) -> None:
        """Adapts the size of tasks to how long some blocks took; it grows at most twofold at a time."""
        self.block_s = max(seconds, 1e-6) / blocks
        self._size = max(1, min(int(self._target_s / self.block_s), self._largest, 2 * self._size))


WAITING = 6
"""How many tasks for each worker may be in play or wait for an earlier one."""


class PlayedBlocks(NamedTuple):
    """Consecutive blocks that were played."""

    blocks: Sequence[Block]
    lines: bytes
    """Their records as lines of the journal."""
    results: Sequence[MatchResult]
    """The result of each match."""
    seconds: float
    """How long a worker has played them."""

    @property
    def matches(self) -> int:
        """How many matches the blocks have."""
        return sum([len(block.seatings) for block in self.blocks])

    def by_block(self) -> "Iterator[PlayedBlocks]":
        """Yields each block alone."""
        lines, results = iter(self.lines.splitlines(keepends=True)), iter(self.results)
        for block in self.blocks:
            count = len(block.seatings)
            seconds = self.seconds * count / self.matches
            yield PlayedBlocks((block,), b"".join(islice(lines, count)), list(islice(results, count)), seconds)

    def played(self) -> Iterator[PlayedMatch]:
        """Yields each match with its result."""
        results = iter(self.results)
        for block in self.blocks:
            for match, result in zip(block.matches(), results, strict=False):
                yield PlayedMatch(match.id, match.seats, result.scores, result.places, result.faults)


class Machines(NamedTuple):
    """The machines of a cluster."""

    machines: int
    """How many machines have a worker that plays."""
    workers: int
    """How many workers play."""
    lost: int
    """How many workers have ended since the start."""


class _FinishedTask(NamedTuple):
    """A task, or its first blocks, with the result."""

    task: Task
    """The blocks that were played, and who was disqualified at that time."""
    result: TaskResult

    @property
    def played(self) -> PlayedBlocks:
        results = [MatchResult(*each) for each in self.result.results]
        return PlayedBlocks(self.task.blocks, self.result.lines, results, self.result.seconds)


class OrderedPool(ABC):
    """Plays blocks, and yields them in order."""

    counts_faults = True
    """Whether faults are counted, so that entrants may be disqualified; if not, a fault matters in its match alone."""

    def __init__(self, tournament: Tournament, workers: int, faults: FaultMonitor) -> None:
        """Starts nothing yet."""
        self.times = Times()
        """What was counted of the time in all tasks whose blocks were yielded, maybe without the last ones: those that
        are played once more because an entrant was disqualified."""
        self.tracebacks: dict[tuple[str, FaultKind], BotTraceback] = {}
        """The first traceback of each entrant and kind of fault, as they came."""
        self.show_prints: Callable[[str], object] = prints.show
        """Takes the lines that bots have printed."""
        self._tournament = tournament
        self._faults = faults
        self._count = workers
        self._queue = TaskQueue(workers)
        self._finished: dict[int, _FinishedTask] = {}  # by position
        self._next = 0  # the position that is yielded next

    @abstractmethod
    def __enter__(self) -> Self:
        """Starts the workers."""

    @abstractmethod
    def __exit__(self, *error: object) -> None:
        """Ends them."""

    @abstractmethod
    def _hand_out(self) -> None:
        """Gives tasks to the workers that can take some; see `_next_task` and `_addressed`."""

    @abstractmethod
    def _receive(self) -> None:
        """Waits a moment for what the workers have to say, and handles it; see `_finish_task`."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether a worker can take tasks."""

    @abstractmethod
    def _in_play(self) -> int:
        """Counts the tasks that were handed out and are not finished."""

    @property
    def workers(self) -> int:
        """How many workers play at the same time, now."""
        return self._count

    @property
    def machines(self) -> Machines | None:
        """How many machines play; None if it is this one alone."""
        return None

    @property
    def is_full(self) -> bool:
        """Whether no new tasks are handed out because too many are in play or wait for an earlier one."""
        return self._unfinished() >= WAITING * self._count

    def play(self, blocks: Iterator[Block]) -> Iterator[PlayedBlocks | None]:
        """Plays blocks, and yields them in order; None several times a second while none is ready.

        When too many matches have faults, what is yielded ends with the block after which the run should stop.
        """
        self._queue.refill(blocks)
        while True:
            self._hand_out()
            if self._is_over():
                return
            self._receive()
            self._hand_out()  # again, so that no worker is idle while the caller is busy
            if self._next not in self._finished:
                yield None
            while self._next in self._finished:
                finished = self._finished.pop(self._next)
                self.times.add(finished.result.times)
                played = self._count_faults(finished)
                self._next += len(played.blocks)
                yield played

    def _resize(self, workers: int) -> None:
        """Changes the number of workers that play at the same time, at least one."""
        self._count = workers
        self._queue.share_among(workers)

    def _is_over(self) -> bool:
        """Whether nothing is left, given that tasks were just handed out to all workers that are ready."""
        return not self._unfinished() and not self._queue.has_retries and self._is_ready()

    def _next_task(self) -> Task | None:
        """Returns the task to hand out next: one that is played again, else new blocks unless the pool is full."""
        if self._queue.has_retries:
            return self._queue.next_retry()
        return None if self.is_full else self._queue.next_task()

    def _unfinished(self) -> int:
        """Counts the tasks that are in play or wait for their turn."""
        return len(self._finished) + self._in_play()

    def _addressed(self, task: Task) -> Task:
        """Returns the task as it is handed out, with those who are disqualified now."""
        if task.careful and self._is_stale(task.blocks[0], task):
            task = task._replace(verdicts=(), deaths=())  # with another seat out, the match takes another course
        return task._replace(out=self._faults.out)

    def _finish_task(self, task: Task, result: TaskResult) -> None:
        """Takes the result of a task as it was handed out; the blocks that it left are played again."""
        for found in result.tracebacks:
            self.tracebacks.setdefault((found.name, found.fault.kind), found)
        self.show_prints(result.prints)
        self._retry_from(task, result.blocks)
        self._store(_FinishedTask(task._replace(blocks=task.blocks[: result.blocks]), result))
        if not task.careful:
            self._queue.record_time(result.blocks, result.seconds)

    def _is_stale(self, block: Block, task: Task) -> bool:
        """Whether an entrant in the block was disqualified after the task was handed out."""
        out = self._faults.out
        if not self.counts_faults or out is task.out:
            return False
        return any([name in out and name not in task.out for name in block.seatings[0]])

    def _store(self, finished: _FinishedTask) -> None:
        """Stores finished blocks until their turn, up to the first stale one; the others are played again."""
        task = finished.task
        fresh = next((i for i, block in enumerate(task.blocks) if self._is_stale(block, task)), len(task.blocks))
        if first := self._split(finished, fresh):
            self._finished[task.position] = first

    def _count_faults(self, finished: _FinishedTask) -> PlayedBlocks:
        """Counts the faults in the next blocks, and returns those blocks that can be yielded now."""
        task, _ = finished
        faults, out, played = self._faults, self._faults.out, finished.played
        limited = self.counts_faults and self._tournament.limits_faults
        if not limited or (not any([each.faults for each in played.results]) and faults.add_clean(played.matches)):
            return played
        matches = played.played()
        count = 0
        for block in task.blocks:
            if self._is_stale(block, task) or (count and faults.stop is not None):
                break
            faults.add(list(islice(matches, len(block.seatings))))
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
        matches = sum([len(block.seatings) for block in blocks])
        lines = b"".join(result.lines.splitlines(keepends=True)[:matches])
        return _FinishedTask(
            task._replace(blocks=blocks),
            result._replace(blocks=count, lines=lines, results=result.results[:matches]),
        )

    def _retry_from(self, task: Task, first: int) -> None:
        """Has the blocks of a task played again from this one on."""
        if first < len(task.blocks):
            self._queue.retry(Task(task.position + first, task.blocks[first:], task.careful))
