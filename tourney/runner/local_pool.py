"""The local runner: blocks in, records out in the same order, played by supervised worker processes.

Each worker has a pipe of its own. A worker that dies or stalls costs no record: its blocks are played again, one by
one and carefully, so that it is known which bot was being called when it happened. A bot that brings its worker down
at the same call again and again, or that uses up the time of its match, is charged, and the block is played again with
that known. Whoever kills workers from outside does not hit the same call each time, and costs nobody anything.
Finished blocks wait in memory for the one before them; while too many wait, no new ones are handed out.

Faults are counted in the order of the schedule, as blocks are given to the caller. Where that puts an entrant out of
the tournament, later blocks in which it sat are thrown away, and played again with the house in its place.
"""

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

from multiprocess.connection import wait

from tourney.config import Tournament
from tourney.errors import RunError
from tourney.hosts.retries import ends_that_count, may_be_from_outside, starts_in_vain
from tourney.journal.reader import parse_record
from tourney.match import Block, FaultKind, Record
from tourney.runner.disqualification import FaultCount
from tourney.runner.forkserver import UNKNOWN, Child, Forkserver
from tourney.runner.task_queue import TaskQueue
from tourney.runner.worker import BATCH_S, At, Broken, Done, Ready, Task, done, receive, send

WAITING = 6
"""Tasks for each worker that may be in play or wait for an earlier one."""
QUICK_S = 0.05
"""Where blocks take less, a worker has its next task before it has finished one, and never waits for it."""
TICK_S = 0.2
"""The longest wait before the caller is given a turn."""
START_S = 60
"""How long a worker may take to load games and bots."""


class Played(NamedTuple):
    """Blocks that follow each other and were played."""

    blocks: Sequence[Block]
    lines: bytes
    """Their records as lines of the journal."""

    @property
    def matches(self) -> int:
        """How many these are."""
        return sum([len(block.seatings) for block in self.blocks])


class _Finished(NamedTuple):
    """Blocks that were played and wait for their turn."""

    task: Task
    """The blocks, and who was out when they were played."""
    done: Done

    @property
    def played(self) -> Played:
        return Played(self.task.blocks, self.done.lines)


class _Worker:
    """A worker process, as its supervisor sees it."""

    def __init__(self, process: Child) -> None:
        self.process = process
        self.pipe = process.pipe
        self.ready = False
        self.tasks: deque[Task] = deque()  # the first of them is being played
        self.at: At | None = None
        self.begun = time.monotonic()  # its match, where it tells which call of a bot it is about to make
        self.deadline = self.begun + START_S

    @property
    def was_killed(self) -> bool:
        """Whether the process, which has ended, may have been killed from outside."""
        code = self.process.exit_code
        assert code is not None
        return code == UNKNOWN or may_be_from_outside(code)


