"""A run's page, kept up to date by a process during play."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from threading import Thread, main_thread
from typing import Any, NoReturn

from tourney.base.errors import TourneyError
from tourney.hosts import linux
from tourney.runner.processes import python_call

BESIDE_S, PAUSES, NICE = 60.0, 10, 10
"""Minimum seconds between two pages during play, also as a multiple of a page's processor time; and the page process's
niceness. The latter two leave it a tenth of a processor that players want.
"""
END_S = 5.0  # for an interrupted process to remove an unfinished page before it is killed
_LAST = 1 << 12


def keep_fresh(write: Callable[[float], object], pause_s: float) -> NoReturn:
    """Rewrites a page until this process is interrupted.

    `write` receives the number of seconds until the next update; if it fails, it may succeed the next time.
    """
    os.nice(NICE)
    while True:
        started, worked = time.monotonic(), time.process_time()
        with suppress(TourneyError):
            write(pause_s)
        due = started + max(pause_s, PAUSES * (time.process_time() - worked))
        time.sleep(max(0, due - time.monotonic()))


class ReportProcess:
    """A process in which a module's function writes a page; its arguments are texts, numbers and tuples of them.

    It ends with this process, however that ends, and with it the processes that code of games has started. Ctrl-C in
    the terminal reaches this process alone.
    """

    def __init__(self, write: Callable[..., object], *arguments: object, where: Path | None = None) -> None:
        words = python_call(begin, write.__module__, write.__name__, arguments)
        self._errors = TemporaryFile()  # noqa: SIM115 - unlike a pipe, it is never full, nor held open by others
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": self._errors}
        self._process = subprocess.Popen(words, **pipes, process_group=0, cwd=where)  # noqa: S603

    @property
    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def failure(self) -> str | None:
        """Waits for the process; returns why the page was not written, or None."""
        status, file = self._process.wait(), self._errors.fileno()
        told = os.pread(file, _LAST, max(0, os.fstat(file).st_size - _LAST))
        self.stop(at_once=True)
        lines = told.decode(errors="backslashreplace").strip().splitlines()
        return (lines[-1] if lines else "process killed") if status else None

    def stop(self, at_once: bool = False) -> None:
        """Stops the process, keeping the last whole page; removes an unfinished one unless stopped `at_once`."""
        if not at_once:
            self._process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(END_S)
        linux.kill_group(self._process.pid)
        self._process.wait()
        self._process.stdin.close()  # type: ignore[union-attr] # it has one
        self._errors.close()


def begin(module: str, name: str, arguments: tuple[Any, ...]) -> None:
    """Calls a function as the process of a `ReportProcess`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        getattr(import_module(module), name)(*arguments)
    except TourneyError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        os.killpg(0, signal.SIGKILL)


def _end_with_parent() -> None:
    """Waits until the other end of the standard input is closed, then interrupts this process, and kills its group."""
    os.read(0, 1)
    signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
    time.sleep(END_S)
    os.killpg(0, signal.SIGKILL)
