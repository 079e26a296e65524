"""`tourney verify`: replays every record of a run, and can ask its bots again."""

from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import click
import msgspec

from tourney.base.errors import EXIT_VERDICT
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import reading_pool, workers_of
from tourney.cli.render.progress import View, progress_display
from tourney.cli.render.standings_report import LookCommands
from tourney.cli.screen import echo
from tourney.config import Entrant, Tournament
from tourney.contracts.wording import counted
from tourney.journal.folder import JOURNAL
from tourney.journal.run import RunFolder
from tourney.review import verify
from tourney.review.bots import RunBots
from tourney.review.recheck import Difference
from tourney.schedule.base import schedule

SHOWN = 20  # the most invalid records listed


@click.command("verify", cls=FinishingCommand)
@opt.RUN
@click.option("--bots", is_flag=True, help="Also ask every bot again for every decision.")
@opt.WORKERS
@opt.FOLDER
@opt.TRUST
@click.pass_context
def command(
    context: click.Context, run: str, bots: bool, processes: str | None, folder: Path | None, trust: bool
) -> None:
    """Replay every match of RUN without the bots and check it against its record.

    Prints the number of verified records, and the first difference of each record that fails.

    --bots also asks every bot again for every decision in the verified records, and prints the first decision that it
    does not repeat, with a possible reason. Nondeterministic bots, such as language models, are not asked. This
    executes the commands and bot files that RUN names, and asks for permission if someone else played RUN. A hanging
    bot is stopped as in a run.

    Exits with 1 if a record fails or a bot differs. The output does not depend on the number of workers, unless bots
    remember earlier matches.
    """
    read = RunFolder.find(run)
    path, tournament = read.path, read.tournament
    report: RecheckReport | None = None
    asked: tuple[Entrant, ...] = ()
    if bots:
        run_bots = context.with_resource(RunBots(read, folder, opt.trusting(path, trust)))
        tournament, report = run_bots.tournament, RecheckReport(run_bots, folder)
        asked = tuple([each for each in tournament.entrants if not report.unasked[each.name]])
    if not _verify(path, tournament, _examine(context, path, tournament, asked, processes), report):
        context.exit(EXIT_VERDICT)


def _examine(
    context: click.Context, run: Path, tournament: Tournament, asked: tuple[Entrant, ...], processes: str | None
) -> verify.Examine:
    job = verify.Verification(run, tournament, bots=bool(asked))
    if not asked:
        pool = reading_pool(run, tournament, processes, job)
        if pool is None:
            return partial(verify.here, context.with_resource(closing(job)))
    else:
        opt.require_number(processes)
        there = msgspec.structs.replace(tournament, entrants=asked)
        workers = workers_of(processes)
        workers.choose(there)
        pool = context.with_resource(workers.pool(there, performer=job))
    return partial(verify.in_workers, pool)


def _verify(path: Path, tournament: Tournament, examine: verify.Examine, report: "RecheckReport | None") -> bool:
    held, end = 0, 0
    problems: list[str] = []
    plan = schedule(tournament)
    size = (path / JOURNAL).stat().st_size if (path / JOURNAL).exists() else 0
    with progress_display(plain=False) as display:
        for line in verify.verified(path, plan, examine):
            end = end if line is None else line.end
            if display.is_due:
                display.show(View(end, size, [("records", str(held + len(problems)))]))
            if line is not None and line.problem is not None:
                problems.append(str(line))
            elif line is not None:
                held += 1
                if report is not None:
                    report.add(line)
    failed = len(problems)
    if problems:
        echo(*problems[:SHOWN], *([f"… and {failed - SHOWN} more"] if failed > SHOWN else []))
    echo(f"{held} of {held + failed} records verified")
    # after an invalid record, the end of a tournament that may end early is unknown
    if not (failed and plan.may_end_early):
        opt.say_if_unfinished(held + failed, plan)
    if report is not None:
        echo(*report.lines(path))
    return not failed and (report is None or not report.first)


class RecheckReport:
    """Collects the bots' repeated decisions, match by match."""

    def __init__(self, bots: RunBots, folder: Path | None) -> None:
        self._bots = bots
        self._folder = folder
        names = bots.tournament.names
        self._matches = dict.fromkeys(names, 0)
        self._differ = dict.fromkeys(names, 0)
        self.unasked = {
            name: "not asked again: a human" if not bots.has_bot(name)
            else "" if bots.repeats(name) else "not asked again: does not repeat itself"
            for name in names
        }  # fmt: skip
        """For each entrant, the reason for not asking it; empty if asked."""
        self.first: dict[str, tuple[verify.VerifiedLine, Difference]] = {}  # each differing bot's first difference

    def add(self, line: verify.VerifiedLine) -> None:
        """Counts a match whose bots were asked again, unless it seats bots that are not entrants."""
        for name, difference in zip(line.seats, line.differences or (), strict=line.differences is not None):
            self._matches[name] += 1
            if difference is not None:
                self._differ[name] += 1
                self.first.setdefault(name, (line, difference))

    def lines(self, run: Path) -> Iterator[str]:
        """A line for each bot, and more for a differing one: its first difference and a possible reason."""
        width = max(map(len, self._matches), default=0)
        commands = LookCommands(run, self._bots.tournament, self._folder)
        for name, matches in self._matches.items():
            if why := self.unasked[name]:
                yield f"{name:{width}}  {why}"
                continue
            changed = self._bots.changed(name)
            if name not in self.first:
                note = ", though its source has changed" if changed else ""
                yield f"{name:{width}}  repeats every decision in {counted(matches, 'match', 'matches')}{note}"
                continue
            line, difference = self.first[name]
            of = f"{self._differ[name]} of {counted(matches, 'match', 'matches')}"
            yield f"{name:{width}}  differs in {of}, first in {line.match},"
            yield f"  decision {difference.decision}: now {difference.now}; recorded {difference.recorded}"
            same = "is unchanged since the run: it depends on more than its views and its rng"
            yield f"  its source {'has changed since the run' if changed else same}"
            if difference.decision <= line.decisions:
                yield f"  {commands.decision(name, line.match, difference.decision)}"
