"""The progress of a run, a gate or another long command, on stderr."""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from tourney.base.errors import one_line
from tourney.cli import interrupt, screen
from tourney.contracts.wording import counted, dollars
from tourney.schedule.base import schedule

if TYPE_CHECKING:
    from rich.live import Live
    from rich.progress import Progress as Bar

    from tourney.config import Tournament
    from tourney.runner.gate import GatePlan
    from tourney.runner.pool.ordered import Machines
    from tourney.runner.run import Progress, RunPlan
    from tourney.runner.workers import Workers
    from tourney.schedule.base import Schedule

LIVE_AFTER_S = 2.0
"""A command that ends sooner, in seconds, shows no live view."""
LIVE_S = 0.2
"""Seconds between two live views."""
PLAIN_S = 10.0
"""Seconds between two plain lines."""
NAMED = 8
"""How many bots that made faults, or whose processes are reused, are named."""


class View(NamedTuple):
    """How far things are."""

    done: float
    total: float
    rows: Sequence[tuple[str, str]]
    """What is shown below the bar: (name, text)."""
    before: float = 0
    """How much was done before this command."""


class ProgressDisplay:
    """Progress on stderr: a bar with rows below it on a terminal, plain lines elsewhere if they are wanted."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._is_live = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
        self._shown: tuple[Live, Bar] | None = None
        self.restart()

    def restart(self) -> None:
        """Counts time and speed from now on."""
        self.hide()
        self._begun, self._shown = time.monotonic(), None
        self._due_s = LIVE_AFTER_S if self._is_live else PLAIN_S

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self._begun

    def show(self, view: Callable[[], View]) -> None:
        """Shows the progress if it is due."""
        if self.seconds < self._due_s:
            return
        self._due_s = self.seconds + (LIVE_S if self._is_live else PLAIN_S)
        if self._is_live:
            self._show_live(view())
        elif self._plain:
            screen.echo(self._line(view()), err=True)

    def _line(self, view: View) -> str:
        parts = [f"{name} {text}" for name, text in view.rows]
        if view.done > view.before:
            left_s = (view.total - view.done) * self.seconds / (view.done - view.before)
            parts.append(f"{timedelta(seconds=ceil(left_s))} left")
        return " | ".join(parts)

    def _show_live(self, view: View) -> None:
        from rich.console import Group  # takes a while to import
        from rich.table import Table
        from rich.text import Text

        live, bar = self._shown = self._shown or _new_live()
        table = Table.grid(padding=(0, 2))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in view.rows:
            table.add_row(Text(one_line(name)), Text(one_line(text)))
        bar.update(bar.task_ids[0], completed=min(view.done, view.total), total=view.total)
        live.update(Group(bar, table))
        live.start()
        live.refresh()

    def hide(self) -> None:
        """Removes the live view until the progress is shown again."""
        if self._shown is not None:
            self._shown[0].stop()


def _new_live() -> "tuple[Live, Bar]":
    from rich.console import Console
    from rich.live import Live
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    columns = BarColumn(bar_width=None), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left")
    bar = Bar(*columns, console=console, expand=True, speed_estimate_period=300)
    bar.add_task("", total=None)
    return Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False), bar


@contextmanager
def progress_display(plain: bool = True) -> Iterator[ProgressDisplay]:
    """Context manager for a display of progress, which is removed at the end."""
    display = ProgressDisplay(plain)
    with interrupt.undone(display.hide):
        try:
            yield display
        finally:
            display.hide()


def watch_run(steps: "Iterator[Progress]", plan: "RunPlan", workers: "Workers") -> None:
    """Has a run played, and shows its progress."""

    def headlines() -> Iterator[str]:
        tournament, games = plan.tournament, schedule(plan.tournament)
        if (earlier := plan.earlier) is not None:
            taken, most = earlier.matches, games.most_matches
            yield f"{taken} matches are taken over from {earlier.run}, {most - taken} are played"
        yield f"{headline(tournament, games)}, {at_once(tournament, workers.count)}"
        yield from _kept(tournament)
        yield from _in_worker(tournament)

    _watch(steps, headlines(), _run_view, _run_summary)


def at_once(tournament: "Tournament", matches: int) -> str:
    """How many workers play at once, or how many matches where that is not the same."""
    return counted(matches, "worker") if tournament.parallel is None else f"{matches} matches at once"


def headline(tournament: "Tournament", plan: "Schedule") -> str:
    """A tournament in a line: its format, bots, games, and number of matches."""
    bots = f"{len(tournament.entrants)} bots"
    return f"{tournament.name}: {plan.describe()}, {bots}, {_games(tournament)}, {plan.describe_size()}"


def _run_view(progress: "Progress", seconds: float) -> View:
    most, undecided = progress.schedule.most_matches, progress.schedule.describe_undecided()
    bound = "at most " if progress.schedule.may_end_early else ""
    leaders = sorted(progress.counts.shares().items(), key=lambda share: -share[1])[:3]
    rows = [
        ("matches", f"{progress.matches} of {bound}{most}{_rate(progress.played, seconds)}"),
        ("faults", _faults(progress.counts.faults)),
        ("leaders", ", ".join([f"{name} {100 * share:.1f} %" for name, share in leaders]) or "nothing played yet"),
        *_cost(progress, bound),
        *_cluster(progress.machines),
        *[("out", f"{name}, {why}") for name, why in progress.out.items()],
    ]
    if undecided is not None:
        rows.append(("undecided", undecided.removesuffix(" undecided")))
    return View(progress.matches, most, rows, progress.matches - progress.played)


def _run_summary(last: "Progress", seconds: float) -> Iterator[str]:
    for name, why in last.out.items():
        yield f"{name} is out of the tournament {why}; the house plays for it"
    rate = _rate(last.played, seconds)
    yield f"played {last.played} matches in {seconds:.1f} s{rate}{_already(last.matches - last.played)}"
    if last.cost:
        yield f"the run has cost {dollars(last.cost)} by the notes of the bots"
    undecided = last.schedule.describe_undecided()
    if undecided is not None:
        yield f"{last.matches} of {last.schedule.describe_size()}: {undecided}"


def watch_gate(steps: "Iterator[Progress]", plan: "GatePlan", workers: "Workers") -> None:
    """Has a gate played, and shows its progress."""
    from tourney.cli.render import gate_report  # a run does not need it

    comparison, tournament = plan.comparison, plan.tournament
    new, old, *field = tournament.names
    among = f" among {', '.join(field)}" if field else ""
    most = f"at most {tournament.deals} deals"
    about = f"{new} against {old}{among}: {_games(tournament)}, {most}, {at_once(tournament, workers.count)}"

    def view(progress: "Progress", seconds: float) -> View:
        test = comparison.test
        decided = comparison.llr / (test.high if comparison.llr > 0 else test.low)
        rows = [
            ("deals", f"{comparison.deals} of {most.removesuffix(' deals')}"),
            ("matches", f"{comparison.matches}{_rate(progress.played, seconds)}"),
            ("faults", _faults([Counter([charged.bot for charged in comparison.faults])])),
            ("strength", gate_report.strength(comparison.total.estimate)),
            ("verdict", gate_report.ratio(comparison)),
            *_cost(progress, "at most "),
            *_cluster(progress.machines),
        ]
        return View(max(decided, comparison.deals / tournament.deals), 1.0, rows)

    def summary(last: "Progress", seconds: float) -> Iterator[str]:
        yield f"played {last.played} matches in {seconds:.1f} s{_already(comparison.matches - last.played)}"

    _watch(steps, [about, *_kept(tournament)], view, summary)


def _watch(
    steps: "Iterator[Progress]",
    headlines: Iterable[str],
    view: "Callable[[Progress, float], View]",
    summary: "Callable[[Progress, float], Iterator[str]]",
) -> None:
    """Shows headlines, the progress, and a summary; the latter two are made with the seconds so far."""

    def say(lines: Iterable[str]) -> None:
        for text in lines:
            screen.echo(*screen.wrapped(text, "  ", screen.width()), err=True)

    last: Progress | None = None
    with progress_display() as display:
        for now in steps:
            if last is None:
                say(headlines)
            if last is None or (last.reading and not now.reading):
                display.restart()  # what was read was not played
            last = now
            display.show(lambda: _reading(now) if now.reading else view(now, display.seconds))  # noqa: B023 - at once
    if last is not None:
        say(summary(last, display.seconds))


def _reading(progress: "Progress") -> View:
    return View(0, 1, [("reading the journal", counted(progress.matches, "match", "matches"))])


def _games(tournament: "Tournament") -> str:
    return ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])


def _kept(tournament: "Tournament") -> Iterator[str]:
    """A line about the bots whose processes are reused, if there are any."""
    names = [entrant.name for entrant in tournament.entrants if entrant.keep]
    if names:
        yield f"kept for several matches, which they can remember: {_listed(names)}"


def _in_worker(tournament: "Tournament") -> Iterator[str]:
    """A line about the bots that share the worker's process, if others are programs of strangers."""
    locked_in = [entrant.name for entrant in tournament.entrants if entrant.is_locked_in or entrant.command]
    names = [entrant.name for entrant in tournament.entrants if entrant.in_worker]
    if locked_in and names:
        yield (
            f"in the worker's process, where a bot can read and change every match: {_listed(names)}; not there: "
            f'{_listed(locked_in)} (host = "sandbox" in [defaults] locks in all)'
        )


