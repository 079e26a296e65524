"""`tourney run`: plays a tournament."""

import shlex
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import timedelta
from math import ceil, fsum, inf, sqrt
from pathlib import Path
from statistics import fmean, variance
from time import monotonic

import click
import msgspec

from tourney import config as configuration
from tourney.base.errors import ConfigError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.progress import at_once
from tourney.cli.render.resolution import deals_line, resolution_lines
from tourney.cli.render.standings_report import print_played, say_what_does_not_repeat
from tourney.cli.screen import echo, echo_wrapped, say
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, GameSetup
from tourney.contracts.rng import derive
from tourney.contracts.wording import dollars
from tourney.hosts.timing import duration_text
from tourney.journal import folder
from tourney.journal.notes import costs
from tourney.runner.run import RunPlan, start_of
from tourney.runner.workers import Workers
from tourney.schedule.base import schedule
from tourney.standings.intervals import quantile_975


@click.command("run", cls=FinishingCommand)
@click.argument("config", type=opt.PATH)
@opt.out("results/NAME")
@click.option(
    "--extend", metavar="RUN", shell_complete=opt.complete_run,
    help="Reuse the matches of RUN, an earlier run with fewer bots or deals.",
)  # fmt: skip
@click.option(
    "--replace", metavar="BOT", multiple=True,
    help="Like --extend, but play BOT's matches again with the version in CONFIG; repeatable.",
)  # fmt: skip
@click.option(
    "--drop", metavar="BOT", multiple=True, help="Like --extend, but leave out BOT and its matches; repeatable."
)
@click.option(
    "--again", metavar="MATCH", multiple=True,
    help='Like --extend, but play MATCH, or all "timeouts", again on a fresh deal; repeatable.',
)  # fmt: skip
@click.option("--why", default="", help="With --again: the reason, shown on the page.")
@click.option("--dry-run", is_flag=True, help="Play a few matches and print an estimate; write nothing.")
@click.option(
    "--resolve", type=click.FloatRange(min=1), metavar="ELO",
    help="With --dry-run: print how many deals tell bots apart that differ by ELO.",
)  # fmt: skip
@opt.WORKERS
@opt.RESUME
@click.option(
    "--force", is_flag=True, help="With --resume: continue even if the configuration, games or bots have changed."
)
@opt.OVERWRITE
@opt.QUIET
def command(
    config: Path, out: Path | None, extend: str | None, replace: tuple[str, ...], drop: tuple[str, ...],
    again: tuple[str, ...], why: str, dry_run: bool, resolve: float | None, processes: str | None, resume: bool,
    force: bool, overwrite: bool, quiet: bool,
) -> None:  # fmt: skip
    """Play the tournament described in CONFIG, a TOML file.

    Writes every match to the run folder and prints the standings at the end. To continue after an interruption, use
    --resume: the result is byte-identical to an uninterrupted run. To start over, for example after editing a bot, use
    --overwrite: the previous run is deleted only after the new configuration and all bots are accepted.

    --dry-run plays two matches per bot and game on other deals and prints the number of matches, the expected
    duration, the slowest bot and any faults, and which differences of strength the deals can tell. It writes nothing.

    --extend copies the matches of RUN (a run folder, or its name under results/) and plays only the missing ones.
    CONFIG may add bots and deals. Added bots play the existing deals; added deals are drawn with a fresh salt, so no
    one can predict them. Works for gauntlets, and for round-robins in which all groups meet.

    --replace, --drop and --again write a corrected run next to RUN, which stays unchanged: results/NAME-2, then -3 and
    so on; RUN defaults to the newest of these. --replace plays only the bot's matches again, --drop leaves them out,
    --again plays the match again with all others of the same bots on the same deal. All other matches are copied and
    keep their names. Works for gauntlets and round-robins, and --replace and --again also for mirrors.

    --workers ADDRESS plays on a dask cluster, with byte-identical results; see `tourney docs cluster`.
    """
    reuses = {"extend": extend, "replace": replace, "drop": drop, "again": again}
    for option, value in (reuses | {"resume": resume, "overwrite": overwrite}).items():
        opt.exclusive(**{"dry_run": dry_run, option: value})
    if resolve is not None and not dry_run:
        raise ConfigError("--resolve requires --dry-run")
    text = configuration.read_text(config)
    tournament, start = configuration.of_text(text, config), start_of(resume, overwrite)
    extended = None if extend is None else folder.find_run(extend)
    plan = RunPlan.of(tournament, text, out, start, force, extended, replace, drop, config, again, why)
    workers = workers_of(processes)  # before any bot is loaded
    with interrupt.raised():
        plan.examine(config)
        plan.choose(workers)
    if dry_run:
        needed = [] if resolve is None else [deals_line(plan.tournament, resolve)]
        _dry_run(plan.tournament, workers)
        for line in (*resolution_lines(plan.tournament, plan.path), *needed):
            echo_wrapped(line)
        return
    more = ["--extend", str(plan.extend)] if plan.corrects and extend is None else []
    more += ["--out", str(plan.path)] if plan.corrects and out is None else []
    play(plan, workers, play_again(*more, "--resume"), quiet)
    print_played(plan, config.parent, config)
    if cut := plan.counts.cut:
        bots = ", ".join([f"{count} of {name}" for name, count in sorted(cut.items())])
        say(f"notes cut or dropped as too large or malformed: {bots} (tourney docs write-a-bot)")
    if quiet and plan.corrects:
        where = shlex.quote(str(plan.path))
        say(f"corrected run: {where}; see it with: tourney standings {where}")
    elif not quiet:
        say_what_does_not_repeat(plan.tournament)
        _say_what_next(plan.path, next(schedule(plan.tournament).blocks()).matches()[0].id)
    for row in plan.ranked.ranking.rows:
        if row.matches and row.faults >= row.matches and plan.tournament.fault_limits.max_fault_rate is None:
            remedy = f"max_fault_rate = {row.matches / plan.counts.matches / 2:.2g} in [limits] stops such a run early"
            echo_wrapped(f"{row.bot} made a fault in every match; {remedy}", err=True)


