"""The Python frontend of the runner: progress, warnings and Ctrl-C."""

import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from tourney._api.arguments import Playing, RunProgress
from tourney.runner.run import RunPlan, lead
from tourney.runner.workers import Frontend, Workers

RESUME = "continue with resume=True"


def play(plan: RunPlan, keys: Playing, how_to_resume: str = RESUME) -> None:
    """Plays a plan in workers, and calls `progress` several times a second."""
    with Workers(LIBRARY, keys.get("workers")) as workers:
        plan.choose(workers)
        play_on(plan, workers, keys, how_to_resume)


def play_on(plan: RunPlan, workers: Workers, keys: Playing, how_to_resume: str = RESUME) -> None:
    """Like `play`, with workers already chosen."""
    progress = keys.get("progress")
    for now in lead(plan, workers, how_to_resume):
        if progress is not None and not now.reading:
            progress(RunProgress(now.matches, now.schedule.most_matches, now.cost))


@contextmanager
def _interruptible(how_to_resume: str) -> Iterator[Callable[[str], None]]:
    """Delays Ctrl-C, and yields a function that raises the `KeyboardInterrupt` with a message on progress."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda _message: None
        return
    received: list[FrameType | None] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(frame)
        if len(received) > 1:
            before(number, frame)

    def act(message: str) -> None:
        if received:
            frame = received[0]
            received.clear()
            if before is signal.default_int_handler:
                raise KeyboardInterrupt(f"{message}; {how_to_resume}")
            before(signal.SIGINT, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield act
    finally:
        signal.signal(signal.SIGINT, before)
    act("interrupted")


LIBRARY = Frontend(forks=False, say=lambda line: warnings.warn(line, stacklevel=2), interruptible=_interruptible)
"""The frontend for Python programs."""
