"""A match played on from one of its decisions: with another action, or with another bot in the seat.

It is played on with the cards as they were and with every bot's own rng, fed up to there; so the same action by the
same bot leads to the ending of the record. Or it is played on in matches that the seat, which cannot see everything,
might as well have been in: what it does not see is imagined, all bots draw on other randomness, and the other bots are
new, as what they have seen would be something else.
"""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from tourney.bot import Outcome, SeatFacts
from tourney.debugging.recheck import REPEATED
from tourney.debugging.warmup import RAISED, Divergence, FedBot, answered, moment
from tourney.game import Game, State
from tourney.hosts.base import Act
from tourney.match import Record, final_places
from tourney.rng import derive, stream
from tourney.table import BotFactory, house


class Change(NamedTuple):
    """What is otherwise than in the record from a decision on."""

    decision: int
    seat: int
    action: int | None
    """What the seat does there; None: what its bot then answers."""
    maker: BotFactory
    """Makes the bot of the seat."""


class Ending(NamedTuple):
    """How a match ended."""

    actions: tuple[int, ...]
    """From the decision on."""
    scores: tuple[int, ...]
    places: tuple[int, ...]
    out: tuple[int, ...]
    """Seats whose bots were out."""


def as_it_was(
    record: Record, game: Game, makers: Sequence[BotFactory], change: Change
) -> tuple[Ending, list[Divergence]]:
    """The ending with the cards of the record, and where the bots that were fed would have gone another way."""
    out = _out(record, change)
    fed = {seat: make for seat, make in enumerate(makers) if seat not in out} | {change.seat: change.maker}
    then = moment(record, game, fed, change.decision)
    houses = {seat: then.houses[seat] for seat in out}
    rest = _Rest(game, then.step.state, then.bots, houses, int(record.seed, 16))
    return rest.ending(change, record), then.divergences


def imagined(record: Record, game: Game, makers: Sequence[BotFactory], change: Change, number: int) -> Ending:
    """The ending of the imagined match of that number: the same match for every change at the same decision."""
    seed = derive(int(record.seed, 16), "continuation", change.decision, number)
    then = moment(record, game, {change.seat: change.maker}, change.decision, lambda seat: derive(seed, "bot", seat))
    state = game.imagine(then.step.state.view(change.seat), stream(seed, "imagine"))
    out = _out(record, change)
    bots, seats = then.bots, len(makers)
    for seat, make in enumerate(makers):
        if seat not in out and seat != change.seat:
            own = derive(seed, "bot", seat)
            facts = SeatFacts(game, game.options(seats, record.options), seats, seat, Random(own))
            bots[seat] = FedBot(make, facts, own)
    return _Rest(game, state, bots, {seat: house(seed, seat) for seat in out}, seed).ending(change, None)


def _out(record: Record, change: Change) -> list[int]:
    """The seats whose bots were out before."""
    return sorted([fault.seat for fault in record.faults if fault.decision < change.decision])


class _Rest:
    """The rest of a match, from a state on."""

    def __init__(self, game: Game, state: State, bots: dict[int, FedBot], houses: dict[int, Act], seed: int) -> None:
        self._game = game
        self._state = state
        self._bots = bots
        self._houses = houses
        self._seed = seed
        self._actions: list[int] = []

    def ending(self, change: Change, record: Record | None) -> Ending:
        """Plays to the end.

        As long as all goes as in the record, if there is one, nothing is tried again that ended a process or its time.
        """
        state, actions = self._state, self._actions
        fatal = [] if record is None else [fault for fault in record.faults if fault.kind not in REPEATED]
        known = [] if record is None else record.actions.split(" ")[change.decision - 1 :]
        while (seat := state.seat) is not None:
            legal = tuple(state.legal())
            decision = change.decision + len(actions)
            as_known = bool(fatal) and list(map(self._game.text, actions)) == known[: len(actions)]
            if as_known and any([(fault.decision, fault.seat) == (decision, seat) for fault in fatal]):
                action = None
            else:
                action = self._asked(seat, legal)
            if change.action is not None and not actions:
                action = change.action
            if action is None or not (action in legal or state.tolerates(action)):
                action = self._put_out(seat)(None, legal)
            state.log.append((seat, action, legal))
            state.apply(action)
            actions.append(action)
        self._tell(Outcome(state.scores, state.places))
        for bot in self._bots.values():
            bot.close()
        out = tuple(sorted(self._houses))
        return Ending(tuple(actions), state.scores, final_places(state.places, set(out)), out)

    def _asked(self, seat: int, legal: tuple[int, ...]) -> int | None:
        if seat in self._houses:
            action: int = self._houses[seat](None, legal)
            return action
        return answered(self._game, self._bots[seat], self._state.view(seat), legal).action

    def _put_out(self, seat: int) -> Act:
        return self._houses.setdefault(seat, house(self._seed, seat))

    def _tell(self, outcome: Outcome) -> None:
        """Tells the bots that are still in how the match ended."""
        for seat, bot in sorted(self._bots.items()):
            if seat in self._houses:
                continue
            try:
                bot.end(outcome)
            except RAISED:
                self._put_out(seat)
