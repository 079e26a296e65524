"""A page of a run beside its play: a process of its own renews it, and writes it for the last time when play ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tourney.base.errors import RunError


class PageWriter:
    """A process of its own in which a command of `tourney` writes a page: again and again, until it is to finish.

    It ends with this process, however that ends: its standard input is closed then. Ctrl-C in the terminal is for this
    process alone.
    """

    def __init__(self, command: Sequence[str], where: Path | None = None) -> None:
        code = f"import sys; sys.path[:] = {sys.path}; from tourney.__main__ import main; main()"
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        self._process = subprocess.Popen([sys.executable, "-c", code, *command], **pipes, process_group=0, cwd=where)  # noqa: S603

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def finish(self) -> None:
        """Has it write the last page, and end."""
        if self._process.stdin is not None:
            self._process.stdin.close()
            self._process.stdin = None  # or `communicate` flushes it

    def failure(self) -> str | None:
        """Waits for its end; returns why the last page was not written, or None if it was."""
        _, said = self._process.communicate()
        lines = said.decode(errors="backslashreplace").strip().splitlines()
        return (lines[-1] if lines else "its process was killed") if self._process.returncode else None

    def stop(self, at_once: bool = False) -> None:
        """Ends it; the page of before stays, and nothing beside it unless it is to end `at_once`."""
        self._process.send_signal(signal.SIGKILL if at_once else signal.SIGINT)
        self._process.communicate()


@contextmanager
def live_page(command: Sequence[str], target: Path | None) -> Iterator[None]:
    """Context in which a command of `tourney` renews the page `target`, if one is wanted.

    At its end the last page is waited for; an exception, such as for Ctrl-C, leaves the page of before.

    Raises:
        RunError: The last page could not be written.
    """
    if target is None:
        yield
        return
    writer = PageWriter(command)
    try:
        yield
    except BaseException:
        writer.stop()
        raise
    if why := writer.failure():
        raise RunError(f"{target}: the page was not written ({why})")
