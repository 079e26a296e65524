"""`tourney run`: plays a tournament."""

import shlex
from collections.abc import Iterator
from datetime import timedelta
from math import ceil
from pathlib import Path
from time import monotonic

import click
import msgspec

from tourney import config as configuration
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.progress import at_once
from tourney.cli.render.standings_report import print_played, say_what_does_not_repeat
from tourney.cli.screen import echo
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, GameSetup
from tourney.contracts.rng import derive
from tourney.hosts.timing import duration_text
from tourney.journal import folder
from tourney.runner.run import RunPlan, start_of
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
    help="As --extend, but play BOT's matches again, with the bot that CONFIG enters now; repeatable.",
)  # fmt: skip
@click.option("--drop", metavar="BOT", multiple=True, help="As --extend, but without BOT's matches; repeatable.")
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

    With --replace and --drop, a corrected run is written beside RUN, which stays as it is: by default results/NAME-2,
    then -3 and so on, and RUN is the newest of these. Matches without the replaced bot are copied, and only the others
    are played again; matches of a dropped bot are left out. Matches keep their names. This works for gauntlets,
    round-robins and, for --replace, mirrors.

    With --dry-run, a few matches are played on other deals, and nothing is written: it says how many matches the
    tournament has, about how long they take, which bot is the slowest, and who made faults.

    With --workers ADDRESS, a cluster plays, see tourney docs cluster; the run ends with the same bytes.
    """
    plays = {"extend": extend, "replace": bool(replace), "drop": bool(drop), "resume": resume, "overwrite": overwrite}
    for option, value in plays.items():
        opt.exclusive(**{"dry_run": dry_run, option: value})
    text = configuration.read_text(config)
    tournament, start = configuration.of_text(text, config), start_of(resume, overwrite)
    extended = None if extend is None else folder.find_run(extend)
    plan = RunPlan.of(tournament, text, out, start, force, extended, replace, drop, config)
    workers = workers_of(processes)  # before any bot is loaded
    with interrupt.raised():
        plan.examine(config)
        plan.choose(workers)
    if dry_run:
        _dry_run(plan.tournament, workers)
        return
    again = ["--extend", str(plan.extend)] if plan.corrects and extend is None else []
    again += ["--out", str(plan.path)] if plan.corrects and out is None else []
    play(plan, workers, play_again(*again, "--resume"), quiet)
    print_played(plan, config.parent, config)
    if cut := plan.counts.cut:
        bots = ", ".join([f"{count} of {name}" for name, count in sorted(cut.items())])
        echo(f"notes cut or dropped as too large or malformed: {bots} (tourney docs notes)", err=True)
    if quiet and plan.corrects:
        where = shlex.quote(str(plan.path))
        echo(f"corrected run: {where}; see it with: tourney standings {where}", err=True)
    elif not quiet:
        say_what_does_not_repeat(plan.tournament)
        _say_what_next(plan.path, next(schedule(plan.tournament).blocks()).matches()[0].id)


def _dry_run(tournament: Tournament, workers: Workers) -> None:
    """Plays trial matches on other deals, and prints a forecast of the tournament."""
    played, weighted, seconds = 0, 0, 0.0
    faults: dict[str, list[tuple[Fault, GameSetup]]] = {name: [] for name in tournament.names}
    with workers.pool(tournament) as pool:
        for _ in pool.play(iter(())):  # until the workers have loaded the bots
            pass
        for setup in tournament.setups:
            blocks = list(_trial_blocks(tournament, setup, played))
            began = monotonic()
            for some in pool.play(iter(blocks)):
                for match in () if some is None else some.played():
                    for fault in match.faults:
                        faults[match.seats[fault.seat]].append((fault, setup))
            played += len(blocks)
            alone = schedule(msgspec.structs.replace(tournament, setups=(setup,), weights=())).most_matches
            at_the_same_time = min(workers.count, len(blocks))
            seconds += alone * (monotonic() - began) * at_the_same_time / len(blocks) / workers.count
            weighted += alone
    plan = schedule(tournament)
    hours = timedelta(seconds=ceil(seconds * plan.most_matches / weighted))
    echo(
        f"played {played} trial matches, two per bot and game",
        f"the tournament: {plan.describe()}, {plan.describe_size()}, about {hours} with "
        f"{at_once(tournament, workers.count)}",
    )
    slowest = max(pool.times.bots.items(), key=lambda bot: bot[1].mean_ns, default=None)
    if slowest is not None:
        name, took = slowest
        mean, worst = duration_text(took.mean_ns), duration_text(took.worst_ns)
        echo(f"slowest bot: {name}, {mean} per decision on average, {worst} at worst")
    for name, [(fault, setup), *more] in [each for each in faults.items() if each[1]]:
        many = f"{len(more) + 1} faults, the first" if more else "a fault"
        table = f"{setup.game} with {setup.seats} seats"
        echo(f"{name}: {many}: {fault.kind} at decision {fault.decision} of {table} ({fault.what})")
    if not any(faults.values()):
        echo("no faults")


def _trial_blocks(tournament: Tournament, setup: GameSetup, first: int) -> Iterator[Block]:
    """Blocks of one match, with every entrant in two seats, and some in a third to fill the tables."""
    names, seats = tournament.names, setup.seats
    for number, start in enumerate(range(0, 2 * len(names), seats), first):
        again = start >= len(names) and not len(names) % seats  # for other groups or seats
        group = tuple([names[(start + again + seat) % len(names)] for seat in range(seats)])
        yield Block(number, setup, derive(tournament.seed, "dry run", setup.game, number), (group,))


def _say_what_next(path: Path, match: str) -> None:
    name = shlex.quote(str(path))
    echo(
        "",
        f"The run is in {name}. Next, try:",
        f"  tourney standings {name} --show cross",
        "      cross-table",
        f"  tourney matches {name}",
        "      list matches",
        f"  tourney replay {name} {match}",
        "      show one",
        f"  tourney analyse {name} {match}",
        "      find its costliest decisions",
        f"  tourney report {name}",
        "      HTML report",
        f"  tourney verify {name}",
        "      check every record",
        err=True,
    )
