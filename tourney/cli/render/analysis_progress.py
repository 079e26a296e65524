"""How far an analysis is: a live view on a terminal, plain lines elsewhere, and a line at the end; on stderr."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tourney.cli.render.progress import LIVE_AFTER_S, LIVE_S, PLAIN_S
from tourney.cli.screen import LiveView, can_show_live, echo, live
from tourney.wording import counted


@contextmanager
def analysis_progress(matches: int) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to call with the decisions just dealt with, and the matches finished so far.

    Args:
        matches: How many matches there are to analyse.
    """
    start = time.monotonic()
    is_live = can_show_live()
    due = LIVE_AFTER_S if is_live else PLAIN_S
    decisions = finished = 0
    with live() as show_live:

        def show(more: int, now_finished: int) -> None:
            nonlocal decisions, finished, due
            decisions, finished = decisions + more, now_finished
            seconds = time.monotonic() - start
            if seconds < due:
                return
            due = seconds + (LIVE_S if is_live else PLAIN_S)
            rate = f"{decisions / seconds:.1f} a second"
            if is_live:
                rows = [("matches", f"{finished} of {matches}"), ("decisions", f"{decisions}, {rate}")]
                show_live(LiveView(finished / matches, rows))
            else:
                echo(f"{finished}/{matches} matches | {decisions} decisions, {rate}", err=True)

        yield show
    seconds = max(time.monotonic() - start, 1e-3)
    rate = f"{decisions / seconds:.1f} a second"
    what = f"{decisions} decisions of {counted(finished, 'match', 'matches')}"
    echo(f"analysed {what} in {seconds:.1f} s, {rate}", err=True)
