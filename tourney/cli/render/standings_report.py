"""The standings of a run on the screen, and the bots' faults below."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tourney import config
from tourney.base.errors import listed, one_line
from tourney.base.sheet import WIDTH, Part, Sheet, TableFormat, commands
from tourney.cli.screen import echo, echo_json, echo_sheet, echo_text, echo_wrapped, width, wrapped
from tourney.config import Tournament
from tourney.contracts.wording import counted
from tourney.journal import signature
from tourney.journal.folder import STANDINGS_TEXT
from tourney.journal.run import RunFolder
from tourney.journal.search import FirstFault, first_faults
from tourney.journal.standings import RunTotals, written_rows
from tourney.journal.times import Times
from tourney.standings.interactions import sure_pairs
from tourney.standings.ranking import Ranking, StandingsRow
from tourney.standings.sweeps import EFFECTS, Effect, SweepResult

if TYPE_CHECKING:
    from tourney.runner.run import RunPlan

LEAST_STARTS_S = 1.0  # from how many seconds on it is worth a line that the run has waited for starts
LARGE = 100_000  # from this many matches on, counted per seat, a wider terminal also shows the written standings


def warn_of_times(times: Times) -> None:
    """Warns on stderr of timeouts under load, and of matches that are shorter than the starts of their bots."""
    if times.late_timeouts:
        timeouts = counted(times.late_timeouts, "timeout")
        echo_wrapped(
            f"{timeouts} occurred while the machine was overloaded; use fewer workers, or limit CPU time instead "
            '(cpu_ms or cpu with host = "process")',
            err=True,
        )
    if times.starts_s >= LEAST_STARTS_S and times.times_quicker >= 2:
        echo_wrapped(
            f"{times.starts_s / times.matches_s:.0%} of the time went into starting bots; keep = true, for bots you "
            f"trust, makes such a run about {times.times_quicker:.0f} times as quick (tourney docs hosts-and-limits)",
            err=True,
        )


def say_what_does_not_repeat(tournament: Tournament, gate: bool = False) -> None:
    """Notes on stderr that a bot does not repeat itself, unless the run already shows the luck."""
    names = config.not_repeating(tournament)
    if not names or any([config.null_name(name) in tournament.names for name in names]):
        return
    text = f"{listed(names, 1)}: may answer differently each time"
    if gate:
        text += ", so the same deals pair less, and the verdict includes that luck"
    text += "; null = true enters a bot twice, to show the luck (tourney docs debug-a-bot)"
    echo_wrapped(text, err=True)


class LookCommands:
    """Builds commands that show decisions of a run: in the debugger for Python bots, or with another action."""

    def __init__(self, run: Path, tournament: Tournament, folder: Path | None) -> None:
        self._run = shlex.quote(str(run))
        self._python = set(tournament.python_bots)
        needed = folder is not None and folder.resolve() != Path.cwd() and signature.bot_code(tournament)
        self._option = f" --folder {shlex.quote(str(folder))}" if needed else ""

    def decision(self, bot: str, match: str, decision: int, tried: str = "") -> str:
        """The command for a bot's decision: the debugger; for a program, the action `tried` or a replay."""
        if bot in self._python or tried:
            action = "" if bot in self._python else f" --try {shlex.quote(tried)}"
            return f"tourney debug {self._run} {match} {decision}{action}{self._option}"
        return self.replay(match, decision)

    def fault(self, bot: str, first: FirstFault) -> str:
        """The command for the first fault of a bot."""
        return self.place(bot, first.match, first.fault.decision, first.decisions, first.fault.kind == "timeout")

    def place(self, bot: str, match: str, decision: int, decisions: int, is_slow: bool) -> str:
        """The command for a bot's decision, or for the end of a match with this number of decisions."""
        if decision > decisions:
            return self.replay(match, max(1, decisions))
        return self.decision(bot, match, decision) + " --profile" * (is_slow and bot in self._python)

    def replay(self, match: str, decision: int) -> str:
        """The command for watching a match from a decision on."""
        return f"tourney replay {self._run} {match} --from {decision}"


