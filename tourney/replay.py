"""A record without its bots: every step of the match, its trace, and what does not hold in it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from tourney.errors import ActionError, RunError, TourneyError
from tourney.game import Game, State
from tourney.hosts.base import Act
from tourney.match import Fault, Match, Record, final_places, record_of
from tourney.table import house


class Step(NamedTuple):
    """One decision of a match, right before its action is applied."""

    decision: int
    """Counted from 1, over all seats."""
    seat: int
    action: int
    legal: tuple[int, ...]
    fault: Fault | None
    """What the seat's bot did wrong at this decision, if it did; the action is then the house's."""
    by_house: bool
    """Whether the house chose the action."""
    state: State
    """The match before the action. It moves on when the next step is asked for: copy what should stay."""


class DifferenceError(TourneyError):
    """The first thing in a record that does not hold."""


class Replay:
    """A record being replayed by the rules of its game, step by step.

    `steps` raises a `DifferenceError` at the first decision that does not hold; what was logged before it stands.
    `houses` are the houses of the seats whose bots are out by now.
    """

    def __init__(self, record: Record, game: Game) -> None:
        """Sets up the match; a `DifferenceError` if it cannot be played like this."""
        self.record = record
        self.game = game
        try:
            self.options = game.options(len(record.seats), record.options)
            self.seed = int(record.seed, 16)
            self.state = game.start(len(record.seats), self.options, self.seed)
            self.houses: dict[int, Act] = {seat: house(self.seed, seat) for seat in put_out(record)}
        except (TourneyError, ValueError, OverflowError) as error:
            raise DifferenceError(f"the match cannot be set up: {error}") from None

    def steps(self) -> Iterator[Step]:
        """Every decision, in order; each action is applied when the next step is asked for."""
        state = self.state
        faults = {fault.decision: fault for fault in self.record.faults if fault.kind != "out"}
        houses = self.houses
        texts = self.record.actions.split(" ") if self.record.actions else []
        for decision, text in enumerate(texts, 1):
            seat = state.seat
            if seat is None:
                raise DifferenceError(f"decision {decision}: the match is over, but the record goes on with {text}")
            legal = tuple(state.legal())
            action = self._action(decision, seat, legal, text)
            fault = faults.get(decision)
            if fault is not None:
                if fault.seat != seat:
                    raise DifferenceError(
                        f"decision {decision}: is seat {seat}'s, but a fault charges seat {fault.seat}"
                    )
                houses[seat] = house(self.seed, seat)
            if seat in houses and (chosen := houses[seat](None, legal)) != action:
                raise DifferenceError(f"decision {decision}: the house plays {self.game.text(chosen)}, not {text}")
            yield Step(decision, seat, action, legal, fault, seat in houses, state)
            state.log.append((seat, action, legal))
            state.apply(action)
        if state.seat is not None:
            raise DifferenceError(f"decision {len(texts) + 1}: the match goes on, but the record ends")

    def _action(self, decision: int, seat: int, legal: tuple[int, ...], text: str) -> int:
        try:
            action = self.game.action(text)
        except ActionError as error:
            raise DifferenceError(f"decision {decision}: {error}") from None
        if action not in legal and not self.state.tolerates(action):
            raise DifferenceError(f"decision {decision}: {text} is not legal for seat {seat}")
        return action


def check(record: Record, game: Game) -> None:
    """Replays the record; raises a `DifferenceError` that names the first thing that does not hold."""
    replay = Replay(record, game)
    _check_faults(record)
    for _ in replay.steps():
        pass
    state = replay.state
    out = {fault.seat for fault in record.faults}
    if record.scores != state.scores:
        raise DifferenceError(
            f"scores: the replay comes to {list(state.scores)}, the record says {list(record.scores)}"
        )
    places = final_places(state.places, out)
    if record.places != places:
        raise DifferenceError(f"places: the replay comes to {list(places)}, the record says {list(record.places)}")
    match = Match(record.match, record.setup, record.block, replay.seed, record.seats)
    again = record_of(match, record.actions, state.scores, places, record.faults, state.log)
    if again != record:
        raise DifferenceError(
            f"digest: the replay comes to {again.digest}, the record says {record.digest}; either the record was "
            "changed, or the rules of the game were"
        )


def _check_faults(record: Record) -> None:
    """Raises a `DifferenceError` where the table cannot have charged the faults like this."""
    end = len(record.actions.split()) + 1
    seats = [fault.seat for fault in record.faults]
    for i, fault in enumerate(record.faults):
        where = f"fault {i + 1}: "
        if not 0 <= fault.seat < len(record.seats):
            raise DifferenceError(f"{where}charges seat {fault.seat}, and there is no such seat")
        if fault.seat in seats[:i]:
            raise DifferenceError(f"{where}charges seat {fault.seat} again")
        first, last = (0, 0) if fault.kind == "out" else (1, end)
        if not first <= fault.decision <= last:
            raise DifferenceError(f"{where}{fault.kind} cannot be charged at decision {fault.decision}")


def put_out(record: Record) -> dict[int, str]:
    """The seats whose entrants had been put out of the tournament before the match, and why."""
    return {fault.seat: fault.detail for fault in record.faults if fault.kind == "out"}


def trace(record: Record, game: Game) -> Iterator[dict[str, Any]]:
    """The match as events that tell everything (docs/log-format); raises a `RunError` where the record breaks off."""
    try:
        replay = Replay(record, game)
        yield {
            "kind": "match",
            "game": record.game,
            "options": _all_options(replay.options),
            "seats": list(record.seats),
            "seed": record.seed,
        }
        for seat, why in put_out(record).items():
            yield {"kind": "out", "seat": seat, "detail": why}
        told = 0
        for step in replay.steps():
            yield from _told(game, step.state, told)
            told = len(step.state.log) + 1
            yield from _acts(game, step)
        yield from _told(game, replay.state, told)
    except DifferenceError as difference:
        raise RunError(f"match {record.match} does not replay: {difference}") from None
    yield {"kind": "end", "scores": list(replay.state.scores), "places": list(replay.state.places)}


def _told(game: Game, state: State, since: int) -> Iterator[dict[str, Any]]:
    """The game's own events from an index of the log on."""
    for entry in state.log[since:]:
        yield game.event(entry)


def _acts(game: Game, step: Step) -> Iterator[dict[str, Any]]:
    """The events of a decision: the answer that was a fault, if there was one, and the action that was applied."""
    legal = [game.text(action) for action in step.legal]
    if step.fault is not None:
        yield {
            "kind": "act",
            "seat": step.seat,
            "action": step.fault.answer,
            "legal": legal,
            "fault": step.fault.kind,
        }
    act: dict[str, Any] = {"kind": "act", "seat": step.seat, "action": game.text(step.action), "legal": legal}
    if step.by_house:
        act["by"] = "house"
    yield act


def _all_options(options: Any) -> dict[str, Any]:
    """Every option with its value, defaults too."""
    return {name: msgspec.to_builtins(getattr(options, name)) for name in options.__struct_fields__}
