"""A recheck of all bots of a match: which of them would decide differently now."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from tourney.contracts.game import Game
from tourney.contracts.match import Fault, FaultKind, Record, match_of
from tourney.hosts import prints
from tourney.table.replay import Replay, Step, put_out
from tourney.table.table import BotFactory, Verdicts, play

REPEATABLE: tuple[FaultKind, ...] = ("illegal", "error")  # the other faults ended a process or took too long


class Difference(NamedTuple):
    """The first decision at which a bot differs from the record."""

    decision: int
    """The number of the decision, counted from 1 over all seats; one past the last if the bot differs at the end."""
    now: str
    recorded: str


def recheck(
    record: Record, game: Game, factories: Sequence[BotFactory | None], names: tuple[str, ...] = (),
    play: Callable[..., Record] = play,
) -> list[Difference | None]:  # fmt: skip
    """Asks all bots of a match again; returns for each seat the first difference, None for none or without a bot."""
    match, steps = match_of(record, names), list(Replay(record, game).steps())

    def again(asked: Collection[int]) -> Record:
        makers = [make if seat in asked else partial(_ScriptedBot, steps, seat) for seat, make in enumerate(factories)]
        with prints.redirected():
            return play(match, game, makers, _verdicts(record, steps, asked), out=put_out(record))

    asked = [seat for seat, make in enumerate(factories) if make is not None]
    if again(asked) == record:
        return [None] * len(factories)
    return [first_difference(record, again([seat]), seat) if seat in asked else None for seat in range(len(factories))]


class _ScriptedBot:
    def __init__(self, steps: Sequence[Step], seat: int) -> None:
        self._actions = iter([step.action for step in steps if step.seat == seat and not step.by_house])

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The next action, or any if there is none because the match took another course."""
        return next(self._actions, legal[0])


def _verdicts(record: Record, steps: Sequence[Step], asked: Collection[int]) -> Verdicts:
    """The faults to charge without asking: faults of seats not asked, and faults not `REPEATABLE`."""
    verdicts = {}
    for fault in record.faults:
        if fault.kind == "out" or (fault.seat in asked and fault.kind in REPEATABLE):
            continue
        verdicts[fault.decision, fault.seat] = fault.kind, fault.detail
        if fault.decision == next((step.decision for step in steps if step.seat == fault.seat), None):
            verdicts[0, fault.seat] = fault.kind, fault.detail  # it may have happened during creation
    return verdicts


def first_difference(record: Record, rerun: Record, seat: int | None = None) -> Difference | None:
    """The first difference between two plays of a match, by the faults of one seat or of all; None for none."""
    old, new = record.actions.split(" "), rerun.actions.split(" ")
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b), len(old) + 1)
    faults = [[fault for fault in each.faults if seat in (None, fault.seat)] for each in (record, rerun)]
    before, now = [each[0] if each else None for each in faults]
    if before != now:
        at = min([at, *[fault.decision for fault in (before, now) if fault is not None]])
    elif at > len(old):
        return None
    return Difference(at, _decision_text(new, now, at), _decision_text(old, before, at))


def _decision_text(actions: Sequence[str], fault: Fault | None, decision: int) -> str:
    if fault is not None and fault.decision == decision:
        return f"{fault.kind}, {fault.what}"
    return actions[decision - 1] if decision <= len(actions) else "no fault"
