"""The pool whose workers are those of a cluster: it gives them tasks, and what it does with the results is as ever."""

from collections import Counter
from pathlib import Path
from typing import Self

from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.runner.cluster import messages
from tourney.runner.cluster.cluster import Cluster
from tourney.runner.cluster.messages import PlainTask, Played
from tourney.runner.cluster.player import add_to_logs
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.jobs import PackablePerformer
from tourney.runner.pool.ordered import Machines, OrderedPool, TaskQueue
from tourney.runner.pool.worker import Task, TaskResult

TARGET_S = 1.0
"""How long a task should take, in seconds, so that the scheduler's share of it is small."""
LARGEST = 1000
"""How many blocks a task has at most."""
QUICK_S = 0.5
"""If blocks take less than this, in seconds, a worker gets its next task before it has finished one."""
MOST_LOSSES = 10
"""How many workers may be lost while they have the same task before the run ends."""


class ClusterPool(OrderedPool):
    """Plays blocks in the workers of a cluster. A context manager; the cluster is left connected."""

    def __init__(
        self, tournament: Tournament, cluster: Cluster, faults: FaultMonitor, logs: Path | None = None
    ) -> None:
        """Starts nothing yet."""
        super().__init__(tournament, max(1, cluster.slots), faults)
        self._cluster = cluster
        self._queue = TaskQueue(self._count, TARGET_S, LARGEST)
        self._given: dict[int, Task] = {}  # by number
        self._losses: Counter[int] = Counter()  # by position
        self._logs = logs

    def __enter__(self) -> Self:
        """Does nothing: the cluster is there already."""
        return self

    def __exit__(self, *error: object) -> None:
        """Leaves the tasks to be cancelled with the cluster's connection."""

    @property
    def machines(self) -> Machines:
        """How many machines play."""
        return self._cluster.machines

    def _is_ready(self) -> bool:
        return bool(self._cluster.ready)

    def _in_play(self) -> int:
        return len(self._given)

    def _hand_out(self) -> None:
        """Gives tasks to the workers, first of all to those that have fewest."""
        if (slots := self._cluster.slots) and slots != self._count:
            self._resize(slots)
        for depth in (1, 2) if self._queue.block_s < QUICK_S else (1,):
            for worker in self._cluster.ready:
                while len(worker.asked) < depth * worker.slots and (task := self._next_task()) is not None:
                    task = self._addressed(task)
                    number = self._cluster.give(worker, messages.encode(self._plain(task)))
                    self._given[number] = task

    def _plain(self, task: Task) -> PlainTask:
        """Returns a task as it is sent."""
        return messages.plain_blocks(task.blocks, dict(task.out))

    def _receive(self) -> None:
        """Takes what the workers have finished; what was lost is given to others."""
        for number, host, played in self._cluster.receive():
            task = self._given.pop(number)
            if played is None:
                self._retry_lost(task, host)
            else:
                self._take(task, played)

    def _take(self, task: Task, played: Played) -> None:
        self._losses.pop(task.position, None)
        if self._logs is not None:
            add_to_logs(self._logs, played.logs)
        self._finish_task(
            task,
            TaskResult(
                task.position,
                played.blocks,
                played.lines,
                played.results,
                played.seconds,
                played.times,
                tuple(played.tracebacks),
                played.prints,
            ),
        )

    def _retry_lost(self, task: Task, host: str) -> None:
        """Has a task that was lost with its worker played again."""
        self._losses[task.position] += 1
        if self._losses[task.position] >= MOST_LOSSES:
            raise RunError(
                f"{MOST_LOSSES} workers were lost with the same task, the last one on {host}; see to the machines"
            )
        self._retry_from(task, 0)


class ClusterJobPool(ClusterPool):
    """Deals with items in the workers of a cluster, as `JobPool` does in those of this machine."""

    counts_faults = False

    def __init__(self, tournament: Tournament, cluster: Cluster, performer: PackablePerformer) -> None:
        """Starts nothing yet; the cluster has the performer."""
        super().__init__(tournament, cluster, FaultMonitor(tournament, 0))
        self._performer = performer

    def _plain(self, task: Task) -> PlainTask:
        return PlainTask(items=[self._performer.pack(item) for item in task.blocks])
