"""The bot contract: any object with `act(view, legal)`; `start(facts)` and `end(outcome)` are optional.

A new bot is made for every match: from a class that has `Options` with these (`Seer(options)`), from any other without
arguments (`Thief()`). A bot may list in `games` the games that it plays; without the list it plays every game.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

import msgspec

from tourney.contracts.game import Game, Options, View


class Clock(msgspec.Struct, frozen=True):
    """The bot's remaining time.

    A bot that uses it may answer differently in a replay.
    """

    _left: Callable[[], float]
    bank_s: float | None
    """The seconds for all decisions of a match together, at its start; None if there is no such limit."""
    increment_s: float
    """The seconds that each decision adds."""
    move_s: float | None
    """The most that one decision may take, in seconds; None for no limit but the time left."""
    is_processor_time: bool
    """Whether it is the processor time of the bot; otherwise it is wall-clock time."""
    call_s: float | None = None
    """How long, in seconds, a bot with `service = True` may wait for its service in one call; then it is away."""

    @property
    def left_s(self) -> float:
        """Seconds left: in the bank, or for this decision if there is no bank."""
        return self._left()


class SeatFacts(NamedTuple):
    """What a bot knows from the start: game, options, seat, clock and random numbers."""

    game: Game
    """The rules: `facts.game.text(action)`, `facts.game.action("keep")`, `facts.game.imagine(view, rng)`."""
    options: Options
    """The game's options in this match."""
    seats: int
    """How many seats there are."""
    seat: int
    """The bot's own seat, from 0."""
    rng: Random
    """The bot's own randomness: it repeats in every replay of the match, and reveals nothing about the cards."""
    clock: Clock | None = None
    """The bot's remaining time; None if its decisions have no time limit."""


class ActionEstimate(NamedTuple):
    """A bot's estimate of one action's value."""

    action: int
    mean: float
    """The points that the seat expects of the match, in percent: 100 for the first place, 0 for the last."""
    error: float | None
    """The standard error of the mean; None if unknown."""
    playouts: int
    """The number of playouts behind the mean."""


class Noted:
    """An action with a note attached: `return Noted(action, value=0.63, thought="two trumps are left")`.

    Notes are kept next to the journal, and never part of a record. These have a meaning: `value`, the share of the
    points that the bot expects for its seat, from 0 to 1; `thought`, a text; `tokens_in`, `tokens_out`, `cost` and
    `attempts`.
    """

    __slots__ = ("action", "note")

    def __init__(self, action: int, /, **note: float | bool | str) -> None:
        """Takes numbers, booleans and short texts under names of the author's choice; numpy's numbers also count."""
        self.action = action
        self.note: Any = {key: getattr(value, "item", lambda value=value: value)() for key, value in note.items()}


class Outcome(NamedTuple):
    """Scores and places of a match, ignoring faults."""

    scores: tuple[int, ...]
    """The score of each seat; higher is better."""
    places: tuple[int, ...]
    """The place of each seat in the ranking, 1 is the best; seats may share a place."""


class UnavailableError(Exception):
    """Raise in a bot with `service = True` if its service is unreachable. Not a fault.

    The bot is asked again after a pause, until `patience_s` is over and the run pauses.
    """

    def __init__(self, why: str, retry_after: float | str | None = None) -> None:
        """Takes the message for the user, and when to ask again: in seconds, or as in a `Retry-After` header."""
        super().__init__(why)
        self.retry_after = retry_after


class Bot:
    """Optional base class for bots.

    A bot may also have `act_many(views, legals)`, which returns a list with the result of `act` for each view. Under
    `tourney serve-bot`, such a bot is one object for all matches: only this method is called, with views of any matches
    and seats; `start`, `act` and `end` are not.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    """The names of the games that the bot plays; None means every game."""
    service: ClassVar[bool] = False
    """Whether it asks a service elsewhere, which may be away (`UnavailableError`) and need not repeat its answers.

    This holds for a bot in the worker (`inline`), or under `tourney serve-bot`. In the worker, it may also raise a
    `ServiceError` about something that the user must correct: that ends the run, and no bot is charged.
    """

    facts: SeatFacts
    """The facts of the match, from `start` on."""

    def start(self, facts: SeatFacts) -> None:
        """Called once before the first decision; stores the match facts."""
        self.facts = facts

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Returns one of the legal actions. Called for every decision, even a forced one.

        A note about the decision comes with the action, as `Noted(action, value=0.63)`.

        Args:
            view: Everything that the seat may know: a `View` of the game.
            legal: The actions that are legal, never empty, in a stable order.

        Raises:
            NotImplementedError: A subclass has to decide.
        """
        raise NotImplementedError

    def end(self, outcome: Outcome) -> None:
        """Called once after the last decision, with the outcome."""


__all__ = ["ActionEstimate", "Bot", "Clock", "Noted", "Outcome", "SeatFacts", "UnavailableError", "View"]
