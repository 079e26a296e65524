"""The clock of a bot in a process of its own, as that process knows it.

The worker tells its terms once, and with each decision what is left; from there it runs down in the bot's process.
"""

import time
from typing import Any

from tourney.bot import Clock


class BotClock:
    """The time that a bot has, which runs while it decides."""

    def __init__(self, terms: dict[str, Any]) -> None:
        """Fills the bank; `terms` are those of the message `start` (docs/protocol)."""
        self._now = time.process_time if terms["processor"] else time.monotonic
        self._bank_ms = terms["bank_ms"]
        self._increment_ms = terms["increment_ms"]
        self._move_ms = terms["move_ms"]
        self._left_s: float = (self._move_ms if self._bank_ms is None else self._bank_ms) / 1000
        self._begun: float | None = None  # when the decision began, in the time that is measured

    def reading(self) -> Clock:
        """Returns what the bot reads of it."""
        bank_s = None if self._bank_ms is None else self._bank_ms / 1000
        move_s = None if self._move_ms is None else self._move_ms / 1000
        processor = self._now is time.process_time
        return Clock(self.left_s, bank_s, self._increment_ms / 1000, move_s, processor)

    def begin(self, left_ms: int) -> None:
        """Starts the clock for a decision, with what is left by the worker's account."""
        self._left_s = left_ms / 1000
        self._begun = self._now()

    def finish(self) -> None:
        """Stops the clock after a decision."""
        left_s = self.left_s()
        self._begun = None
        self._left_s = (self._move_ms if self._bank_ms is None else left_s * 1000 + self._increment_ms) / 1000

    def left_s(self) -> float:
        """Returns how many seconds are left now."""
        gone = 0.0 if self._begun is None else self._now() - self._begun
        return max(0.0, self._left_s - gone)
