"""Continuations of a match from one of its decisions, with another action or another bot in the seat.

`play_on` keeps the cards, and warms up every bot with its own rng; the same action by the same bot then leads to the
recorded end. `play_imagined` continues a match that the seat might as well have been in: what the seat does not see is
imagined, all bots draw on other randomness, and the other bots are new, because they would have seen something else.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tourney.base.errors import GameError
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.game import Game, State
from tourney.contracts.match import Record, final_places
from tourney.contracts.playouts import play_out
from tourney.contracts.rng import derive, stream
from tourney.hosts import prints
from tourney.hosts.base import Act
from tourney.review.recheck import REPEATABLE
from tourney.review.warmup import RAISED, Divergence, WarmedUpBot, ask, warm_up
from tourney.table.seeds import house
from tourney.table.table import BotFactory


class Change(NamedTuple):
    """What is changed at a decision of a record."""

    decision: int
    seat: int
    action: int | None
    """The action of the seat at this decision, or None for what its bot then answers."""
    factory: BotFactory
    """What makes the bot of the seat."""


class Continuation(NamedTuple):
    """How a match went on and ended."""

    actions: tuple[int, ...]
    """The actions from the decision on."""
    scores: tuple[int, ...]
    """The score of each seat; higher is better."""
    places: tuple[int, ...]
    """The place of each seat; 1 is the best."""
    out: tuple[int, ...]
    """The seats whose bots were out."""


def play_on(
    record: Record, game: Game, factories: Sequence[BotFactory], change: Change, names: tuple[str, ...] = ()
) -> tuple[Continuation, list[Divergence]]:
    """Continues the match with the cards of the record."""
    out = _out(record, change)
    warmed_up = {seat: make for seat, make in enumerate(factories) if seat not in out} | {change.seat: change.factory}
    point = warm_up(record, game, warmed_up, change.decision, names)
    houses = {seat: point.houses[seat] for seat in out}
    rest = _RestOfMatch(record, game, point.step.state, point.bots, houses, int(record.seed, 16))
    with prints.redirected():
        return rest.play(change, as_recorded=True), point.divergences


def play_imagined(
    record: Record, game: Game, factories: Sequence[BotFactory], change: Change, number: int
) -> Continuation:
    """Continues an imagined match; for every change at the same decision, the same number gives the same match."""
    seed = derive(int(record.seed, 16), "continuation", change.decision, number)
    point = warm_up(
        record, game, {change.seat: change.factory}, change.decision, seed=lambda seat: derive(seed, "bot", seat)
    )
    state = game.imagine(point.step.state.view(change.seat), stream(seed, "imagine"))
    out = _out(record, change)
    bots, seats = point.bots, len(factories)
    for seat, make in enumerate(factories):
        if seat not in out and seat != change.seat:
            own = derive(seed, "bot", seat)
            facts = SeatFacts(game, game.options(seats, record.options), seats, seat, Random(own))
            with prints.labelled(record.seats[seat]):
                bots[seat] = WarmedUpBot(make, facts, own)
    houses = {seat: house(seed, seat) for seat in out}
    rest = _RestOfMatch(record, game, state, bots, houses, seed)
    with prints.redirected():
        return rest.play(change, as_recorded=False)


def _most(record: Record, game: Game) -> int:
    """Returns the number of decisions that a match as the recorded one has at most."""
    seats = len(record.seats)
    return game.max_decisions(seats, game.options(seats, record.options))


def _out(record: Record, change: Change) -> list[int]:
    """Returns the seats whose bots were out before the decision."""
    return sorted([fault.seat for fault in record.faults if fault.decision < change.decision])


class _RestOfMatch:
    """The rest of a match from a state on."""

    def __init__(
        self, record: Record, game: Game, state: State, bots: dict[int, WarmedUpBot], houses: dict[int, Act], seed: int
    ) -> None:
        self._record = record
        self._game = game
        self._state = state
        self._bots = bots
        self._houses = houses
        self._seed = seed
        self._actions: list[int] = []
        self._most = _most(record, game)

    def play(self, change: Change, as_recorded: bool) -> Continuation:
        """Plays to the end."""
        state, actions = self._state, self._actions
        record = self._record
        fatal = [fault for fault in record.faults if as_recorded and fault.kind not in REPEATABLE]
        recorded = record.actions.split(" ")[change.decision - 1 :]

        def choose(state: State, legal: Sequence[int]) -> int:
            seat, decision = state.seat, change.decision + len(actions)
            assert seat is not None
            as_before = bool(fatal) and list(map(self._game.text, actions)) == recorded[: len(actions)]
            if as_before and any([(fault.decision, fault.seat) == (decision, seat) for fault in fatal]):
                action = None
            else:
                action = self._ask(seat, tuple(legal))
            if change.action is not None and not actions:
                action = change.action
            if action is None or not (action in legal or state.tolerates(action)):
                action = self._put_out(seat)(None, legal)
            actions.append(action)
            return action

        if not play_out(state, choose, self._most - change.decision + 1):
            raise GameError(f'game "{self._game.name}" does not end after {self._most} decisions', self._game.name)
        self._end_bots(Outcome(state.scores, state.places))
        out = tuple(sorted(self._houses))
        return Continuation(tuple(actions), state.scores, final_places(state.places, set(out)), out)

    def _ask(self, seat: int, legal: tuple[int, ...]) -> int | None:
        if seat in self._houses:
            action: int = self._houses[seat](None, legal)
            return action
        with prints.labelled(self._record.seats[seat]):
            return ask(self._game, self._bots[seat], self._state.view(seat), legal).action

    def _put_out(self, seat: int) -> Act:
        """Replaces the bot of a seat by the house, which is returned."""
        return self._houses.setdefault(seat, house(self._seed, seat))

    def _end_bots(self, outcome: Outcome) -> None:
        """Tells the bots that are still in how the match ended, and ends all bots."""
        for seat, bot in sorted(self._bots.items()):
            if seat in self._houses:
                continue
            try:
                with prints.labelled(self._record.seats[seat]):
                    bot.end(outcome)
            except RAISED:
                self._put_out(seat)
        for bot in self._bots.values():
            bot.close()
