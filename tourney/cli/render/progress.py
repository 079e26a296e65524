"""What is shown while a run or a gate goes on: a live view on a terminal, plain lines elsewhere; always on stderr."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from tourney.cli import screen
from tourney.cli.render.text import wrapped
from tourney.config import Tournament
from tourney.runner.forecast import Forecast
from tourney.runner.loop import LoopProgress
from tourney.runner.ordered_pool import Machines
from tourney.runner.run import Progress
from tourney.schedule.base import schedule

if TYPE_CHECKING:
    from tourney.stats.paired_comparison import Comparison

P = TypeVar("P")

LIVE_AFTER_S = 2.0
"""What is over sooner shows no live view."""
LIVE_S = 0.2
"""How many seconds there are between two views."""
PLAIN_S = 10.0
"""How many seconds there are between two plain lines."""
LEADERS = 3
LISTED = 5
"""How many bots that are kept are named."""
NAMED = 8
"""How many of the bots that made faults are named."""


@contextmanager
def run_reporter(tournament: Tournament, workers: int, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Gives a function to call with the progress of a run, as often as one likes."""
    plan = schedule(tournament)
    headline = (
        f"{tournament.name}: {plan.describe()}, {len(tournament.entrants)} bots, {_games(tournament)}, "
        f"{plan.describe_size()}, {_workers(workers)}"
    )
    headlines = [headline, *_kept(tournament)]
    with _shown(headlines, _run_view, _run_line, _run_summary, quiet) as show:
        yield show


@contextmanager
def gate_reporter(
    comparison: "Comparison", tournament: Tournament, workers: int, quiet: bool
) -> Iterator[Callable[[LoopProgress], None]]:
    """Gives a function to call with the progress of a gate, as often as one likes."""
    from tourney.cli.render import gate_report  # only here: a run needs nothing of it

    new, old, *field = tournament.names
    company = f" among {', '.join(field)}" if field else ""
    most = f"at most {tournament.deals} deals"
    headline = f"{new} against {old}{company}: {_games(tournament)}, {most}, {_workers(workers)}"

    def line(progress: LoopProgress, _seconds: float) -> str:
        """Returns deals, the estimate with its interval, the log-likelihood ratio between its bounds, faults of NEW."""
        return (
            f"{comparison.deals}/{tournament.deals} deals"
            f" | {gate_report.strength(comparison.estimate)} | {gate_report.ratio(comparison)}"
            f" | faults {len(comparison.faults_of(comparison.new))}{_machines_text(progress.machines)}"
        )

    def view(progress: LoopProgress, seconds: float) -> screen.LiveView:
        """Returns deals, rate, time left, faults and verdict; the bar is full when a bound or the cap is reached."""
        test, done = comparison.test, comparison.deals / tournament.deals
        decided = comparison.llr / (test.high if comparison.llr > 0 else test.low)
        rows = [
            ("deals", f"{comparison.deals} of at most {tournament.deals}"),
            ("matches", f"{comparison.matches}{_rate(progress.played, seconds)}"),
            ("left", _left(progress.forecast, "at most ", seconds)),
            ("faults", _faults([Counter([charged.bot for charged in comparison.faults])])),
            ("strength", gate_report.strength(comparison.estimate)),
            ("verdict", gate_report.ratio(comparison)),
            *_machines_rows(progress.machines),
        ]
        return screen.LiveView(max(decided, done), rows)

    def summary(last: LoopProgress | None, seconds: float) -> Iterator[str]:
        played = last.played if last is not None else 0
        yield f"played {played} matches in {seconds:.1f} s{_known(comparison.matches - played)}"

    with _shown([headline, *_kept(tournament)], view, line, summary, quiet) as show:
        yield show


@contextmanager
def _shown(
    headlines: list[str],
    view: Callable[[P, float], screen.LiveView],
    line: Callable[[P, float], str],
    summary: Callable[[P | None, float], Iterator[str]],
    quiet: bool,
) -> Iterator[Callable[[P], None]]:
    """Shows headlines, views of or lines about the progress, and a summary; all are made with the seconds so far."""
    if quiet:
        yield lambda _progress: None
        return
    for text in headlines:
        screen.echo(*wrapped(text, "  ", screen.width()), err=True)
    start = time.monotonic()
    due = LIVE_AFTER_S if (is_live := screen.can_show_live()) else PLAIN_S
    last: P | None = None
    with screen.live() as show_live:

        def show(progress: P) -> None:
            nonlocal last, due
            last, seconds = progress, time.monotonic() - start
            if seconds < due:
                return
            if is_live:
                show_live(view(progress, seconds))
            else:
                screen.echo(line(progress, seconds), err=True)
            due = seconds + (LIVE_S if is_live else PLAIN_S)

        yield show
    for text in summary(last, time.monotonic() - start):
        screen.echo(*wrapped(text, "  ", screen.width()), err=True)


def _games(tournament: Tournament) -> str:
    return ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])


def _kept(tournament: Tournament) -> Iterator[str]:
    """Yields a line that names the bots whose processes are kept, if there are any, and says what that costs."""
    names = [entrant.name for entrant in tournament.entrants if entrant.keep]
    if names:
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        yield f"kept for several matches, which they can remember: {', '.join(names[:LISTED])}{more}"


