"""Replays a record by the rules, without its bots: decisions, views, the trace, the first difference."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from tourney.base.deadline import deadline
from tourney.base.errors import ActionError, RunError, TourneyError
from tourney.contracts.game import Entry, Game, State
from tourney.contracts.match import Fault, Match, Record, final_places, match_of, options_of, record_of
from tourney.contracts.rng import seed_text
from tourney.hosts.base import Act
from tourney.hosts.limits import Limits
from tourney.plugins.failures import converted, endless_match, failure_text
from tourney.table.seeds import house

T = TypeVar("T")
MATCH_S = Limits().match_s
"""How long a game's code may take by default, in seconds."""


class Step(NamedTuple):
    """One decision of a match, right before its action is applied."""

    decision: int
    """The number of the decision, counted from 1 over all seats."""
    seat: int
    action: int
    legal: tuple[int, ...]
    fault: Fault | None
    """The fault of the seat's bot at this decision, or None. After a fault the house chooses the action."""
    by_house: bool
    """Whether the house chose the action."""
    state: State
    """The match before the action. It changes when the next step is asked for; copy what should stay."""


class DifferenceError(TourneyError):
    """The first part of a record that is wrong."""


class Replay:
    """A record that is replayed by the rules of its game, decision by decision.

    A match in progress has no places.
    """

    def __init__(self, record: Record, game: Game) -> None:
        self.record = record
        self.game = game
        self.decision = 0
        """The number of the last decision that was reached; 0 before the first."""
        with converted_failures(game):
            try:
                self.options = game.options(len(record.seats), record.options)
                self.seed = int(record.seed, 16)
                self.state = game.start(len(record.seats), self.options, self.seed)
                """The match as it has been replayed so far."""
            except (TourneyError, ValueError, OverflowError) as error:
                raise DifferenceError(f"the match cannot be set up: {error}") from None
        self.houses: dict[int, Act] = {seat: house(self.seed, seat) for seat in put_out(record)}
        """The houses of the seats whose bots are out so far."""

    def steps(self) -> Iterator[Step]:
        """Every decision, in order; each action is applied when the next step is asked for."""
        state, houses = self.state, self.houses
        faults = {fault.decision: fault for fault in self.record.faults if fault.kind != "out"}
        texts = self.record.actions.split()
        with converted_failures(self.game):
            for self.decision, text in enumerate(texts, 1):
                decision, seat = self.decision, state.seat
                if seat is None:
                    raise DifferenceError(f"decision {decision}: the match is over, the record continues with {text}")
                legal = tuple(state.legal())
                action = self._action(decision, seat, legal, text)
                fault = faults.get(decision)
                if fault is not None:
                    if fault.seat != seat:
                        raise DifferenceError(
                            f"decision {decision} is seat {seat}'s, but a fault charges seat {fault.seat}"
                        )
                    houses[seat] = house(self.seed, seat)
                if seat in houses and (chosen := houses[seat](None, legal)) != action:
                    raise DifferenceError(f"decision {decision}: the house plays {self.game.text(chosen)}, not {text}")
                yield Step(decision, seat, action, legal, fault, seat in houses, state)
                state.play(action, legal)
            if state.seat is not None and self.record.places:
                raise DifferenceError(f"decision {len(texts) + 1}: the match continues, but the record ends")

    def _action(self, decision: int, seat: int, legal: tuple[int, ...], text: str) -> int:
        try:
            action = self.game.action(text)
        except ActionError as error:
            raise DifferenceError(f"decision {decision}: {error}") from None
        if action not in legal and not self.state.tolerates(action):
            raise DifferenceError(f"decision {decision}: {text} is not legal for seat {seat}")
        return action


def converted_failures(game: Game) -> AbstractContextManager[None]:
    """Turns an exception in the game's code into a `DifferenceError`."""
    return converted(lambda error: DifferenceError(failure_text(game, error)))


def in_time(record: Record, limit_s: float = MATCH_S) -> AbstractContextManager[None]:
    """Bounds the time of the game's code while a record is replayed, where Python can interrupt it."""
    return deadline(limit_s, lambda: endless_match(match_of(record), f"a replay took longer than {limit_s:g} s"))


def each_in_time(record: Record, items: Iterator[T], limit_s: float = MATCH_S, together: int = 1) -> Iterator[T]:
    """The items, read `together` at a time; bounds the time of the game's code until each, as `in_time` does."""
    while True:
        with in_time(record, limit_s):
            batch = list(islice(items, together))
        if not batch:
            return
        yield from batch


def check(record: Record, game: Game) -> None:
    """Replays the record, and compares everything in it."""
    with converted_failures(game):
        _check(record, Replay(record, game))


