"""`tourney track`: how strong a bot was at each commit of a repository."""

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from tourney.base.errors import EXIT_UNDECIDED, EXIT_VERDICT
from tourney.base.sheet import TableFormat
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play, play_again, workers_of
from tourney.cli.render.standings_report import warn_of_times
from tourney.cli.screen import echo_sheet, say
from tourney.journal.run import RunFolder
from tourney.review.track import track_sheet, tracked
from tourney.runner import track
from tourney.runner.commits import MOST_COMMITS, commits, why_incomplete
from tourney.schedule.track import TrackOptions

DEALS, ENDLESS = 5000, 10**9


@click.command("track", cls=FinishingCommand)
@click.argument("bot")
@opt.PLAYED
@click.option(
    "--commits", "which", metavar="A..B",
    help=f"Commit range, as for git log.  [default: the last {MOST_COMMITS} commits of HEAD]",
)  # fmt: skip
@click.option(
    "--pool", default=",".join(track.POOL), show_default=True, metavar="BOT,...",
    help="Fixed opponents for every commit.",
)  # fmt: skip
@click.option("--build", metavar="COMMAND", help="Build command to run in each checkout before loading the bot.")
@click.option("--follow/--no-follow", default=True, show_default=True, help="Follow the bot's files across renames.")
@click.option("--retry", is_flag=True, help="Retry commits that could not be built or loaded.")
@click.option(
    "--deals", metavar="N", type=click.IntRange(0, ENDLESS), default=DEALS, show_default=True,
    help="Maximum deals per commit; 0 plays until every change is decided.",
)  # fmt: skip
@click.option(
    "--equal-elo",
    type=float,
    help=f"Largest Elo difference that counts as no change.  [default: {TrackOptions().equal_elo:g}]",
)
@click.option(
    "--allow", type=click.FloatRange(min=0), default=0.0, show_default=True, metavar="ELO",
    help="Tolerated Elo loss of the last commit against the best one.",
)  # fmt: skip
@click.option(
    "--repo", "repository", type=opt.FOLDER_PATH, default=".",
    help="Repository, or a folder in it.  [default: the current folder]",
)  # fmt: skip
@click.option("--seed", default="track", show_default=True, help="Seed of the deals.")
@opt.out("results/track-BOT")
@opt.OVERWRITE
@opt.WORKERS
@opt.FORMAT
@click.option("--all", "every", is_flag=True, help="Also list commits that were not played.")
@opt.QUIET
@click.pass_context
def command(
    context: click.Context, /, which: str | None, repository: Path, follow: bool, retry: bool, overwrite: bool,
    allow: float, processes: str | None, form: TableFormat, every: bool, quiet: bool, **keys: Any,
) -> None:  # fmt: skip
    """Measure how strong BOT was at each commit, and find the commits that changed it.

    BOT is FILE.py:NAME, FOLDER:NAME or a command line, with paths from the top of the repository, or the name of a
    [[bot]] table in the --config file. Every commit plays the same opponents on the same deals in all seats. The oldest
    commit, the newest and a few between play first; then the search narrows down to the commits where the strength
    changed. Commits whose bots decide alike on a set of test deals share their results. Run the same command again to
    continue, or to add new commits.

    Exits with 1 if the last commit is significantly weaker than the first, or weaker than the best one by more than
    --allow; with 3 if the newest commit's bot cannot play, or if --allow is given in a clone that lacks history.
    """
    opt.require_number(processes)
    workers = workers_of(processes)  # before a bot is loaded
    with interrupt.raised():
        versions = _versions(repository=repository, **keys)
        report = (lambda _: None) if quiet else say
        search = track.Search(commits(repository, which), retry, follow, overwrite)
        if len(versions.pool) == 1:
            say(f"the pool is {versions.pool[0]['name']} alone, which a version may learn to beat; name more")
        if (incomplete := why_incomplete(repository, search.asked)) is not None:
            say(incomplete)
        plan = track.plan_of(versions, track.find_versions(versions, search, workers, report))
        plan.choose(workers)
    play(plan, workers, play_again(), quiet)
    totals, ranking = plan.ranked
    of_commits = tracked(RunFolder(plan.path), totals, ranking.rows)
    assert of_commits is not None
    echo_sheet(track_sheet(plan.path, of_commits, every), form)
    warn_of_times(plan.counts.times)
    ending, asks = of_commits.ending, context.get_parameter_source("allow") is ParameterSource.COMMANDLINE
    undecided = ending.gap is not None or (asks and incomplete is not None)
    context.exit(EXIT_VERDICT if ending.is_weaker(allow) else EXIT_UNDECIDED if undecided else 0)


def _versions(
    *, bot: str, repository: Path, games: tuple[str, ...], options: tuple[str, ...], config: Path | None, pool: str,
    build: str | None, deals: int, equal_elo: float | None, seed: str, out: Path | None, host: str | None,
) -> track.Versions:  # fmt: skip
    file, tables = opt.games_of(config, games, options)
    opponents = [name.strip() for name in pool.split(",") if name.strip()]
    if not opponents:
        raise click.BadParameter("name one bot or more, as in steady,seer", param_hint="--pool")
    keys = {"seed": seed, "deals": deals or ENDLESS, "equal_elo": equal_elo}
    return track.Versions.of(bot, repository, opponents, tables, file, out, build, host, **keys)
