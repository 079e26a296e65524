"""The local runner: blocks in, records out in the same order, played by supervised worker processes.

Each worker has a pipe of its own. A worker that dies or stalls costs no record: its blocks are played again, one by
one and carefully, so that it is known which bot was being called when it happened. A bot that brings its worker down
at the same call twice, or that uses up the time of its match, is charged, and the block is played again with that
known. Finished blocks wait in memory for the one before them; while too many wait, no new ones are handed out.
"""

import heapq
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import multiprocess
from multiprocess.connection import Connection, wait

from tourney.config import Tournament
from tourney.errors import RunError
from tourney.match import Block, FaultKind
from tourney.runner import worker as worker_module
from tourney.runner.worker import BATCH_S, At, Broken, Done, Ready, Task, receive, send

TARGET_S = 0.1
"""Batches are made so large that they take about so long."""
LARGEST = 2000
"""Blocks in a batch, at the most."""
WAITING = 8
"""Batches for each worker that may be in play or wait for an earlier one."""
TICK_S = 0.2
"""The longest wait before the caller is given a turn."""
START_S = 60
"""How long a worker may take to load games and bots."""
STRIKES = 2
"""A bot that brings its worker down at the same call so often is charged."""
FAILED_STARTS = 3
"""Workers that die in a row before they could be used, until the run gives up."""


class _Worker:
    """A worker process, as its supervisor sees it."""

    def __init__(self, context: Any, *told: Any) -> None:
        self.pipe: Connection
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=worker_module.main, args=(theirs, *told), daemon=True)
        self.process.start()
        theirs.close()
        self.ready = False
        self.task: Task | None = None
        self.at: At | None = None
        self.deadline = time.monotonic() + START_S

    @property
    def idle(self) -> bool:
        return self.ready and self.task is None

    def kill(self) -> None:
        """Ends the process with all that it has started."""
        pid = self.process.pid
        for end in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):  # it is gone, or has not made its group yet
                end(pid, signal.SIGKILL)
        self.process.join()
        self.pipe.close()


class LocalRunner:
    """Plays blocks in worker processes. To be used as a context manager: leaving it ends all processes."""

    def __init__(self, tournament: Tournament, workers: int, logs: Path | None = None) -> None:
        """Starts nothing yet; `logs` is the folder for what bots in processes of their own write to stderr."""
        self._tournament = tournament
        self._logs = logs
        self._count = workers
        self._context = multiprocess.get_context("forkserver")
        self._context.set_forkserver_preload([worker_module.__name__])
        self._workers: list[_Worker] = []
        self._todo: list[tuple[int, Task]] = []  # a heap of tasks to be played again, first position first
        self._strikes: dict[tuple[int, At], int] = {}
        self._waiting: dict[int, Done] = {}  # finished, by position
        self._batch = 1
        self._next = 0  # the position that is to be handed out next
        self._written = 0  # the position that is to be given to the caller next
        self._failed_starts = 0

    def __enter__(self) -> "LocalRunner":
        """Starts the workers."""
        self._workers = [self._worker(number) for number in range(self._count)]
        return self

    def _worker(self, number: int) -> _Worker:
        return _Worker(self._context, self._tournament, self._logs, number)

    def __exit__(self, *error: object) -> None:
        """Ends the workers, at once."""
        for worker in self._workers:
            worker.kill()
        self._workers = []

    def play(self, blocks: Iterator[Block]) -> Iterator[Done | None]:
        """What the blocks came to, in their order; None every so often, while nothing is finished.

        Raises a `RunError` if the workers cannot be started.
        """
        rest: Iterator[Block] | None = blocks
        while True:
            for worker in self._workers:
                if worker.idle and (task := self._next_task(rest)) is not None:
                    self._hand_out(worker, task)
            if all([worker.idle for worker in self._workers]) and not self._todo and not self._waiting:
                return
            self._listen()
            self._end_stalled()
            if self._written not in self._waiting:
                yield None
            while self._written in self._waiting:
                done = self._waiting.pop(self._written)
                self._written += done.blocks
                yield done

    def _next_task(self, blocks: Iterator[Block] | None) -> Task | None:
        """What to play next: what has to be played again, else the next blocks, unless too many are waiting."""
        if self._todo:
            return heapq.heappop(self._todo)[1]
        if blocks is None or self._unwritten() >= WAITING * self._count:
            return None
        task = Task(self._next, list(islice(blocks, self._batch)))
        self._next += len(task.blocks)
        return task if task.blocks else None

    def _unwritten(self) -> int:
        return len(self._waiting) + len([worker for worker in self._workers if worker.task is not None])

    def _hand_out(self, worker: _Worker, task: Task) -> None:
        worker.task = task
        worker.at = None
        worker.deadline = time.monotonic() + BATCH_S + self._tournament.longest_match_s
        with suppress(BrokenPipeError, ConnectionResetError):  # it has died; its sentinel says so
            send(worker.pipe, task)

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
        now = time.monotonic()
        match message:
            case Ready():
                worker.ready = True
                self._failed_starts = 0
            case At():
                if worker.at is None or worker.at.match != message.match:
                    worker.deadline = now + self._tournament.longest_match_s
                worker.at = message
            case Done():
                self._finish(worker, message)
            case Broken():
                raise RuntimeError(f"a worker failed:\n{message.traceback}")
            case _:
                worker.deadline = now + BATCH_S + self._tournament.longest_match_s

    def _finish(self, worker: _Worker, done: Done) -> None:
        task, worker.task = worker.task, None
        assert task is not None
        self._waiting[done.position] = done
        if done.blocks < len(task.blocks):
            position = done.position + done.blocks
            heapq.heappush(self._todo, (position, Task(position, task.blocks[done.blocks :])))
        if not task.careful:
            fitting = int(TARGET_S * done.blocks / max(done.seconds, 1e-6))
            self._batch = max(1, min(fitting, LARGEST, 2 * self._batch))

    def _end_stalled(self) -> None:
        now = time.monotonic()
        for worker in list(self._workers):
            if (worker.task is not None or not worker.ready) and now > worker.deadline:
                self._replace(worker, "timeout", "its match took too long")

    def _replace(self, worker: _Worker, kind: FaultKind, detail: str) -> None:
        """Ends a worker that has died or stalled, sees to its task, and starts another in its place."""
        worker.kill()
        if worker.task is not None:
            self._play_again(worker.task, worker.at, kind, detail)
        elif not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS:
                raise RunError("workers end while they load the games and bots; try each bot alone to find which one")
        number = self._workers.index(worker)
        self._workers[number] = self._worker(number)

    def _play_again(self, task: Task, at: At | None, kind: FaultKind, detail: str) -> None:
        """Puts a lost task back: block by block, carefully, and with a verdict where it is clear who did it."""
        if not task.careful:
            for i, block in enumerate(task.blocks):
                position = task.position + i
                heapq.heappush(self._todo, (position, Task(position, [block], careful=True)))
            return
        if at is not None:
            strikes = self._strikes.get((task.position, at), 0) + 1
            self._strikes[task.position, at] = strikes
            if strikes >= STRIKES or kind == "timeout":
                task = task._replace(verdicts=(*task.verdicts, (at, kind, detail)))
        heapq.heappush(self._todo, (task.position, task))