def _listed(names: Sequence[str]) -> str:
    more = f", {len(names) - NAMED} more bots" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _cluster(machines: "Machines | None") -> Iterator[tuple[str, str]]:
    if machines is not None:
        yield "cluster", f"{machines.machines} machines, {machines.workers} workers, {machines.lost} lost"


def _cost(progress: "Progress", bound: str) -> Iterator[tuple[str, str]]:
    """What it has cost, and is going to cost where its size is known, if bots note that."""
    plan, matches = progress.schedule, progress.matches
    if progress.cost and matches:
        whole = f", {bound}about {dollars(progress.cost * plan.most_matches / matches)} for the whole run"
        yield "cost", f"{dollars(progress.cost)}{'' if plan.goes_on else whole}"


def _already(matches: int) -> str:
    return f" ({matches} were there already)" if matches else ""


def _rate(played: int, seconds: float) -> str:
    """How many matches are played in a second, or in a minute, to be added to a number of matches."""
    rate = played / max(seconds, 1e-9)
    if not played:
        return ""
    return f", {rate:.0f}/s" if rate >= 10 else f", {rate:.1f}/s" if rate >= 1 else f", {60 * rate:.1f}/min"


def _faults(games: Iterable[Mapping[str, int]]) -> str:
    """How many faults there were and who made most of them, given those of each bot in each game."""
    by_bot: Counter[str] = Counter()
    for faults in games:
        by_bot.update(faults)
    made = [f"{name} {count}" for name, count in by_bot.most_common() if count]
    return f"{sum(by_bot.values())} ({_listed(made)})" if made else "0"
