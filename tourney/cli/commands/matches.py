"""`tourney matches`: lists the matches of a run."""

from functools import lru_cache
from typing import TYPE_CHECKING

import click

from tourney.cli import completion
from tourney.cli.options import check_bot, check_game, check_rounds, read_run
from tourney.cli.screen import echo
from tourney.errors import RunError

if TYPE_CHECKING:
    from tourney.match import Fault
    from tourney.match_results import MatchResult

TOGETHER = 1000
"""How many lines are printed at once."""


@click.command("matches", short_help="List the matches of a run.")
@click.argument("run", shell_complete=completion.runs)
@click.option("--bot", shell_complete=completion.run_bots, help="Only matches in which this bot sat.")
@click.option("--game", shell_complete=completion.run_games, help="Only matches of this game.")
@click.option("--round", "number", type=click.IntRange(min=1), help="Only matches of this round.")
@click.option("--faults", is_flag=True, help="Only matches with faults.")
def command(run: str, bot: str | None, game: str | None, number: int | None, faults: bool) -> None:
    """List the matches of RUN, one per line: its name, each bot with its score and place, and the faults.

    `tourney replay` takes the name of a match.
    """
    from tourney.journal import folder, reader
    from tourney.schedule.base import schedule

    path = folder.find_run(run)
    _, tournament = read_run(path)
    check_bot(tournament, bot)
    check_game(tournament, game)
    plan = schedule(tournament)
    if number is not None:
        check_rounds(plan, "--round")
    width = max([len(name) for name in tournament.names])
    lines: list[str] = []
    last = count = 0
    try:
        for found in reader.read_batches(path, plan):
            count += len(found.batch.lines)
            results = iter(found.batch.results())
            last = plan.round_of(found.batch.blocks[-1].number) or 0
            for block in found.batch.blocks:
                for match, result in zip(block.matches(), results, strict=False):
                    if (
                        (game is None or match.setup.game == game)
                        and (bot is None or bot in match.seats)
                        and (number is None or plan.round_of(match.block) == number)
                        and (result.faults or not faults)
                    ):
                        lines.append(f"{match.id}  {_seated(match.seats, result, width)}")
            if len(lines) >= TOGETHER:
                echo(*lines)
                lines.clear()
    finally:
        if lines:
            echo(*lines)
    if not plan.is_over(count):
        echo(f"not finished: {count} of {plan.describe_size()} were played", err=True)
    if number is not None and number > last:
        raise RunError(f"{path}: no round {number} was begun; rounds begun: {last}")


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
