"""What a run shows while it goes on: a live line on a terminal, plain lines elsewhere; always on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import click

from tourney.config import Tournament
from tourney.runner.run import Progress
from tourney.schedule.registry import schedule

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)

LIVE_S = 0.2
PLAIN_S = 10.0
LEADERS = 3


@contextmanager
def reporter(tournament: Tournament, workers: int, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Gives what is to be called with the progress, as often as one likes."""
    if quiet:
        yield lambda _progress: None
        return
    click.echo(headline(tournament, workers), err=True)
    clock = _Clock()
    if sys.stderr.isatty():
        yield from live(clock)
    else:
        yield from plain(clock)
    for line in clock.summary():
        click.echo(line, err=True)


def headline(tournament: Tournament, workers: int) -> str:
    """What is about to be played, in one line."""
    plan = schedule(tournament)
    games = ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])
    return (
        f"{tournament.name}: {plan.describe()}, {len(tournament.entrants)} bots, {games}, "
        f"{plan.size().matches} matches, {workers} worker{'s' if workers > 1 else ''}"
    )


class Clock(Protocol[P_contra]):
    """Keeps time, and tells in a line how far something is."""

    def due(self, progress: P_contra, every_s: float) -> bool:
        """Whether it is time to show something again."""

    def line(self, progress: P_contra) -> str:
        """What to show."""


def live(clock: Clock[P]) -> Iterator[Callable[[P], None]]:
    """Shows the progress in a line of the terminal that is written anew."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console(stderr=True)
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(progress: P) -> None:
            if clock.due(progress, LIVE_S):
                live.update(Text(clock.line(progress), overflow="ellipsis", no_wrap=True), refresh=True)

        yield show


def plain(clock: Clock[P]) -> Iterator[Callable[[P], None]]:
    """Shows the progress in a new line now and then."""

    def show(progress: P) -> None:
        if clock.due(progress, PLAIN_S):
            click.echo(clock.line(progress), err=True)

    yield show


class _Clock:
    """Keeps time, and says how far a run is."""

    def __init__(self) -> None:
        self._begun = self._shown = time.monotonic()
        self._last: Progress | None = None

    def due(self, progress: Progress, every_s: float) -> bool:
        """Whether it is time to show something again."""
        self._last = progress
        if time.monotonic() - self._shown < every_s:
            return False
        self._shown = time.monotonic()
        return True

    def line(self, progress: Progress) -> str:
        """Matches done of the total, rate, time left, leaders, faults."""
        rate = progress.played / max(time.monotonic() - self._begun, 1e-9)
        left = _span((progress.total - progress.matches) / rate) if rate else "?"
        shares = sorted(progress.counts.shares().items(), key=lambda share: -share[1])
        faults = sum([sum(its.values()) for its in progress.counts.faults])
        leaders = [f"{name} {100 * share:.1f} %" for name, share in shares[:LEADERS]]
        return (
            f"{progress.matches}/{progress.total} matches, {rate:.0f}/s, {left} left"
            f" | {', '.join(leaders) or 'nothing played yet'} | faults {faults}"
            + (f" | out: {', '.join(progress.out)}" if progress.out else "")
        )

    def summary(self) -> Iterator[str]:
        """Who was put out, and what was played in which time; the last lines."""
        seconds = time.monotonic() - self._begun
        if self._last is None:
            yield "nothing was played"
            return
        for name, why in self._last.out.items():
            yield f"{name} is out of the tournament {why}; the house plays for it"
        played, known = self._last.played, self._last.matches - self._last.played
        before = f" ({known} were there already)" if known else ""
        yield f"played {played} matches in {seconds:.1f} s, {played / max(seconds, 1e-9):.0f}/s{before}"


def _span(seconds: float) -> str:
    """A time as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
