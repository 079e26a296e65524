"""A pool that plays blocks in any order and yields their records in schedule order.

Faults are counted as blocks are yielded. When an entrant is disqualified, later blocks with it are discarded and
played again with the house in its seats.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from math import inf
from operator import attrgetter
from typing import Any, NamedTuple, TypeAlias

from tourney.config import Tournament
from tourney.contracts.match import FaultKind
from tourney.hosts import prints
from tourney.hosts.faults import BotTraceback
from tourney.journal.times import Times
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.worker import Task, TaskResult, Wait
from tourney.standings.results import MatchResult, PlayedMatch

TARGET_S = 0.2  # target task duration
SMALLEST_S = 0.005  # minimum task duration, however few blocks are left
SHARE = 2  # tasks shrink when fewer than this many per worker are left
LARGEST = 500  # maximum blocks in a task, which bounds the memory for tasks in transit
WAITING = 6  # maximum tasks per worker in play or waiting for an earlier one


class TaskQueue:
    """Splits the blocks into tasks that become smaller towards the end, so all workers finish together."""

    def __init__(self, workers: int, target_s: float = TARGET_S, largest: int = LARGEST) -> None:
        self.workers = workers  # at least one
        self.blocks: Iterator[Any] = iter(())
        self.retries: list[Task] = []  # played before new blocks
        self.block_s = inf  # recent duration of a block, in seconds
        self._target_s = target_s
        self._largest = largest
        self._lookahead: deque[Any] = deque()  # upcoming blocks, for seeing their end in time
        self._next = 0  # the position of the next new block
        self._size = 1

    def retry(self, task: Task) -> None:
        """Puts back a task that must be played again."""
        self.retries.append(task)

    def next_task(self, retries_only: bool = False, announced: bool | None = None, before: float = inf) -> Task | None:
        """Takes the first retry `before` a position, or else new blocks; None if there are none.

        `announced` selects announced retries or the others; None means both.
        """
        fit = [each for each in self.retries if each.position < before and announced in (None, each.announced)]
        if fit:
            first = min(fit, key=attrgetter("position"))
            self.retries.remove(first)
            return first
        if retries_only or announced or before < inf:
            return None
        parts = SHARE * self.workers
        self._lookahead.extend(islice(self.blocks, max(0, parts * self._size - len(self._lookahead))))
        least = int(SMALLEST_S / self.block_s)
        count = min(self._size, max(least, -(-len(self._lookahead) // parts)))
        blocks = [self._lookahead.popleft() for _ in range(min(count, len(self._lookahead)))]
        task = Task(self._next, blocks)
        self._next += len(blocks)
        return task if blocks else None

    def record_time(self, blocks: int, seconds: float) -> None:
        """Adapts the task size to the duration of some blocks; it at most doubles each time."""
        self.block_s = max(seconds, 1e-6) / blocks
        self._size = max(1, min(int(self._target_s / self.block_s), self._largest, 2 * self._size))


class PlayedBlocks(NamedTuple):
    """Consecutive played blocks."""

    blocks: Sequence[Any]  # the blocks, or the items of a `Performer`
    lines: bytes  # their records as journal lines, or a performer's lines
    results: Sequence[MatchResult]  # one per match; empty for a performer
    notes: Sequence[bytes] = ()  # the notes of each match as a line, or nothing
    reused: bool = False  # whether they come from an earlier run

    def by_block(self) -> "Iterator[PlayedBlocks]":
        """Yields each block alone."""
        lines, results, notes = iter(self.lines.splitlines(keepends=True)), iter(self.results), iter(self.notes)
        for block in self.blocks:
            count = len(block.seatings)
            some = b"".join(islice(lines, count)), list(islice(results, count)), list(islice(notes, count))
            yield PlayedBlocks((block,), *some)

    def played(self) -> Iterator[PlayedMatch]:
        """Yields each match with its result."""
        results = iter(self.results)
        for block in self.blocks:
            for match, result in zip(block.matches(), results, strict=False):
                yield PlayedMatch(match.id, match.seats, result.scores, result.places, result.faults)


class Machines(NamedTuple):
    """The cluster's machines and workers, and the number of workers lost since the start."""

    machines: int
    workers: int
    lost: int


_Finished: TypeAlias = tuple[Task, TaskResult]  # a task, reduced to its played blocks, and its result


def _played(finished: _Finished) -> PlayedBlocks:
    task, result = finished
    return PlayedBlocks(task.blocks, result.lines, [MatchResult(*each) for each in result.results], result.notes)


