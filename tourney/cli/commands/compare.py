"""`tourney compare`: says by how much a bot is ahead of another on the same deals, and where."""

from typing import Any

import click

from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.standings_report import say_what_does_not_repeat, warn_of_overload
from tourney.cli.screen import echo_formatted, width
from tourney.journal.folder import find_run
from tourney.review.compared import compare_run
from tourney.runner.run import RunPlan, start_of
from tourney.standings.tables import TableFormat


@click.command("compare", cls=FinishingCommand)
@click.argument("new", shell_complete=opt.complete_bot)
@click.argument("old", shell_complete=opt.complete_bot)
@opt.duel("compare")
@click.option(
    "--deals", type=click.IntRange(1, 10**9), default=200, show_default=True,
    help="How many deals of each game; a run that is resumed may have more.",
)  # fmt: skip
@click.option(
    "--run", metavar="RUN", shell_complete=opt.complete_run, help="Play nothing: NEW and OLD are bots of this run."
)
@opt.FORMAT
def command(
    new: str,
    old: str,
    run: str | None,
    form: TableFormat,
    quiet: bool,
    processes: str | None,
    resume: bool,
    overwrite: bool,
    **keys: Any,
) -> None:
    """Say by how much NEW is ahead of OLD on the same deals, and where.

    On each deal both bots play the same seats: each takes half of the seats at one table, and then they change places;
    with --field, each plays every seat among the bots of the field. With --run, they are compared on the deals of RUN,
    a run's folder or its name under results/, that both have played among the same others.

    \b
    part    a seat, or the phase in which the two first decide differently on a deal
    lead %  how much more of its opponents NEW came before than OLD, with its Elo
            and their 95 % interval
    p       chance of such a lead, either way, if neither is stronger
    q       p adjusted for the number of rows: of the rows with a q of 0.05 or less
            at most 5 % are false in the mean (Benjamini and Hochberg)

    Every match is written to the run's folder. It ends with the deals on which the two differ most, and the commands
    that show them. This is no verdict: `tourney gate` gives one.
    """  # noqa: D301 - the \b keeps Click from joining the lines
    if run is not None:
        given = {name: keys[name] or None for name in ("games", "options", "config", "field", "out")}
        for name, value in (given | {"resume": resume, "overwrite": overwrite}).items():
            opt.exclusive(**{"run": run, name.removesuffix("s"): value})
        path = find_run(run)
        _, tournament = opt.read_run(path)
        for name in (new, old):
            opt.check_name("bot", name, tournament.names)
    else:
        start = start_of(resume, overwrite)
        workers = workers_of(processes)  # before a bot is loaded
        with interrupt.raised():
            plan = RunPlan(*opt.mirror("compare", new=new, old=old, **keys), start, kind="compare")
            plan.choose(workers)
        play(plan, workers, play_again("--resume"), quiet)
        warn_of_overload(plan.counts.times)
        say_what_does_not_repeat(plan.tournament)
        path, (new, old, *_) = plan.path, plan.tournament.names
    echo_formatted(compare_run(path, new, old).text(form, width()), form)
