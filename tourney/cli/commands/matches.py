"""`tourney matches`: lists the matches of a run."""

from functools import lru_cache
from typing import TYPE_CHECKING

import click

from tourney.cli.options import check_bot, check_game

if TYPE_CHECKING:
    from tourney.match import Fault
    from tourney.match_results import MatchResult

TOGETHER = 1000
"""How many lines are printed at once."""


@click.command("matches", short_help="List the matches of a run.")
@click.argument("run")
@click.option("--bot", help="Only matches in which this bot sat.")
@click.option("--game", help="Only matches of this game.")
@click.option("--faults", is_flag=True, help="Only matches with faults.")
def command(run: str, bot: str | None, game: str | None, faults: bool) -> None:
    """List the matches of RUN, one per line: its name, each bot with its score and place, and the faults.

    `tourney replay` takes the name of a match.
    """
    from tourney import config
    from tourney.journal import folder, reader
    from tourney.schedule.base import schedule

    path = folder.find_run(run)
    tournament = config.of_manifest(folder.read_manifest(path))
    check_bot(tournament, bot)
    check_game(tournament, game)
    width = max([len(name) for name in tournament.names])
    lines: list[str] = []
    try:
        for found in reader.read_batches(path, schedule(tournament)):
            results = iter(found.batch.results())
            for block in found.batch.blocks:
                for match, result in zip(block.matches(), results, strict=False):
                    if (
                        (game is None or match.setup.game == game)
                        and (bot is None or bot in match.seats)
                        and (result.faults or not faults)
                    ):
                        lines.append(f"{match.id}  {_seated(match.seats, result, width)}")
            if len(lines) >= TOGETHER:
                click.echo("\n".join(lines))
                lines.clear()
    finally:
        if lines:
            click.echo("\n".join(lines))


@lru_cache(maxsize=1 << 12)
def _seated(names: tuple[str, ...], result: "MatchResult", width: int) -> str:
    """Returns the bots in the order of their seats with scores and places, then the faults."""
    seats = [
        f"{name:{width}} {score:4} ({place})"
        for name, score, place in zip(names, result.scores, result.places, strict=True)
    ]
    wrong = [f"  {names[fault.seat]}: {_fault_text(fault)}" for fault in result.faults]
    return f"{'  '.join(seats)}{''.join(wrong)}"


def _fault_text(fault: "Fault") -> str:
    if fault.kind == "out":
        return f"out {fault.detail}"
    return f"{fault.kind} at decision {fault.decision} ({fault.detail if fault.answer is None else fault.answer})"
