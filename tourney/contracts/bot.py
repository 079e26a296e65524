"""The contract of a bot: any object with `act(view, legal)`; `start(facts)` and `end(outcome)` are optional.

A new bot is made for every match: from a class that has `Options` with these (`Seer(options)`), from any other without
arguments (`Thief()`). A bot may list in `games` the games that it plays; without the list it plays every game.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

from tourney.contracts.game import Game, Options, View


class Clock:
    """How much time a bot has left, for bots that think as long as they may.

    A bot that uses it may answer differently in a replay.
    """

    __slots__ = ("_left", "bank_s", "call_s", "increment_s", "is_processor_time", "move_s")

    def __init__(
        self,
        left: Callable[[], float],
        bank_s: float | None,
        increment_s: float,
        move_s: float | None,
        is_processor_time: bool,
        call_s: float | None = None,
    ) -> None:
        self._left = left
        self.bank_s = bank_s
        """The seconds for all decisions of a match together, at its beginning; None if there is no such limit."""
        self.increment_s = increment_s
        """What each decision adds, in seconds."""
        self.move_s = move_s
        """The most that one decision may take, in seconds; None for no limit but what is left."""
        self.is_processor_time = is_processor_time
        """Whether it is the time that the processor works for the bot; otherwise it is that of a clock on the wall."""
        self.call_s = call_s
        """How long, in seconds, a bot with `service = True` may wait for its service in one call; then it is away."""

    @property
    def left_s(self) -> float:
        """How many seconds are left now: for all decisions together, or for this one if only that is limited."""
        return self._left()


class SeatFacts(NamedTuple):
    """The facts of a match for one seat: everything that a bot may know beyond its views."""

    game: Game
    """The rules: `facts.game.text(action)`, `facts.game.action("keep")`, `facts.game.imagine(view, rng)`."""
    options: Options
    """The game's options in this match."""
    seats: int
    """How many seats there are."""
    seat: int
    """The bot's own seat, from 0."""
    rng: Random
    """The bot's own randomness: it repeats in every replay of the match, and says nothing about the cards."""
    clock: Clock | None = None
    """The time that the bot has; None where its decisions have no limit of time."""


class ActionEstimate(NamedTuple):
    """How good a bot thinks an action is."""

    action: int
    mean: float
    """The points that the seat expects of the match, in percent: 100 for the first place, 0 for the last."""
    error: float | None
    """The standard error of the mean; None if unknown."""
    playouts: int
    """The number of playouts behind the mean."""


class Noted:
    """An action with what the bot notes of it: `return Noted(action, value=0.63, thought="two trumps are left")`.

    Notes are kept beside the journal, and never part of a record. These have a meaning: `value`, the share of the
    points that the bot expects for its seat, from 0 to 1; `thought`, a text; `tokens_in`, `tokens_out`, `cost` and
    `attempts`.
    """

    __slots__ = ("action", "note")

    def __init__(self, action: int, /, **note: float | bool | str) -> None:
        """Takes numbers, booleans and short texts under names of the author's choice; numpy's numbers count, too."""
        self.action = action
        self.note: Any = {key: getattr(value, "item", lambda value=value: value)() for key, value in note.items()}


class Outcome(NamedTuple):
    """How a match ended by the rules of the game, faults left out."""

    scores: tuple[int, ...]
    """The score of each seat; higher is better."""
    places: tuple[int, ...]
    """The place of each seat in the ranking, 1 is the best; seats may share a place."""


class UnavailableError(Exception):
    """Raised by a bot with `service = True` where its service cannot be reached; it is no fault.

    The bot is asked again after a pause, until `patience_s` is over and the run pauses.
    """

    def __init__(self, why: str, retry_after: float | str | None = None) -> None:
        """Takes what is shown to the user, and when to ask again: in seconds, or as a `Retry-After` header says it."""
        super().__init__(why)
        self.retry_after = retry_after


class Bot:
    """A base class for bots, which need not use it.

    A bot may also have `act_many(views, legals)`, which returns a list of what `act` would return for each view. Behind
    `tourney serve-bot`, such a bot is one object for all matches: only this method is called, with views of any matches
    and seats; `start`, `act` and `end` are not.
    """

    games: ClassVar[tuple[str, ...] | None] = None
    """The names of the games that the bot plays; None means every game."""
    service: ClassVar[bool] = False
    """Whether it asks a service elsewhere, which may be away (`UnavailableError`) and need not repeat its answers.

    This holds where the bot runs in the worker (`inline`), or behind `tourney serve-bot`. In the worker, it may also
    raise a `ServiceError` about what the user has to correct: that ends the run, and nobody is charged.
    """

    facts: SeatFacts
    """The facts of the match, from `start` on."""

    def start(self, facts: SeatFacts) -> None:
        """Keeps the facts of the match; called once, before the first decision."""
        self.facts = facts

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        """Chooses one of the legal actions; called at every decision of the seat, even if only one action is legal.

        What the bot notes of the decision comes with the action, as `Noted(action, value=0.63)`.

        Args:
            view: All that the seat may know: a `View` of the game.
            legal: The actions that are legal, never empty, in a stable order.

        Raises:
            NotImplementedError: A subclass has to decide.
        """
        raise NotImplementedError

    def end(self, outcome: Outcome) -> None:
        """Learns how the match ended; called once, after the last decision."""


__all__ = ["ActionEstimate", "Bot", "Clock", "Noted", "Outcome", "SeatFacts", "UnavailableError", "View"]
