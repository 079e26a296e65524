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
LIVE_S = 0.2
PLAIN_S = 10.0
NAMED = 8


class View(NamedTuple):
    """A state of progress."""

    done: float
    total: float
    rows: Sequence[tuple[str, str]]
    before: float = 0  # the part done before this command


class ProgressDisplay:
    """Progress on stderr: a bar with rows below it on a terminal, elsewhere optional plain lines."""

    def __init__(self, plain: bool) -> None:
        self._plain = plain
        self._is_live = sys.stderr.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
        self._shown: tuple[Live, Bar] | None = None
        self.restart()

    def restart(self) -> None:
        """Restarts the time and speed measurement."""
        self.hide()
        self._begun, self._shown = time.monotonic(), None
        self._due_s = LIVE_AFTER_S if self._is_live else PLAIN_S

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self._begun

    @property
    def is_due(self) -> bool:
        """Whether to show the progress again."""
        return (self._is_live or self._plain) and self.seconds >= self._due_s

    def show(self, view: View) -> None:
        """Shows the progress."""
        self._due_s = self.seconds + (LIVE_S if self._is_live else PLAIN_S)
        if self._is_live:
            self._show_live(view)
        else:
            screen.say(self._line(view))

    def _line(self, view: View) -> str:
        parts = [f"{name} {text}" for name, text in view.rows]
        if view.done > view.before:
            left_s = (view.total - view.done) * self.seconds / (view.done - view.before)
            parts.append(f"{timedelta(seconds=ceil(left_s))} left")
        return " | ".join(parts)

    def _show_live(self, view: View) -> None:
        from rich.console import Console, Group  # slow to import
        from rich.live import Live
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.table import Table
        from rich.text import Text

        if self._shown is None:
            console = Console(stderr=True)
            columns = BarColumn(bar_width=None), TaskProgressColumn(), TimeRemainingColumn(), TextColumn("left")
            bar = Progress(*columns, console=console, expand=True, speed_estimate_period=300)
            bar.add_task("", total=None)
            self._shown = Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False), bar
        live, bar = self._shown
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
        """Removes the live view until the next `show`."""
        if self._shown is not None:
            self._shown[0].stop()


@contextmanager
def progress_display(plain: bool = True) -> Iterator[ProgressDisplay]:
    """Context with a progress display, which is removed at the end."""
    display = ProgressDisplay(plain)
    with interrupt.undone(display.hide):
        try:
            yield display
        finally:
            display.hide()


def watch_run(steps: "Iterator[Progress]", plan: "RunPlan", workers: "Workers") -> None:
    """Shows a run's progress."""

    def headlines() -> Iterator[str]:
        tournament, games = plan.tournament, schedule(plan.tournament)
        if (earlier := plan.earlier) is not None:
            taken, most = earlier.matches, games.most_matches
            yield f"reusing {taken} matches of {earlier.run}, playing {most - taken}"
        yield f"{headline(tournament, games)}, {at_once(tournament, workers.count)}"
        yield from _kept(tournament)
        yield from _in_worker(tournament)

    _watch(steps, plan, headlines(), _run_view, _run_summary)


def at_once(tournament: "Tournament", matches: int) -> str:
    """The number of workers, or of simultaneous matches with `parallel`."""
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
        ("leaders", ", ".join([f"{name} {100 * share:.1f} %" for name, share in leaders]) or "no matches yet"),
        *_cost(progress, bound),
        *_cluster(progress.machines),
        *[("out", f"{name}, {why}") for name, why in progress.out.items()],
    ]
    if undecided is not None:
        rows.append(("undecided", undecided.removesuffix(" undecided")))
    return View(progress.matches, most, rows, progress.matches - progress.played)


def _run_summary(last: "Progress", seconds: float) -> Iterator[str]:
    for name, why in last.out.items():
        yield f"{name} disqualified ({why}); random moves from here on"
    rate = _rate(last.played, seconds)
    yield f"played {last.played} matches in {seconds:.1f} s{rate}{_already(last.matches - last.played)}"
    if last.cost:
        yield f"cost so far: {dollars(last.cost)}, from the bots' notes"
    undecided = last.schedule.describe_undecided()
    if undecided is not None:
        yield f"{last.matches} of {last.schedule.describe_size()}: {undecided}"


