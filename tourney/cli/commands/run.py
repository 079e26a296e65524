"""`tourney run`: plays a tournament."""

import shlex
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from math import ceil
from pathlib import Path

import click

from tourney import config as configuration
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.render.progress import at_once, run_reporter
from tourney.cli.render.standings_report import (
    print_faults,
    print_standings,
    say_what_does_not_repeat,
    warn_of_overload,
)
from tourney.cli.screen import echo
from tourney.config import Tournament
from tourney.hosts.timing import duration_text
from tourney.journal import folder, notes
from tourney.journal.run import require_kind
from tourney.runner import correct, run
from tourney.runner.dry_run import try_out
from tourney.runner.extend import EarlierRun
from tourney.runner.run import start_of
from tourney.runner.workers import Workers
from tourney.schedule.base import schedule


@click.command("run", cls=FinishingCommand)
@click.argument("config", type=click.Path(path_type=Path))
@opt.out("results/NAME")
@click.option(
    "--extend", metavar="RUN", shell_complete=opt.complete_run,
    help="Reuse the matches of RUN, the same tournament with fewer bots or deals.",
)  # fmt: skip
@click.option(
    "--replace", metavar="BOT", multiple=True,
    help="Play again what BOT took part in, with the bot that CONFIG enters now; repeatable.",
)  # fmt: skip
@click.option("--drop", metavar="BOT", multiple=True, help="Take BOT out of the run in the folder; repeatable.")
@click.option(
    "--dry-run", is_flag=True, help="Play two matches of every bot in each game, and say what is to be expected."
)
@opt.WORKERS
@opt.RESUME
@click.option("--force", is_flag=True, help="With --resume: continue even if configuration, games or bots changed.")
@opt.OVERWRITE
@opt.QUIET
def command(
    config: Path,
    out: Path | None,
    extend: str | None,
    replace: tuple[str, ...],
    drop: tuple[str, ...],
    dry_run: bool,
    processes: str | None,
    resume: bool,
    force: bool,
    overwrite: bool,
    quiet: bool,
) -> None:
    """Play the tournament that CONFIG, a TOML file, describes.

    Every match is written to the run's folder, and the standings are printed at the end. A run that was interrupted or
    killed continues with --resume, and ends with the same bytes as one that was not. With --overwrite the run in the
    folder is removed, once the new one can begin: edit the bot, run again.

    With --extend, the matches of RUN, a run's folder or its name under results/, are copied into the new run, and only
    the missing ones are played. CONFIG may have more bots and more deals than RUN. New bots play the deals of RUN; new
    deals are drawn afresh, so that nobody can know them. This works for gauntlets, and for round-robins in which all
    groups meet.

    With --replace and --drop, the run in the folder is corrected. Matches without the replaced bot are kept, and only
    the others are played again; matches of a dropped bot are left out. Matches keep their names. This works for
    gauntlets, round-robins and, for --replace, mirrors. An interrupted correction continues with --resume.

    With --dry-run, a few matches are played on other deals, and nothing is written: it says how many matches the
    tournament has, about how long they take, which bot is the slowest, and who made faults.

    With --workers ADDRESS, a cluster plays, see tourney docs cluster; the run ends with the same bytes.
    """
    start = start_of(resume, overwrite)
    corrects = bool(replace or drop)
    for asked in ({"replace": bool(replace)}, {"drop": bool(drop)}, {"dry_run": dry_run}):
        for other in ({"extend": extend}, {"resume": resume}, {"overwrite": overwrite}):
            opt.exclusive(**asked, **other)
    if dry_run:
        opt.exclusive(dry_run=dry_run, replace=bool(replace), drop=bool(drop))
    text = configuration.read_text(config)
    tournament = configuration.of_text(text, config)
    path = out if out is not None else Path("results") / tournament.name
    require_kind("run", tournament, path, config)
    if corrects or resume:
        tournament = correct.without_dropped(tournament, path, drop)
    caller = opt.command_line()
    workers = opt.workers_of(caller, processes)  # before any bot is loaded
    with interrupt.raised():
        tournament = configuration.examine_bots(tournament, config)
        workers.choose(tournament)
    if dry_run:
        _dry_run(tournament, workers)
        return
    if not quiet:
        opt.say_dashboard(workers)
    again = ["tourney", "run", str(config), "--out", str(path), "--resume"]
    again += ["--extend", extend] if extend is not None else []
    again += opt.cluster_words(processes)
    earlier_run = None if extend is None else folder.find_run(extend)
    order = run.RunOrder(tournament, text, path, start, force, earlier_run, replace, drop)
    with ExitStack() as shown:

        def begun(earlier: EarlierRun | None) -> Callable[[run.Progress], None]:
            if earlier is not None and not quiet:
                taken, total = earlier.matches, schedule(tournament).most_matches
                whence = "kept" if extend is None else f"taken over from {extend}"
                echo(f"{taken} matches are {whence}, {total - taken} are played", err=True)
            return shown.enter_context(run_reporter(tournament, workers.count, quiet))

        ranked = run.lead(order, workers, caller, f"continue with: {shlex.join(again)}", begun)
    print_standings(*ranked, "table", config)
    print_faults([path], ranked.totals.tournament, ranked.ranking.rows, folder=config.parent)
    warn_of_overload(path)
    _say_what_was_cut(path)
    if not quiet:
        say_what_does_not_repeat(tournament)
        _say_what_next(path, next(schedule(tournament).blocks()).matches()[0].id)


def _dry_run(tournament: Tournament, workers: Workers) -> None:
    """Plays a few matches, and prints what the tournament is going to be like."""
    found, plan = try_out(tournament, workers), schedule(tournament)
    hours = timedelta(seconds=ceil(found.seconds))
    echo(
        f"tried {found.matches} matches, in which every bot played each game twice",
        f"the tournament: {plan.describe()}, {plan.describe_size()}, about {hours} with "
        f"{at_once(tournament, workers.count)}",
    )
    slowest = max(found.times.bots.items(), key=lambda bot: bot[1].mean_ns, default=None)
    if slowest is not None:
        name, took = slowest
        mean, worst = duration_text(took.mean_ns), duration_text(took.worst_ns)
        echo(f"the slowest bot: {name}, with {mean} for a decision in the mean, and {worst} for the worst")
    for name, its in found.faults.items():
        many = "a fault" if its.number == 1 else f"{its.number} faults, the first"
        table = f"{its.setup.game} with {its.setup.seats} seats"
        echo(f"{name}: {many}: {its.first.kind} at decision {its.first.decision} of {table} ({its.first.what})")
    if not found.faults:
        echo("no faults")


def _say_what_was_cut(path: Path) -> None:
    if cut := notes.cut(path):
        bots = ", ".join([f"{count} of {name}" for name, count in sorted(cut.items())])
        echo(f"notes that were cut or left out, too large or of a wrong shape: {bots} (tourney docs notes)", err=True)


def _say_what_next(path: Path, match: str) -> None:
    name = shlex.quote(str(path))
    echo(
        "",
        f"The run is in {name}. Next, try:",
        f"  tourney standings {name} --show cross",
        "      who beats whom",
        f"  tourney matches {name}",
        "      all matches, to pick one",
        f"  tourney replay {name} {match}",
        "      what happened in it",
        f"  tourney analyse {name} {match}",
        "      which of its decisions cost most",
        f"  tourney report {name}",
        "      all of it as a page for a browser",
        f"  tourney verify {name}",
        "      replay every match, and compare",
        err=True,
    )
