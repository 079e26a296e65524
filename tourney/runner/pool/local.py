"""A pool of supervised worker processes on this machine.

If a worker dies or stalls, its blocks are played again, one by one and with every bot call announced. A bot whose
worker dies repeatedly during its calls, or that uses up its match's time, is charged with a fault, and the block is
played once more with that fault. Announced decisions stand: no bot can take one back by such a death.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Self

from multiprocess.connection import Connection

from tourney.base.errors import GameError, RunError
from tourney.config import Tournament
from tourney.contracts.match import FaultKind
from tourney.hosts import awake
from tourney.journal.times import Times
from tourney.plugins.failures import endless_match
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.ordered import OrderedPool, TaskQueue
from tourney.runner.pool.worker import (
    NO_MEMORY,
    BotCall,
    Heartbeat,
    NextCall,
    Performer,
    Task,
    TaskFailed,
    TaskResult,
    Wait,
    WorkerReady,
    receive,
    send,
)

START_S = 60  # how long a worker may take to load games and bots
QUICK_S = 0.05  # if blocks are quicker than this, a worker gets its next task in advance
SLACK_S = 0.5  # tolerance for a worker without bots in separate processes
TICK_S = 0.2  # maximum wait before the pool yields to the caller
MOST_ANNOUNCED = 16  # maximum workers for announced tasks, if matches are played in parallel
DEATHS = 3  # worker deaths at the same bot call before the bot is charged; one may have an outside cause
DEATHS_ELSEWHERE = 5  # deaths at different calls of a bot in one match before it is charged
GAME_TIMEOUTS = 2  # timeouts of a game that end the run; a busy machine may be late once
FAILED_STARTS_ALLOWED = 9  # how many workers in a row may die while starting


class LaneHandle:
    """A lane of a worker process, as its supervisor sees it; see `tourney.runner.pool.worker.Lane`."""

    def __init__(self, worker: "Worker", pipe: Connection) -> None:
        self.worker = worker
        self.pipe = pipe
        self.tasks: deque[Task] = deque()  # given to it; it plays the first
        self.deadline = awake.now() + START_S  # when its next message is due, if it has a task or is not ready
        self.wait: Wait | None = None  # the decision that its match waits for, if that takes long
        self.call: BotCall | None = None  # its last announcement
        self.asked: BotCall | None = None  # the last call of a bot in the same match
        self.actions: defaultdict[int, list[int]] = defaultdict(list)  # announced actions, by match index

    def note(self, announced: NextCall) -> None:
        """Notes the worker's next call."""
        call = announced.call
        if self.call is None or call.match != self.call.match or call.decision < self.call.decision:
            self.asked = None  # another match starts, or the same one again
        self.call = call
        self.actions[call.match] += announced.actions
        if call.seat is not None:
            self.asked = call
        self.deadline = awake.now() + announced.most_s

    def culprit(self, timed_out: bool) -> BotCall | None:
        """The call that lost an announced task; the game's if no bot is to blame."""
        if self.call is not None and self.call.seat is None and self.worker.exit_code == NO_MEMORY and not timed_out:
            return self.asked or self.call  # the game only took the last of the memory
        return self.call


class Worker:
    """A worker process, as its supervisor sees it."""

    def __init__(self, forkserver: Forkserver, pipes: Sequence[Connection], pid: int) -> None:
        self.pid = pid
        self.ready = False
        self.lanes = [LaneHandle(self, pipe) for pipe in pipes]
        self.exit_code: int | None = None  # known once `kill` was called
        self._forkserver = forkserver

    def kill(self) -> None:
        """Kills the process with everything it has started, and waits for its end."""
        if self.exit_code is None:
            self.exit_code = self._forkserver.kill(self.pid)
            for lane in self.lanes:
                lane.pipe.close()


