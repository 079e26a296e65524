"""A run's page, kept up to date by a process during play."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tourney.base.errors import TourneyError

BESIDE_S, PAUSES, NICE = 60.0, 10, 10
"""Minimum seconds between two pages during play, also as a multiple of a page's processor time; and the page process's
niceness. The latter two leave it a tenth of a processor that players want.
"""


def keep_fresh(write: Callable[[float], object], pause_s: float) -> None:
    """Rewrites a page until this process's standard input is closed.

    `write` receives the number of seconds until the next update; if it fails, it may succeed the next time.
    """
    os.nice(NICE)
    is_closed = False
    while not is_closed:
        started, worked = time.monotonic(), time.process_time()
        with suppress(TourneyError):
            write(pause_s)
        due = started + max(pause_s, PAUSES * (time.process_time() - worked))
        is_closed = bool(select.select([sys.stdin], [], [], max(0, due - time.monotonic()))[0])


class ReportProcess:
    """A process in which a module's function writes a page; its arguments are texts, numbers and tuples of them.

    It ends with this process, however that ends, because its standard input is then closed. Ctrl-C in the terminal
    reaches this process alone.
    """

    def __init__(self, write: Callable[..., object], *arguments: object, where: Path | None = None) -> None:
        code = f"""import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path[:] = {sys.path}
from {write.__module__} import {write.__name__} as write
from tourney.base.errors import TourneyError
try:
    write(*{arguments})
except TourneyError as error:
    sys.exit(str(error))"""
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self._process = subprocess.Popen([sys.executable, "-c", code], **pipes, process_group=0, cwd=where)  # noqa: S603

    @property
    def is_running(self) -> bool:
        """Whether the process is still running."""
        return self._process.poll() is None

    def failure(self) -> str | None:
        """Waits for the process; returns why the page was not written, or None."""
        _, stderr = self._process.communicate()
        lines = stderr.decode(errors="backslashreplace").strip().splitlines()
        return (lines[-1] if lines else "process killed") if self._process.returncode else None

    def stop(self, at_once: bool = False) -> None:
        """Stops the process, keeping the last whole page; removes an unfinished one unless stopped `at_once`."""
        self._process.send_signal(signal.SIGKILL if at_once else signal.SIGINT)
        self._process.communicate()
