"""What is shown while a run or a gate goes on: a live line on a terminal, plain lines elsewhere; always on stderr."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from tourney.cli import screen
from tourney.cli.render import gate_report
from tourney.config import Tournament, isolations
from tourney.runner.run import Progress
from tourney.schedule.base import schedule
from tourney.stats.paired_comparison import Comparison

P = TypeVar("P")

LIVE_S = 0.2
PLAIN_S = 10.0
LEADERS = 3
LISTED = 5
"""How many bots that are kept are named."""


@contextmanager
def run_reporter(tournament: Tournament, workers: int, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Gives a function to call with the progress of a run, as often as one likes."""
    plan = schedule(tournament)
    headline = (
        f"{tournament.name}: {plan.describe()}, {len(tournament.entrants)} bots, {_games(tournament)}, "
        f"{plan.describe_size()}, {_workers(workers)}"
    )
    with _shown([headline, *_isolation(tournament), *_kept(tournament)], _run_line, _run_summary, quiet) as show:
        yield show


@contextmanager
def gate_reporter(
    comparison: Comparison, tournament: Tournament, workers: int, quiet: bool
) -> Iterator[Callable[[int], None]]:
    """Gives a function to call with the number of matches that a gate has played, as often as one likes."""
    new, old, *field = tournament.names
    company = f" among {', '.join(field)}" if field else ""
    most = f"at most {tournament.deals} deals"
    headline = f"{new} against {old}{company}: {_games(tournament)}, {most}, {_workers(workers)}"

    def line(_played: int, _seconds: float) -> str:
        """Returns deals, the estimate with its interval, the log-likelihood ratio between its bounds, faults of NEW."""
        return (
            f"{comparison.deals}/{tournament.deals} deals"
            f" | {gate_report.strength(comparison.estimate)} | {gate_report.ratio(comparison)}"
            f" | faults {len(comparison.faults_of(comparison.new))}"
        )

    def summary(last: int | None, seconds: float) -> Iterator[str]:
        played = last or 0
        yield f"played {played} matches in {seconds:.1f} s{_known(comparison.matches - played)}"

    with _shown([headline, *_isolation(tournament), *_kept(tournament)], line, summary, quiet) as show:
        yield show


@contextmanager
def _shown(
    headlines: list[str],
    line: Callable[[P, float], str],
    summary: Callable[[P | None, float], Iterator[str]],
    quiet: bool,
) -> Iterator[Callable[[P], None]]:
    """Shows headlines, lines about the progress, and a summary; `line` and `summary` are given the seconds so far."""
    if quiet:
        yield lambda _progress: None
        return
    for text in headlines:
        screen.echo(text, err=True)
    start = shown = time.monotonic()
    last: P | None = None
    with _lines() as (write, every_s):

        def show(progress: P) -> None:
            nonlocal last, shown
            last, now = progress, time.monotonic()
            if now - shown >= every_s:
                shown = now
                write(line(progress, now - start))

        yield show
    for text in summary(last, time.monotonic() - start):
        screen.echo(text, err=True)


@contextmanager
def _lines() -> Iterator[tuple[Callable[[str], None], float]]:
    """Gives what writes a line of progress, and how many seconds shall be between two of them."""
    if not sys.stderr.isatty():
        yield lambda line: screen.echo(line, err=True), PLAIN_S
        return
    with screen.live() as write:
        yield write, LIVE_S


def _games(tournament: Tournament) -> str:
    return ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])


def _isolation(tournament: Tournament) -> Iterator[str]:
    """Yields a line for each host that keeps bots in by one of several means, which says how weak that is."""
    for host, means in isolations(tournament).items():
        weaker = f", which is weaker than others: {means.weakness}" if means.weakness else ""
        yield f"{host}: by {means.backend}{weaker}"


def _kept(tournament: Tournament) -> Iterator[str]:
    """Yields a line that names the bots whose processes are kept, if there are any, and says what that costs."""
    names = [entrant.name for entrant in tournament.entrants if entrant.keep]
    if names:
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        yield f"kept for several matches, which they can remember: {', '.join(names[:LISTED])}{more}"


def _workers(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}"


def _known(matches: int) -> str:
    return f" ({matches} were there already)" if matches else ""


def _run_line(progress: Progress, seconds: float) -> str:
    """Returns matches done of the total, rate, time left or what is undecided, leaders, faults."""
    rate = progress.played / max(seconds, 1e-9)
    undecided = progress.schedule.describe_undecided()
    if undecided is None:
        total = progress.schedule.most_matches
        left = _span((total - progress.matches) / rate) if rate else "?"
        done = f"{progress.matches}/{total} matches, {rate:.0f}/s, {left} left"
    else:
        done = f"{progress.matches} of {progress.schedule.describe_size()}, {rate:.0f}/s | {undecided}"
    shares = sorted(progress.counts.shares().items(), key=lambda share: -share[1])
    faults = sum([sum(its.values()) for its in progress.counts.faults])
    leaders = [f"{name} {100 * share:.1f} %" for name, share in shares[:LEADERS]]
    return f"{done} | {', '.join(leaders) or 'nothing played yet'} | faults {faults}" + (
        f" | out: {', '.join(progress.out)}" if progress.out else ""
    )


def _run_summary(last: Progress | None, seconds: float) -> Iterator[str]:
    """Yields a line for each entrant that was put out, and one for what was played in which time."""
    if last is None:
        yield "nothing was played"
        return
    for name, why in last.out.items():
        yield f"{name} is out of the tournament {why}; the house plays for it"
    rate = last.played / max(seconds, 1e-9)
    yield f"played {last.played} matches in {seconds:.1f} s, {rate:.0f}/s{_known(last.matches - last.played)}"
    undecided = last.schedule.describe_undecided()
    if undecided is not None:
        yield f"{last.matches} of {last.schedule.describe_size()}: {undecided}"


def _span(seconds: float) -> str:
    """Returns a time as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
