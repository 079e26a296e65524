"""The workers of a cluster as the main process knows them: admitted or refused, busy, lost.

A worker gets tasks only after it has shown that it plays by the same code.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tourney.base.errors import ClusterLostError, RunError, SystemLimitError
from tourney.config import Tournament
from tourney.runner.cluster import messages, tasks
from tourney.runner.cluster.connection import Connection, SchedulerLost, WorkerAnswer, WorkersChanged
from tourney.runner.cluster.machine import differences, machine_facts
from tourney.runner.cluster.messages import Order, Played, Ready, Refused, Reply
from tourney.runner.cluster.packing import pack
from tourney.runner.pool.jobs import PackablePerformer
from tourney.runner.pool.ordered import Machines

PATIENCE_S = 60.0
"""How long a cluster may be without any worker, in seconds."""
TICK_S = 0.2
"""How long it is waited at most, in seconds, before the caller has its turn."""


class RemoteWorker:
    """A worker of the cluster, as the main process knows it."""

    def __init__(self, address: str, slots: int) -> None:
        """Nothing is known of its machine yet."""
        self.address = address
        self.slots = slots
        """How many tasks it can do at the same time."""
        self.host = ""
        """The name of its machine, once it is known."""
        self.admitted = False
        """Whether it gets tasks."""
        self.refused = False
        """Whether it may not play along."""
        self.asked: set[int] = set()
        """The numbers of the tasks that it has."""
        self.inquiry: int | None = None
        """The number of the question what its machine has, until it has answered."""


class TaskReply(NamedTuple):
    """What came of a task."""

    number: int
    """The number that it was given under."""
    host: str
    """The name of the machine that had it."""
    played: Played | None
    """The result; None if it was lost with its worker."""


def _order(tournament: Tournament, performer: PackablePerformer | None) -> Order:
    """Returns the order for the workers."""
    if performer is None:
        return Order(pack(tournament))
    return Order(pack(tournament), f"{performer.__module__}:{type(performer).__name__}", performer.pack_settings())


class Cluster:
    """The workers of a cluster that play a tournament. A context manager."""

    def __init__(
        self,
        address: str,
        tournament: Tournament,
        say: Callable[[str], None],
        performer: PackablePerformer | None = None,
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """Prepares the order for the workers; connects later."""
        self.address = address
        self._say = say
        self._order = messages.encode(_order(tournament, performer))
        self._digest = messages.digest(self._order)
        self._own = machine_facts(tournament)
        self._patience_s = patience_s
        self._workers: dict[str, RemoteWorker] = {}
        self._by_number: dict[int, RemoteWorker] = {}
        self._said: set[str] = set()
        self._lost_workers = 0
        self._started = False
        self._last_seen = time.monotonic()

    def __enter__(self) -> "Cluster":
        """Connects, and waits until it is known what the machines of its workers have."""
        self._connection = Connection(self.address)
        try:
            self._last_seen = began = time.monotonic()
            while not self.ready or any([worker.inquiry is not None for worker in self._workers.values()]):
                for _ in self.receive():
                    raise AssertionError("an answer to no question")
                if self.ready and time.monotonic() - began > self._patience_s:
                    break
        except BaseException:
            self._connection.__exit__()
            raise
        self._started = True
        return self

    def __exit__(self, *error: object) -> None:
        """Cancels all tasks, and disconnects."""
        self._connection.__exit__(*error)

    @property
    def ready(self) -> list[RemoteWorker]:
        """The workers that get tasks."""
        return [worker for worker in self._workers.values() if worker.admitted]

    @property
    def slots(self) -> int:
        """How many tasks all workers can do at the same time."""
        return sum([worker.slots for worker in self.ready])

    @property
    def machines(self) -> Machines:
        """How many machines and workers there are."""
        ready = self.ready
        return Machines(len({worker.host for worker in ready}), len(ready), self._lost_workers)

    def dashboard(self) -> str | None:
        """Returns the address of dask's dashboard, if there is one."""
        return self._connection.dashboard()

    def give(self, worker: RemoteWorker, task: bytes) -> int:
        """Gives a worker a task, and returns the number that its reply will have."""
        number = self._connection.ask(worker.address, tasks.do, self._digest, task)
        worker.asked.add(number)
        self._by_number[number] = worker
        return number

    def receive(self) -> Iterator[TaskReply]:
        """Waits a moment for what the workers have to say, and yields what came of their tasks."""
        for event in self._connection.events(TICK_S):
            match event:
                case WorkersChanged(slots):
                    yield from self._lose([each for each in self._workers.values() if each.address not in slots])
                    for address, count in slots.items():
                        if address not in self._workers:
                            self._inquire(RemoteWorker(address, count))
                case WorkerAnswer():
                    yield from self._take(event)
                case SchedulerLost():
                    raise ClusterLostError(f"{self.address}: the scheduler is gone")
        now = time.monotonic()
        if self.ready:
            self._last_seen = now
        elif now - self._last_seen > self._patience_s:
            raise ClusterLostError(
                f"{self.address}: no worker was there for {self._patience_s:g} s; "
                f"start some, as by: tourney worker {self.address}"
            )

    def _inquire(self, worker: RemoteWorker) -> None:
        """Asks a worker what its machine has."""
        self._workers[worker.address] = worker
        worker.admitted = False
        worker.inquiry = self._connection.ask(worker.address, tasks.prepare, self._order)
        self._by_number[worker.inquiry] = worker

    def _lose(self, gone: list[RemoteWorker]) -> Iterator[TaskReply]:
        """Forgets workers that have ended, and yields their tasks as lost."""
        for worker in gone:
            del self._workers[worker.address]
            self._lost_workers += worker.admitted
            numbers = [*worker.asked, *([] if worker.inquiry is None else [worker.inquiry])]
            for number in numbers:
                self._connection.forget(number)
                del self._by_number[number]
            for number in sorted(worker.asked):
                yield TaskReply(number, worker.host, None)
            worker.asked.clear()

    def _take(self, answer: WorkerAnswer) -> Iterator[TaskReply]:
        """Handles the answer of a worker."""
        worker = self._by_number.pop(answer.number, None)
        if worker is None:  # it was lost, and what it had is given to others
            return
        reply = None if answer.data is None else messages.REPLIES.decode(answer.data)
        if answer.number == worker.inquiry:
            worker.inquiry = None
            self._judge(worker, reply, answer.error)
            return
        worker.asked.discard(answer.number)
        if isinstance(reply, Refused):
            raise reply.error()
        if answer.error is not None:
            raise RunError(f"{worker.host}: {_failure(answer.error)}")
        if not isinstance(reply, Played):
            reply = None
            if worker.admitted:  # it has died, or has been replaced by another under the same address
                self._inquire(worker)
        yield TaskReply(answer.number, worker.host, reply)

    def _judge(self, worker: RemoteWorker, reply: Reply | None, error: Exception | None) -> None:
        """Admits or refuses a worker by what its machine has."""
        if isinstance(reply, Ready):
            refusals = differences(self._own, reply.facts)
            worker.host = reply.facts.host
        elif isinstance(reply, Refused):
            refused = reply.error()
            if isinstance(refused, SystemLimitError) and not self._started:
                raise refused
            refusals = [str(refused)]
        elif error is not None:
            refusals = [f"{worker.address}: {_failure(error)}"]
        else:  # lost; if it is still there, it is asked once more
            self._inquire(worker)
            return
        if refusals:
            self._refuse(worker, refusals)
            return
        worker.admitted = True

    def _refuse(self, worker: RemoteWorker, lines: list[str]) -> None:
        worker.refused = True
        counts = Counter(lines)
        more = f" (and {len(counts) - 1} more)" if len(counts) > 1 else ""
        if not self._started:
            raise RunError(f"{lines[0]}{more}")
        self._say_once(f"{lines[0]}{more}; this worker gets no matches")

    def _say_once(self, line: str) -> None:
        if line not in self._said:
            self._said.add(line)
            self._say(line)


def _failure(error: Any) -> str:
    """Returns what is said of a function of ours that a worker cannot call."""
    what = str(error).split("\n")[0]
    return f"cannot play ({type(error).__name__}: {what}); install the same tourney-cards[cluster] there as here"
