"""The queue that splits blocks into tasks for workers.

Tasks are large enough to keep a worker busy for a while. How long a block takes is not known beforehand, so the tasks
become smaller towards the end, and all workers finish at about the same time.
"""

import heapq
from collections import deque
from collections.abc import Iterator
from itertools import islice
from math import inf

from tourney.match import Block
from tourney.runner.worker import Task

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
        """Makes an empty queue for that many workers.

        Args:
            workers: How many workers share the blocks; may change, see `share_among`.
            target_s: How long a task should take, in seconds.
            largest: How many blocks a task has at most.
        """
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
