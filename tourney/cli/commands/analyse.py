"""`tourney analyse`: estimates what each decision of a run cost, by playouts."""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import click
import msgspec

from tourney.base.errors import ConfigError, RunInterruptedError
from tourney.base.sheet import Column, Sheet, TableFormat, columns_text, names, sentences_text
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.playing import play_again, say_dashboard, workers_of
from tourney.cli.render.progress import View, progress_display
from tourney.cli.render.standings_report import LookCommands
from tourney.cli.screen import echo_sheet, say
from tourney.contracts.wording import counted
from tourney.journal.export import Pin
from tourney.journal.folder import make_parent
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.review.analysis.costs import SURE
from tourney.review.analysis.file import PLAYOUTS, AnalysisSettings, DecisionCost, MatchAnalysis
from tourney.review.analysis.job import AnalysisOrder, AnalysisPlan, AnalysisProgress
from tourney.review.analysis.summary import BotAnalysis, CostlyDecision, LossShare, Misjudged, bot_analyses, misjudged
from tourney.review.pins import file_name, make_pin, require_seeds, write_pin
from tourney.runner.run import lead
from tourney.runner.workers import Workers

SHARES = 6


@click.command("analyse", cls=FinishingCommand)
@opt.RUN
@click.argument("matches", metavar="[MATCH]...", nargs=-1)
@click.option("--bot", help="Only this bot's decisions.")
@click.option(
    "--playouts", metavar="N", type=click.IntRange(4, 100_000),
    help=f"Maximum playouts per action.  [default: as before in RUN, or {PLAYOUTS}]",
)  # fmt: skip
@click.option(
    "--limit", metavar="N", type=click.IntRange(min=1), default=10, show_default=True,
    help="Number of decisions to list per bot.",
)  # fmt: skip
@opt.WORKERS
@click.option("--overwrite", is_flag=True, help="Delete the analysis of RUN and start over.")
@opt.FORMAT
@opt.FOLDER
@opt.TRUST
@click.option(
    "--pins", metavar="FOLDER", type=opt.PATH, help="With --bot: pin its listed mistakes in FOLDER; see `tourney pin`."
)
def command(
    run: str, matches: tuple[str, ...], bot: str | None, playouts: int | None, limit: int, processes: str | None,
    overwrite: bool, form: TableFormat, folder: Path | None, trust: bool, pins: Path | None,
) -> None:  # fmt: skip
    """Find the costliest decisions in RUN, in all its matches or in each MATCH.

    For each decision with a choice, the analysis imagines worlds that fit the seat's view, and plays out every action
    in the same worlds. The loss is the best action's gain over the chosen one, in points %, +- its standard error. The
    luck is the real cards' gain over the imagined ones.

    The clearest defeats come first. Results are kept in RUN, and only missing ones are computed: Ctrl-C prints the
    results so far, and the same command continues. They do not depend on the number of workers. For the meaning and
    limits of the numbers, see `tourney docs debug-a-bot`.

    This executes the bot files that RUN names, and asks for permission if someone else played RUN.
    """
    if pins is not None and bot is None:
        raise ConfigError("--pins requires --bot")
    read = RunFolder.find(run)
    path, tournament = read.path, read.tournament
    bots = [] if bot is None else read.versions(bot)
    if pins is not None:  # before anything is analysed
        require_seeds(read)
        make_parent(pins / "pin.json", "--pins")
    records = find_records(read, *matches) if matches else None
    workers = workers_of(processes)  # before any bot is loaded
    order = AnalysisOrder(read, tournament, bots, records, playouts, overwrite, folder, opt.trusting(path, trust))
    plan = AnalysisPlan(order)
    with closing(lead(plan, workers, play_again())) as steps:
        stopped = _watch(steps, workers)
    sheet = _sheet(path, plan.settings, plan.analysed(), bots, limit, LookCommands(path, tournament, folder))
    echo_sheet(sheet, form)
    if pins is not None and bot is not None:
        costly = [each for of in bot_analyses(plan.analysed(), limit) if of.bot in bots for each in of.costliest]
        _pin(read, run, [each for each in costly if each.cost.mistake], bot, pins)
    if stopped is not None:
        raise stopped


