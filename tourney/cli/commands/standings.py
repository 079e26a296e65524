"""`tourney standings`: prints the standings of a run."""

from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from tourney.base.errors import ConfigError, RunError
from tourney.base.sheet import Column, Sheet, TableFormat, amount_text, columns_of, names, said
from tourney.cli import options as opt
from tourney.cli.render.standings_report import print_faults, print_pairs, print_standings, print_written, sweeps_sheet
from tourney.cli.screen import echo_sheet, say
from tourney.contracts.wording import counted
from tourney.hosts.timing import DecisionTimes, duration_text
from tourney.journal import notes as journal_notes
from tourney.journal.folder import is_results_file
from tourney.journal.run import RunFolder, check_name
from tourney.journal.standings import RunTotals, count_runs
from tourney.journal.times import TIMES
from tourney.standings.ranking import Ranking, seat_points
from tourney.standings.tables import cross_sheet, cycles_sheet, interactions_sheet, rounds_sheet, seats_sheet

BY_RANKING: dict[str, Callable[[Ranking], Sheet]] = {
    "cross": lambda ranked: cross_sheet([row.bot for row in ranked.rows], ranked.pairs),
    "cycles": lambda ranked: cycles_sheet(ranked.cycles, ranked.mixtures),
    "pairs": lambda ranked: interactions_sheet(ranked.interactions),
}


@click.command("standings")
@opt.RUNS
@click.option("--game", help="Only matches of this game.")
@click.option(
    "--by", metavar="CRITERION",
    help="Rank by points, rating, score, place, won, runoff, or a column of the format, named as in CSV.  "
    "[default: the format's ranking, given below the table]",
)  # fmt: skip
@click.option("--without-faults", is_flag=True, help="Leave out blocks in which a bot made a fault.")
@click.option(
    "--without-pair", "apart", nargs=2, multiple=True, metavar="BOT BOT",
    help="Leave out blocks in which both bots sit, such as two of one author; repeatable.",
)  # fmt: skip
@click.option(
    "--show", "what", type=click.Choice(["cross", "cycles", "pairs", "rounds", "seats", "sweeps", "times", "notes"]),
    help="Print instead: cross, how often each bot finished ahead of each other, in percent; cycles, the "
    "mixture of their bots that none of them beats; pairs, how "
    "each bot's points at tables with each other differ from what their ratings let expect; rounds, pairings, byes, "
    "floats and winners; seats, mean points of each seat over all bots; sweeps, each sweep's best settings, their gain "
    "and each value's effect; times, time per decision; notes, mean and sum of the numbers in bots' notes, per match "
    "and per dollar.",
)  # fmt: skip
@opt.BY_NAME
@opt.AT
@opt.FORMAT
def command(
    runs: tuple[str, ...], game: str | None, by: str | None, without_faults: bool, apart: tuple[tuple[str, str], ...],
    what: str | None, by_name: bool, at: str | None, form: TableFormat,
) -> None:  # fmt: skip
    """Print the standings of RUN, a run folder or its name under results/.

    FILE.csv prints the standings of matches played elsewhere: a line for each, with the columns match, deal (optional),
    then a name and a place or score for each seat.

    Several runs of the same bots at different games, such as a Swiss per number of seats, are ranked in one table,
    using the game weights in their tournament files.

    \b
    pts %   points: a match gives 1 for the first place down to 0 for the last,
            evenly spaced; equal places share
    w-d-l   won (first alone), drawn (first with others), lost
    place   mean place
    score   mean score, for one game
    rating  on the Elo scale, +- its 95 % interval
    run-off with --by runoff: the order of elimination, always removing the lowest
            bot and counting again among the others
    >next   probability in percent of being stronger than the bot in the next row

    CSV and JSON have more columns and more digits. See `tourney docs standings`.
    """  # noqa: D301 - the \b keeps Click from joining the lines
    is_part = bool(game or without_faults or apart or by_name)
    if any(map(is_results_file, runs)):
        _print_results(runs, by, what, form, is_part or at is not None)
        return
    _check(what, by is not None, is_part, at is not None, len(runs) > 1)
    bots = [name for pair in apart for name in pair]
    read = [opt.find_run(run, bots, by_name, at) for run in runs]
    is_plain = form in ("table", "json") and not (len(runs) > 1 or is_part or by or what or at)
    if is_plain and print_written(read[0], form):
        return
    totals = count_runs(read, game, without_faults, apart)
    check_name("game", game, totals.tournament.games)
    if what == "times" and not totals.matches:
        raise RunError(f"{read[0]}: no matches yet; resume the run")
    opt.say_if_unfinished(totals.matches, totals.schedule)
    if what not in ("times", "notes") and not totals.schedule.goes_on:
        for name, by_house in totals.counts.out.items():
            say(f"{name} was disqualified: random moves in {by_house} of its matches")
    if without_faults or apart:
        why = " or ".join(["a fault"] * without_faults + ["such a pair"] * bool(apart))
        say(f"left out: {counted(totals.left_out, 'block')} with {why}")
    if what in BY_RANKING:
        echo_sheet(BY_RANKING[what](totals.ranking(by)), form)
    elif what is not None:
        echo_sheet(_sheet(what, read[0], totals), form)
    else:
        ranked = totals.ranking(by)
        print_standings(totals, ranked, form)
        if form == "table" and at is None:
            print_pairs(ranked, read[0].path)
            print_faults(totals.first_faults, ranked.rows, totals.tournament)


