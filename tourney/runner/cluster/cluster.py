"""The main process's view of a cluster's workers, and the pool that gives them blocks.

A worker gets tasks only after showing that it has the same code.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from tourney import config
from tourney.base import files as regular_files
from tourney.base.errors import ClusterLostError, RunError, SystemLimitError
from tourney.config import Tournament
from tourney.contracts.match import Fault
from tourney.contracts.wording import first_of
from tourney.hosts.process.spawner import LOG_BYTES
from tourney.runner.cluster import messages, player
from tourney.runner.cluster.messages import Played, Ready, Refused, Reply, differences, machine_facts, pack
from tourney.runner.cluster.scheduler import Answer, Connection
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.ordered import Machines, OrderedPool, PlayedBlocks
from tourney.runner.pool.worker import Performer, Task
from tourney.standings.results import MatchResult

PATIENCE_S = 60.0  # maximum time without any worker
TICK_S = 0.2  # maximum wait before the caller has its turn
TARGET_S = 1.0  # target task duration, which keeps the scheduler's share small
LARGEST = 1000  # maximum number of blocks in a task
QUICK_S = 0.5  # if blocks take less than this, a worker gets its next task before it has finished one
MOST_LOSSES = 10  # the run ends when this many workers were lost with the same task


class RemoteWorker:
    """A worker of the cluster, as the main process knows it; `slots` is its number of concurrent tasks."""

    def __init__(self, address: str, slots: int) -> None:
        self.address = address
        self.slots = slots
        self.host = ""  # the name of its machine, once it is known
        self.admitted = False  # whether it gets tasks
        # its tasks by question number; None for the question about its machine
        self.asked: dict[int, Task | None] = {}

    @property
    def tasks(self) -> int:
        """The number of its tasks."""
        return sum([task is not None for task in self.asked.values()])


TaskReply: TypeAlias = tuple[Task, str, Played | None]  # with the name of the machine; None if the task was lost


class Cluster:
    """The workers of a cluster that play a tournament. A context manager that connects to it."""

    def __init__(
        self, address: str, tournament: Tournament, say: Callable[[str], None], performer: Performer | None = None, *,
        security: Any = None, patience_s: float = PATIENCE_S,
    ) -> None:  # fmt: skip
        """`security` has the certificates for connecting; without it, dask's own configuration is used."""
        self.address, self._security, self.performer, self._say = address, security, performer, say
        self._packed = pack(tournament, performer)
        self._digest = player.digest(self._packed)
        self._own = machine_facts(tournament)
        self._patience_s = patience_s
        self.workers: dict[str, RemoteWorker] = {}
        self._said: set[str] = set()
        self.refused: set[str] = set()  # machines where bots fail that work elsewhere
        self.lost_workers = 0
        self._started = False
        self._last_seen = time.monotonic()

    def __enter__(self) -> "Cluster":
        """Connects, and waits for the facts of the workers' machines."""
        self.connection = Connection(self.address, self._security)
        try:
            self._last_seen = began = time.monotonic()
            while not self.ready or any([None in worker.asked.values() for worker in self.workers.values()]):
                list(self.receive())  # nothing, since no worker has a task
                if self.ready and time.monotonic() - began > self._patience_s:
                    break
        except BaseException:
            self.connection.close()
            raise
        self._started = True
        return self

    def __exit__(self, *error: object) -> None:
        self.connection.close()

    @property
    def ready(self) -> list[RemoteWorker]:
        """The workers that get tasks."""
        return [worker for worker in self.workers.values() if worker.admitted]

    @property
    def slots(self) -> int:
        """How many tasks all workers can do concurrently."""
        return sum([worker.slots for worker in self.ready])

    def give(self, worker: RemoteWorker, task: Task) -> None:
        """Gives a worker a task."""
        data = messages.encode(messages.plain_task(task, self.performer))
        worker.asked[self.connection.ask(worker.address, player.do, self._digest, data)] = task

    def refuse(self, host: str, why: str) -> None:
        """Gives a machine's workers no more tasks and reports the reason."""
        self.refused.add(host)
        for worker in self.workers.values():
            worker.admitted = worker.admitted and worker.host != host
        self._say(f"{host}: {why}; its workers get no more matches")

    def receive(self) -> Iterator[TaskReply]:
        """Waits briefly for messages from the workers, and yields the results of their tasks."""
        for event in self.connection.events(TICK_S):
            if event is None:
                raise ClusterLostError(f"{self.address}: lost the connection to the scheduler")
            if isinstance(event, Answer):
                yield from self._take(event)
                continue
            for worker in [each for each in self.workers.values() if each.address not in event]:
                yield from self._lose(worker)
            for address, slots in event.items():
                if address not in self.workers:
                    self._inquire(RemoteWorker(address, slots))
        now = time.monotonic()
        if self.ready:
            self._last_seen = now
        elif now - self._last_seen > self._patience_s:
            raise ClusterLostError(
                f"{self.address}: no workers for {self._patience_s:g} s; start some with: tourney worker {self.address}"
            )

    def _inquire(self, worker: RemoteWorker) -> None:
        self.workers[worker.address] = worker
        worker.admitted = False
        worker.asked[self.connection.ask(worker.address, player.prepare, self._packed)] = None

    def _lose(self, worker: RemoteWorker) -> Iterator[TaskReply]:
        del self.workers[worker.address]
        self.lost_workers += worker.admitted
        for number, task in worker.asked.items():
            self.connection.forget(number)
            if task is not None:
                yield task, worker.host, None

    def _take(self, answer: Answer) -> Iterator[TaskReply]:
        worker = next((each for each in self.workers.values() if answer.number in each.asked), None)
        if worker is None:  # it was lost, and what it had is given to others
            return
        reply = messages.REPLIES.decode(answer.data) if answer.data else None
        task = worker.asked.pop(answer.number)
        if task is None:
            self._admit(worker, reply, answer.error)
        elif isinstance(reply, Refused):
            raise reply.error()
        elif answer.error is not None:
            raise RunError(f"{worker.host}: {_failure(answer.error)}")
        else:
            if reply is None and worker.admitted:  # it has died, or another has its address
                self._inquire(worker)
            yield task, worker.host, reply if isinstance(reply, Played) else None

    def _admit(self, worker: RemoteWorker, reply: Reply | None, error: Exception | None) -> None:
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
        else:  # lost; asked once more if it still exists
            self._inquire(worker)
            return
        worker.admitted = not refusals and worker.host not in self.refused
        if refusals:
            line = first_of(list(dict.fromkeys(refusals)))
            if not self._started:
                raise RunError(line)
            if line not in self._said:
                self._said.add(line)
                self._say(f"{line}; this worker gets no matches")