def print_standings(totals: RunTotals, ranking: Ranking, form: TableFormat, file: Path = Path("CONFIG")) -> None:
    """Prints the standings in a form; text forms include sweeps."""

    def swept(form: TableFormat, width: int) -> str:
        sweeps = totals.sweeps()
        return sweeps_sheet(sweeps, file).text(form, width) if sweeps else ""

    echo_sheet(totals.sheet(ranking, swept), form)


def sweeps_sheet(sweeps: Sequence[SweepResult], file: Path = Path("CONFIG")) -> Sheet:
    """The results of sweeps; the command for fresh deals names the tournament file."""
    parts: list[Part] = []
    for each in sweeps:
        parts.append(each.sentences())
        if each.gain is None and each.best != each.default:
            parts.append(commands([shlex.join(["tourney", "compare", each.best, each.default, "--config", str(file)])]))
        parts += [[EFFECTS], each.columns()]
    rows = [(each.bot, *msgspec.structs.astuple(effect)) for each in sweeps for effect in each.effects]
    return Sheet(("sweep", *Effect.__struct_fields__), rows, *parts, data=sweeps)


def print_written(run: RunFolder, form: TableFormat) -> bool:
    """Prints a league's written standings if they are current; returns whether they are.

    A table must be as wide as the screen, or belong to a league that takes more than a second or two to count.
    """
    rows = written_rows(run)
    if not rows or run.tournament.sweeps:
        return False
    if form == "table" and width() != WIDTH and (width() < WIDTH or sum([row.matches for row in rows]) < LARGE):
        return False
    if form == "json":
        echo_json(run.standings.decode().removesuffix("\n"))
    else:
        echo_text((run.path / STANDINGS_TEXT).read_text().removesuffix("\n"))
        firsts = first_faults(run, [row.bot for row in rows if row.faults])
        print_faults(firsts, rows, run.tournament)
    return True


def print_pairs(ranking: Ranking, run: Path) -> None:
    """Prints the command that lists the matches of the pair that differs most surely from its ratings, if any."""
    for one, other in sure_pairs(ranking.interactions)[:1]:
        echo("", shlex.join(["tourney", "matches", str(run), "--bot", one, "--bot", other]))


def print_faults(
    firsts: Mapping[str, FirstFault], rows: Sequence[StandingsRow], tournament: Tournament, folder: Path | None = None
) -> None:
    """Prints a paragraph for each bot with faults: their number, the first one, and a command to look at it."""
    charged = [row for row in rows if row.faults and row.bot in firsts]
    if charged:
        echo()
    for row in charged:
        first = firsts[row.bot]
        echo(*_fault_lines(row.bot, row.faults, first, LookCommands(first.run, tournament, folder)))


def print_played(plan: "RunPlan", folder: Path | None = None, file: Path = Path("CONFIG")) -> None:
    """Prints the standings of a run just played, remarks, the first faults, and what the times tell."""
    print_standings(*plan.ranked, "table", file)
    print_pairs(plan.ranked.ranking, plan.path)
    for remark in plan.counts.remarks:
        echo(remark)
    print_faults(plan.counts.first_faults, plan.ranked.ranking.rows, plan.tournament, folder)
    warn_of_times(plan.counts.times)


def _fault_lines(name: str, count: int, first: FirstFault, commands: LookCommands) -> list[str]:
    fault = first.fault
    command = commands.fault(name, first)
    many = "a fault" if count == 1 else f"{count} faults, the first"
    text = f"{name}: {many}: {fault.kind} at decision {fault.decision} of {first.match} ({fault.what})"
    if len(one_line(f"{text}: {command}")) <= width():
        return [f"{text}: {command}"]
    return [*wrapped(text, "  ", width()), f"  {command}"]