def _pin(read: RunFolder, run: str, mistakes: Sequence[CostlyDecision], bot: str, folder: Path) -> None:
    paths = [folder / file_name(read, match, cost.decision) for match, cost in mistakes]
    new = {path: mistake for path, mistake in zip(paths, mistakes, strict=True) if not path.exists()}
    records = {each.match: each for each in find_records(read, *[match for match, _ in new.values()])} if new else {}
    for path, (match, cost) in new.items():
        why = f"{bot}: {cost.best} is {cost.loss:.0f} +- {cost.error:.0f} points % better"
        write_pin(path, make_pin(read, records[match], Pin(cost.decision, run, (cost.chosen,), why=why)))
    command = f"tourney check BOT --pins {shlex.quote(str(folder))}"
    say(f"pinned {counted(len(new), 'mistake')} in {folder}; {command} asks a bot there")


def _watch(steps: Iterator[AnalysisProgress], workers: Workers) -> RunInterruptedError | None:
    far, stopped = AnalysisProgress(), None

    def rate() -> str:
        return f"{far.decisions / max(display.seconds, 1e-3):.1f} a second"

    with progress_display() as display:
        try:
            for now in steps:
                if now.total and not far.total:
                    say_dashboard(workers)
                    what = f"{counted(now.recorded, 'decision')} of {counted(now.total, 'match', 'matches')}"
                    say(f"analysing {what}; Ctrl-C prints the results so far")
                    display.restart()
                far = now
                if far.total and display.is_due:
                    rows = [("matches", f"{far.matches} of {far.total}"), ("decisions", f"{far.decisions}, {rate()}")]
                    display.show(View(far.passed, far.recorded, rows))
        except RunInterruptedError as error:
            stopped = error
    if far.total:
        whole = "" if far.matches == far.total else f", {far.matches} of them whole,"
        what = f"{far.decisions} decisions of {counted(far.total, 'match', 'matches')}{whole}"
        say(f"analysed {what} in {display.seconds:.1f} s, {rate()}")
    return stopped


def _sheet(
    run: Path, settings: AnalysisSettings, matches: Sequence[MatchAnalysis], of: Sequence[str], limit: int,
    commands: LookCommands,
) -> Sheet:  # fmt: skip
    bots = [each for each in bot_analyses(matches, limit) if not of or each.bot in of]
    decided = any([each.decisions for each in bots])
    head = [*_head(settings, len(matches), bots), *([] if decided else ["no decision with a choice analysed"])]

    def blocks(form: TableFormat, width: int) -> str:
        if not decided:
            return ""
        parts, wrong = [columns_text(_bot_columns(bots), form, width)], misjudged(run, matches, limit)
        for each in bots:
            parts += _bot_blocks(each, form, width, commands)
            parts += _misjudged_blocks(each.bot, wrong.get(each.bot, []), form, width, commands)
        return "\n" * (form == "markdown") + "\n\n".join(parts)

    fields = [field for field in DecisionCost.__struct_fields__ if field not in ("values", "errors", "branch")]
    rows = [
        (match.match, match.game, match.seats[cost.seat], *[getattr(cost, field) for field in fields])
        for match in matches
        for cost in match.decisions
        if not of or match.seats[cost.seat] in of
    ]
    data = _data(run, settings, len(matches), bots)
    return Sheet(("match", "game", "bot", *fields), rows, head, blocks, data=data, empty="")


def _head(settings: AnalysisSettings, matches: int, bots: Sequence[BotAnalysis]) -> Iterator[str]:
    decisions = sum([each.decisions for each in bots])
    what = f"{counted(matches, 'match', 'matches')}, {counted(decisions, 'decision')} with a choice"
    yield f"{what}; up to {settings.playouts} playouts of an action"
    own = [name for name, why in settings.bots.items() if not why]
    others = sorted(set(settings.substitutes.values()))
    if len(others) > 1:
        others = [f"{name} in {game}" for game, name in sorted(settings.substitutes.items())]
    if own:
        yield f"played out by themselves: {', '.join(own)}"
    for name, why in settings.bots.items():
        if why:
            yield f"{name}, played out by {', '.join(others)}: {why}"
    yield (
        "points %: 100 for a sole first place; loss: best action minus chosen one, +- standard error; "
        f"mistake: a loss of {SURE:g} standard errors or more; luck: real cards minus imagined ones"
    )


def _bot_columns(bots: Sequence[BotAnalysis]) -> list[Column]:
    return [
        names([each.bot for each in bots]),
        Column("matches", [str(each.matches) for each in bots], expendable=4),
        Column("decisions", [str(each.decisions) for each in bots], expendable=3),
        Column("mistakes", [str(each.mistakes) for each in bots]),
        Column("loss", [f"{each.loss:.2f}" for each in bots]),
        Column("+-", [f"{each.error:.2f}" for each in bots]),
        Column("luck", [f"{each.luck:+.2f}" for each in bots], expendable=1),
        Column("+-", [f"{each.luck_error:.2f}" for each in bots], expendable=2),
    ]


