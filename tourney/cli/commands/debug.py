"""`tourney debug`: takes a bot to one of its decisions, in the debugger or with another action."""

import sys
import traceback
from bdb import BdbQuit
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from cProfile import Profile
from functools import partial
from itertools import zip_longest
from math import fsum, sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import click

from tourney.base.errors import EXIT_VERDICT, ConfigError, type_name
from tourney.base.sheet import SHORTEST, Column, columns_of, columns_text
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.errors import FinishingCommand
from tourney.cli.render.transcript import result_text, without_signs
from tourney.cli.screen import confirm_or_raise, echo, echo_text, echo_wrapped, say, width, wrapped
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.wording import counted
from tourney.hosts.base import Act
from tourney.hosts.notes import Note
from tourney.hosts.timing import duration_text
from tourney.journal.notes import in_words, of_match
from tourney.journal.run import RunFolder
from tourney.journal.search import find_records
from tourney.plugins.registry import load_game
from tourney.review import what_if
from tourney.review.bots import RunBots
from tourney.review.what_if import Answer, Change, Continuation, Divergence
from tourney.standings.points import points
from tourney.table.replay import Step, in_time
from tourney.table.sentences import phrases, seat_names
from tourney.table.table import BotFactory

MOST_OWN, MOST_OTHERS = 20, 10  # the most functions of the bot, and of others, in a profile


@click.command("debug", cls=FinishingCommand)
@opt.RUN
@click.argument("match")
@click.argument("decision", metavar="N", type=click.IntRange(min=1))
@click.option("--try", "tried", metavar="ACTION", help="Continue the match with this action, such as play:9t.")
@click.option(
    "--bot", "other", metavar="BOT", shell_complete=opt.complete_bot,
    help="Continue with this bot in the seat: a bot of the run, a plugin, or FILE.py:NAME.",
)  # fmt: skip
@click.option(
    "--continuations", metavar="K", type=click.IntRange(min=1),
    help="Also continue K times with other cards that fit the seat's view.",
)  # fmt: skip
@click.option("--ask", "asks", is_flag=True, help="Ask without the debugger; also nondeterministic bots.")
@click.option("--profile", "profiles", is_flag=True, help="Show where the decision's time goes, without the debugger.")
@click.option("--unsandboxed", is_flag=True, help="Debug a sandboxed bot outside the sandbox, with your permissions.")
@opt.FOLDER
@opt.TRUST
@click.pass_context
def command(
    context: click.Context, run: str, match: str, decision: int, tried: str | None, other: str | None,
    continuations: int | None, asks: bool, profiles: bool, unsandboxed: bool, folder: Path | None, trust: bool,
) -> None:  # fmt: skip
    """Rerun the bot up to decision N of MATCH in RUN and open the debugger inside its act.

    A new instance of the bot, with the same rng, first repeats its earlier decisions of the match. The debugger is
    pdb, or the one in the environment variable PYTHONBREAKPOINT. Exits with 1 if the bot's answer differs from the
    record. Decisions are numbered as in `tourney replay`.

    Nondeterministic bots, such as language models, are not asked again: you see the recorded answer with its note.
    --ask asks the bot again on its host in RUN, without the debugger.

    --profile runs the decision under cProfile, for up to a minute, and lists the functions that took the time, the
    bot's own first.

    --try and --bot do not stop: they play the match to its end from there and show the result next to the recorded
    one. A person, or without --ask a nondeterministic bot, repeats its recorded decisions while its view stays the
    same; from then on steady decides for it, or random in games that steady does not play.

    This executes the commands and bot files that RUN names, and asks for permission if someone else played RUN. The
    debugger runs the bot in its own process, so for a sandboxed bot it asks as well, unless you give --unsandboxed;
    with --try or --bot, each bot runs on its host in RUN.
    """
    if continuations and tried is None and other is None:
        raise ConfigError("--continuations requires --try or --bot")
    if profiles and (asks or tried is not None or other is not None):
        raise ConfigError("--profile cannot be combined with --ask, --try or --bot")
    read = RunFolder.find(run)
    (record,) = find_records(read, match)
    game = load_game(record.game)
    with in_time(record, read.tournament.replay_s):
        step = what_if.find_step(record, game, decision)
    name, names = record.seats[step.seat], read.plan.block_names(record.seats)
    with RunBots(read, folder, opt.trusting(read.path, trust)) as bots:
        if bots.changed(name):
            say(f"{name}: its source has changed since the run")
        echo(f"{record.match}, decision {decision} of {record.decisions}: seat {step.seat}, {name}")
        echo_wrapped(f"recorded: {_recorded(record, game, step)}")
        _print_note(of_match(read.path, record.match).by_decision(step.seat).get(decision))
        if tried is not None or other is not None:
            makers = _makers(record, game, bots, asks, None if other is None else step.seat)
            action = None if tried is None else what_if.legal_action(game, step, without_signs(game, tried))
            change = Change(decision, step.seat, action, makers[step.seat] if other is None else bots.find(other))
            echo(f"now: {tried or 'its new answer'}; played out by {other or name}")
            _print_endings(record, game, makers, change, continuations or 0, names)
        elif asks:
            if not _ask(record, game, step, bots.factory(name), names) and bots.repeats(name):
                context.exit(EXIT_VERDICT)
        elif not bots.repeats(name):
            echo(f"{name} does not repeat itself, so it is not asked again; use --ask to ask it")
        else:
            if bots.is_confined(name) and not unsandboxed:
                _confirm_outside(read.path, name)
            profile = Profile() if profiles else None
            through = what_if.call_with_breakpoint if profile is None else partial(what_if.profiled, profile)
            if not _ask(record, game, step, bots.python_factory(name), names, through, profile):
                context.exit(EXIT_VERDICT)


