"""`tourney run`: plays a tournament."""

import shlex
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from tourney import config as configuration
from tourney.cli import interrupt
from tourney.cli.errors import FinishingCommand
from tourney.cli.options import (
    CLUSTER,
    OVERSUBSCRIBE,
    OVERWRITE,
    WORKERS,
    command_line,
    complete_run,
    say_dashboard,
    workers_of,
)
from tourney.cli.render.progress import run_reporter
from tourney.cli.render.standings_report import print_faults, print_standings, warn_of_overload
from tourney.cli.screen import echo
from tourney.journal import folder
from tourney.runner import run
from tourney.runner.extend import EarlierRun
from tourney.runner.run import start_of
from tourney.schedule.base import schedule


@click.command("run", cls=FinishingCommand)
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The run's folder.  [default: results/NAME]")
@click.option(
    "--extend", metavar="RUN", shell_complete=complete_run,
    help="Reuse the matches of RUN, the same tournament with fewer bots or deals.",
)  # fmt: skip
@WORKERS
@OVERSUBSCRIBE
@CLUSTER
@click.option("--resume", is_flag=True, help="Continue the run in the folder.")
@click.option("--force", is_flag=True, help="With --resume: continue even if configuration, games or bots changed.")
@OVERWRITE
@click.option("--quiet", is_flag=True, help="Print no progress, only the standings.")
def command(
    config: Path,
    out: Path | None,
    extend: str | None,
    processes: int | None,
    oversubscribe: bool,
    cluster: str | None,
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
    the missing ones are played. CONFIG may have more bots and more deals than RUN. The new run ends with the same bytes
    as one without --extend. This works for gauntlets, and for round-robins in which all groups meet.

    With --cluster, the workers of a cluster play, see tourney docs cluster; the run ends with the same bytes.
    """
    start = start_of(resume, overwrite)
    text = configuration.read_text(config)
    tournament = configuration.of_text(text, config)
    caller = command_line()
    workers = workers_of(caller, processes, cluster, oversubscribe)  # before any bot is loaded
    with interrupt.raised():
        configuration.examine_bots(tournament, config)
        workers.choose(tournament)
    if not quiet:
        say_dashboard(workers)
    path = out if out is not None else Path("results") / tournament.name
    again = ["tourney", "run", str(config), "--out", str(path), "--resume"]
    again += ["--extend", extend] if extend is not None else []
    again += ["--cluster", cluster] if cluster is not None else []
    earlier_run = None if extend is None else folder.find_run(extend)
    order = run.RunOrder(tournament, text, path, start, force, earlier_run)
    with ExitStack() as shown:

        def begun(earlier: EarlierRun | None) -> Callable[[run.Progress], None]:
            if earlier is not None and not quiet:
                taken, total = earlier.count_matches(), schedule(tournament).most_matches
                echo(f"{taken} matches are taken over from {extend}, {total - taken} are played", err=True)
            return shown.enter_context(run_reporter(tournament, workers.count, quiet))

        ranked = run.lead(order, workers, caller, f"continue with: {shlex.join(again)}", begun)
    print_standings(*ranked, "table")
    print_faults([path], *ranked, config.parent)
    warn_of_overload(path)
    if not quiet:
        _say_what_next(path, next(schedule(tournament).blocks()).matches()[0].id)


def _say_what_next(path: Path, match: str) -> None:
    name = shlex.quote(str(path))
    echo(
        "",
        f"The run is in {name}. Next, try:",
        f"  tourney standings {name} --cross",
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
