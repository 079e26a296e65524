"""A worker process as its supervisor sees it: its tasks, its deadline, and who is to blame when it is lost."""

import signal
import time
from collections import deque

from tourney.runner.forkserver import Child
from tourney.runner.worker import NO_MEMORY, BotCall, NextCall, Task

START_S = 60
"""How long a worker may take, in seconds, to load games and bots."""
OUTSIDE = (signal.SIGKILL, signal.SIGTERM)
"""The signals by which somebody else may end a worker: the system when memory runs out, or an administrator."""


class SupervisedWorker:
    """A worker process, as its supervisor sees it."""

    def __init__(self, process: Child) -> None:
        """Gives the process time to start."""
        self.process = process
        self.pipe = process.pipe
        self.ready = False
        self.tasks: deque[Task] = deque()  # the first of them is being played
        self.call: BotCall | None = None  # what a careful task has announced last
        self.asked: BotCall | None = None  # the last call of a bot in the same match
        self.deadline = time.monotonic() + START_S

    def note(self, announced: NextCall) -> None:
        """Notes what the worker does next, and how long that may take."""
        call = announced.call
        if self.call is None or call.match != self.call.match or call.decision < self.call.decision:
            self.asked = None  # another match begins, or the same once more
        self.call = call
        if call.seat is not None:
            self.asked = call
        self.deadline = time.monotonic() + announced.most_s

    def culprit(self, timed_out: bool) -> BotCall | None:
        """Returns the call during which a careful task was lost; that of the game where no bot is to blame."""
        call = self.call
        if call is None or call.seat is not None or timed_out:
            return call
        if self.process.exit_code == NO_MEMORY and self.asked is not None:
            return self.asked  # the game has asked for the last of the memory
        return call

    @property
    def was_killed(self) -> bool:
        """Whether the process, which has ended, may have been killed from outside."""
        code = self.process.exit_code
        assert code is not None
        return -code in OUTSIDE
