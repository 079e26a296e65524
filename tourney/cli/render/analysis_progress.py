"""The progress of an analysis, on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tourney.cli.screen import echo, progress_display
from tourney.wording import counted


@contextmanager
def analysis_progress(matches: int) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to call with the decisions just dealt with, and the matches finished so far."""
    decisions = finished = 0

    def rate() -> str:
        return f"{decisions / max(display.seconds, 1e-3):.1f} a second"

    with progress_display() as display:

        def show(more: int, now_finished: int) -> None:
            nonlocal decisions, finished
            decisions, finished = decisions + more, now_finished
            if display.is_due:
                rows = [("matches", f"{finished} of {matches}"), ("decisions", f"{decisions}, {rate()}")]
                display.show(finished, matches, rows, f"{finished}/{matches} matches | {decisions} decisions, {rate()}")

        yield show
    what = f"{decisions} decisions of {counted(finished, 'match', 'matches')}"
    echo(f"analysed {what} in {display.seconds:.1f} s, {rate()}", err=True)
