"""A limit of time on code that runs here and may never return, such as that of a game while a match is replayed."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


class _TimeUpError(BaseException):
    """Is raised inside what takes too long; no `except Exception` there stops it."""


@contextmanager
def deadline(limit_s: float, error: Callable[[], Exception]) -> Iterator[None]:
    """Interrupts what takes longer, where Python can interrupt it; a call that hangs outside Python goes on.

    Time is bounded in the main thread only, as Python handles signals there. It is not bounded where a limit is set
    already.
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
        signal.setitimer(signal.ITIMER_REAL, limit_s, 1)  # and again, should the interruption be caught
        yield
    except _TimeUpError:
        raise error() from None
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
