"""`python -m tests.bench.one_process GAME DEALS`: plays a whole run in a single process, for tools that count there.

The worker is the main thread, and what is the main process otherwise another one; they send each other what they send
otherwise. The size of tasks is that on a machine which no tool slows down.
"""

import os
import sys
import tempfile
import threading
from collections import deque
from math import inf
from pathlib import Path

from multiprocess import Pipe
from multiprocess.connection import Connection

from tests.bench.tournaments import tournament
from tourney import config
from tourney.runner import run
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool import worker
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import Task, TaskResult, WorkerReady, receive, send

BLOCK_S = 0.001
"""How long a block is said to take, in seconds; a task has as many as fit into its time."""


class OneWorker(OrderedPool):
    """A pool of the worker at the other end of a pipe."""

    def __init__(self, played: config.Tournament, pipe: Connection, faults: FaultMonitor) -> None:
        super().__init__(played, 1, faults)
        self._pipe = pipe
        self._ready = False
        self._given: deque[Task] = deque()

    def __exit__(self, *error: object) -> None:
        """Ends the worker."""
        self._pipe.close()

    def _hand_out(self) -> None:
        while self._ready and len(self._given) < 2 and (task := self._next_task()) is not None:
            self._given.append(task)
            send(self._pipe, self._given[-1])

    def _receive(self) -> None:
        message = receive(self._pipe)
        if isinstance(message, TaskResult):
            self._finish_task(self._given.popleft(), message._replace(seconds=BLOCK_S * message.blocks))
        self._ready |= isinstance(message, WorkerReady)

    def _is_ready(self) -> bool:
        return self._ready

    def _in_play(self) -> int:
        return len(self._given)


def play(game: str, deals: int, folder: Path) -> Path:
    """Plays a run of random bots into a folder, and returns its journal."""
    text = tournament(game, deals)
    played = config.parse(text, folder / "bench.toml")
    ours, theirs = Pipe()
    never = os.pipe()[0]  # what ends when the main process does: not before this one

    def main_process() -> None:
        class Workers:
            count = 1

            def pool(self, _tournament: config.Tournament, faults: FaultMonitor, _logs: Path | None) -> OneWorker:
                return OneWorker(played, ours, faults)

        with run.prepare(played, text, folder / "run", "new", force=False) as journal:
            run.play(played, journal, Workers(), lambda _: None)

    worker.MAX_TASK_S = inf  # no task is sent back because the machine is slow
    thread = threading.Thread(target=main_process)
    thread.start()
    worker.main(theirs, never, played, None, 0, None)
    thread.join()
    return folder / "run" / "journal.jsonl"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        matches = play(sys.argv[1], int(sys.argv[2]), Path(name)).read_bytes().count(b"\n")
        print(f"{matches} matches", file=sys.stderr)
