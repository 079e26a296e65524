"""The progress of a run or a gate, on stderr."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from tourney.cli import screen
from tourney.cli.render.text import wrapped
from tourney.config import Tournament
from tourney.runner.pool.ordered import Machines
from tourney.runner.run import Progress
from tourney.schedule.base import schedule

if TYPE_CHECKING:
    from tourney.standings.gate import Comparison

P = TypeVar("P")

LEADERS = 3
LISTED = 5
"""How many bots that are kept are named."""
NAMED = 8
"""How many of the bots that made faults are named."""


class View(NamedTuple):
    """The progress to show; see `screen.ProgressDisplay.show`."""

    done: float
    total: float
    rows: list[tuple[str, str]]
    line: str


@contextmanager
def run_reporter(tournament: Tournament, workers: int, quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Gives a function to call with the progress of a run, as often as one likes."""
    plan = schedule(tournament)
    headline = (
        f"{tournament.name}: {plan.describe()}, {len(tournament.entrants)} bots, {_games(tournament)}, "
        f"{plan.describe_size()}, {_workers(workers)}"
    )
    headlines = [headline, *_kept(tournament)]
    with _shown(headlines, _run_view, _run_summary, quiet) as show:
        yield show


@contextmanager
def gate_reporter(
    comparison: "Comparison", tournament: Tournament, workers: int, quiet: bool
) -> Iterator[Callable[[Progress], None]]:
    """Gives a function to call with the progress of a gate, as often as one likes."""
    from tourney.cli.render import gate_report  # only here: a run needs nothing of it

    new, old, *field = tournament.names
    company = f" among {', '.join(field)}" if field else ""
    most = f"at most {tournament.deals} deals"
    headline = f"{new} against {old}{company}: {_games(tournament)}, {most}, {_workers(workers)}"

    def view(progress: Progress, seconds: float) -> View:
        """Returns deals, rate, faults and verdict; the bar is full when a bound or the cap is reached."""
        test, done = comparison.test, comparison.deals / tournament.deals
        decided = comparison.llr / (test.high if comparison.llr > 0 else test.low)
        strength, verdict = gate_report.strength(comparison.estimate), gate_report.ratio(comparison)
        rows = [
            ("deals", f"{comparison.deals} of at most {tournament.deals}"),
            ("matches", f"{comparison.matches}{_rate(progress.played, seconds)}"),
            ("faults", _faults([Counter([charged.bot for charged in comparison.faults])])),
            ("strength", strength),
            ("verdict", verdict),
            *[("cluster", text) for text in _machines(progress.machines)],
        ]
        faults = len(comparison.faults_of(comparison.new))
        parts = [f"{comparison.deals}/{tournament.deals} deals", strength, verdict, f"faults {faults}"]
        return View(max(decided, done), 1.0, rows, " | ".join([*parts, *_machines(progress.machines)]))

    def summary(last: Progress | None, seconds: float) -> Iterator[str]:
        played = last.played if last is not None else 0
        yield f"played {played} matches in {seconds:.1f} s{_known(comparison.matches - played)}"

    with _shown([headline, *_kept(tournament)], view, summary, quiet) as show:
        yield show


@contextmanager
def _shown(
    headlines: list[str],
    view: Callable[[P, float], View],
    summary: Callable[[P | None, float], Iterator[str]],
    quiet: bool = False,
) -> Iterator[Callable[[P], None]]:
    """Shows headlines, the progress, and a summary; the latter two are made with the seconds so far."""
    if quiet:
        yield lambda _progress: None
        return
    for text in headlines:
        screen.echo(*wrapped(text, "  ", screen.width()), err=True)
    last: P | None = None
    with screen.progress_display() as display:

        def show(progress: P) -> None:
            nonlocal last
            last = progress
            if display.is_due:
                display.show(*view(progress, display.seconds))

        yield show
    for text in summary(last, display.seconds):
        screen.echo(*wrapped(text, "  ", screen.width()), err=True)


def _games(tournament: Tournament) -> str:
    return ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])


def _kept(tournament: Tournament) -> Iterator[str]:
    """Yields a line that names the bots whose processes are kept, if there are any, and says what that costs."""
    names = [entrant.name for entrant in tournament.entrants if entrant.keep]
    if names:
        more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
        yield f"kept for several matches, which they can remember: {', '.join(names[:LISTED])}{more}"


def _machines(machines: Machines | None) -> Iterator[str]:
    """Yields a text about the machines and workers of a cluster, if one plays."""
    if machines is not None:
        yield f"{machines.machines} machines, {machines.workers} workers, {machines.lost} lost"


def _workers(workers: int) -> str:
    return f"{workers} worker{'s' if workers > 1 else ''}"


def _known(matches: int) -> str:
    return f" ({matches} were there already)" if matches else ""


def _run_view(progress: Progress, seconds: float) -> View:
    """Returns matches done of the total, rate, faults, leaders, who is out, and what is undecided."""
    most, undecided = progress.schedule.most_matches, progress.schedule.describe_undecided()
    bound = "at most " if progress.schedule.may_end_early else ""
    rate, faults, leaders = _rate(progress.played, seconds), _faults(progress.counts.faults), _leaders(progress)
    rows = [
        ("matches", f"{progress.matches} of {bound}{most}{rate}"),
        ("faults", faults),
        ("leaders", leaders),
        *[("cluster", text) for text in _machines(progress.machines)],
        *[("out", f"{name}, {why}") for name, why in progress.out.items()],
    ]
    parts = [f"{progress.matches}/{bound}{most} matches{rate}"]
    if undecided is not None:
        rows.append(("undecided", undecided.removesuffix(" undecided")))
        parts.append(undecided)
    elif progress.played:
        left_s = (most - progress.matches) * seconds / progress.played
        parts[0] += f", {timedelta(seconds=round(left_s))} left"
    parts += [leaders, f"faults {faults}"]
    if progress.out:
        parts.append(f"out: {', '.join(progress.out)}")
    return View(progress.matches, most, rows, " | ".join([*parts, *_machines(progress.machines)]))


def _rate(played: int, seconds: float) -> str:
    """Returns how many matches are played in a second, or in a minute, to be added to a number of matches."""
    rate = played / max(seconds, 1e-9)
    if not played:
        return ""
    return f", {rate:.0f}/s" if rate >= 10 else f", {rate:.1f}/s" if rate >= 1 else f", {60 * rate:.1f}/min"


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
