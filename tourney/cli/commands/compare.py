"""`tourney compare`: measures how far a bot is ahead of another on the same deals, and where."""

from typing import Any

import click
from click.core import ParameterSource

from tourney.base.errors import ConfigError
from tourney.base.sheet import TableFormat
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.standings_report import say_what_does_not_repeat, warn_of_times
from tourney.cli.screen import echo_sheet
from tourney.journal.alike import SHOWN, alike_sheet, run_likenesses
from tourney.journal.run import RunFolder
from tourney.review.comparison import compare_run
from tourney.runner.challenge import challenge
from tourney.runner.run import RunPlan, start_of


@click.command("compare", cls=FinishingCommand)
@click.argument("new", shell_complete=opt.complete_bot)
@click.argument("old", required=False, shell_complete=opt.complete_bot)
@opt.duel("compare")
@click.option(
    "--deals", type=click.IntRange(1, 10**9),
    help="Number of deals per game; with --resume, you can raise it.  [default: 200]",
)  # fmt: skip
@click.option(
    "--run", metavar="RUN", shell_complete=opt.complete_run,
    help="Compare two bots of this run; in a league, --deals plays a match-up.",
)  # fmt: skip
@click.option("--alike", is_flag=True, help="How often each two bots of the run NEW make the same decision.")
@opt.FORMAT
def command(
    new: str, old: str | None, deals: int | None, run: str | None, form: TableFormat, quiet: bool,
    processes: str | None, resume: bool, overwrite: bool, alike: bool, **keys: Any,
) -> None:  # fmt: skip
    """Measure how far NEW is ahead of OLD on the same deals, and where.

    Both bots play the same deals in the same seats: they share a table, half the seats each, and then swap. With
    --field, each plays every seat against the same opponents instead.

    --run RUN plays nothing: it compares two bots of RUN (a run folder, or its name under results/) on the deals that
    both played against the same opponents. If RUN is a league, a bot without a version is all its versions; add
    --deals to play a match-up of the latest on fresh deals, in a separate run that leaves the league's ratings alone.

    \b
    part    a seat, or the phase of the first decision on which the two differ
    lead %  NEW's share of opponents beaten minus OLD's, with the Elo difference
            and its 95 % interval
    p       two-sided p-value of the paired t test
    q       p adjusted for the number of rows (Benjamini-Hochberg): among rows
            with q <= 0.05, at most 5 % are expected to be false

    With --alike, name a run in place of the bots: it shows how often each two of its bots decided alike where both saw
    the same and had a choice. Copies do so always, and versions of a bot often. It looks at up to 5,000 matches.

    The output ends with the deals on which the two differ most and the commands to replay them. For a pass/fail
    verdict, use `tourney gate`.
    """  # noqa: D301 - the \b keeps Click from joining the lines
    if alike:
        _check_alike(old)
        shown = {} if form in ("csv", "json") else {"intervals": SHOWN}
        echo_sheet(alike_sheet(run_likenesses(RunFolder.find(new), **shown)), form)
        return
    if old is None:
        raise click.MissingParameter(param_type="argument", param_hint="'OLD'")
    playing = ("games", "options", "config", "field", "host")
    given = {name: keys[name] or None for name in playing} | {"seed": keys["seed"] != "compare"}
    if deals is None:
        given |= {"out": keys["out"], "resume": resume, "overwrite": overwrite}
    for name, value in given.items():
        opt.exclusive(**{"run": run, name.removesuffix("s"): value})
    if run is not None and deals is None:
        opened = opt.find_run(run, (new, old))
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
        warn_of_times(plan.counts.times)
        say_what_does_not_repeat(plan.tournament)
        opened, (new, old, *_) = RunFolder(plan.path), plan.tournament.names
    echo_sheet(compare_run(opened, new, old).sheet, form)


def _check_alike(old: str | None) -> None:
    context = click.get_current_context()
    given = [
        each.opts[0]
        for each in context.command.params
        if context.get_parameter_source(each.name or "") == ParameterSource.COMMANDLINE
    ]
    others = [
        name for name in given if name not in ("new", "--alike", "--format") and (name != "old" or old is not None)
    ]
    if others:
        raise ConfigError(f"--alike takes one run, and no {others[0]}")
