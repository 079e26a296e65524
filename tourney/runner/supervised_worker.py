"""A worker process as its supervisor sees it: its tasks, its deadline, and who is to blame when it is lost."""

import time
from collections import deque

from tourney.hosts.retries import may_be_from_outside
from tourney.runner.forkserver import UNKNOWN, Child
from tourney.runner.worker import NO_MEMORY, BotCall, NextCall, Task

START_S = 60
"""How long a worker may take, in seconds, to load games and bots."""
WAKE_S = 1.0
"""After how many seconds without a word from a worker it is continued, in case that somebody has stopped it."""


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
        self.asked_s = 0.0  # how long the bots of the match were asked until that announcement
        self._asked_before_s = 0.0  # how long they were asked in earlier plays of the same match
        self.announced = self.match_started = time.monotonic()  # that announcement, and the first of its match
        self.deadline = self.match_started + START_S
        self.wake_at = self.match_started + WAKE_S

    def note(self, announced: NextCall) -> None:
        """Notes what the worker does next. A match that is played once more has all its time again."""
        self.announced = time.monotonic()
        other = self.call is None or self.call.match != announced.call.match
        if self.call is None or other or announced.call.decision < self.call.decision:
            self.match_started = self.announced
            self.asked = None
            self._asked_before_s = 0.0 if other else announced.asked_s
        self.call, self.asked_s = announced.call, announced.asked_s - self._asked_before_s
        if self.call.seat is not None:
            self.asked = self.call

    def culprit(self, timed_out: bool) -> BotCall | None:
        """Returns the call during which a careful task was lost; that of the game where no bot is to blame.

        When the time of a match is up, the bot that was asked last is to blame if bots have used half of it or more.
        """
        call = self.call
        if call is None:
            return None
        if timed_out:
            now = time.monotonic()
            asked_s = self.asked_s + (now - self.announced if call.seat is not None else 0)
            bot = asked_s * 2 >= now - self.match_started
        else:
            bot = call.seat is not None or self.process.exit_code == NO_MEMORY  # the game asked for the last of it
        return self.asked if bot and self.asked is not None else call._replace(seat=None)

    @property
    def was_killed(self) -> bool:
        """Whether the process, which has ended, may have been killed from outside."""
        code = self.process.exit_code
        assert code is not None
        return code == UNKNOWN or may_be_from_outside(code)
