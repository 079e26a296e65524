"""How commands play matches: workers, progress on stderr, and the closing lines."""

import shlex
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import click

from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.render.progress import watch_run
from tourney.cli.screen import say
from tourney.config import Tournament
from tourney.journal.folder import JOURNAL
from tourney.runner.pool.ordered import OrderedPool
from tourney.runner.pool.worker import Performer
from tourney.runner.run import Progress, RunPlan, lead
from tourney.runner.workers import Frontend, Workers

Planned = TypeVar("Planned", bound=RunPlan)
COMMAND_LINE = Frontend(forks=True, say=say, interruptible=interrupt.interruptible)


def workers_of(workers: str | None) -> Workers:
    """Starts the command's workers; call this before loading any bot."""
    return click.get_current_context().with_resource(Workers(COMMAND_LINE, workers))


def reading_pool(run: Path, tournament: Tournament, processes: str | None, performer: Performer) -> OrderedPool | None:
    """The command's workers for reading a run; None if they are unwanted, or take longer to start."""
    opt.require_number(processes)
    journal = run / JOURNAL
    if processes is None and (not journal.is_file() or journal.stat().st_size <= 1 << 20):
        return None
    if processes == "1":
        return None
    workers = workers_of(processes)
    workers.choose(tournament, performer)
    return click.get_current_context().with_resource(workers.pool(tournament, performer=performer))


def play_again(*more: str) -> str:
    """A message's remedy: continue with this command and `more` options."""
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--resume", "--overwrite")]
    return f"continue with: {shlex.join(['tourney', *arguments, *more])}"


def play(
    plan: Planned, workers: Workers, how_to_resume: str, quiet: bool,
    watch: Callable[[Iterator[Progress], Planned, Workers], None] = watch_run,
) -> None:  # fmt: skip
    """Plays a plan with its workers, and shows progress."""
    if not quiet:
        say_dashboard(workers)
    with closing(lead(plan, workers, how_to_resume)) as steps:
        if quiet:
            deque(steps, 0)
        else:
            watch(steps, plan, workers)


def say_dashboard(workers: Workers) -> None:
    """Prints the address of the cluster's dashboard, if any."""
    if workers.cluster is not None and (link := workers.cluster.connection.dashboard()) is not None:
        say(f"dashboard: {link}")