def _confirm_outside(run: Path, name: str) -> None:
    risk = f"bot {name}: sandboxed in {run}, but the debugger runs it outside, with all your permissions"
    confirm_or_raise(
        "run it there?",
        wrapped(risk, "  ", width()),
        f"{risk}; review its code, then use --unsandboxed, or continue with --try",
        f"bot {name}: not run; --try continues the match with another action, in the sandbox",
    )


def _makers(record: Record, game: Game, bots: RunBots, asks: bool, replaced: int | None) -> list[BotFactory]:
    """The bot factory of each seat; prints which bots decide as recorded, except for the replaced one."""
    makers: list[BotFactory] = []
    for seat, name in enumerate(record.seats):
        is_person = not bots.has_bot(name)
        if not is_person and (asks or bots.repeats(name)):
            makers.append(bots.factory(name))
            continue
        with in_time(record, bots.tournament.replay_s):
            substitute, make = what_if.recorded_seat(record, game, seat)
        makers.append(make)
        if seat != replaced:
            who = "a person" if is_person else "which does not repeat itself"
            echo(f"{name}, {who}: as recorded while the seat sees the same; then as {substitute} decides")
    return makers


def _print_note(note: Note | None) -> None:
    if note:
        echo_wrapped(f"noted: {in_words(note, shortened=False)}")


def _recorded(record: Record, game: Game, step: Step) -> str:
    names, text = seat_names(record.seats), game.text(step.action)
    (phrase,) = phrases([step.action], step.state.view(step.seat), game, names.__getitem__)
    move = f"{phrase.by(names[step.seat])} ({text})"
    if step.fault is None:
        return move
    return f"a fault, {step.fault.kind} ({step.fault.what}); random move: {move}"


def _ask(
    record: Record, game: Game, step: Step, make: BotFactory, names: tuple[str, ...],
    through: Callable[..., Any] | None = None, profile: Profile | None = None,
) -> bool:  # fmt: skip
    seat = step.seat
    then = what_if.warm_up(record, game, {seat: make}, step.decision, names)
    if then.asked[seat]:
        before = counted(then.asked[seat], "decision")
        _print_divergences(record, then.divergences, f"{record.seats[seat]} was asked at {before} before")
    else:
        echo(f"{record.seats[seat]} was not asked before")
    view = then.step.state.view(seat)
    echo_wrapped(f"legal: {', '.join([f'{action} {game.text(action)}' for action in step.legal])}")
    # at its prompt Ctrl-C clears the line
    with closing(then.bots[seat]), interrupt.handled() if sys.stdin.isatty() else nullcontext():
        try:
            answer = what_if.ask(game, then.bots[seat], view, step.legal, through)
        finally:  # also if the user interrupts it
            if profile is not None:
                _print_profile(profile, then.bots[seat].act)
    if isinstance(answer.error, BdbQuit):
        echo("left the debugger")
        return not then.divergences
    if answer.error is not None:
        echo_text("".join(_traceback(answer.error)).expandtabs().removesuffix("\n"), err=True)
    agrees = _agrees(game, step, answer)
    echo(f"answered: {answer.text}, {'as recorded' if agrees else 'not as recorded'}")
    _print_note(answer.note)
    return agrees and not then.divergences