def _print_results(runs: tuple[str, ...], by: str | None, what: str | None, form: TableFormat, of_run: bool) -> None:
    if len(runs) > 1 or of_run or what not in (None, "seats", *BY_RANKING):
        raise ConfigError(
            f"{next(filter(is_results_file, runs))}: a file of results is ranked alone, with --by, --format and --show "
            f"{', '.join(BY_RANKING)} or seats"
        )
    from tourney.journal.results_file import read_results

    totals = read_results(Path(runs[0]))
    if what == "seats":
        sheet = seats_sheet(seat_points(totals.counts))
    else:
        ranked = totals.ranking(by)
        sheet = totals.sheet(ranked) if what is None else BY_RANKING[what](ranked)
    echo_sheet(sheet, form)


def _check(what: str | None, ranked: bool, part: bool, at: bool, several: bool) -> None:
    shown = f"--show {what}"
    whole = what in ("rounds", "times", "notes")
    if ranked and what not in (None, *BY_RANKING):
        raise ConfigError(f"--by and {shown} cannot be combined; --by ranks the standings and the cross-table")
    if whole and part:
        raise ConfigError(f"{shown} covers the whole tournament; remove --game, --without-faults and --without-pair")
    if at and what in ("times", "notes"):
        raise ConfigError(f"{shown} covers the whole run; remove --at")
    if several and (whole or at):
        raise ConfigError(f"{shown if whole else '--at'} supports only one run")


def _sheet(what: str, run: RunFolder, totals: RunTotals) -> Sheet:
    if what == "times":
        return _times_sheet(run)
    if what == "notes":
        return _notes_sheet(run, totals)
    if what == "seats":
        return seats_sheet(seat_points(totals.counts))
    if what == "rounds":
        opt.check_rounds(totals.schedule, "--show rounds")
        return rounds_sheet(totals.schedule.round_reports())
    if swept := totals.sweeps():
        return sweeps_sheet(swept)
    raise RunError(f"{run}: no sweep in this run")


LEGEND = (
    "Wall-clock time per decision, from question to answer. Decisions: the number measured; for inline bots without "
    "time limits, in a sample of the matches."
)
KEYS = ("decisions", "median_us", "p95_us", "worst_us")


def _times_sheet(run: RunFolder) -> Sheet:
    times, tournament = run.times, run.tournament
    if times is None and not all([entrant.has_bots for entrant in tournament.entrants]):
        raise RunError(f"{run}: no times, because a human played")
    if times is None:
        raise RunError(f"{run.path / TIMES}: missing or damaged; the times are lost")
    times_of = {name: times.bots.get(name, DecisionTimes()) for name in tournament.names}
    ns_of = {
        name: [each.quantile_ns(0.5), each.quantile_ns(0.95), each.worst_ns] if each.decisions else []
        for name, each in times_of.items()
    }
    order = sorted(ns_of, key=ns_of.__getitem__, reverse=True)
    rows = [
        (name, times_of[name].decisions, *([round(ns / 1000, 3) for ns in ns_of[name]] or (None, None, None)))
        for name in order
    ]
    texts = [list(map(duration_text, ns_of[name])) or [""] * 3 for name in order]
    columns = [
        names(order),
        Column("decisions", [str(times_of[name].decisions) for name in order], expendable=2),
        Column("median", [median for median, _, _ in texts]),
        Column("95 %", [most for _, most, _ in texts], expendable=1),
        Column("worst", [worst for _, _, worst in texts]),
    ]
    bots = {name: dict(zip(KEYS, numbers, strict=True)) for name, *numbers in rows}
    return Sheet(("bot", *KEYS), rows, columns, [LEGEND], data={"late_timeouts": times.late_timeouts, "bots": bots})


def _notes_sheet(run: RunFolder, totals: RunTotals) -> Sheet:
    noted = journal_notes.totals(run.path)
    if not noted:
        raise RunError(f"{run}: no bot noted numbers with its decisions")
    rows = journal_notes.summed(noted, run.times, totals.ranking().rows)
    heads = ("bot", "note", "decisions", "mean", "sum", "per match", "rating/$")
    cells = [
        [amount_text(it) if isinstance(it, float) else str(it or "") for it in msgspec.structs.astuple(row)]
        for row in rows
    ]
    return Sheet(journal_notes.NoteTotal, rows, said(columns_of(heads, cells, words=(0, 1))))
