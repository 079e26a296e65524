"""All bots of a match asked again for all decisions: which of them would not do what the record says.

The table plays the match once more, with the bots as they are now. What the record says ended a bot's process or its
time is not tried again: there the seat is charged as it was, without the bot being asked.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from tourney.game import Game
from tourney.match import Fault, FaultKind, Match, Record
from tourney.replay import Replay, put_out
from tourney.table import BotFactory, Verdicts, play

REPEATED: tuple[FaultKind, ...] = ("illegal", "error")
"""Faults that are done again; the others brought a process down or took too long."""


class Difference(NamedTuple):
    """The first thing that a bot does otherwise than the record says."""

    decision: int
    """One past the last: when it is told the outcome."""
    now: str
    """What it does now, in a few words."""
    recorded: str


def asked_again(record: Record, game: Game, makers: Sequence[BotFactory]) -> list[Difference | None]:
    """For each seat, the first thing that its bot does otherwise; None if it does all of it again.

    The record must hold by the rules.
    """
    rehearsal = _Rehearsal(record, game, makers)
    if rehearsal.played(range(len(makers))) == record:
        return [None] * len(makers)
    return [rehearsal.difference(seat) for seat in range(len(makers))]


class _Rehearsal:
    def __init__(self, record: Record, game: Game, makers: Sequence[BotFactory]) -> None:
        self._record = record
        self._game = game
        self._makers = makers
        self._steps = [
            _Done(step.decision, step.seat, step.action, step.by_house) for step in Replay(record, game).steps()
        ]

    def played(self, asked: Collection[int]) -> Record:
        """The match once more, with the bots of these seats; the other seats do what the record says."""
        record = self._record
        match = Match(record.match, record.setup, record.block, int(record.seed, 16), record.seats)
        makers = [make if seat in asked else self._script(seat) for seat, make in enumerate(self._makers)]
        return play(match, self._game, makers, self._charged(asked), out=put_out(record))

    def difference(self, seat: int) -> Difference | None:
        """The first thing that the bot of the seat does otherwise, as long as all others do what the record says."""
        again = self.played([seat])
        old, new = self._record.actions.split(" "), again.actions.split(" ")
        at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False), 1) if a != b), len(old) + 1)
        faults = [_fault_of(record, seat) for record in (self._record, again)]
        if faults[0] != faults[1]:
            at = min([at, *[fault.decision for fault in faults if fault is not None]])
        elif at > len(old):
            return None
        return Difference(at, _did(new, faults[1], at), _did(old, faults[0], at))

    def _script(self, seat: int) -> BotFactory:
        """What makes a bot that does what the record says."""
        return lambda: _Script([step.action for step in self._steps if step.seat == seat and not step.by_house])

    def _charged(self, asked: Collection[int]) -> Verdicts:
        """What is charged without asking: faults of seats that are not asked, and what must not be done again."""
        charged = {}
        for fault in self._record.faults:
            if fault.kind == "out" or (fault.seat in asked and fault.kind in REPEATED):
                continue
            charged[fault.decision, fault.seat] = fault.kind, fault.detail
            if fault.decision == next((s.decision for s in self._steps if s.seat == fault.seat), None):
                charged[0, fault.seat] = fault.kind, fault.detail  # it may have happened while the bot was made
        return charged


class _Done(NamedTuple):
    """What a seat did at a decision."""

    decision: int
    seat: int
    action: int
    by_house: bool


class _Script:
    """A bot that does what it is told beforehand."""

    def __init__(self, actions: Sequence[int]) -> None:
        self._actions: Iterator[int] = iter(actions)

    def act(self, view: Any, legal: Sequence[int]) -> int:
        """The next action; once the match has gone another way, any."""
        return next(self._actions, legal[0])


def _fault_of(record: Record, seat: int) -> Fault | None:
    return next((fault for fault in record.faults if fault.seat == seat), None)


def _did(actions: Sequence[str], fault: Fault | None, decision: int) -> str:
    """What was done at the decision."""
    if fault is not None and fault.decision == decision:
        return f"{fault.kind}, {fault.detail if fault.answer is None else fault.answer}"
    return actions[decision - 1] if decision <= len(actions) else "no fault"
