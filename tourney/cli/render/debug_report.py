"""The report of `tourney debug`: how a bot came to its decision, what it answered, how the match ends otherwise."""

import sys
import traceback
from bdb import BdbQuit
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import zip_longest
from math import fsum, nan, sqrt

from tourney.cli import interrupt
from tourney.cli.render.text import wrapped
from tourney.cli.screen import echo, echo_text, width
from tourney.debugging.breakpoint import call_with_breakpoint
from tourney.debugging.warmup import Answer, Divergence, ask, warm_up
from tourney.debugging.what_if import Change, play_imagined, play_on
from tourney.errors import RunError, type_name
from tourney.game import Game
from tourney.match import Record
from tourney.replay import Step
from tourney.stats.points import points
from tourney.table import BotFactory
from tourney.text_tables import table
from tourney.wording import counted


def legal_action(game: Game, step: Step, text: str) -> int:
    """Returns the action that a text names."""
    action = game.action(text) if text in game.names else None
    if action is None or not (action in step.legal or step.state.tolerates(action)):
        choices = " ".join(map(game.text, step.legal))
        raise RunError(f"decision {step.decision}: {text} is not legal for seat {step.seat}; legal are {choices}")
    return action


def stop_in_debugger(record: Record, game: Game, step: Step, make: BotFactory, names: tuple[str, ...]) -> bool:
    """Takes the bot to its decision, stops in the debugger, and prints what it answered."""
    seat = step.seat
    then = warm_up(record, game, {seat: make}, step.decision, names)
    if then.asked[seat]:
        before = counted(then.asked[seat], "decision")
        _print_divergences(record, then.divergences, f"{record.seats[seat]} was asked at {before} before")
    else:
        echo(f"{record.seats[seat]} was not asked before")
    view = then.step.state.view(seat)
    # at its prompt Ctrl-C takes back what is typed
    with interrupt.handled() if sys.stdin.isatty() else nullcontext():
        answer = ask(game, then.bots[seat], view, step.legal, call_with_breakpoint)
    if isinstance(answer.error, BdbQuit):
        echo("left the debugger")
        return not then.divergences
    if answer.error is not None:
        echo_text("".join(_traceback(answer.error)).expandtabs().removesuffix("\n"), err=True)
    agrees = _agrees(game, step, answer)
    echo(f"answered: {answer.text}, {'as recorded' if agrees else 'not as recorded'}")
    return agrees and not then.divergences


def print_heading(record: Record, game: Game, step: Step) -> None:
    """Prints which decision it is, and what was decided."""
    name = record.seats[step.seat]
    echo(f"{record.match}, decision {step.decision} of {record.decisions}: seat {step.seat}, {name}")
    echo(f"recorded: {_recorded(game, step)}")


def _recorded(game: Game, step: Step) -> str:
    """Returns what the record has for the decision."""
    action = game.text(step.action)
    if step.fault is None:
        return action
    return f"a fault, {step.fault.kind} ({step.fault.what}); the house chose {action}"


def _print_divergences(record: Record, divergences: Sequence[Divergence], asked: str) -> None:
    """Prints where each bot, asked again, would first have decided differently."""
    if not divergences:
        echo(f"{asked}: as recorded")
        return
    echo(f"{asked}; it goes on as recorded, but")
    for divergence in {divergence.seat: divergence for divergence in reversed(divergences)}.values():
        more = len([other for other in divergences if other.seat == divergence.seat]) - 1
        also = f", and {more} more" if more else ""
        echo(
            f"  {record.seats[divergence.seat]} would first differ at decision {divergence.decision}: "
            f"{divergence.answered}, not {divergence.recorded}{also}"
        )


def _agrees(game: Game, step: Step, answer: Answer) -> bool:
    """Returns whether the answer is what the record says; assumed for a process that ended and a time limit."""
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
    """Returns the traceback from the bot's own frame on."""
    frame = error.__traceback__
    while frame is not None and frame.tb_frame.f_globals.get("__name__", "").startswith("tourney."):
        frame = frame.tb_next
    return traceback.format_exception(type(error), error, frame)


def print_endings(
    record: Record,
    game: Game,
    makers: Sequence[BotFactory],
    change: Change,
    continuations: int,
    names: tuple[str, ...],
) -> None:
    """Continues the match with the change, and prints its ending beside the recorded one."""
    ending, divergences = play_on(record, game, makers, change, names)
    if change.factory is not makers[change.seat]:
        divergences = [divergence for divergence in divergences if divergence.seat != change.seat]
    _print_divergences(record, divergences, "the bots of the match were asked at the decisions before")
    seat, rest = change.seat, tuple(map(game.action, record.actions.split(" ")[change.decision - 1 :]))
    rows = [
        _row("recorded", seat, [(record.places, record.scores)]),
        _row("now, the cards as they were", seat, [(ending.places, ending.scores)]),
    ]
    gains = []
    if continuations > 1:
        old = change._replace(action=rest[0], factory=makers[seat])
        numbers = range(1, continuations)
        ends = [[play_imagined(record, game, makers, each, number) for number in numbers] for each in (old, change)]
        for name, found in zip(("recorded action", "now"), ends, strict=True):
            rows.append(_row(f"{name}, mean of {len(numbers)}", seat, [(each.places, each.scores) for each in found]))
        shares = [[100 * points(each.places)[seat] for each in found] for found in ends]
        gains = [new - old for old, new in zip(*shares, strict=True)]
    echo()
    head = (f"seat {seat}, {record.seats[seat]}", "points %", "place", "score")
    echo_text(table(head, rows, "table", (0,), width()))
    echo()
    if ending.actions == rest:
        echo("with the cards as they were, the match goes on and ends as recorded")
    else:
        at = next(i for i, (new, old) in enumerate(zip_longest(ending.actions, rest)) if new != old)
        echo(f"with the cards as they were, it goes another way from decision {change.decision + at} on")
        ends_now = zip(record.seats, ending.scores, ending.places, strict=True)
        result = ", ".join([f"{name} {score} (place {place})" for name, score, place in ends_now])
        echo(*wrapped(f"end: {result}", "  "))
    for each in ending.out:
        echo(f"out by then: {record.seats[each]}; the house moves for seat {each}")
    if gains:
        echo(f"mean of {len(gains)}: what seat {seat} does not see is imagined, other bots are made anew")
        mean, error = _mean_and_error(gains)
        echo(f"now against the recorded action: {mean:+.1f} points % (standard error {error:.1f})")


def _row(name: str, seat: int, ends: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> list[str]:
    """Returns a row of the table: the seat's mean points, place and score over endings (places, scores)."""
    share = fsum([100 * points(places)[seat] for places, _ in ends]) / len(ends)
    place = fsum([places[seat] for places, _ in ends]) / len(ends)
    score = fsum([scores[seat] for _, scores in ends]) / len(ends)
    return [name, f"{share:.1f}", f"{place:.2f}", f"{score:.1f}"]


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Returns the mean and its standard error, which is nan for a single value."""
    mean = fsum(values) / len(values)
    if len(values) == 1:
        return mean, nan
    return mean, sqrt(fsum([(value - mean) ** 2 for value in values]) / (len(values) - 1) / len(values))
