"""Blocks cut into tasks: as large as keeps workers busy for a while, and small towards the end.

Nobody knows what blocks cost. So the last ones are handed out in ever smaller tasks, and all workers end at about the
same time.
"""

import heapq
from collections import deque
from collections.abc import Iterator
from itertools import islice
from math import inf

from tourney.match import Block
from tourney.runner.worker import Task

TARGET_S = 0.2
"""Tasks are made so large that they take about so long."""
SMALLEST_S = 0.005
"""Towards the end they get smaller, but not smaller than that …"""
SHARE = 2
"""… and so that there would be so many more of that size for every worker."""
LARGEST = 500
"""Blocks in a task, at the most: what is on its way takes memory in the main process."""


class TaskQueue:
    """What is still to be played."""

    def __init__(self, workers: int) -> None:
        """Holds nothing yet."""
        self.block_s = inf
        """How long a block took lately."""
        self._parts = SHARE * workers
        self._again: list[tuple[int, Task]] = []  # a heap, first position first
        self._blocks: Iterator[Block] = iter(())
        self._ahead: deque[Block] = deque()  # some of the blocks to come, so that their end is seen in time
        self._next = 0  # the position that is to be handed out next
        self._size = 1

    def refill(self, blocks: Iterator[Block]) -> None:
        """Has these blocks played, once there are no others."""
        self._blocks = blocks

    def put_back(self, task: Task) -> None:
        """Has a task played again, before others."""
        heapq.heappush(self._again, (task.position, task))

    @property
    def has_again(self) -> bool:
        """Whether something is to be played again."""
        return bool(self._again)

    def again(self) -> Task:
        """The first task that is to be played again; there must be one."""
        return heapq.heappop(self._again)[1]

    def fresh(self) -> Task | None:
        """The next blocks as a task; None where there are no more."""
        self._ahead.extend(islice(self._blocks, max(0, self._parts * self._size - len(self._ahead))))
        least = int(SMALLEST_S / self.block_s)
        count = min(self._size, max(least, -(-len(self._ahead) // self._parts)))
        blocks = [self._ahead.popleft() for _ in range(min(count, len(self._ahead)))]
        task = Task(self._next, blocks)
        self._next += len(blocks)
        return task if blocks else None

    def learn(self, blocks: int, seconds: float) -> None:
        """Takes note of how long so many blocks took. Tasks grow by no more than double at a time."""
        self.block_s = max(seconds, 1e-6) / blocks
        self._size = max(1, min(int(TARGET_S / self.block_s), LARGEST, 2 * self._size))
