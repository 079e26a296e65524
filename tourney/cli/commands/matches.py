"""`tourney matches`: lists the matches of a run."""

import heapq
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import click

from tourney.base.errors import ConfigError, RunError, one_line
from tourney.cli import completion
from tourney.cli.options import check_bot, check_game, check_rounds, exclusive, read_run, say_not_finished
from tourney.cli.screen import echo
from tourney.contracts.match import Fault
from tourney.journal.search import FoundMatch, SortKey
from tourney.standings.results import MatchResult

if TYPE_CHECKING:
    from tourney.journal.search import SortKey


NUMBERS: Mapping[SortKey, str] = {"margin": "margin", "faults": "faults", "length": "decisions"}
"""What the number is called by which matches are sorted."""


class MatchLines:
    """Lays out matches of some bots, in columns."""

    def __init__(self, names: Sequence[str], number: tuple[str, int] | None = None) -> None:
        """`number` is what the number is called by which matches are sorted, and how many digits it has at most."""
        self._name_width = max(map(len, names))
        self._number = number
        self._seated = lru_cache(maxsize=1 << 12)(self._seated_uncached)

    def line(self, match: FoundMatch, value: int | None = None) -> str:
        """Returns the line of a match; `value` is the number by which it is sorted."""
        parts = [match.id] if match.round is None else [match.id, f"round {match.round}"]
        if self._number is not None:
            called, digits = self._number
            parts.append(f"{called} {value:{digits}}")
        return "  ".join([*parts, *self._seated(match.seats, match.result)])

    def _seated_uncached(self, names: tuple[str, ...], result: MatchResult) -> list[str]:
        """Returns a part for each seat, with the bot, its score and its place, and then one for each fault."""
        seats = [
            f"{name:{self._name_width}} {score:4} ({place})"
            for name, score, place in zip(names, result.scores, result.places, strict=True)
        ]
        return [*seats, *[one_line(f"{names[fault.seat]}: {_fault_text(fault)}") for fault in result.faults]]


def _fault_text(fault: Fault) -> str:
    if fault.kind == "out":
        return f"out {fault.detail}"
    return f"{fault.kind} at decision {fault.decision} ({fault.what})"


TOGETHER = 1000
"""How many lines are printed at once."""


@click.command("matches", short_help="List the matches of a run.")
@click.argument("run", shell_complete=completion.runs)
@click.option("--bot", help="Only matches in which this bot sat.")
@click.option("--lost", is_flag=True, help="Only matches that --bot lost: it was not first.")
@click.option("--won", is_flag=True, help="Only matches that --bot won: it was first alone.")
@click.option("--game", help="Only matches of this game.")
@click.option("--round", "number", type=click.IntRange(min=1), help="Only matches of this round.")
@click.option("--faults", is_flag=True, help="Only matches with faults.")
@click.option(
    "--sort",
    "key",
    type=click.Choice(["margin", "faults", "length"]),
    help="Highest first: by the margin of --bot or of the winner, by faults, by decisions.",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the first N.")
def command(
    run: str,
    bot: str | None,
    lost: bool,
    won: bool,
    game: str | None,
    number: int | None,
    faults: bool,
    key: "SortKey | None",
    limit: int | None,
) -> None:
    """List the matches of RUN: name, round, each bot with its score and place, and the faults.

    `tourney replay` takes the name of a match. Where a bot lost worst:

    \b
      tourney matches RUN --bot BOT --lost --sort margin --limit 5

    """  # noqa: D301 - the \b keeps Click from joining the lines
    from tourney.journal import folder
    from tourney.journal.search import MatchFilter, MatchSearch, sort_value
    from tourney.schedule.base import schedule

    exclusive(lost=lost, won=won)
    if (lost or won) and bot is None:
        raise ConfigError(f"{'--lost' if lost else '--won'} needs --bot: say whose matches")
    path = folder.find_run(run)
    _, tournament = read_run(path)
    check_bot(tournament, bot)
    check_game(tournament, game)
    plan = schedule(tournament)
    if number is not None:
        check_rounds(plan, "--round")
    found = MatchSearch(path, plan, MatchFilter(bot, game, number, "lost" if lost else "won" if won else None, faults))
    matches = iter(found)
    if key is None:
        layout = MatchLines(tournament.names)
        _print(layout.line(match) for match in islice(matches, limit))
        deque(matches, maxlen=0)  # all are counted
    else:
        value = sort_value(key, bot)
        ranked = ((-value(match), i, match) for i, match in enumerate(matches))
        ordered = sorted(ranked) if limit is None else heapq.nsmallest(limit, ranked)
        digits = max([len(str(-highest)) for highest, _, _ in ordered], default=0)
        layout = MatchLines(tournament.names, (NUMBERS[key], digits))
        _print(layout.line(match, -highest) for highest, _, match in ordered)
    if not plan.is_over(found.count):
        say_not_finished(found.count, plan)
    if number is not None and number > found.last_round:
        raise RunError(f"{path}: no round {number} was begun; rounds begun: {found.last_round}")


def _print(matches: Iterator[str]) -> None:
    """Prints the lines of matches, many at once; what was found is printed even if an error ends the list."""
    lines: list[str] = []
    try:
        for line in matches:
            lines.append(line)
            if len(lines) >= TOGETHER:
                echo(*lines)
                lines.clear()
    finally:
        if lines:
            echo(*lines)