def _check(record: Record, replay: Replay) -> None:
    _check_faults(record)
    for _ in replay.steps():
        pass
    state = replay.state
    out = {fault.seat for fault in record.faults}
    if record.scores != state.scores:
        raise DifferenceError(f"scores: the replay has {list(state.scores)}, the record {list(record.scores)}")
    places = final_places(state.places, out)
    if record.places != places:
        raise DifferenceError(f"places: the replay has {list(places)}, the record {list(record.places)}")
    again = record_of(match_of(record), record.actions, state.scores, places, record.faults, state.log)
    if again != record:
        raise DifferenceError(
            f"digest: the replay has {again.digest}, the record {record.digest}; either the record was "
            "changed, or the rules of the game were"
        )


def _check_faults(record: Record) -> None:
    end = record.decisions + 1
    seats = [fault.seat for fault in record.faults]
    for i, fault in enumerate(record.faults):
        where = f"fault {i + 1}: "
        if not 0 <= fault.seat < len(record.seats):
            raise DifferenceError(f"{where}charges seat {fault.seat}, which does not exist")
        if fault.seat in seats[:i]:
            raise DifferenceError(f"{where}charges seat {fault.seat} again")
        first, last = (0, 0) if fault.kind == "out" else (1, end)
        if not first <= fault.decision <= last:
            raise DifferenceError(f"{where}{fault.kind} cannot be charged at decision {fault.decision}")


def put_out(record: Record) -> dict[int, str]:
    """The seats whose entrants had been disqualified before the match, with the reason."""
    return {fault.seat: fault.detail for fault in record.faults if fault.kind == "out"}


class ReplayEvent(NamedTuple):
    """Something that happened in a match: a decision, or an event of the game."""

    number: int
    """The decision that it is, or that it follows from, counted from 1 over all seats; 0 before the first."""
    step: Step | None
    """The decision; None for an event of the game."""
    view: Any
    """What the deciding seat saw before it decided; None for an event."""
    action: str
    """The action that was played: the step's, or its replacement by the rules; empty for an event."""
    event: dict[str, Any]
    """The game's event, as in the trace; empty for a decision."""
    state: State
    """The match right after it. It changes with the next one."""
    seen: str | None
    """The part that the walk's seat sees, as in `Observation.text`; None if it notices nothing."""
    revealed: tuple["ReplayEvent", ...]
    """Earlier events that the walk's seat learns of only now."""


def walk(record: Record, game: Game, seat: int | None = None) -> Iterator[ReplayEvent]:
    """Everything that happened in a match, in order, as all see it or as one seat does."""
    events = _walk(begun_replay(record, game), seat)
    while True:
        with replayable(record), converted_failures(game):
            replayed = next(events, None)
        if replayed is None:
            return
        yield replayed


def _walk(replay: Replay, seat: int | None) -> Iterator[ReplayEvent]:
    events = EventReader(replay.game, seat)
    state, steps = replay.state, replay.steps()
    before, view = None, None
    while True:
        difference_found = None
        try:
            step = next(steps, None)
        except DifferenceError as difference:
            step, difference_found = None, difference
        end = len(state.log) if difference_found is None else events.done + (before is not None)
        yield from events.read(state, before, view, end)
        if difference_found is not None:
            raise difference_found
        if step is None:
            return
        before, view = step, step.state.view(step.seat)


class EventReader:
    """Reads the log of a match, as it grows, as events that all see or that one seat does."""

    def __init__(self, game: Game, seat: int | None) -> None:
        self._game, self._seat = game, seat
        self._hidden: dict[int, ReplayEvent] = {}
        self.done = 0
        """How many entries of the log were read."""

    def read(self, state: State, step: Step | None, view: Any, end: int) -> Iterator[ReplayEvent]:
        """The entries up to `end`, which follow from the decision `step`, with the state right after them."""
        for at in range(self.done, end):
            happened = _happened(self._game, state, at, step, view)
            yield happened if self._seat is None else _as_seen(self._game, happened, at, self._seat, self._hidden)
        self.done = end


def begun_replay(record: Record, game: Game) -> Replay:
    """A match's replay before its first decision; a `RunError` if the match cannot be started."""
    with replayable(record):
        return Replay(record, game)


@contextmanager
def replayable(record: Record) -> Iterator[None]:
    """Turns a difference of a replay from its record into the user's error, a `RunError`."""
    try:
        yield
    except DifferenceError as difference:
        problem = f"match {record.match} does not replay: {difference}; run `tourney verify` for details"
        raise RunError(problem) from None


