"""Ctrl-C and SIGTERM.

Ctrl-C ends the process at once, by no exception: one could be swallowed by whatever runs, such as a bot that catches
everything, or be taken for a failure of it. What this process has started ends by itself when it is gone.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from tourney.base.errors import RunInterruptedError, one_line

AGAIN_S = 1.0
"""Signals that follow the first one within this time, in seconds, are the same: `timeout`, for one, sends two."""

_process = os.getpid()
_undo: list[Callable[[], object]] = []


def listen() -> None:
    """Has Ctrl-C end this process at once, also where a shell script has started it in the background."""
    signal.signal(signal.SIGINT, lambda _number, _frame: _end("interrupted"))


def _end(why: str) -> NoReturn:
    """Ends the process with one line."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getpid() == _process:  # one that it has forked, and that does not listen itself yet, has nothing to say
        for undo in reversed(_undo):
            with suppress(Exception):
                undo()
        with suppress(OSError):
            shown = "\n" if os.isatty(2) else ""  # after the ^C that a terminal shows
            os.write(2, f"{shown}tourney: {one_line(why)}\n".encode(errors="backslashreplace"))
    os._exit(RunInterruptedError.exit_code)


def end_silently() -> None:
    """Has Ctrl-C end this process without a word, since its last word is being said."""
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(RunInterruptedError.exit_code))


@contextmanager
def undone(undo: Callable[[], object]) -> Iterator[None]:
    """Has `undo` called before Ctrl-C ends the process in this context, such as to restore the terminal."""
    _undo.append(undo)
    try:
        yield
    finally:
        _undo.remove(undo)


@contextmanager
def handled(handler: Any = signal.default_int_handler) -> Iterator[None]:
    """Has Ctrl-C handled otherwise in this context: by default it raises a `KeyboardInterrupt`, as usual in Python."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def raised() -> Iterator[None]:
    """Has Ctrl-C raise a `KeyboardInterrupt` in this context; once more at its end, should it have been swallowed.

    For what ends the processes that it has started, and would not be called if this process ended at once.
    """
    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    try:
        with handled(interrupt):
            yield
    finally:
        if received:
            raise KeyboardInterrupt


@contextmanager
def stoppable(how_to_resume: str) -> Iterator[Callable[[str], None]]:
    """Notes SIGINT and SIGTERM in this context instead of acting on them; a later second one ends the process.

    It yields what raises a `RunInterruptedError` if there was one, given how far things are.
    """
    received: list[float] = []

    def note(_number: int, _frame: FrameType | None) -> None:
        received.append(time.monotonic())
        if received[-1] - received[0] > AGAIN_S:
            _end(f"interrupted; {how_to_resume}")

    def check(message: str) -> None:
        if received:
            raise RunInterruptedError(f"{message}; {how_to_resume}")

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