def _print_profile(profile: Profile, act: Act) -> None:
    rows = what_if.profile_rows(profile, act)
    own, others = [row for row in rows if row.is_own], [row for row in rows if not row.is_own]
    shown = [*own[:MOST_OWN], *others[:MOST_OTHERS]]
    places = [f"{'/'.join(Path(row.file).parts[-2:])}:{row.line}" if row.file else "" for row in shown]
    columns = [
        Column("own", ["*" if row.is_own else "" for row in shown], is_text=True),
        Column("function", [row.name for row in shown], is_text=True, shortest=SHORTEST),
        Column("where", places, is_text=True, shortest=2 * SHORTEST),
        Column("calls", [str(row.calls) for row in shown]),
        Column("alone", [duration_text(1e9 * row.own_s) for row in shown]),
        Column("in all", [duration_text(1e9 * row.total_s) for row in shown]),
    ]
    echo_text(f"\n{columns_text(columns, 'table', width())}\n")
    echo("* the bot's own; alone: without the functions that it calls")
    echo(
        f"{counted(len(rows), 'function')} in {duration_text(1e9 * fsum([row.own_s for row in rows]))}, under cProfile"
    )


def _print_divergences(record: Record, divergences: Sequence[Divergence], asked: str) -> None:
    if not divergences:
        echo(f"{asked}: as recorded")
        return
    echo(f"{asked}; it continues as recorded, but")
    for divergence in {divergence.seat: divergence for divergence in reversed(divergences)}.values():
        more = len([other for other in divergences if other.seat == divergence.seat]) - 1
        also = f", and {more} more" if more else ""
        echo(
            f"  {record.seats[divergence.seat]} would first differ at decision {divergence.decision}: "
            f"{divergence.answered}, not {divergence.recorded}{also}"
        )


def _agrees(game: Game, step: Step, answer: Answer) -> bool:
    """Whether the answer matches the record; assumed after a crash or a timeout."""
    if step.fault is None:
        return answer.action == step.action
    match step.fault.kind:
        case "error" | "memory":
            return answer.error is not None and step.fault.detail.startswith(type_name(answer.error))
        case "illegal" if step.fault.answer is not None:
            return answer.action == game.action(step.fault.answer)
        case "illegal":
            return answer.action is None and answer.error is None
    return True


def _traceback(error: BaseException) -> list[str]:
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_globals.get("__name__", "").startswith("tourney."):
        frame = frame.tb_next
    return traceback.format_exception(type(error), error, frame)


def _print_endings(
    record: Record, game: Game, makers: Sequence[BotFactory], change: Change, continuations: int, names: tuple[str, ...]
) -> None:
    ending, divergences = what_if.play_on(record, game, makers, change, names)
    if change.factory is not makers[change.seat]:
        divergences = [divergence for divergence in divergences if divergence.seat != change.seat]
    _print_divergences(record, divergences, "the bots of the match were asked at the decisions before")
    seat, rest = change.seat, tuple(map(game.action, record.actions.split(" ")[change.decision - 1 :]))
    rows = [_row("recorded", seat, [record]), _row("now, the cards as they were", seat, [ending])]
    gains = []
    if continuations:
        old = change._replace(action=rest[0], factory=makers[seat])
        numbers = range(1, continuations + 1)
        play = partial(what_if.play_imagined, record, game, makers)
        before, now = [[play(each, number) for number in numbers] for each in (old, change)]
        rows.append(_row(f"recorded action, mean of {continuations}", seat, before))
        rows.append(_row(f"now, mean of {continuations}", seat, now))
        gains = [_share(new, seat) - _share(old, seat) for old, new in zip(before, now, strict=True)]
    head = (f"seat {seat}, {record.seats[seat]}", "points %", "place", "score")
    echo_text(f"\n{columns_text(columns_of(head, rows, words=(0,)), 'table', width())}\n")
    if ending.actions == rest:
        echo("with the cards as they were, the match continues and ends as recorded")
    else:
        at = next(i for i, (new, old) in enumerate(zip_longest(ending.actions, rest)) if new != old)
        echo(f"with the cards as they were, it takes another course from decision {change.decision + at} on")
        echo(*wrapped(f"end: {result_text(record.seats, ending.scores, ending.places)}", "  "))
    for each in ending.out:
        echo(f"forfeited by then: {record.seats[each]}; random moves for seat {each}")
    if gains:
        error = f" (standard error {stdev(gains) / sqrt(len(gains)):.1f})" if len(gains) > 1 else ""
        echo(f"mean of {len(gains)}: cards hidden from seat {seat} are imagined, other bots are new instances")
        echo(f"now against the recorded action: {fmean(gains):+.1f} points %{error}")


def _row(name: str, seat: int, ends: Sequence[Record | Continuation]) -> list[str]:
    place, score = fmean([each.places[seat] for each in ends]), fmean([each.scores[seat] for each in ends])
    return [name, f"{fmean([_share(each, seat) for each in ends]):.1f}", f"{place:.2f}", f"{score:.1f}"]


def _share(end: Record | Continuation, seat: int) -> float:
    return 100 * points(end.places)[seat]