def _machines_rows(machines: Machines | None) -> Iterator[tuple[str, str]]:
    """Yields the rows about the machines and workers of a cluster, if one plays."""
    if machines is not None:
        yield "machines", f"{machines.alive} alive, {machines.busy} busy, {machines.lost} lost"
        yield "workers", f"{machines.workers} alive, {machines.busy_workers} busy, {machines.lost_workers} lost"


def _machines_text(machines: Machines | None) -> str:
    """Returns the end of a line of progress about the machines of a cluster; empty if none plays."""
    if machines is None:
        return ""
    workers = f"workers {machines.workers} alive, {machines.lost_workers} lost"
    return f" | machines {machines.alive} alive, {machines.busy} busy, {machines.lost} lost | {workers}"


def _workers(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}"


def _known(matches: int) -> str:
    return f" ({matches} were there already)" if matches else ""


def _run_view(progress: Progress, seconds: float) -> screen.LiveView:
    """Returns matches done of the total, rate, time left, faults, leaders, who is out, and what is undecided."""
    most, undecided = progress.schedule.most_matches, progress.schedule.describe_undecided()
    bound = "at most " if progress.schedule.may_end_early else ""
    rows = [
        ("matches", f"{progress.matches} of {bound}{most}{_rate(progress.played, seconds)}"),
        ("left", _left(progress.forecast, bound, seconds)),
        ("faults", _faults(progress.counts.faults)),
        ("leaders", _leaders(progress)),
        *_machines_rows(progress.machines),
        *[("out", f"{name}, {why}") for name, why in progress.out.items()],
    ]
    if undecided is not None:
        rows.append(("undecided", undecided.removesuffix(" undecided")))
    return screen.LiveView(progress.matches / most, rows)


def _run_line(progress: Progress, seconds: float) -> str:
    """Returns the progress of a run as a line; no time left where it is undecided who plays on."""
    done, undecided = progress.schedule.describe_size(), progress.schedule.describe_undecided()
    told = f"{progress.matches} of {done}{_rate(progress.played, seconds)}"
    if undecided is None:
        done = f"{progress.matches}/{progress.schedule.most_matches} matches{_rate(progress.played, seconds)}"
        left = progress.forecast.time_left(time.monotonic())
        told = f"{done}, {'the first are being played' if left is None else f'{_span(left.seconds)} left'}"
    else:
        told = f"{told} | {undecided}"
    out = f" | out: {', '.join(progress.out)}" if progress.out else ""
    faults = _faults(progress.counts.faults)
    return f"{told} | {_leaders(progress)} | faults {faults}{out}{_machines_text(progress.machines)}"


def _rate(played: int, seconds: float) -> str:
    """Returns how many matches are played in a second, or in a minute, to be added to a number of matches."""
    rate = played / max(seconds, 1e-9)
    if not played:
        return ""
    return f", {rate:.0f}/s" if rate >= 10 else f", {rate:.1f}/s" if rate >= 1 else f", {60 * rate:.1f}/min"


def _left(forecast: Forecast, bound: str, seconds: float) -> str:
    """Returns how long the rest takes; `bound` is what stands before the time."""
    left = forecast.time_left(time.monotonic())
    if left is None:
        return f"known when the first matches are over, which have been played for {_span(seconds)}"
    if not left.untimed:
        return f"{bound}{_span(left.seconds)}"
    who = "bot that has not played yet is" if left.untimed == 1 else f"{left.untimed} bots that have not played yet are"
    return f"{bound}{_span(left.seconds)}, if the {who} as quick as the others"


def _leaders(progress: Progress) -> str:
    shares = sorted(progress.counts.shares().items(), key=lambda share: -share[1])
    return ", ".join([f"{name} {100 * share:.1f} %" for name, share in shares[:LEADERS]]) or "nothing played yet"


def _faults(games: Iterable[Mapping[str, int]]) -> str:
    """Returns how many faults there were, and who made most of them, given those of each bot in each game."""
    by_bot: Counter[str] = Counter()
    for faults in games:
        by_bot.update(faults)
    made = [f"{name} {count}" for name, count in by_bot.most_common() if count]
    if not made:
        return "0"
    more = f", {len(made) - NAMED} more bots" if len(made) > NAMED else ""
    return f"{sum(by_bot.values())} ({', '.join(made[:NAMED])}{more})"


def _run_summary(last: Progress | None, seconds: float) -> Iterator[str]:
    """Yields a line for each entrant that was put out, and one for what was played in which time."""
    if last is None:
        yield "nothing was played"
        return
    for name, why in last.out.items():
        yield f"{name} is out of the tournament {why}; the house plays for it"
    rate = _rate(last.played, seconds)
    yield f"played {last.played} matches in {seconds:.1f} s{rate}{_known(last.matches - last.played)}"
    undecided = last.schedule.describe_undecided()
    if undecided is not None:
        yield f"{last.matches} of {last.schedule.describe_size()}: {undecided}"


def _span(seconds: float) -> str:
    """Returns a time as h:mm:ss."""
    whole = round(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
