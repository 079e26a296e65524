"""`tourney schedule`: prints who meets whom in a tournament."""

from collections.abc import Iterator
from pathlib import Path

import click

from tourney import config as configuration
from tourney.cli.render.progress import headline
from tourney.cli.screen import echo, echo_wrapped
from tourney.contracts.match import Block
from tourney.contracts.wording import counted
from tourney.schedule.base import Schedule, schedule


@click.command("schedule")
@click.argument("config", type=click.Path(path_type=Path))
def command(config: Path) -> None:
    """Print the pairings of the tournament in CONFIG, a TOML file, without playing.

    If pairings depend on results, the groups of the first round are printed and later rounds are described in words.
    No seed is printed.
    """
    tournament = configuration.read(config)
    plan = schedule(tournament)
    order = {name: number for number, name in enumerate(tournament.names)}
    meetings: dict[str, list[str]] = {}  # by the game
    for block in _first_deal(plan):
        options = [f"{key} {value}" for key, value in block.setup.options.items()]
        game = ", ".join([f"{block.setup.game} ({block.setup.seats} seats)", *options])
        matches = f"{counted(tournament.deals, 'deal')}, {counted(len(block.seatings), 'match', 'matches')} on each"
        seated = {name for seats in block.seatings for name in seats}
        names = block.seatings[0] if tournament.seatings == "fixed" else sorted(seated, key=order.__getitem__)
        meetings.setdefault(f"{game}: {matches}", []).append(f"  {', '.join(names)}")
    games: dict[tuple[str, ...], list[str]] = {}  # by their groups
    for game, groups in meetings.items():
        games.setdefault(tuple(groups), []).append(game)
    echo_wrapped(headline(tournament, plan))
    for its, titles in games.items():
        echo("", *titles, *its)
    resting = [row.bot for report in plan.round_reports() for row in report.resting]
    if resting:
        echo_wrapped(f"  not playing: {', '.join(resting)}", indent="    ")
    if follows := plan.what_follows():
        echo_wrapped("", follows)


def _first_deal(plan: Schedule) -> Iterator[Block]:
    seeds: dict[str, int] = {}
    for block in next(plan.rounds(), ()):
        if seeds.setdefault(block.setup.game, block.seed) != block.seed:
            return
        yield block