def _happened(game: Game, state: State, at: int, step: Step | None, view: Any) -> ReplayEvent:
    """A log entry as all see it; `step` and `view` come from the last decision."""
    entry, number = state.log[at], 0 if step is None else step.decision
    if step is None or not isinstance(entry[0], int):
        event = game.event(entry)
        return ReplayEvent(number, None, None, "", event, state, event["kind"], ())
    action = game.text(step.action)
    if step.action not in step.legal:  # the others see what counts
        other = (step.seat + 1) % len(state.scores)
        action = game.observe(state, at, other).text or action
    return ReplayEvent(number, step, view, action, {}, state, action, ())


def _as_seen(game: Game, happened: ReplayEvent, at: int, seat: int, hidden: dict[int, ReplayEvent]) -> ReplayEvent:
    """The event as the seat sees it; `hidden` holds its unseen events, by index in the log."""
    text, reveals = game.observe(happened.state, at, seat)
    revealed = tuple([hidden.pop(i) for i in reveals if i in hidden])
    if text != happened.seen:
        hidden[at] = happened
    return happened._replace(seen=text, revealed=revealed)


def trace(record: Record, game: Game, names: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    """The match as events that tell everything (docs/data-formats)."""
    for _, event in numbered_trace(record, game, names):
        yield event


def numbered_trace(record: Record, game: Game, names: tuple[str, ...] = ()) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of `trace`, each with the number of the decision that it comes with (0 before the first)."""
    replay = begun_replay(record, game)
    options = {name: msgspec.to_builtins(getattr(replay.options, name)) for name in replay.options.__struct_fields__}
    of_match = {"kind": "match", "game": record.game, "options": options}
    others = {"names": list(names)} if set(names) - set(record.seats) else {}
    yield 0, of_match | {"seats": list(record.seats), "seed": record.seed} | others
    for seat, why in put_out(record).items():
        yield 0, {"kind": "out", "seat": seat, "detail": why}
    number, state = 0, replay.state
    for replayed in walk(record, game):
        number, state = replayed.number, replayed.state
        if replayed.step is None:
            yield number, replayed.event
        else:
            for event in _acts(game, replayed.step):
                yield number, event
    yield number, {"kind": "end", "scores": list(state.scores), "places": list(state.places)}


def _acts(game: Game, step: Step) -> Iterator[dict[str, Any]]:
    legal = [game.text(action) for action in step.legal]
    act: dict[str, Any] = {"kind": "act", "seat": step.seat, "action": game.text(step.action), "legal": legal}
    if step.fault is not None:
        yield act | {"action": step.fault.answer, "fault": step.fault.kind}
    if step.by_house:
        act["by"] = "house"
    yield act


class LiveMatch:
    """A match that is being played, for a display of it."""

    def __init__(
        self, match: Match, game: Game, seat: int | None, log: Sequence[Entry], faults: Sequence[Fault]
    ) -> None:
        options, _ = options_of(match.setup, game)
        self.state = game.start(match.setup.seats, options, match.seed)
        """The match as `news` has shown it so far."""
        self.decisions = 0
        self._log, self._faults = log, faults
        self._read = 0  # how many entries of the log at the table
        self._events = EventReader(game, seat)

    def news(self) -> Iterator[ReplayEvent]:
        """The events since the last call; exhaust it before the match continues."""
        state = self.state
        yield from self._events.read(state, None, None, len(state.log) if not self.decisions else self._events.done)
        while self._read < len(self._log):
            entry = self._log[self._read]
            self._read += 1
            if isinstance(entry[0], int):
                yield from self._decision(*entry)

    def _decision(self, seat: int, action: int, legal: Sequence[int]) -> Iterator[ReplayEvent]:
        state = self.state
        self.decisions += 1
        fault = next((each for each in self._faults if each.decision == self.decisions and each.seat == seat), None)
        by_house = any([each.seat == seat and each.decision <= self.decisions for each in self._faults])
        step = Step(self.decisions, seat, action, tuple(legal), fault, by_house, state)
        view = state.view(seat)
        state.play(action, step.legal)
        yield from self._events.read(state, step, view, len(state.log))


def unfinished_record(match: Match, game: Game, log: Sequence[Entry] = (), faults: Sequence[Fault] = ()) -> Record:
    """The record of an unfinished match, by the table's log: it has neither scores nor places."""
    setup = match.setup
    actions = " ".join([game.text(action) for seat, action, *_ in log if isinstance(seat, int)])
    return Record(
        match.id, setup.game, setup.options, match.block, seed_text(match.seed), match.seats,
        actions, (), (), tuple(faults), "",
    )  # fmt: skip
