"""A recheck of all bots of a match: which of them would not decide as recorded.

The match is played once more with the bots as they are now. A decision at which the record has a bot's process die or
its time run out is not tried again: the fault is charged as recorded, without asking the bot.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple

from tourney.contracts.game import Game
from tourney.contracts.match import Fault, FaultKind, Record, match_of
from tourney.hosts import prints
from tourney.table.replay import Replay, put_out
from tourney.table.table import BotFactory, Verdicts, play

REPEATABLE: tuple[FaultKind, ...] = ("illegal", "error")
"""The faults that are tried again; the others ended a process or took too long."""


class Difference(NamedTuple):
    """The first decision at which a bot does not do what is recorded."""

    decision: int
    """The number of the decision, counted from 1 over all seats; one past the last if the bot differs at the end."""
    now: str
    """What the bot does now, in a few words."""
    recorded: str
    """What it did according to the record, in a few words."""


def recheck(
    record: Record,
    game: Game,
    factories: Sequence[BotFactory | None],
    names: tuple[str, ...] = (),
    play: Callable[..., Record] = play,
) -> list[Difference | None]:
    """Asks all bots of a match again."""
    rerun = _Rerun(record, game, factories, names, play)
    asked = [seat for seat, make in enumerate(factories) if make is not None]
    if rerun.play(asked) == record:
        return [None] * len(factories)
    return [rerun.difference(seat) if seat in asked else None for seat in range(len(factories))]


class _Rerun:
    """A recorded match that is played again with some of its bots."""

    def __init__(
        self,
        record: Record,
        game: Game,
        factories: Sequence[BotFactory | None],
        names: tuple[str, ...],
        play: Callable[..., Record],
    ) -> None:
        self._play = play
        self._record = record
        self._match = match_of(record, names)
        self._game = game
        self._factories = factories
        self._decisions = [
            _RecordedDecision(step.decision, step.seat, step.action, step.by_house)
            for step in Replay(record, game).steps()
        ]

    def play(self, asked: Collection[int]) -> Record:
        """Plays the match with the bots of these seats, while the other seats do what is recorded."""
        factories = [
            self._script(seat) if make is None or seat not in asked else make
            for seat, make in enumerate(self._factories)
        ]
        with prints.redirected():
            return self._play(self._match, self._game, factories, self._verdicts(asked), out=put_out(self._record))

    def difference(self, seat: int) -> Difference | None:
        """Returns the first difference of one bot, while all other seats do what is recorded; None if there is none."""
        rerun = self.play([seat])
        old, new = self._record.actions.split(" "), rerun.actions.split(" ")
        at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b), len(old) + 1)
        faults = [_fault_of(record, seat) for record in (self._record, rerun)]
        if faults[0] != faults[1]:
            at = min([at, *[fault.decision for fault in faults if fault is not None]])
        elif at > len(old):
            return None
        return Difference(at, _decision_text(new, faults[1], at), _decision_text(old, faults[0], at))

    def _script(self, seat: int) -> BotFactory:
        """Returns a factory of bots that do what the seat's bot did in the record."""
        return lambda: _ScriptedBot(
            [each.action for each in self._decisions if each.seat == seat and not each.by_house]
        )

    def _verdicts(self, asked: Collection[int]) -> Verdicts:
        """Returns the faults to charge without asking: those of seats that are not asked, and those not tried again."""
        verdicts = {}
        for fault in self._record.faults:
            if fault.kind == "out" or (fault.seat in asked and fault.kind in REPEATABLE):
                continue
            verdicts[fault.decision, fault.seat] = fault.kind, fault.detail
            if fault.decision == next((each.decision for each in self._decisions if each.seat == fault.seat), None):
                verdicts[0, fault.seat] = fault.kind, fault.detail  # it may have happened while the bot was made
        return verdicts


class _RecordedDecision(NamedTuple):
    """A decision of the record."""

    decision: int
    seat: int
    action: int
    by_house: bool


class _ScriptedBot:
    """A bot that plays given actions."""

    def __init__(self, actions: Sequence[int]) -> None:
        self._actions: Iterator[int] = iter(actions)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """Returns the next action, or any if there is none because the match took another course."""
        return next(self._actions, legal[0])


def _fault_of(record: Record, seat: int) -> Fault | None:
    return next((fault for fault in record.faults if fault.seat == seat), None)


def _decision_text(actions: Sequence[str], fault: Fault | None, decision: int) -> str:
    """Describes what was done at a decision: the action, or the fault."""
    if fault is not None and fault.decision == decision:
        return f"{fault.kind}, {fault.what}"
    return actions[decision - 1] if decision <= len(actions) else "no fault"
