"""By how much the machine was late while a bot was asked: time that the bot would have needed and did not get."""

import os
import threading
import time
from collections.abc import Callable

PULSE_S = 0.02
"""How long the pulse sleeps each time, in seconds. It notes no smaller lateness: that a core was busy for a moment says
nothing of a bot, which may have slept as well, and whose own threads are known to have waited or not."""
STACK_BYTES = 1 << 17


class Lateness:
    """Measures by how much the machine was late during a call of a bot.

    It was late while a thread of the bot could have run and waited for a core, or while the whole worker was held up.
    Time for which processors worked for the bot is never counted, so a bot that starts many threads gains nothing.
    """

    def __init__(self, waited_s: Callable[[], float], processor_s: Callable[[], float]) -> None:
        """Starts to measure.

        Args:
            waited_s: Returns for how long the bot's threads have waited for a core so far, all together.
            processor_s: Returns for how long processors have worked for the bot so far.
        """
        self._read = waited_s, processor_s
        self.worked_s = 0.0
        """For how long processors worked for the bot in the last call, in seconds."""
        self.skip()
        self.begin()

    def skip(self) -> None:
        """Leaves out what was waited and worked until now."""
        waited_s, processor_s = self._read
        self._waited_s, self._processor_s = waited_s(), processor_s()

    def begin(self) -> None:
        """Starts a call; what was waited and worked since the end of the last counts, unless it is skipped."""
        self._begun = time.monotonic()
        self._overslept_s = overslept_s()

    def end(self) -> float:
        """Ends a call, and returns by how many seconds the machine was late in it."""
        waited_s, processor_s = self._waited_s, self._processor_s
        idle_s = time.monotonic() - self._begun
        self.skip()
        self.worked_s = max(0.0, self._processor_s - processor_s)  # less where the account of a process was lost
        idle_s -= self.worked_s
        late_s = max(self._waited_s - waited_s, overslept_s() - self._overslept_s)
        return max(0.0, min(late_s, idle_s))


class _Pulse(threading.Thread):
    """A thread that sleeps again and again, and notes by how much it wakes up late."""

    def __init__(self) -> None:
        super().__init__(name="pulse", daemon=True)
        self.overslept_s = 0.0
        self.due = time.monotonic() + PULSE_S

    def run(self) -> None:
        """Sleeps again and again."""
        while True:
            self.due = time.monotonic() + PULSE_S
            time.sleep(PULSE_S)
            self.overslept_s += self.late_s()

    def late_s(self) -> float:
        """Returns by how much it is late now, in seconds."""
        late_s = time.monotonic() - self.due
        return late_s if late_s > PULSE_S else 0.0


_pulses: dict[int, _Pulse] = {}
"""The pulse of this process, by the process's id: a fork has none."""


def overslept_s() -> float:
    """Returns by how many seconds a thread of this process that sleeps has woken up late so far, all together."""
    pulse = _pulses.get(os.getpid())
    if pulse is None:
        _pulses[os.getpid()] = pulse = _Pulse()
        before = threading.stack_size(STACK_BYTES)  # it counts for the memory that bots may take
        try:
            pulse.start()
        finally:
            threading.stack_size(before)
    return pulse.overslept_s + pulse.late_s()