class LocalRunner:
    """Plays blocks in worker processes. To be used as a context manager: leaving it ends all processes."""

    def __init__(
        self,
        tournament: Tournament,
        workers: int,
        faults: FaultCount,
        logs: Path | None = None,
        forkserver: Forkserver | None = None,
    ) -> None:
        """Starts nothing yet.

        `faults` has counted the blocks before the first that is played, and counts on. `logs` is the folder for what
        bots in processes of their own write to stderr. Workers come from the forkserver, or from a new one.
        """
        self._tournament = tournament
        self._match_limits_s = tournament.match_limits_s
        # bots in processes of their own are seen to by the worker itself, which has to start them as well
        self._slack_s = 0 if tournament.in_worker else START_S
        self._longest_s = max(self._match_limits_s.values()) + self._slack_s
        self._faults = faults
        self._logs = logs
        self._count = workers
        self._own = ExitStack()
        self._nursery = forkserver
        self._workers: list[_Worker] = []
        self._supply = TaskQueue(workers)
        self._waiting: dict[int, _Finished] = {}  # by position
        self._written = 0  # the position that is to be given to the caller next
        self._failed_starts = 0

    def __enter__(self) -> "LocalRunner":
        """Starts the workers."""
        if self._nursery is None:
            self._nursery = self._own.enter_context(Forkserver())
        self._workers = [self._worker(number) for number in range(self._count)]
        return self

    def _worker(self, number: int) -> _Worker:
        assert self._nursery is not None
        return _Worker(self._nursery.start(self._tournament, self._logs, number))

    def __exit__(self, *error: object) -> None:
        """Ends the workers, at once."""
        for worker in self._workers:
            worker.process.kill()
        self._workers = []
        self._own.close()

    def play(self, blocks: Iterator[Block]) -> Iterator[Played | None]:
        """What the blocks came to, in their order; None every so often, while nothing is finished.

        Where the count of faults says that the run should stop, the block which led to that is the last one of those
        that are given. Raises a `RunError` if the workers cannot be started.
        """
        self._supply.refill(blocks)
        while True:
            self._hand_out()
            if self._is_over():
                return
            self._listen()
            self._end_stalled()
            self._hand_out()  # now: nobody is to wait until the caller has done its part
            if self._written not in self._waiting:
                yield None
            while self._written in self._waiting:
                counted = self._counted(self._waiting.pop(self._written))
                self._written += len(counted.blocks)
                yield counted

    def _is_over(self) -> bool:
        """Whether nothing is left, now that tasks were handed out to all workers that are ready."""
        return any([each.ready for each in self._workers]) and not self._unwritten() and not self._supply.has_again

    def _hand_out(self) -> None:
        """Gives the workers what to play, each first of all the task that it is to begin with at once."""
        most = 2 if self._supply.block_s < QUICK_S else 1
        for count in range(most):
            for worker in self._workers:
                if worker.ready and len(worker.tasks) == count and (task := self._next_task()) is not None:
                    self._give(worker, task)

    def _next_task(self) -> Task | None:
        """What to play next: what has to be played again, else the next blocks, unless too many are waiting."""
        if self._supply.has_again:
            return self._supply.again()
        return None if self._unwritten() >= WAITING * self._count else self._supply.fresh()

    def _unwritten(self) -> int:
        return len(self._waiting) + sum([len(worker.tasks) for worker in self._workers])

    def _give(self, worker: _Worker, task: Task) -> None:
        if task.careful and self._is_stale(task.blocks[0], task):
            task = task._replace(verdicts=(), deaths=())  # it comes to another match
        task = task._replace(out=self._faults.out)
        worker.tasks.append(task)
        if len(worker.tasks) == 1:
            self._set_deadline(worker)
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died; its sentinel says so
            send(worker.pipe, task)

    def _set_deadline(self, worker: _Worker) -> None:
        """For the task that the worker begins now, or the match that it goes on with."""
        worker.deadline = time.monotonic() + BATCH_S + self._longest_s

    def _listen(self) -> None:
        """Takes in what the workers have sent, and replaces those that have died."""
        by_pipe = {worker.pipe: worker for worker in self._workers}
        by_sentinel = {worker.process.sentinel: worker for worker in self._workers}
        ready = wait([*by_pipe, *by_sentinel], TICK_S)
        for pipe in ready:
            if pipe in by_pipe:
                self._take(by_pipe[pipe])
        for sentinel in ready:
            if sentinel in by_sentinel:
                worker = by_sentinel[sentinel]
                self._take(worker)
                self._replace(worker, "crash", "its process died")

    def _take(self, worker: _Worker) -> None:
        """Takes in all that one worker has sent."""
        with suppress(EOFError, OSError):  # it has died; its sentinel says so
            while worker.pipe.poll():
                self._heed(worker, receive(worker.pipe))

    def _heed(self, worker: _Worker, message: Any) -> None:
        match message:
            case Ready():
                worker.ready = True
                self._failed_starts = 0
            case At():
                if worker.at is None or worker.at.match != message.match:
                    worker.begun = time.monotonic()
                worker.at = message
                worker.deadline = worker.begun + self._limit_s(worker)
            case Done():
                self._finish(worker, message)
            case Broken():
                raise RuntimeError(f"a worker failed:\n{message.traceback}")
            case _:
                self._set_deadline(worker)

    def _limit_s(self, worker: _Worker) -> float:
        """How long the worker's match may take while the bot is asked that it is about to ask."""
        assert worker.at is not None
        return self._match_limits_s[worker.tasks[0].blocks[0].seatings[worker.at.match][worker.at.seat]] + self._slack_s

    def _finish(self, worker: _Worker, played: Done) -> None:
        task, worker.at = worker.tasks.popleft(), None
        self._set_deadline(worker)
        self._put_back(task, played.blocks)
        self._keep(_Finished(task._replace(blocks=task.blocks[: played.blocks]), played))
        if not task.careful:
            self._supply.learn(played.blocks, played.seconds)

    def _is_stale(self, block: Block, task: Task) -> bool:
        """Whether somebody sits in the block who is out by now, and was not when the task was handed out."""
        out = self._faults.out
        return out is not task.out and any([name in out and name not in task.out for name in block.seatings[0]])

    def _keep(self, finished: _Finished) -> None:
        """Lets finished blocks wait for their turn, up to the first stale one; the others are played again."""
        task = finished.task
        fresh = next((i for i, block in enumerate(task.blocks) if self._is_stale(block, task)), len(task.blocks))
        if kept := self._first(finished, fresh):
            self._waiting[task.position] = kept

    def _counted(self, finished: _Finished) -> Played:
        """Counts the faults in blocks whose turn it is, and returns as many of these as are to be given now."""
        task, done = finished
        faults, out, played = self._faults, self._faults.out, finished.played
        if not self._tournament.limits_faults or (not done.faults and faults.add_clean(played.matches)):
            return played
        records = iter(_records(played.lines))
        count = 0
        for block in task.blocks:
            if self._is_stale(block, task) or (count and faults.stop is not None):
                break
            faults.add([next(records) for _ in block.seatings])
            count += 1
        if faults.out is not out:
            waiting, self._waiting = self._waiting, {}
            for other in waiting.values():
                self._keep(other)
        kept = self._first(finished, count)
        assert kept is not None
        return kept.played

    def _first(self, finished: _Finished, count: int) -> _Finished | None:
        """The first so many of finished blocks, if any; the others are put back."""
        task, played = finished
        if count == len(task.blocks):
            return finished
        self._put_back(task, count)
        if not count:
            return None
        blocks = task.blocks[:count]
        records = _records(played.lines)[: sum([len(block.seatings) for block in blocks])]
        return _Finished(
            task._replace(blocks=blocks),
            done(task.position, count, records, played.seconds),
        )

    def _put_back(self, task: Task, first: int) -> None:
        """Has the blocks of a task from this one on played (again)."""
        if first < len(task.blocks):
            self._supply.put_back(Task(task.position + first, task.blocks[first:], task.careful))

    def _end_stalled(self) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            if (worker.tasks or not worker.ready) and now > worker.deadline:
                self._replace(worker, "timeout", "its match took too long")

    def _replace(self, worker: _Worker, kind: FaultKind, detail: str) -> None:
        """Ends a worker that has died or stalled, sees to its task, and starts another in its place."""
        worker.process.kill()
        if worker.tasks:
            task, *later = worker.tasks
            strikes = ends_that_count(worker.was_killed)
            self._play_again(task, worker.at, 1 if kind == "timeout" else strikes, (kind, detail))
            for each in later:
                self._supply.put_back(each)
        elif not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= starts_in_vain(worker.was_killed):
                raise RunError("workers end while they load the games and bots; try each bot alone to find which one")
        number = self._workers.index(worker)
        self._workers[number] = self._worker(number)

    def _play_again(self, task: Task, at: At | None, strikes: int, fault: tuple[FaultKind, str]) -> None:
        """Puts a lost task back: block by block, carefully, and with a verdict after so many strikes at one call."""
        if not task.careful:
            for i, block in enumerate(task.blocks):
                self._supply.put_back(Task(task.position + i, [block], careful=True))
            return
        if at is not None:
            task = task._replace(deaths=(*task.deaths, at))
            if task.deaths.count(at) >= strikes:
                task = task._replace(verdicts=(*task.verdicts, (at, *fault)))
        self._supply.put_back(task)


def _records(lines: bytes) -> list[Record]:
    return [parse_record(line, "a worker's record") for line in lines.splitlines()]
