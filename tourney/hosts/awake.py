"""A clock that stops while this process is stopped: in a paused container, by a snapshot, on a frozen machine.

Nothing tells a process that it was stopped. So waits are cut into slices, and each thread notes when it runs (`look`):
the time since its last look, beyond the slice that it waited for and without any work, does not count.
"""

import subprocess
import threading
import time
from math import inf

SLICE_S = 0.25
"""How long a thread waits at most between two looks, in seconds."""
LEAST_S = 1.0
"""The shortest stop, in seconds, that is noticed: a busy machine may be late by less."""

_lock = threading.Lock()
_lost_s = 0.0  # how long this process was stopped in all
_until = 0.0  # the end of the last stop, by the monotonic clock


class _Thread(threading.local):
    looked = inf  # before `begin`, a thread notices no stop
    worked = 0.0


_thread = _Thread()


def now() -> float:
    """Returns the seconds of the monotonic clock without the stops that were noticed so far."""
    return time.monotonic() - _lost_s


def begin() -> float:
    """Returns `now` in a thread that looks from now on."""
    _thread.looked, _thread.worked = time.monotonic(), time.process_time()
    return _thread.looked - _lost_s


def look(waited_s: float = 0.0) -> float:
    """Returns `now` after a wait of at most this many seconds; notices a stop since the thread's last look."""
    global _lost_s, _until  # noqa: PLW0603 - a process has one clock
    seen = time.monotonic()
    if seen - _thread.looked - waited_s > LEAST_S:
        with _lock:  # threads that were stopped together count it once
            stopped_s = seen - max(_thread.looked + waited_s, _until)
            if stopped_s > LEAST_S and time.process_time() - _thread.worked < stopped_s / 2:
                _lost_s += stopped_s
                _until = seen
    return begin()


def wait(process: subprocess.Popen[bytes], most_s: float) -> int:
    """Returns a process's exit code; a `TimeoutExpired` if it takes more than these seconds, without the stops."""
    until = begin() + most_s
    while True:
        try:
            return process.wait(SLICE_S)
        except subprocess.TimeoutExpired:
            if look(SLICE_S) >= until:
                raise
