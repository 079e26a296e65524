"""How far a verification is: a live view on a terminal, and nothing elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tourney.cli.render.progress import LIVE_AFTER_S, LIVE_S
from tourney.cli.screen import LiveView, can_show_live, live
from tourney.journal.folder import JOURNAL


@contextmanager
def verify_progress(run: Path) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to call with how many records were verified, and how many bytes of the journal that is."""
    due = time.monotonic() + LIVE_AFTER_S if can_show_live() else float("inf")
    with live() as show_live:

        def show(records: int, read: int) -> None:
            nonlocal due
            if time.monotonic() >= due:
                due = time.monotonic() + LIVE_S
                show_live(LiveView(read / max((run / JOURNAL).stat().st_size, 1), [("records", str(records))]))

        yield show
