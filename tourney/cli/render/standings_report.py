"""The standings of a run on the screen, with what follows them: the bots that made faults."""

from pathlib import Path

from tourney.cli.render.look_commands import LookCommands
from tourney.cli.render.text import wrapped
from tourney.cli.screen import echo, echo_formatted, width
from tourney.errors import one_line
from tourney.journal.first_faults import FirstFault, first_faults
from tourney.runner.standings import RunTotals
from tourney.stats.ranking import Ranking
from tourney.stats.seat_bias import seat_points
from tourney.text_tables import TableFormat, standings_text


def print_standings(totals: RunTotals, ranking: Ranking, form: TableFormat) -> None:
    """Prints the standings in a format; those for the screen are as wide as it."""
    echo_formatted(standings_text(ranking, seat_points(totals.counts), form, width()), form)


def print_faults(run: Path, totals: RunTotals, ranking: Ranking, folder: Path | None = None) -> None:
    """Prints a paragraph for each bot that made faults: how many, the first one, and the command to look at it."""
    counts = {row.bot: row.faults for row in ranking.rows if row.faults}
    setups = totals.counts.setups
    game = setups[0].game if len(setups) < len(totals.tournament.setups) else None
    firsts = first_faults(run, counts, game) if counts else {}
    if not firsts:
        return
    echo()
    commands = LookCommands(run, totals.tournament, folder)
    for name, count in counts.items():
        if name in firsts:
            echo(*_fault_lines(name, count, firsts[name], commands))


def _fault_lines(name: str, count: int, first: FirstFault, commands: LookCommands) -> list[str]:
    """Returns what a bot did wrong, then the command that shows it: in the same line, or whole in one of its own."""
    fault = first.fault
    many = "a fault" if count == 1 else f"{count} faults, the first"
    text = f"{name}: {many}: {fault.kind} at decision {fault.decision} of {first.match} ({fault.what})"
    if fault.decision <= first.decisions:
        command = commands.decision(name, first.match, fault.decision)
    else:
        command = commands.replay(first.match, max(1, first.decisions))
    if len(one_line(f"{text}: {command}")) <= width():
        return [f"{text}: {command}"]
    return [*wrapped(text, "  ", width()), f"  {command}"]