def _bot_blocks(bot: BotAnalysis, form: TableFormat, width: int, look: LookCommands) -> Iterator[str]:
    if not bot.decisions:
        return
    yield _heading(f"{bot.bot}: where it loses, mean loss per decision", form, width)
    yield columns_text(_share_columns(bot), form, width)
    if bot.costliest:
        yield _heading(f"{bot.bot}: costliest decisions, by loss minus error", form, width)
        commands = [look.decision(bot.bot, match, cost.decision, cost.best) for match, cost in bot.costliest]
        yield from _with_commands(_costliest_columns(bot.costliest), commands, form, width)


def _misjudged_blocks(
    bot: str, wrong: Sequence[Misjudged], form: TableFormat, width: int, look: LookCommands
) -> Iterator[str]:
    if not wrong:
        return
    yield _heading(f"{bot}: largest misjudgements, by its noted values, in points %", form, width)
    columns = [
        Column("#", [str(number) for number, _ in enumerate(wrong, 1)]),
        Column("noted", [f"{each.value:.0f}" for each in wrong]),
        Column("expected", [f"{each.cost.expected:.0f}" for each in wrong]),
        Column("gap", [f"{each.gap:+.0f}" for each in wrong]),
        Column("chosen", [each.cost.chosen for each in wrong], is_text=True),
        Column("phase", [each.cost.phase for each in wrong], is_text=True, expendable=1),
    ]
    commands = [look.decision(bot, each.match, each.cost.decision, each.cost.best) for each in wrong]
    yield from _with_commands(columns, commands, form, width)


def _with_commands(columns: list[Column], commands: Sequence[str], form: TableFormat, width: int) -> Iterator[str]:
    """A table with a command for each row; commands are for copying and never cut."""
    listed = columns_text(columns, form, width)
    if form == "markdown":
        yield listed
        yield "\n".join(["```", *commands, "```"])
    else:
        head, rule, *rows = listed.split("\n")
        below = [line for row, command in zip(rows, commands, strict=True) for line in (row, f"   {command}")]
        yield "\n".join([head, rule, *below])


def _heading(text: str, form: TableFormat, width: int) -> str:
    return f"{'### ' if form == 'markdown' else ''}{sentences_text([text], form, width)}"


def _share_columns(bot: BotAnalysis) -> list[Column]:
    rows: list[tuple[str, LossShare]] = []
    for sort, shares in (("phase", bot.phases), ("action", bot.kinds), ("seat", bot.seats)):
        rows += [(sort if i == 0 else "", share) for i, share in enumerate(shares[:SHARES])]
    return [
        Column("by", [sort for sort, _ in rows], is_text=True),
        Column("", [share.name for _, share in rows], is_text=True),
        Column("decisions", [str(share.decisions) for _, share in rows], expendable=1),
        Column("mistakes", [str(share.mistakes) for _, share in rows]),
        Column("loss", [f"{share.loss:.2f}" for _, share in rows]),
        Column("+-", [f"{share.error:.2f}" for _, share in rows]),
    ]


def _costliest_columns(costliest: Sequence[CostlyDecision]) -> list[Column]:
    costs = [cost for _, cost in costliest]
    return [
        Column("#", [str(number) for number, _ in enumerate(costs, 1)]),
        Column("loss", [f"{cost.loss:.1f}" for cost in costs]),
        Column("+-", [f"{cost.error:.1f}" for cost in costs]),
        Column("", ["mistake" if cost.mistake else "unsure" for cost in costs], is_text=True),
        Column("chosen", [cost.chosen for cost in costs], is_text=True),
        Column("best", [cost.best for cost in costs], is_text=True),
        Column("expected", [f"{cost.expected:.0f}" for cost in costs], expendable=1),
        Column("phase", [cost.phase for cost in costs], is_text=True, expendable=2),
    ]


def _data(run: Path, settings: AnalysisSettings, matches: int, bots: Sequence[BotAnalysis]) -> dict[str, object]:
    costliest = [[{"match": match} | msgspec.structs.asdict(cost) for match, cost in each.costliest] for each in bots]
    of_bots = [each._asdict() | {"costliest": costs} for each, costs in zip(bots, costliest, strict=True)]
    return {"run": str(run), "matches": matches, "settings": settings, "bots": of_bots}
