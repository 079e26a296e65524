"""`tourney compare`: says by how much a bot is ahead of another on the same deals, and where."""

from typing import Any

import click

from tourney.base.sheet import TableFormat
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.standings_report import say_what_does_not_repeat, warn_of_overload
from tourney.cli.screen import echo_sheet
from tourney.journal.run import RunFolder
from tourney.review.comparison import compare_run
from tourney.runner.challenge import challenge
from tourney.runner.run import RunPlan, start_of


@click.command("compare", cls=FinishingCommand)
@click.argument("new", shell_complete=opt.complete_bot)
@click.argument("old", shell_complete=opt.complete_bot)
@opt.duel("compare")
@click.option(
    "--deals", type=click.IntRange(1, 10**9),
    help="How many deals of each game; a run that is resumed may have more.  [default: 200]",
)  # fmt: skip
@click.option(
    "--run", metavar="RUN", shell_complete=opt.complete_run,
    help="NEW and OLD are bots of this run; play nothing, or so many --deals beside a league.",
)  # fmt: skip
@opt.FORMAT
def command(
    new: str,
    old: str,
    deals: int | None,
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
    a run's folder or its name under results/, that both have played among the same others; with --deals, too, two bots
    of a league play fresh deals, in a folder beside it, of which its ratings know nothing.

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
    playing = ("games", "options", "config", "field", "host")
    given = {name: keys[name] or None for name in playing} | {"seed": keys["seed"] != "compare"}
    if deals is None:
        given |= {"out": keys["out"], "resume": resume, "overwrite": overwrite}
    for name, value in given.items():
        opt.exclusive(**{"run": run, name.removesuffix("s"): value})
    if run is not None and deals is None:
        opened = RunFolder.find(run)
        for name in (new, old):
            opt.check_name("bot", name, opened.tournament.names)
    else:
        start = start_of(resume, overwrite)
        workers = workers_of(processes)  # before a bot is loaded
        with interrupt.raised():
            if run is None:
                asked = opt.mirror("compare", new=new, old=old, deals=deals or 200, **keys)
                plan = RunPlan(*asked, start, kind="compare")
            else:
                plan = challenge(RunFolder.find(run), new, old, deals or 0, start, keys["out"])
            plan.choose(workers)
        again = play_again(*(["--out", str(plan.path)] if run and not keys["out"] else []), "--resume")
        play(plan, workers, again, quiet)
        warn_of_overload(plan.counts.times)
        say_what_does_not_repeat(plan.tournament)
        opened, (new, old, *_) = RunFolder(plan.path), plan.tournament.names
    echo_sheet(compare_run(opened, new, old).sheet, form)
