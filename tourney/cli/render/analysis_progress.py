"""How far an analysis is: a live view on a terminal, plain lines elsewhere, and a line at the end; on stderr."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tourney.cli.render.progress import shown
from tourney.cli.screen import LiveView
from tourney.wording import counted


@contextmanager
def analysis_progress(matches: int) -> Iterator[Callable[[int, int], None]]:
    """Gives a function to call with the decisions just dealt with, and the matches finished so far, of `matches`."""
    decisions = 0

    def rate(seconds: float) -> str:
        return f"{decisions / max(seconds, 1e-3):.1f} a second"

    def view(finished: int, seconds: float) -> LiveView:
        rows = [("matches", f"{finished} of {matches}"), ("decisions", f"{decisions}, {rate(seconds)}")]
        return LiveView(finished / matches, rows)

    def line(finished: int, seconds: float) -> str:
        return f"{finished}/{matches} matches | {decisions} decisions, {rate(seconds)}"

    def summary(finished: int | None, seconds: float) -> Iterator[str]:
        what = f"{decisions} decisions of {counted(finished or 0, 'match', 'matches')}"
        yield f"analysed {what} in {seconds:.1f} s, {rate(seconds)}"

    with shown([], view, line, summary) as show:

        def report(more: int, finished: int) -> None:
            nonlocal decisions
            decisions += more
            show(finished)

        yield report
