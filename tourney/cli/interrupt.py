"""Ctrl-C and SIGTERM.

Ctrl-C exits at once, without an exception: a bot that catches everything could swallow it, or be charged with it. Child
processes exit by themselves after their parent.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

from tourney.base.errors import RunInterruptedError, one_line

AGAIN_S = 1.0  # signals within this time of the first, in seconds, count as the same one: `timeout` sends two

_process = os.getpid()
_undo: list[Callable[[], object]] = []


def listen() -> None:
    """Makes Ctrl-C stop this process at once, even if started in the background by a shell script."""
    signal.signal(signal.SIGINT, lambda _number, _frame: _end("interrupted"))


def _end(why: str) -> NoReturn:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if os.getpid() == _process:  # a process just forked from it is silent
        for undo in reversed(_undo):
            with suppress(Exception):
                undo()
        with suppress(OSError):
            shown = "\n" if os.isatty(2) else ""  # after the terminal's ^C
            os.write(2, f"{shown}tourney: {one_line(why)}\n".encode(errors="backslashreplace"))
    os._exit(RunInterruptedError.exit_code)


@contextmanager
def undone(undo: Callable[[], object]) -> Iterator[None]:
    """Context in which Ctrl-C calls `undo` before exiting, for example to restore the terminal."""
    _undo.append(undo)
    try:
        yield
    finally:
        _undo.remove(undo)


@contextmanager
def handled(handler: Any = signal.default_int_handler, *others: int) -> Iterator[None]:
    """Context with another handler for Ctrl-C and `others`; by default it raises a `KeyboardInterrupt`."""
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, *others)}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


@contextmanager
def raised() -> Iterator[None]:
    """Context in which Ctrl-C raises a `KeyboardInterrupt`, again at its end if swallowed."""
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
def interruptible(how_to_resume: str) -> Iterator[Callable[[str], None]]:
    """Context that delays SIGINT and SIGTERM; a second, later one stops the process.

    Yields a function that raises a `RunInterruptedError` after one, to be called with a message on progress.
    """
    received: list[float] = []

    def note(_number: int, _frame: FrameType | None) -> None:
        received.append(time.monotonic())
        if received[-1] - received[0] > AGAIN_S:
            _end(f"interrupted; {how_to_resume}")

    def check(message: str) -> None:
        if received:
            raise RunInterruptedError(f"{message}; {how_to_resume}")

    with handled(note, signal.SIGTERM):
        yield check
