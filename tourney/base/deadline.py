"""A time limit on code that may never return, such as a game's during a replay."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class _TimeUpError(BaseException):
    """Raised inside the code that takes too long; `except Exception` does not catch it."""


@contextmanager
def deadline(limit_s: float, error: Callable[[], Exception]) -> Iterator[None]:
    """Raises `error()` if the context takes longer than `limit_s` seconds.

    Works only in the main thread, where Python handles signals, and not inside another deadline. A call that hangs
    outside Python is not interrupted.
    """
    if threading.current_thread() is not threading.main_thread() or signal.getitimer(signal.ITIMER_REAL)[0]:
        yield
        return
    running = True

    def ring(_number: int, _frame: FrameType | None) -> None:
        if running:
            raise _TimeUpError

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, limit_s, 1)  # and every second after, in case the code catches it
        yield
    except _TimeUpError:
        raise error() from None
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