def _dry_run(tournament: Tournament, workers: Workers) -> None:
    played, seconds = 0, 0.0
    paid: list[tuple[int, list[float]]] = []  # the matches of each setup, and the costs of its trial matches
    faults: dict[str, list[tuple[Fault, GameSetup]]] = {name: [] for name in tournament.names}
    with workers.pool(tournament) as pool:
        deque(pool.play(iter(())), maxlen=0)  # until the workers have loaded the bots
        for setup in tournament.setups:
            alone = schedule(msgspec.structs.replace(tournament, setups=(setup,), weights=())).most_matches
            blocks, prices = list(_trial_blocks(tournament, setup, played)), list[float]()
            began = monotonic()
            for some in filter(None, pool.play(iter(blocks))):
                prices += costs(some.notes or [b""] * len(some.blocks))
                for match in some.played():
                    for fault in match.faults:
                        faults[match.seats[fault.seat]].append((fault, setup))
            at_the_same_time = min(workers.count, len(blocks))
            seconds += alone * (monotonic() - began) * at_the_same_time / len(blocks) / workers.count
            played += len(blocks)
            paid.append((alone, prices))
    plan, weighted = schedule(tournament), sum([alone for alone, _ in paid])
    hours = timedelta(seconds=ceil(seconds * plan.most_matches / weighted))
    echo(
        f"played {played} trial matches, two per bot and game",
        f"the tournament: {plan.describe()}, {plan.describe_size()}, about {hours} with "
        f"{at_once(tournament, workers.count)}",
    )
    if any([any(prices) for _, prices in paid]):
        echo(_price([(matches * plan.most_matches / weighted, prices) for matches, prices in paid]))
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


def _price(paid: Sequence[tuple[float, Sequence[float]]]) -> str:
    price = fsum([matches * fmean(each) for matches, each in paid])
    error = sqrt(fsum([matches**2 * variance(each) / len(each) for matches, each in paid if len(each) > 1]))
    half = quantile_975(sum([len(each) - 1 for _, each in paid])) * error if error else inf
    span = f" ({dollars(max(0.0, price - half))} to {dollars(price + half)})" if half < inf else ""
    return f"price of the tournament: about {dollars(price)}{span}, by the bots' notes"


def _trial_blocks(tournament: Tournament, setup: GameSetup, first: int) -> Iterator[Block]:
    """Blocks of one match, with every entrant in two seats, and some in a third to fill the tables."""
    names, seats = tournament.names, setup.seats
    for number, start in enumerate(range(0, 2 * len(names), seats), first):
        again = start >= len(names) and not len(names) % seats  # for other groups or seats
        group = tuple([names[(start + again + seat) % len(names)] for seat in range(seats)])
        yield Block(number, setup, derive(tournament.seed, "dry run", setup.game, number), (group,))


def _say_what_next(path: Path, match: str) -> None:
    name = shlex.quote(str(path))
    commands = {
        f"standings {name} --show cross": "cross-table",
        f"matches {name}": "list matches",
        f"replay {name} {match}": "show one",
        f"analyse {name} {match}": "find its costliest decisions",
        f"report {name}": "HTML report",
        f"verify {name}": "check every record",
    }
    lines = [line for command, what in commands.items() for line in (f"  tourney {command}", f"      {what}")]
    say("", f"The run is in {name}. Next, try:", *lines)