def _failure(error: Exception) -> str:
    what = str(error).split("\n")[0]
    return f"cannot play ({type(error).__name__}: {what}); install the same tourney-cards[cluster] on both machines"


class Trial(NamedTuple):
    """A machine where bots failed, and the task another machine plays to show whose fault that is."""

    host: str
    task: Task
    suspects: dict[str, Fault]  # the first fault of each bot without a clean match there
    held: list[tuple[Task, Played]]  # the machine's results, until the verdict


class ClusterPool(OrderedPool):
    """Plays blocks, or performs items, in the workers of a cluster, which it leaves connected."""

    def __init__(
        self, tournament: Tournament, cluster: Cluster, faults: FaultMonitor | None = None, logs: Path | None = None
    ) -> None:
        super().__init__(tournament, max(1, cluster.slots), faults, TARGET_S, LARGEST)
        self._cluster = cluster
        self._losses: Counter[int] = Counter()  # by position
        self._logs = logs
        self._clean: defaultdict[str, set[str]] = defaultdict(set)  # entrants with a clean match, by machine
        self._own: set[str] = set()  # entrants with the same faults on two machines
        self._trials: dict[str, Trial] = {}  # by the machine

    @property
    def machines(self) -> Machines:
        """How many machines play."""
        ready = self._cluster.ready
        return Machines(len({worker.host for worker in ready}), len(ready), self._cluster.lost_workers)

    def _is_ready(self) -> bool:
        return bool(self._cluster.ready)

    def _in_play(self) -> int:
        held = sum([len(trial.held) for trial in self._trials.values()])
        return held + sum([worker.tasks for worker in self._cluster.workers.values()])

    def _hand_out(self) -> None:
        self._queue.workers = self._cluster.slots or self._queue.workers
        # first to the workers that have fewest
        for depth in (1, 2) if self._queue.block_s < QUICK_S else (1,):
            for worker in [each for each in self._cluster.ready if each.host not in self._trials]:
                while worker.tasks < depth * worker.slots and (task := self._next_task()) is not None:
                    self._cluster.give(worker, task)

    def _receive(self) -> None:
        for task, host, played in self._cluster.receive():
            if played is None:
                self._losses[task.position] += 1
                if self._losses[task.position] >= MOST_LOSSES:
                    raise RunError(
                        f"lost {MOST_LOSSES} workers with the same task, the last on {host}; check the machines"
                    )
            trial = next((each for each in self._trials.values() if each.task is task), None)
            if trial is not None:
                self._judge(trial, host, played)
            elif played is None:
                self._retry_from(task, 0)
            else:
                self._take(task, host, played)

    def _take(self, task: Task, host: str, played: Played) -> None:
        """Takes a machine's results, unless another machine must first confirm a bot's fault."""
        if host in self._trials:
            self._trials[host].held.append((task, played))
            return
        if host in self._cluster.refused:
            self._retry_from(task, 0)
            return
        failed, clean = _faults_of(task, played)
        self._clean[host].update(clean)
        known = self._own | self._clean[host]
        suspects = {name: fault for name, fault in failed.items() if name not in known}
        others = [worker for worker in self._cluster.ready if worker.host != host]
        if suspects and others:
            trial = self._trials[host] = Trial(host, task._replace(position=-1), suspects, [(task, played)])
            self._cluster.give(min(others, key=lambda worker: worker.tasks), trial.task)
            return
        self._losses.pop(task.position, None)
        if self._logs is not None:
            _add_to_logs(self._logs, played.logs)
        self._finish_task(task, played.result)

    def _judge(self, trial: Trial, host: str, played: Played | None) -> None:
        """Refuses a machine where a bot failed, if it worked on another machine in the same matches."""
        del self._trials[trial.host]
        if played is not None and host not in self._cluster.refused:
            faults, clean = _faults_of(trial.task, played)
            alone = {name: fault for name, fault in trial.suspects.items() if name in clean and name not in faults}
            self._own.update(trial.suspects.keys() - alone.keys())
            if alone:
                there = f"and not on {host} in the same matches"
                fails = [f"bot {name} fails there ({its.kind}: {its.detail}) {there}" for name, its in alone.items()]
                self._cluster.refuse(trial.host, f"{first_of(fails)}; check that machine's installation")
        for task, each in trial.held:
            self._take(task, trial.host, each)


def _faults_of(task: Task, played: Played) -> tuple[dict[str, Fault], set[str]]:
    """The first early fault of each entrant in a task, and the entrants with a match without faults."""
    charged: dict[str, Fault] = {}
    clean: set[str] = set()
    results = played.result.results
    if not any([faults for *_, faults in results]):  # as in most tasks
        return charged, clean.union(*[block.seatings[0] for block in task.blocks if results])
    for match in PlayedBlocks(task.blocks, b"", [MatchResult(*each) for each in results]).played():
        at_fault = {match.seats[fault.seat]: fault for fault in match.faults}
        early = {name: fault for name, fault in at_fault.items() if fault.decision <= len(match.seats)}
        charged = {name: fault for name, fault in early.items() if fault.kind not in ("out", "timeout")} | charged
        clean.update([name for name in match.seats if name not in at_fault])
    return charged, clean


def _add_to_logs(logs: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        file = config.log_file(logs, name)
        with suppress(OSError):  # logs are only a help
            size = file.stat().st_size if file.exists() else 0
            if data := text.encode()[: max(0, LOG_BYTES - size)]:
                regular_files.append(file, data)
