"""How far a verification is: a bar at the foot of the terminal of stderr, and nothing elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tourney.cli import interrupt
from tourney.cli.screen import echo, record_bar
from tourney.journal.folder import JOURNAL

SHOW_AFTER_S = 0.5
"""After how many seconds the bar appears, so that a short verification shows none."""
EVERY_S = 0.1
"""How many seconds are at least between two changes of the bar."""


class VerifyProgress:
    """The bar."""

    def __init__(self, run: Path) -> None:
        """Shows nothing yet."""
        self._journal = run / JOURNAL
        self._bar: Any = None  # a Progress of rich's, which takes a while to import
        self._shown = False
        self._change_at = time.monotonic() + SHOW_AFTER_S if sys.stderr.isatty() else float("inf")

    def show(self, records: int, read: int) -> None:
        """Shows how many records were verified, and how many bytes of the journal that is; seldom enough."""
        now = time.monotonic()
        if now < self._change_at:
            return
        self._change_at = now + EVERY_S
        if self._bar is None:
            self._bar = record_bar()
            self._bar.add_task("", total=self._journal.stat().st_size, records=0)
        self._bar.update(self._bar.task_ids[0], completed=read, records=records)
        if self._shown:
            self._bar.refresh()
        else:
            self._bar.start()
            self._shown = True

    def echo(self, line: str) -> None:
        """Prints a line on stdout, which may be the same terminal."""
        self.hide()
        echo(line)

    def hide(self) -> None:
        """Takes the bar away, until it is shown again."""
        if self._bar is not None and self._shown:
            self._bar.stop()
            self._shown = False


@contextmanager
def verify_progress(run: Path) -> Iterator[VerifyProgress]:
    """Gives the bar of the verification of a run, which is taken away in the end."""
    progress = VerifyProgress(run)
    with interrupt.undone(progress.hide):
        try:
            yield progress
        finally:
            progress.hide()