class OrderedPool(ExitStack):
    """Plays blocks, and yields them in order. A context manager for the workers, supplied by subclasses."""

    def __init__(
        self, tournament: Tournament, workers: int, faults: FaultMonitor | None, target_s: float = TARGET_S,
        largest: int = LARGEST,
    ) -> None:  # fmt: skip
        """Without `faults`, faults only affect their own matches."""
        super().__init__()
        self.times = Times()  # times of all tasks with yielded blocks
        self.tracebacks: dict[tuple[str, FaultKind], BotTraceback] = {}  # the first by entrant and kind of fault
        self.show_prints: Callable[[str], object] = prints.show  # receives the lines printed by bots
        self.drains = False  # whether no new tasks are handed out
        self.starts = False  # whether there is only one task in play at a time, until its cost is known
        self.out: Mapping[str, str] = {} if faults is None else faults.out  # the disqualified entrants with the reasons
        self._tournament = tournament
        self._faults = faults
        costs = tournament.fault_limits.max_cost is not None  # small tasks leave little in play at the limit
        self._queue = TaskQueue(workers, target_s, 1 if costs else largest)
        self._finished: dict[int, _Finished] = {}  # by position
        self._failed: tuple[Task, Exception] | None = None  # the first failed block, until its turn
        self._next = 0  # the next position to yield

    @abstractmethod
    def _hand_out(self) -> None:
        """Gives tasks to workers with capacity; see `_next_task`."""

    @abstractmethod
    def _receive(self) -> None:
        """Waits briefly for messages from the workers, and handles them; see `_finish_task`."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether a worker can take tasks."""

    @abstractmethod
    def _in_play(self) -> int:
        """Counts the tasks handed out and not finished."""

    @property
    def machines(self) -> Machines | None:
        """How many machines play; None if only this one."""
        return None

    @property
    def wait(self) -> Wait | None:
        """The longest decision that a long match is waiting for; None if unknown, as on a cluster."""
        return None

    @property
    def is_full(self) -> bool:
        """Whether too many tasks are in play, or waiting for an earlier one, to hand out new ones."""
        return self.unfinished >= (1 if self.starts else WAITING * self._queue.workers)

    @property
    def unfinished(self) -> int:
        """How many tasks are in play or waiting for an earlier one."""
        return len(self._finished) + self._in_play()

    def play(self, blocks: Iterator[Any]) -> Iterator[PlayedBlocks | None]:
        """Plays blocks, and yields them in order; None several times a second while none is ready."""
        self._queue.blocks = blocks
        while True:
            self._hand_out()
            if not self.unfinished and not self._queue.retries and self._is_ready():
                return
            self._receive()
            self._hand_out()  # again, to keep workers busy while the caller works
            if self._next not in self._finished:
                yield None
            while self._next in self._finished:
                finished = self._finished.pop(self._next)
                self.times.add(finished[1].times)
                played = self._count_faults(finished)
                self._next += len(played.blocks)
                yield played
            if self._failed is not None and self._failed[0].position == self._next:
                raise self._failed[1]

    def count_faults(self, reused: PlayedBlocks) -> None:
        """Counts the faults of blocks played elsewhere, before later blocks are played."""
        if self._faults is not None:
            self._faults.add(list(reused.played()))
            self.out = self._faults.out

    def _next_task(self, announced: bool | None = None) -> Task | None:
        """The next task to hand out: a retry, or else new blocks unless the pool is full; see `TaskQueue.next_task`."""
        before = inf if self._failed is None else self._failed[0].position
        task = self._queue.next_task(self.drains or self.is_full, announced, before)
        if task is None:
            return None
        if task.announced and self._is_stale(task.blocks[0], task):
            # with another seat out, the match takes another course
            task = task._replace(verdicts=(), losses=(), standing={})
        return task._replace(out=self.out)

    def _finish_task(self, task: Task, result: TaskResult, error: Exception | None = None) -> None:
        for report in result.tracebacks:
            self.tracebacks.setdefault((report.name, report.fault.kind), report)
        self.show_prints(result.prints)
        played = result.blocks
        if error is None:
            self._retry_from(task, played)
        else:
            self._fail(task._replace(position=task.position + played, blocks=task.blocks[played:]), error)
        if played:
            self._store((task._replace(blocks=task.blocks[:played]), result))
            if not task.announced:
                self._queue.record_time(played, result.seconds)

    def _fail(self, task: Task, error: Exception) -> None:
        """Raises the error of a task's first block when its turn comes; no later blocks are played until then."""
        self._retry_from(task, 1)
        failed = task._replace(blocks=task.blocks[:1]), error
        if self._failed is not None:
            failed, later = sorted((failed, self._failed), key=lambda each: each[0].position)
            self._retry_from(later[0], 0)
        self._failed = failed
        self._retry_stale_failure()

    def _retry_stale_failure(self) -> None:
        if self._failed is not None and self._is_stale(self._failed[0].blocks[0], self._failed[0]):
            self._retry_from(self._failed[0], 0)
            self._failed = None

    def _is_stale(self, block: Any, task: Task) -> bool:
        """Whether an entrant in the block was disqualified after the task was handed out."""
        if self._faults is None or self.out is task.out:
            return False
        return any([name in self.out and name not in task.out for name in block.seatings[0]])

    def _store(self, finished: _Finished) -> None:
        """Stores finished blocks until their turn, up to the first stale one; retries the others."""
        task = finished[0]
        fresh = next((i for i, block in enumerate(task.blocks) if self._is_stale(block, task)), len(task.blocks))
        first = self._first(finished, fresh)
        if fresh:
            self._finished[task.position] = first

    def _count_faults(self, finished: _Finished) -> PlayedBlocks:
        task, faults, played = finished[0], self._faults, _played(finished)
        if faults is None or not self._tournament.limits_faults:
            return played
        before, matches, count = self.out, played.played(), 0
        for block in task.blocks:
            if self._is_stale(block, task) or (count and faults.stop is not None):
                break
            faults.add(list(islice(matches, len(block.seatings))))
            self.out = faults.out
            count += 1
        if self.out is not before:
            waiting, self._finished = self._finished, {}
            for other in waiting.values():
                self._store(other)
            self._retry_stale_failure()
        return _played(self._first(finished, count))

    def _first(self, finished: _Finished, count: int) -> _Finished:
        task, result = finished
        if count == len(task.blocks):
            return finished
        self._retry_from(task, count)
        blocks = task.blocks[:count]
        matches = sum([len(block.seatings) for block in blocks])
        lines = b"".join(result.lines.splitlines(keepends=True)[:matches])
        first = result._replace(lines=lines, results=result.results[:matches], notes=result.notes[:matches])
        return task._replace(blocks=blocks), first

    def _retry_from(self, task: Task, first: int) -> None:
        if first < len(task.blocks):
            self._queue.retry(Task(task.position + first, task.blocks[first:], task.announced))