class LocalPool(OrderedPool):
    """Plays blocks in worker processes, or performs items there.

    If matches are played in `parallel`, each task is one match, and the workers have this many lanes in total.
    Announced tasks are played in additional workers with one lane, where nothing else can be to blame.
    """

    def __init__(
        self, tournament: Tournament, workers: int, faults: FaultMonitor | None = None, logs: Path | None = None,
        starter: Forkserver | None = None, performer: Performer | None = None, parallel: int | None = None,
    ) -> None:  # fmt: skip
        """Without a forkserver as `starter`, the pool has its own."""
        super().__init__(tournament, parallel or workers, faults)
        self.workers: list[Worker] = []
        # a worker supervises its bots' processes itself, and needs time to start them
        starts_processes = not tournament.in_worker and (performer is None or performer.asks_bots)
        self._slack_s = START_S if starts_processes else SLACK_S
        self._longest_s = tournament.longest_match_s if performer is None else tournament.replay_s
        self._logs, self._performer, self._starter = logs, performer, starter
        self._failed_starts = 0
        self._lanes = [1] * workers  # the number of lanes of each regular worker
        self._parallel = parallel is not None
        if parallel is not None:
            self._queue = TaskQueue(parallel, largest=1)
            self._lanes = [len(range(i, parallel, workers)) for i in range(min(workers, parallel))]
        self._matches: deque[Task] = deque()  # matches of blocks in play, not handed out yet
        self._parts: dict[int, tuple[Task, dict[int, TaskResult]]] = {}  # blocks in play, with their results so far
        self._selector = DefaultSelector()

    def __enter__(self) -> Self:
        awake.begin()
        with ExitStack() as stack:
            stack.callback(self._selector.close)
            if self._starter is None:
                self._starter = stack.enter_context(Forkserver())
            self._selector.register(self._starter.deaths, EVENT_READ)
            stack.callback(self._kill_workers)
            for number in range(len(self._lanes)):
                self._start_worker(number)
            self.push(stack.pop_all())
        return self

    def _start_worker(self, number: int) -> None:
        assert self._starter is not None
        lanes = self._lanes[number] if number < len(self._lanes) else 1
        started = self._starter.start(self._tournament, self._logs, number, self._performer, lanes)
        worker = Worker(self._starter, *started)
        self.workers[number : number + 1] = [worker]
        for lane in worker.lanes:
            self._selector.register(lane.pipe, EVENT_READ, lane)

    def _kill_workers(self) -> None:
        while self.workers:
            self._kill(self.workers.pop())

    def _kill(self, worker: Worker) -> None:
        if worker.exit_code is None:
            for lane in worker.lanes:
                self._selector.unregister(lane.pipe)
            worker.kill()

    def _is_ready(self) -> bool:
        return any([worker.ready for worker in self.workers])

    def _in_play(self) -> int:
        return len(self._matches) + sum([len(lane.tasks) for worker in self.workers for lane in worker.lanes])

    @property
    def wait(self) -> Wait | None:
        """The longest decision in play."""
        waits = [lane.wait for worker in self.workers for lane in worker.lanes if lane.wait is not None and lane.tasks]
        return min(waits, key=lambda wait: wait.since, default=None)

    def _hand_out(self) -> None:
        if self._parallel:
            self._hand_out_matches()
            return
        for count in range(2 if self._queue.block_s < QUICK_S else 1):
            for worker in self.workers:
                (lane,) = worker.lanes
                if worker.ready and len(lane.tasks) == count and (task := self._next_task()) is not None:
                    self._give(lane, task)

    def _hand_out_matches(self) -> None:
        shared = [worker for worker in self.workers[: len(self._lanes)] if worker.ready]
        for lane in [lane for worker in shared for lane in worker.lanes if not lane.tasks]:
            if not self._matches and (task := self._next_task(announced=False)) is not None:
                self._parts[task.position] = task, {}
                self._matches.extend([task._replace(match=i) for i in range(len(task.blocks[0].seatings))])
            if not self._matches:
                break
            self._give(lane, self._matches.popleft())
        idle = [worker for worker in self.workers[len(self._lanes) :] if not worker.lanes[0].tasks]
        for worker in [each for each in idle if each.ready]:
            if (task := self._next_task(announced=True)) is not None:
                idle.remove(worker)
                self._give(worker.lanes[0], task)
        most = len(self._lanes) + MOST_ANNOUNCED
        for _ in range(sum([each.announced for each in self._queue.retries]) - len(idle)):
            if len(self.workers) < most:
                self._start_worker(len(self.workers))

    def _give(self, lane: LaneHandle, task: Task) -> None:
        lane.tasks.append(task)
        if len(lane.tasks) == 1:
            self._set_deadline(lane)
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died; the forkserver reports that
            send(lane.pipe, task)

    def _set_deadline(self, lane: LaneHandle, silent_s: float = 0.0) -> None:
        """Sets the deadline for a lane that starts working now; see `Heartbeat`."""
        lane.deadline = awake.now() + (silent_s or self._longest_s) + self._slack_s

    def _receive(self) -> None:
        assert self._starter is not None
        before = awake.look()
        ready = self._selector.select(TICK_S)
        awake.look(TICK_S)
        for key, _ in ready:
            if key.data is not None:
                self._receive_from(key.data)
        for pid in self._starter.take_deaths():
            for worker in [each for each in self.workers if each.pid == pid]:
                for lane in worker.lanes:
                    self._receive_from(lane)
                self._replace(worker, "crash", "its process died")
        # everything sent until `before` was received, even if this process itself was stopped in the meantime
        for worker in list(self.workers):
            for lane in worker.lanes:
                if before > lane.deadline and (lane.tasks or not worker.ready):
                    self._replace(worker, "timeout", "its match took too long", lane)
                    break

    def _receive_from(self, lane: LaneHandle) -> None:
        with suppress(EOFError, OSError):  # it has died; the forkserver reports that
            while lane.pipe.poll():
                self._handle(lane, receive(lane.pipe))

    def _handle(self, lane: LaneHandle, message: Any) -> None:
        match message:
            case WorkerReady():
                lane.worker.ready = True
                self._failed_starts = 0
            case NextCall():
                lane.note(message)
                lane.deadline += self._slack_s
            case TaskResult():
                self._take(lane, message)
            case TaskFailed(result, error):
                self._take(lane, result, error)
            case Wait():
                lane.wait = message
            case Exception():
                raise message
            case Heartbeat(silent_s, prints):
                self.show_prints(prints)
                self._set_deadline(lane, silent_s)

    def _take(self, lane: LaneHandle, result: TaskResult, error: Exception | None = None) -> None:
        task, lane.call, lane.asked, lane.wait = lane.tasks.popleft(), None, None, None
        lane.actions.clear()
        self._set_deadline(lane)
        if task.match is None:
            self._finish_task(task, result, error)
            return
        if not self._is_in_play(task):  # another match of its block failed or lost its worker
            return
        _, parts = self._parts[task.position]
        parts[task.match] = result
        if error is not None or len(parts) == len(task.blocks[0].seatings):
            self._forget(task)
            whole = result if error is not None else _whole([parts[i] for i in sorted(parts)])
            self._finish_task(task._replace(match=None), whole, error)

    def _is_in_play(self, match: Task) -> bool:
        return match.position in self._parts and self._parts[match.position][0].blocks is match.blocks

    def _forget(self, match: Task) -> None:
        del self._parts[match.position]
        self._matches = deque([each for each in self._matches if each.position != match.position])

    def _replace(self, worker: Worker, kind: FaultKind, detail: str, late: LaneHandle | None = None) -> None:
        self._kill(worker)
        for lane in worker.lanes:
            if lane.tasks:
                task, *later = lane.tasks
                if late in (None, lane) or task.losses:
                    self._retry_lost(lane, task, (kind, detail))
                elif self._is_in_play(task):
                    self._matches.appendleft(task._replace(losses=(BotCall(0, 0, None),)))
                for each in later:
                    self._queue.retry(each)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts > FAILED_STARTS_ALLOWED:
                raise RunError("workers die while loading the games and bots; run each bot alone to find the cause")
        self._start_worker(self.workers.index(worker))

    def _retry_lost(self, lane: LaneHandle, task: Task, fault: tuple[FaultKind, str]) -> None:
        if task.match is not None:
            if not self._is_in_play(task):
                return
            self._forget(task)
        if not task.announced:
            for i, block in enumerate(task.blocks):
                self._queue.retry(Task(task.position + i, [block], announced=True))
            return
        standing = dict(task.standing)
        for match, actions in lane.actions.items():
            standing[match] = max(standing.get(match, ()), tuple(actions), key=len)
        timed_out = fault[0] == "timeout"
        if (call := lane.culprit(timed_out)) is not None:
            task = task._replace(losses=(*task.losses, call))
            in_match = [each for each in task.losses if (each.match, each.seat) == (call.match, call.seat)]
            most = (GAME_TIMEOUTS if call.seat is None else 1) if timed_out else DEATHS
            at_same_call = in_match.count(call) >= most
            if at_same_call or len(in_match) >= DEATHS_ELSEWHERE:
                if call.seat is None:
                    self._fail(task, self._game_error(task, call, fault[0]))
                    return
                call = call if at_same_call else call._replace(decision=0)
                task = task._replace(verdicts=(*task.verdicts, (call, *fault)))
                standing[call.match] = standing.get(call.match, ())[: max(0, call.decision - 1)]
        self._queue.retry(task._replace(standing=standing))

    def _game_error(self, task: Task, call: BotCall, kind: FaultKind) -> GameError:
        why = f"it took longer than {self._longest_s:g} s" if kind == "timeout" else "its worker ended each time"
        if self._performer is not None:
            return self._performer.game_error(task.blocks[0], why)
        left_running = ", by the game or by something that an inline bot left running"
        why += " until a bot was asked again" if kind == "timeout" else left_running
        return endless_match(task.blocks[0].matches()[call.match], f"after decision {call.decision} {why}")


def _whole(matches: Iterable[TaskResult]) -> TaskResult:
    whole, times = list(matches), Times()
    for each in whole:
        times.add(each.times)
    return TaskResult(
        blocks=1,
        lines=b"".join([each.lines for each in whole]),
        results=[result for each in whole for result in each.results],
        seconds=max([each.seconds for each in whole]),
        times=times,
        tracebacks=tuple([traceback for each in whole for traceback in each.tracebacks]),
        notes=[note for each in whole for note in each.notes],
        prints="".join([each.prints for each in whole]),
    )