def watch_gate(steps: "Iterator[Progress]", plan: "GatePlan", workers: "Workers") -> None:
    """Shows a gate's progress."""
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

    _watch(steps, plan, [about, *_kept(tournament)], view, summary)


def _watch(
    steps: "Iterator[Progress]", plan: "RunPlan", headlines: Iterable[str],
    view: "Callable[[Progress, float], View]", summary: "Callable[[Progress, float], Iterator[str]]",
) -> None:  # fmt: skip
    last: Progress | None = None
    finished_s = 0.0  # when a match was finished
    with progress_display() as display:
        for now in steps:
            if last is None:
                screen.echo_wrapped(*headlines, err=True)
            if last is None or (last.reading and not now.reading):
                display.restart()  # reading is not playing
                finished_s = 0.0
            elif now.matches > last.matches:
                finished_s = display.seconds
            last = now
            if not display.is_due:
                continue
            if now.reading:
                seen = View(0, 1, [("reading the journal", counted(now.matches, "match", "matches"))])
            else:
                seen = view(now, display.seconds)
            late = display.seconds - finished_s >= PLAIN_S
            display.show(seen._replace(rows=[*seen.rows, *_waiting(now, plan.tournament)]) if late else seen)
    if last is not None:
        screen.echo_wrapped(*summary(last, display.seconds), err=True)


def _waiting(progress: "Progress", tournament: "Tournament") -> Iterator[tuple[str, str]]:
    if (wait := progress.wait) is None:
        return
    ends = ""
    for limits in [entrant.limits for entrant in tournament.entrants if entrant.name == wait.bot]:
        own = [f"{key} = {value}" for key in ("move_ms", "clock", "cpu_ms", "cpu") if (value := getattr(limits, key))]
        ends = f" ({', '.join(own) or f'match_s = {limits.match_s:g}; set move_ms'})"
    what = f"decision {wait.decision}" if wait.decision else "its start"
    yield "waiting", f"{time.monotonic() - wait.since:.0f} s for {wait.bot} in {wait.match}, {what}{ends}"


def _games(tournament: "Tournament") -> str:
    return ", ".join([f"{setup.game} ({setup.seats} seats)" for setup in tournament.setups])


def _kept(tournament: "Tournament") -> Iterator[str]:
    names = [entrant.name for entrant in tournament.entrants if entrant.keep]
    if names:
        yield f"processes reused for several matches, which they can remember: {_listed(names)}"


def _in_worker(tournament: "Tournament") -> Iterator[str]:
    locked_in = [entrant.name for entrant in tournament.entrants if entrant.is_locked_in or entrant.command]
    names = [entrant.name for entrant in tournament.entrants if entrant.in_worker]
    if locked_in and names:
        yield (
            f"in the worker's process, where a bot can read and change every match: {_listed(names)}; isolated: "
            f'{_listed(locked_in)} (host = "sandbox" in [defaults] isolates all)'
        )


def _listed(names: Sequence[str]) -> str:
    more = f", {len(names) - NAMED} more bots" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _cluster(machines: "Machines | None") -> Iterator[tuple[str, str]]:
    if machines is not None:
        yield "cluster", f"{machines.machines} machines, {machines.workers} workers, {machines.lost} lost"


def _cost(progress: "Progress", bound: str) -> Iterator[tuple[str, str]]:
    plan, matches = progress.schedule, progress.matches
    if progress.cost and matches:
        whole = f", {bound}about {dollars(progress.cost * plan.most_matches / matches)} for the whole run"
        yield "cost", f"{dollars(progress.cost)}{'' if plan.goes_on else whole}"


def _already(matches: int) -> str:
    return f" ({matches} already played)" if matches else ""


def _rate(played: int, seconds: float) -> str:
    rate = played / max(seconds, 1e-9)
    if not played:
        return ""
    return f", {rate:.0f}/s" if rate >= 10 else f", {rate:.1f}/s" if rate >= 1 else f", {60 * rate:.1f}/min"


def _faults(games: Iterable[Mapping[str, int]]) -> str:
    by_bot: Counter[str] = Counter()
    for faults in games:
        by_bot.update(faults)
    made = [f"{name} {count}" for name, count in by_bot.most_common() if count]
    return f"{sum(by_bot.values())} ({_listed(made)})" if made else "0"
